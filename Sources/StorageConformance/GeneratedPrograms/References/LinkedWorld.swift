internal import StorageAPI

/// Records that refer to each other, and what clauses R2 to R4 say of them in plain Swift: every rule looks at all records.
struct LinkedWorld: Sendable {
    var knots: [Ref<Knot>: Knot] = [:]
    var meshes: [Ref<Mesh>: Mesh] = [:]
    var plies: [Ref<Ply>: Ply] = [:]
    /// True while a transaction runs. References are checked when it ends.
    var isInTransaction = false

    static let models: [any LinkedModel.Type] = [Knot.self, Mesh.self, Ply.self]

    /// All records of a model, in key order.
    func all<M: LinkedModel>(_: M.Type) -> [M] { self[keyPath: M.rows].values.sorted { $0.isBefore($1) } }

    subscript<M: LinkedModel>(_ reference: Ref<M>?) -> M? { reference.flatMap { self[keyPath: M.rows][$0] } }

    private var everything: [LinkedID: any LinkedModel] {
        var all: [LinkedID: any LinkedModel] = [:]
        for (key, knot) in knots { all[.knot(key)] = knot }
        for (key, mesh) in meshes { all[.mesh(key)] = mesh }
        for (key, ply) in plies { all[.ply(key)] = ply }
        return all
    }

    /// True if every reference that is checked names a stored record (R2).
    var isSound: Bool {
        let everything = everything
        return everything.values.allSatisfy { record in
            record.links.allSatisfy { $0.rule == .unchecked || everything[$0.target] != nil }
        }
    }

    /// Makes a call's changes, unless they leave a reference that names nothing.
    mutating func call<T>(
        _ body: (inout LinkedWorld) throws(ExpectedError) -> T
    ) throws(ExpectedError) -> T {
        var world = self
        let result = try body(&world)
        guard isInTransaction || world.isSound else { throw ExpectedError(.constraint) }
        self = world
        return result
    }

    mutating func put<M: LinkedModel>(_ models: [M], _ verb: LinkedVerb) throws(ExpectedError) {
        for model in models {
            guard let key = model.own else { continue }
            let isStored = self[keyPath: M.rows][key] != nil
            if verb == .insert, isStored { throw ExpectedError(.duplicateKey) }
            if verb == .update, !isStored { throw ExpectedError(.notFound) }
            self[keyPath: M.rows][key] = model
        }
    }

    /// Deletes records, and does to all others what their rules say (R3).
    mutating func delete(_ given: [LinkedID]) throws(ExpectedError) -> Int {
        let before = everything
        var gone = Set(given.filter { before[$0] != nil })
        let count = gone.count
        var number = -1
        while number != gone.count {
            number = gone.count
            for (id, record) in before where record.refers(by: .cascade, to: gone) { gone.insert(id) }
        }
        for (id, record) in before where !gone.contains(id) {
            if record.refers(by: .deny, to: gone) { throw ExpectedError(.constraint) }
        }
        knots = left(knots, gone)
        meshes = left(meshes, gone)
        plies = left(plies, gone)
        return count
    }

    private func left<M: LinkedModel>(_ rows: [Ref<M>: M], _ gone: Set<LinkedID>) -> [Ref<M>: M] {
        rows.filter { !gone.contains(M.id($0.key)) }.mapValues { record in
            var record = record
            record.forget(gone)
            return record
        }
    }

    /// Empties a model, which no record of another may refer to (R4).
    mutating func truncate<M: LinkedModel>(_: M.Type) throws(ExpectedError) {
        for other in Self.models where other != M.self {
            for (_, record) in everything where type(of: record) == other {
                for link in record.links where link.rule != .unchecked && M.owns(link.target) {
                    throw ExpectedError(.constraint)
                }
            }
        }
        self[keyPath: M.rows] = [:]
    }

    /// All records as text.
    var text: String { (all(Knot.self).lines + all(Mesh.self).lines + all(Ply.self).lines).joined(separator: "\n") }
}

enum LinkedVerb: String, Sendable { case insert, save, update }

extension LinkedModel {
    fileprivate func refers(by rule: DeleteRule, to gone: Set<LinkedID>) -> Bool {
        links.contains { $0.rule == rule && gone.contains($0.target) }
    }

    /// Returns whether a record is of this model.
    fileprivate static func owns(_ target: LinkedID) -> Bool {
        switch target {
        case .knot: self == Knot.self
        case .mesh: self == Mesh.self
        case .ply: self == Ply.self
        }
    }
}

extension Sequence where Element: LinkedModel {
    var lines: [String] { map(\.swift) }
}

extension ReadingVerbs where Self: ~Copyable {
    /// All records of the models as text; nil if there are none.
    func linkedRecords() throws(StorageError) -> String? {
        let lines = try select(Knot.self).all().lines + select(Mesh.self).all().lines + select(Ply.self).all().lines
        return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Deletes all records of models that refer to each other, which cannot be truncated.
    func emptyLinkedModels() throws(StorageError) {
        let (knots, plies) = (try select(Knot.self).all(), try select(Ply.self).all())
        try save(plies.map { Ply(rank: $0.rank, side: $0.side) })
        try delete(knots)
        try delete(plies)
        guard let left = try linkedRecords() else { return }
        throw StorageError(.constraint, "A mesh is left without its owner: \(left)")
    }
}
