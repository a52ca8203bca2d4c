internal import StorageDriver

/// What the store's own entry says: the schema, and what records alone cannot tell. It holds from its commit on.
struct StoreRecord: Decodable {
    var tables: [Table]
    /// The root tables of models whose records before this commit are gone.
    var truncated: [String]
    /// The commit from which on the tables have this schema; a later one may repeat the record. Nil for its own commit.
    var since: UInt64?

    struct Table: Decodable {
        var schema: TableSchema
        /// For each column the value of records that were written before it was added.
        var missing: [RecordedValue]
        /// The greatest key ever stored.
        var greatestKey: Int64
    }

    /// The entry's name. No model's folder has it, for a folder's name is no file's.
    static let entryName = "STORE.plist"
}
