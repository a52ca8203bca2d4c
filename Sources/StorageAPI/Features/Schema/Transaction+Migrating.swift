extension Store.Transaction {
    /// Changes models to match schemas exactly, as `Store.migrate(to:)` does, as a part of the transaction. For the tool.
    package func migrate(to schemas: [RecordSchema]) throws(StorageError) {
        try context.atomically { () throws(StorageError) in try context.prepare(schemas, isExact: true) }
    }
}
