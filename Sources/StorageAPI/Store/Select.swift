public import StorageDriver

/// A query of a store. Runs when one of its `async` calls asks for records.
///
/// ```swift
/// let some = try await store.select(Person.self)
///     .where { $0.age >= 28 }.order { $0.name }.limit(10).all()
/// ```
public struct Select<Model: Storable>: SelectionBuilder, Sendable {
    /// What is asked so far.
    public var selection = Selection()
    let store: Store

    /// The records with all that they own, in order.
    ///
    /// - Throws: `typeMismatch` where a stored value does not fit its property; `invalidQuery`; `closed`.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Model] {
        try await run { (reading) throws(StorageError) in try reading.all(Model.self, selection) }
    }

    /// The first record, or nil where there is none.
    public nonisolated(nonsending) func first() async throws(StorageError) -> Model? {
        let query = limit(Swift.min(selection.limit ?? 1, 1)).selection
        return try await run { (reading) throws(StorageError) in try reading.all(Model.self, query).first }
    }

    /// How many records there are. Loads none.
    public nonisolated(nonsending) func count() async throws(StorageError) -> Int {
        try await run { (reading) throws(StorageError) in try reading.count(selection) }
    }

    /// Whether there is any record. Loads none.
    public nonisolated(nonsending) func exists() async throws(StorageError) -> Bool {
        try await run { (reading) throws(StorageError) in try reading.exists(selection) }
    }

    /// The records' keys, in order.
    public nonisolated(nonsending) func keys() async throws(StorageError) -> [Model.Key] {
        try await run { (reading) throws(StorageError) in try reading.keys(Model.self, selection) }
    }

    /// The records one after the other, of one snapshot, in memory that does not grow with their number.
    ///
    /// The snapshot lasts until the sequence ends or its iterator is gone; a stream of a closed store throws `closed`.
    public func stream() -> SelectStream<Model> {
        SelectStream(store: store, selection: selection, source: .type(Model.self))
    }

    /// How the backend would go about the query; see `QueryExplanation`. Loads nothing.
    ///
    /// - Throws: `unsupported` where the backend does not tell.
    public nonisolated(nonsending) func explain() async throws(StorageError) -> QueryExplanation {
        try await run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    nonisolated(nonsending) func run<T>(
        _ body: (Reading) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        if store.registry.handle(Model.self) == nil { try await store.prepare([Model.self]) }
        if Task.isCancelled {
            throw StorageError(.cancelled, "The task was cancelled.", operation: "select").at(backend: store.info.name)
        }
        return try store.reading("select", .type(Model.self), body)
    }
}

/// A query without `async`: of ``Store/blocking``, of a transaction or of a read block.
public struct BlockingSelect<Model: Storable>: SelectionBuilder {
    /// What is asked so far.
    public var selection = Selection()
    let executor: Executor
    var source = ModelSource.type(Model.self)

    /// The records with all that they own, in order.
    ///
    /// - Throws: `typeMismatch` where a stored value does not fit its property; `invalidQuery`; `closed`.
    public func all() throws(StorageError) -> [Model] {
        try run { (reading) throws(StorageError) in try reading.all(Model.self, selection) }
    }

    /// The first record, or nil where there is none.
    public func first() throws(StorageError) -> Model? {
        let query = limit(Swift.min(selection.limit ?? 1, 1)).selection
        return try run { (reading) throws(StorageError) in try reading.all(Model.self, query).first }
    }

    /// How many records there are. Loads none.
    public func count() throws(StorageError) -> Int {
        try run { (reading) throws(StorageError) in try reading.count(selection) }
    }

    /// Whether there is any record. Loads none.
    public func exists() throws(StorageError) -> Bool {
        try run { (reading) throws(StorageError) in try reading.exists(selection) }
    }

    /// The records' keys, in order.
    public func keys() throws(StorageError) -> [Model.Key] {
        try run { (reading) throws(StorageError) in try reading.keys(Model.self, selection) }
    }

    /// Calls the body with one record after the other, in order and of one snapshot, in memory that does not grow with
    /// their number. It ends where the body throws.
    ///
    /// In a transaction the body may write: all records are loaded first, and are what they were before the body ran.
    ///
    /// - Throws: the body's error as it is; what ``all()`` throws.
    @inlinable
    public func forEach(_ body: (Model) throws -> Void) throws {
        var failure: (any Error)?
        try _loop(
            rows: { (rows) throws(StorageError) in
                while failure == nil, let model = try rows.nextModel(Model.self) {
                    do { try body(model) } catch { failure = error }
                }
            },
            models: { models in
                do { for model in models { try body(model) } } catch { failure = error }
                return failure == nil
            })
        if let failure { throw failure }
    }

    /// Gives the records as rows that decode as they come, or in parts that are decoded already, until one returns false.
    @usableFromInline
    func _loop(
        rows: (inout RowCursor) throws(StorageError) -> Void, models: ([Model]) -> Bool
    ) throws(StorageError) {
        try executor.loop(source, selection, rows: rows, models: models)
    }

    /// How the backend would go about the query; see `QueryExplanation`. Loads nothing.
    ///
    /// - Throws: `unsupported` where the backend does not tell.
    public func explain() throws(StorageError) -> QueryExplanation {
        try run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    func run<T>(_ body: (Reading) throws(StorageError) -> T) throws(StorageError) -> T {
        try executor.reading("select", source, body)
    }
}
