public import StorageDriver

// The verbs of records, whose models are named by what the store has recorded. Each means what it means for types, and
// takes records of one model.

extension Store {
    // MARK: Writing

    /// Stores a new record with all that it owns.
    ///
    /// Properties that are Optional, and arrays of owned records, may be left out.
    /// - Returns: the stored record, with its key where the store assigned it.
    /// - Throws: `invalidQuery` where the store has no model of the name; `invalidValue`, naming the property, for a
    ///   field that the model does not have, a value that it cannot hold, and a required one that is missing;
    ///   `duplicateKey`, `constraint`, `limitExceeded`; what the engine meets.
    @discardableResult
    public nonisolated(nonsending) func insert(_ record: Record) async throws(StorageError) -> Record {
        try await put(record, .insert)
    }

    /// Stores new records of one model: all of them or, where one fails, none.
    @discardableResult
    public nonisolated(nonsending) func insert(_ records: [Record]) async throws(StorageError) -> [Record] {
        try await put(records, .insert)
    }

    /// Stores a record whether or not its key is stored already. Afterwards the store holds exactly this record.
    @discardableResult
    public nonisolated(nonsending) func save(_ record: Record) async throws(StorageError) -> Record {
        try await put(record, .upsert)
    }

    /// Stores records of one model whether or not their keys are stored already. Of two with the same key the last is
    /// kept.
    @discardableResult
    public nonisolated(nonsending) func save(_ records: [Record]) async throws(StorageError) -> [Record] {
        try await put(records, .upsert)
    }

    /// Replaces a stored record, with all that it owns.
    ///
    /// - Throws: `notFound` where no record has the key, `missingKey` where it has none; else as ``insert(_:)-(Record)``.
    public nonisolated(nonsending) func update(_ record: Record) async throws(StorageError) {
        _ = try await put(record, .update)
    }

    /// Replaces stored records of one model: all of them or, where one fails, none.
    public nonisolated(nonsending) func update(_ records: [Record]) async throws(StorageError) {
        _ = try await put(records, .update)
    }

    /// Deletes a record with all that it owns, by its key; returns how many went.
    @discardableResult
    public nonisolated(nonsending) func delete(_ record: Record) async throws(StorageError) -> Int {
        try await writing("delete", record.model) { (writing) throws(StorageError) in try writing.delete(one: record) }
    }

    /// Deletes records of one model with all that they own, by their keys; returns how many went.
    @discardableResult
    public nonisolated(nonsending) func delete(_ records: [Record]) async throws(StorageError) -> Int {
        guard let model = records.first?.model else { return 0 }
        return try await writing("delete", model) { (writing) throws(StorageError) in try writing.delete(records) }
    }

    /// Removes every record of a model with all that they own, and lets assigned keys begin at 1 again.
    public nonisolated(nonsending) func truncate(_ model: String) async throws(StorageError) {
        try await writing("truncate", model) { (writing) throws(StorageError) in try writing.truncate() }
    }

    // MARK: Reading

    /// Asks for records by their model's stored name, without the program's types.
    public func records(_ model: String) -> Records { Records(model: model, store: self) }

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

    // MARK: Schema

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

    // MARK: Helpers

    nonisolated(nonsending) private func put(
        _ record: Record, _ operation: WriteOperation
    ) async throws(StorageError) -> Record {
        try await writing(operation.verb, record.model) { (writing) throws(StorageError) in
            try writing.put(one: StoredRecord(record), operation).record
        }
    }

    nonisolated(nonsending) private func put(
        _ records: [Record], _ operation: WriteOperation
    ) async throws(StorageError) -> [Record] {
        guard let model = records.first?.model else { return [] }
        return try await writing(operation.verb, model) { (writing) throws(StorageError) in
            try writing.put(records, operation)
        }
    }

    /// Runs a write of one recorded model.
    nonisolated(nonsending) func writing<T>(
        _ operation: String, _ model: String, _ body: @escaping (Writing) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await writing(operation, isRepeatable: true) { context throws(StorageError) in
            try placed(operation, .recorded(model), context) { () throws(StorageError) in
                try body(context.writing(.recorded(model)))
            }
        }
    }
}

extension ReadingVerbs where Self: ~Copyable {
    /// Asks for records by their model's stored name; see ``BlockingRecords``.
    public func records(_ model: String) -> BlockingRecords {
        BlockingRecords(model: model, executor: _runner.executor)
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Stores a new record with all that it owns, as ``Store`` does.
    @discardableResult
    public func insert(_ record: Record) throws(StorageError) -> Record { try put(record, .insert) }

    /// Stores new records of one model: all of them or none.
    @discardableResult
    public func insert(_ records: [Record]) throws(StorageError) -> [Record] { try put(records, .insert) }

    /// Stores a record whether or not its key is stored already.
    @discardableResult
    public func save(_ record: Record) throws(StorageError) -> Record { try put(record, .upsert) }

    /// Stores records of one model whether or not their keys are stored already: all of them or none.
    @discardableResult
    public func save(_ records: [Record]) throws(StorageError) -> [Record] { try put(records, .upsert) }

    /// Replaces a stored record; a missing one is `notFound`.
    public func update(_ record: Record) throws(StorageError) { _ = try put(record, .update) }

    /// Replaces stored records of one model: all of them or none.
    public func update(_ records: [Record]) throws(StorageError) { _ = try put(records, .update) }

    /// Deletes a record with all that it owns; returns how many went.
    @discardableResult
    public func delete(_ record: Record) throws(StorageError) -> Int {
        try write("delete", record.model) { (writing) throws(StorageError) in try writing.delete(one: record) }
    }

    /// Deletes records of one model with all that they own; returns how many went.
    @discardableResult
    public func delete(_ records: [Record]) throws(StorageError) -> Int {
        guard let model = records.first?.model else { return 0 }
        return try write("delete", model) { (writing) throws(StorageError) in try writing.delete(records) }
    }

    /// Removes every record of a model with all that they own, and lets assigned keys begin at 1 again.
    public func truncate(_ model: String) throws(StorageError) {
        try write("truncate", model) { (writing) throws(StorageError) in try writing.truncate() }
    }

    /// Makes the tables of models that no type declares, as ``Store`` does.
    public func prepare(_ schemas: [RecordSchema]) throws(StorageError) {
        guard !schemas.isEmpty else { return }
        try _runner.executor.prepare(schemas)
    }

    private func put(_ record: Record, _ operation: WriteOperation) throws(StorageError) -> Record {
        try write(operation.verb, record.model) { (writing) throws(StorageError) in
            try writing.put(one: StoredRecord(record), operation).record
        }
    }

    private func put(_ records: [Record], _ operation: WriteOperation) throws(StorageError) -> [Record] {
        guard let model = records.first?.model else { return [] }
        return try write(operation.verb, model) { (writing) throws(StorageError) in
            try writing.put(records, operation)
        }
    }

    private func write<T>(
        _ operation: String, _ model: String, _ body: @escaping (Writing) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try _runner.executor.writing(operation, .recorded(model), body)
    }
}
