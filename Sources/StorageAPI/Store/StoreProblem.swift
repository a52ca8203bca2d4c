public import StorageDriver

/// A defect in a store's contents.
public struct StoreProblem: Hashable, Sendable, CustomStringConvertible {
    /// The stored name of the model; nil if the defect concerns the whole store.
    public let model: String?
    /// The key of the row; for an owned row, its owner's key comes first.
    public let key: [Value]?
    /// The property, with its path.
    public let property: String?
    /// A description of the problem, in one sentence.
    public let message: String

    init(_ message: String, model: String? = nil, key: [Value]? = nil, property: String? = nil) {
        self.message = message
        self.model = model
        self.key = key
        self.property = property
    }

    /// Creates a problem from an error, such as an error of opening a damaged store.
    public init(_ error: StorageError) {
        self.init(error.message, model: error.model, key: error.key, property: error.property)
    }

    /// `Person, key 7, property age: …`
    public var description: String {
        var place = model ?? "store"
        if let key { place += ", key " + key.keyText }
        if let property { place += ", property \(property)" }
        return "\(place): \(message)"
    }
}
