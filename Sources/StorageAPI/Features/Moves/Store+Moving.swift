import StorageDriver

/// A step that moves data between two schemas, once in a store.
struct DataMove: Sendable {
    let name: StoredName
    let body: @Sendable (inout Store.Transaction) throws -> Void
}
