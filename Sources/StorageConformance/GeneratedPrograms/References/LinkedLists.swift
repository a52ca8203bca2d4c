internal import StorageAPI

/// A change of a part of an array of references, or a question about it.
struct LinkedListCall<M: LinkedModel, N: LinkedModel>: LinkedOperation {
    enum Change: Sendable {
        case append([Ref<N>])
        case insert([Ref<N>], at: Int)
        case move(from: Int, to: Int)
        case removeAt(Int)
        case remove(Ref<N>)
        case look(Range<Int>, Ref<N>)
    }

    let owner: Ref<M>
    let property: FieldPath<M, [Ref<N>]>
    let columns: any KeyPath<M.Columns, QueryExpression<[Ref<N>]>> & Sendable
    let name: String
    let change: Change

    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        let list = verbs.list(columns, of: owner)
        switch change {
        case .append(let added): try list.append(added)
        case .insert(let added, let index): try list.insert(added, at: index)
        case .move(let first, let index): try list.move(from: first, to: index)
        case .removeAt(let index): return N.swift(try list.remove(at: index))
        case .remove(let reference): return String(try list.remove(reference))
        case .look(let places, let reference):
            return Self.answer(
                try list.refs(in: places), try list.records(in: places), count: try list.count(),
                isThere: try list.contains(reference))
        }
        return "()"
    }

    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String {
        if added?.isEmpty == true { return "()" }
        guard var record = world[owner] else { throw ExpectedError(.notFound) }
        let list = record[keyPath: property]
        guard places.allSatisfy({ $0 >= 0 && $0 < list.count + (added == nil ? 0 : 1) }) else {
            throw ExpectedError(.invalidQuery)
        }
        var answer = "()"
        switch change {
        case .append(let added): record[keyPath: property] += added
        case .insert(let added, let index): record[keyPath: property].insert(contentsOf: added, at: index)
        case .move(let first, let index):
            let moved = record[keyPath: property].remove(at: first)
            record[keyPath: property].insert(moved, at: index)
        case .removeAt(let index): answer = N.swift(record[keyPath: property].remove(at: index))
        case .remove(let reference):
            record[keyPath: property].removeAll { $0 == reference }
            answer = String(list.count - record[keyPath: property].count)
        case .look(let places, let reference):
            let page = list.dropFirst(places.lowerBound).prefix(places.count)
            // Inside a transaction a reference may still name nothing.
            let records = page.compactMap { world[$0] }
            guard records.count == page.count else { throw ExpectedError(.notFound) }
            return Self.answer(Array(page), records, count: list.count, isThere: list.contains(reference))
        }
        world[keyPath: M.rows][owner] = record
        return answer
    }

    private static func answer(_ references: [Ref<N>], _ records: [N], count: Int, isThere: Bool) -> String {
        "\(references.map(N.swift)) \(records.lines) \(count) \(isThere)"
    }

    private var added: [Ref<N>]? {
        switch change {
        case .append(let added), .insert(let added, _): added
        default: nil
        }
    }

    /// The places that must be in the array.
    private var places: [Int] {
        switch change {
        case .insert(_, let index), .removeAt(let index): [index]
        case .move(let first, let index): [first, index]
        case .append, .remove, .look: []
        }
    }

    var swift: String {
        let call =
            switch change {
            case .append(let added): "append([\(added.map(N.swift).joined(separator: ", "))])"
            case .insert(let added, let index):
                "insert([\(added.map(N.swift).joined(separator: ", "))], at: \(index))"
            case .move(let first, let index): "move(from: \(first), to: \(index))"
            case .removeAt(let index): "remove(at: \(index))"
            case .remove(let reference): "remove(\(N.swift(reference)))"
            case .look(let places, let reference): "refs(in: \(places)), contains(\(N.swift(reference)))"
            }
        return "try store.list(\\.\(name), of: \(M.swift(owner))).\(call)"
    }

    static func random(
        _ owner: Ref<M>, name: String, property: FieldPath<M, [Ref<N>]>,
        columns: any KeyPath<M.Columns, QueryExpression<[Ref<N>]>> & Sendable, _ generator: inout SeededGenerator,
        in world: LinkedWorld
    ) -> LinkedListCall {
        let length = world[owner]?[keyPath: property].count ?? 0
        func place(_ end: Int) -> Int {
            generator.chance(96) ? generator.below(max(end, 1)) : end + 1 - generator.below(3)
        }
        func some() -> [Ref<N>] {
            let stored = N.references.filter { world[keyPath: N.rows][$0] != nil }
            return (0..<generator.below(5)).compactMap { _ in
                generator.one(of: generator.chance(96) ? stored : N.references)
            }
        }
        let one = generator.one(of: N.references) ?? N.references[0]
        let change: Change =
            switch generator.below(12) {
            case 0, 1: .append(some())
            case 2..<6: .insert(some(), at: place(length + 1))
            case 6, 7: .move(from: place(length), to: place(length))
            case 8: .removeAt(place(length))
            case 9: .remove(one)
            default: .look(generator.below(3)..<3 + generator.below(6), one)
            }
        return LinkedListCall(owner: owner, property: property, columns: columns, name: name, change: change)
    }
}

extension LinkedModel {
    static func randomListCall(_ generator: inout SeededGenerator, _ world: LinkedWorld) -> (any StorageOperation)? {
        nil
    }
}

extension Knot {
    static func randomListCall(_ generator: inout SeededGenerator, _ world: LinkedWorld) -> (any StorageOperation)? {
        guard let owner = generator.one(of: references) else { return nil }
        return generator.chance(60)
            ? LinkedListCall<Knot, Mesh>.random(
                owner, name: "meshes", property: \.meshes, columns: \.meshes, &generator, in: world)
            : LinkedListCall<Knot, Ply>.random(
                owner, name: "pairs", property: \.pairs, columns: \.pairs, &generator, in: world)
    }
}

extension Mesh {
    static func randomListCall(_ generator: inout SeededGenerator, _ world: LinkedWorld) -> (any StorageOperation)? {
        guard let owner = generator.one(of: references) else { return nil }
        return LinkedListCall<Mesh, Mesh>.random(
            owner, name: "peers", property: \.peers, columns: \.peers, &generator, in: world)
    }
}
