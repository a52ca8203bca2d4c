internal import StorageAPI

/// A change of an array of references: of a Swift array, and of a stored one in each form.
enum ListChange {
    case append([Ref<Label>])
    case insert([Ref<Label>], at: Int)
    case move(from: Int, to: Int)
    case removeAt(Int)
    case remove(Ref<Label>)

    static func random(of count: Int, _ generator: inout SeededGenerator) -> ListChange {
        func label() -> Ref<Label> { Ref(key: ["art", "new", "war"][Int.random(in: 0..<3, using: &generator)]) }
        func some() -> [Ref<Label>] { (0..<Int.random(in: 1...3, using: &generator)).map { _ in label() } }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: return .append(some())
        case 2, 3, 4: return .insert(some(), at: Int.random(in: 0...count, using: &generator))
        case 5, 6,
            7 where count > 0:
            return .move(
                from: Int.random(in: 0..<count, using: &generator), to: Int.random(in: 0..<count, using: &generator))
        case 8 where count > 0: return .removeAt(Int.random(in: 0..<count, using: &generator))
        case 9 where count > 40: return .remove(label())
        default: return .insert(some(), at: count / 2)
        }
    }

    var source: String {
        switch self {
        case .append(let labels): "append(\(labels.map(\.key)))"
        case .insert(let labels, let index): "insert(\(labels.map(\.key)), at: \(index))"
        case .move(let first, let index): "move(from: \(first), to: \(index))"
        case .removeAt(let index): "remove(at: \(index))"
        case .remove(let label): "remove(\"\(label.key)\")"
        }
    }

    func apply(to array: inout [Ref<Label>]) {
        switch self {
        case .append(let labels): array += labels
        case .insert(let labels, let index): array.insert(contentsOf: labels, at: index)
        case .move(let first, let index): array.insert(array.remove(at: first), at: index)
        case .removeAt(let index): array.remove(at: index)
        case .remove(let label): array.removeAll { $0 == label }
        }
    }

    func apply(to list: Store.List<Volume, Label, Store>) async throws {
        switch self {
        case .append(let labels): try await list.append(labels)
        case .insert(let labels, let index): try await list.insert(labels, at: index)
        case .move(let first, let index): try await list.move(from: first, to: index)
        case .removeAt(let index): try await list.remove(at: index)
        case .remove(let label): try await list.remove(label)
        }
    }

    func apply(to list: Store.List<Volume, Label, Store.Session>) throws {
        switch self {
        case .append(let labels): try list.append(labels)
        case .insert(let labels, let index): try list.insert(labels, at: index)
        case .move(let first, let index): try list.move(from: first, to: index)
        case .removeAt(let index): try list.remove(at: index)
        case .remove(let label): try list.remove(label)
        }
    }
}
