public import StorageDriver

// Models that are named by what the store has recorded, without the program's types.

extension Store {
    /// Removes every record of a model with all that they own, and lets assigned keys begin at 1 again.
    public nonisolated(nonsending) func truncate(_ model: String) async throws(StorageError) {
        try await writing("truncate", .recorded(model)) { (writing) throws(StorageError) in try writing.truncate() }
    }

    /// The recorded tables, in the order of their creation.
    public nonisolated(nonsending) func schema() async throws(StorageError) -> [TableSchema] {
        try reading("schema", .query) { (reader) throws(StorageError) in try reader.tables() }
    }

    /// The recorded models in their tree form, in the order of their creation.
    ///
    /// - Throws: `schemaMismatch` for a type that owns itself, in a store that was written before the names of owned
    ///   types were recorded; `limitExceeded` for one whose tree is too big.
    public nonisolated(nonsending) func recordSchemas() async throws(StorageError) -> [RecordSchema] {
        try reading("schema", .query) { (reader) throws(StorageError) in
            try RecordSchema.all(try reader.tables())
        }
    }

    /// Makes the tables of models that no type declares, as opening the store with a type does. Where a model is stored
    /// already, only what its schema has beyond the stored one is added, and nothing is taken away.
    ///
    /// One transaction: all schemas or none. A program with types of the same properties opens the store afterwards.
    /// - Throws: `configuration` where a model cannot be stored; `schemaMismatch` where a property is stored in another
    ///   way, or a new one is required and there are records; `limitExceeded`.
    public nonisolated(nonsending) func prepare(_ schemas: [RecordSchema]) async throws(StorageError) {
        guard !schemas.isEmpty else { return }
        try await writing("prepare") { context throws(StorageError) in try context.prepare(schemas) }
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Removes every record of a model with all that they own, and lets assigned keys begin at 1 again.
    public func truncate(_ model: String) throws(StorageError) {
        try _session.executor.writing("truncate", .recorded(model)) { (writing) throws(StorageError) in
            try writing.truncate()
        }
    }

    /// Makes the tables of models that no type declares, as ``Store`` does.
    public func prepare(_ schemas: [RecordSchema]) throws(StorageError) {
        guard !schemas.isEmpty else { return }
        try _session.executor.prepare(schemas)
    }
}
