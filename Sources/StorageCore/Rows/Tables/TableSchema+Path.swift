package import StorageDriver

extension TableSchema {
    /// True if this is one of the store's internal tables, which belong to no model.
    package var isStoresOwn: Bool { path.first?.utf8.first == 0 }

    /// The refusal of a write to rows that can only be read.
    static func onlyRead(_ model: StoredName) -> StorageError {
        StorageError(
            .unsupported,
            "\(model) is a view of other software, or a table without a key, and can only be read; write to the tables of the view, or "
                + "give the table a key.", model: model)
    }
}

extension [TableSchema] {
    /// The tables by the names of their models.
    var byModel: [StoredName: [TableSchema]] { Dictionary(grouping: self) { $0.storedPath.first ?? "" } }
}
