public import StorageDriver

/// A query. It runs when you call `all()`, `first()`, `count()` or another call that returns a result.
///
/// ```swift
/// let some = try await store.select(Person.self)
///     .where { $0.age >= 28 }.order { $0.name }.limit(10).all()
/// ```
///
/// A query of a ``Store`` suspends. A query of ``Store/blocking``, of a transaction or of a read block has the same
/// calls without `async`; its source is ``Store/Session``.
///
/// Every call that runs throws `typeMismatch` if a stored value does not fit its property, `invalidQuery` if the query
/// is invalid, `cancelled` if the task is cancelled, and `closed`.
public struct Select<Model: Storable, Source>: SelectionBuilder {
    /// The query so far.
    public var selection = Selection()
    let source: Source
    var model = ModelSource.type(Model.self)

    /// The same query of one record at most.
    private var ofFirst: Selection { limit(Swift.min(selection.limit ?? 1, 1)).selection }
}

extension Select: Sendable where Source: Sendable {}

extension Select where Source == Store {
    /// The records, each with everything that it owns, in order.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Model] {
        try await run { (reading) throws(StorageError) in try reading.all(Model.self, selection) }
    }

    /// The first record; nil if the result is empty.
    public nonisolated(nonsending) func first() async throws(StorageError) -> Model? {
        try await run { (reading) throws(StorageError) in try reading.all(Model.self, ofFirst).first }
    }

    /// The number of records, without loading them.
    public nonisolated(nonsending) func count() async throws(StorageError) -> Int {
        try await run { (reading) throws(StorageError) in try reading.count(selection) }
    }

    /// Returns whether any record matches, without loading it.
    public nonisolated(nonsending) func exists() async throws(StorageError) -> Bool {
        try await run { (reading) throws(StorageError) in try reading.exists(selection) }
    }

    /// The records' keys, in order.
    public nonisolated(nonsending) func keys() async throws(StorageError) -> [Model.Key] {
        try await run { (reading) throws(StorageError) in try reading.keys(Model.self, selection) }
    }

    /// A stream of the records of one snapshot, in constant memory.
    ///
    /// The snapshot lasts until the sequence ends or its iterator is released. If the store is closed, the stream
    /// throws `closed`.
    public func stream() -> Stream { Stream(store: source, selection: selection, source: model) }

    /// Explains how the backend would run the query, without loading records; see `QueryExplanation`.
    ///
    /// - Throws: `unsupported` if the backend cannot explain queries.
    public nonisolated(nonsending) func explain() async throws(StorageError) -> QueryExplanation {
        try await run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    /// - Parameter takesSnapshot: whether the body reads by several queries, which must see one state.
    nonisolated(nonsending) func run<T: Sendable>(
        takesSnapshot: Bool = false, _ body: sending (RecordReader) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        // A search reads an index by several queries, and a condition may lead to a searched model from any other.
        let readsIndexes = source.features.activity.readsIndexes
        return try await source.asking("select", model, takesSnapshot: takesSnapshot || readsIndexes, body)
    }
}

// The same calls without `async`.
extension Select where Source == Store.Session {
    /// The records, each with everything that it owns, in order.
    public func all() throws(StorageError) -> [Model] {
        try run { (reading) throws(StorageError) in try reading.all(Model.self, selection) }
    }

    /// The first record; nil if the result is empty.
    public func first() throws(StorageError) -> Model? {
        try run { (reading) throws(StorageError) in try reading.all(Model.self, ofFirst).first }
    }

    /// The number of records, without loading them.
    public func count() throws(StorageError) -> Int {
        try run { (reading) throws(StorageError) in try reading.count(selection) }
    }

    /// Returns whether any record matches, without loading it.
    public func exists() throws(StorageError) -> Bool {
        try run { (reading) throws(StorageError) in try reading.exists(selection) }
    }

    /// The records' keys, in order.
    public func keys() throws(StorageError) -> [Model.Key] {
        try run { (reading) throws(StorageError) in try reading.keys(Model.self, selection) }
    }

    /// Calls the closure with each record, in order and from one snapshot, in constant memory. It ends if the closure
    /// throws.
    ///
    /// In a transaction the closure may write, so all records are loaded first, as they were before the closure ran.
    ///
    /// - Throws: the closure's error, unchanged; errors of `all()`.
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

    /// Passes the records to the closures, as rows to decode or as decoded parts, until one returns false.
    @usableFromInline
    func _loop(
        rows: (inout RowCursor) throws(StorageError) -> Void, models: ([Model]) -> Bool
    ) throws(StorageError) {
        try source.target.loop(model, selection, rows: rows, models: models)
    }

    /// Explains how the backend would run the query, without loading records.
    ///
    /// - Throws: `unsupported` if the backend cannot explain queries.
    public func explain() throws(StorageError) -> QueryExplanation {
        try run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    func run<T>(
        takesSnapshot: Bool = false, _ body: (RecordReader) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        let readsIndexes = source.target.home.features.activity.readsIndexes
        return try source.target.reading("select", model, takesSnapshot: takesSnapshot || readsIndexes, body)
    }
}

extension Storable {
    /// A property as a term of a query.
    static func node<V>(_ property: KeyPath<Columns, QueryExpression<V>>) -> QueryNode {
        Columns(PropertyPath())[keyPath: property].node
    }
}
