package import StorageDriver

extension TableSchema {
    /// True if this is one of the store's internal tables, which belong to no model.
    package var isStoresOwn: Bool { path.first?.utf8.first == 0 }
}
