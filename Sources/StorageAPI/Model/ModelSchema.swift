/// What a model declares: its stored name and its properties.
public struct ModelSchema: Sendable {
    /// The name under which the model is stored.
    public var name: String
    /// The stored properties, in the order in which rows are read and written.
    public var properties: [Property]

    public init(_ name: String, _ properties: [Property]) {
        self.name = name
        self.properties = properties
    }

    /// The key properties: those marked as key, or else the one called `id`.
    var keys: [Property] {
        let marked = properties.filter { $0.traits.contains(.key) }
        return marked.isEmpty ? properties.filter { $0.name == "id" } : marked
    }

    /// Whether the store assigns the key where it is nil (clause K2).
    var assignsKeys: Bool {
        guard keys.count == 1, keys[0].isOptional, case .column(let type) = keys[0].kind else { return false }
        return type.storage == .integer
    }
}
