public import StorageDriver

// The recorded schema, and models that no type declares.

extension Store {
    /// The recorded tables, in the order of their creation.
    public nonisolated(nonsending) func schema() async throws(StorageError) -> [TableSchema] {
        try await reads { () throws(StorageError) in
            try self.withReader("schema", .query, seesExpired: true) { (reader) throws(StorageError) in
                try reader.tables().filter { !$0.isStoresOwn }
            }
        }
    }

    /// The recorded models as trees of properties, in the order of their creation.
    ///
    /// - Throws: `schemaMismatch` for a type that owns itself, in a store that was written before the names of owned
    ///   types were recorded; `limitExceeded` for one whose tree is too large.
    public nonisolated(nonsending) func recordSchemas() async throws(StorageError) -> [RecordSchema] {
        try RecordSchema.all(try await schema())
    }

    /// Creates the tables of models that no type declares, as opening the store with a type does. If a model is stored
    /// already, adds the properties that its stored schema lacks, and removes no property.
    ///
    /// One transaction: all schemas or none. A program with types of the same properties can then open the store.
    /// - Throws: `configuration` if a model cannot be stored; `schemaMismatch` if a property is stored with another
    ///   kind, or if a new property is required and the model has records; `limitExceeded`.
    public nonisolated(nonsending) func prepare(_ schemas: [RecordSchema]) async throws(StorageError) {
        guard !schemas.isEmpty else { return }
        try await writing("prepare") { context throws(StorageError) in try context.prepare(schemas) }
        try await complete(schemas.map(\.storedName))
    }
}

extension ReadingVerbs where Self: ~Copyable {
    /// The recorded tables, in the order of their creation, as ``Store/schema()`` reads them, in the snapshot of the session.
    public func schema() throws(StorageError) -> [TableSchema] {
        try _session.target.readingStore("schema") { (session, _) throws(StorageError) in
            try session.tables().filter { !$0.isStoresOwn }
        }
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Makes the tables of models that no type declares, as ``Store`` does.
    public func prepare(_ schemas: [RecordSchema]) throws(StorageError) {
        guard !schemas.isEmpty else { return }
        try _session.target.prepare(schemas)
    }
}
