package import StorageDriver

/// The name of a model in a call: its type, or its stored name.
package enum ModelSource: Sendable {
    case type(any Storable.Type)
    /// The stored name of a model that the store has recorded.
    case recorded(StoredName)
    /// The same, with the properties that no program declares any more.
    case whole(StoredName)

    /// Creates the source of the model that a value belongs to.
    package init<M: Storable>(_ model: M) { self.init(M.self, model._recordedModel) }

    /// - Parameter record: the model's name if the value is a record without a type.
    package init(_ type: any Storable.Type, _ record: String?) {
        self = record.map { .recorded(StoredName($0)) } ?? .type(type)
    }
}
