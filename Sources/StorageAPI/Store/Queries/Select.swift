public import StorageDriver

/// A query. Runs when one of its calls asks for records: `all()`, `first()`, `count()`, …
///
/// ```swift
/// let some = try await store.select(Person.self)
///     .where { $0.age >= 28 }.order { $0.name }.limit(10).all()
/// ```
///
/// A query of a ``Store`` suspends. One of ``Store/blocking``, of a transaction or of a read block has the same calls without
/// `async`; its source is ``Store/Session``.
///
/// Every call that runs throws `typeMismatch` where a stored value does not fit its property, `invalidQuery` where the query
/// cannot be meant, `cancelled` where the task is cancelled, and `closed`.
public struct Select<Model: Storable, Source>: SelectionBuilder {
    /// What is asked so far.
    public var selection = Selection()
    let source: Source
    var model = ModelSource.type(Model.self)

    /// The same query of one record at most.
    private var ofFirst: Selection { limit(Swift.min(selection.limit ?? 1, 1)).selection }
}

extension Select: Sendable where Source: Sendable {}

extension Select where Source == Store {
    /// The records with all that they own, in order.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Model] {
        try await run { (reading) throws(StorageError) in try reading.all(Model.self, selection) }
    }

    /// The first record, or nil where there is none.
    public nonisolated(nonsending) func first() async throws(StorageError) -> Model? {
        try await run { (reading) throws(StorageError) in try reading.all(Model.self, ofFirst).first }
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
    public func stream() -> Stream { Stream(store: source, selection: selection, source: model) }

    /// The sum of a term, 0 over nothing; nil values are left out. Exact for integers, and for Doubles and Decimals
    /// rounded once, so it does not depend on the order of the records.
    ///
    /// - Throws: `overflow` where a sum of integers leaves the range of its type.
    public nonisolated(nonsending) func sum<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V.Sum { try await aggregate(.sum, node(Model.self, term)) }

    /// The mean of a term, nil over nothing; nil values are left out. The exact sum as a Double, divided by the count.
    public nonisolated(nonsending) func average<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> Double? { try await aggregate(.average, node(Model.self, term)) }

    /// The least value of a term, nil over nothing.
    public nonisolated(nonsending) func min<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V.Scalar? { try await aggregate(.min, node(Model.self, term)) }

    /// The greatest value of a term, nil over nothing.
    public nonisolated(nonsending) func max<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V.Scalar? { try await aggregate(.max, node(Model.self, term)) }

    /// How the backend would go about the query; see `QueryExplanation`. Loads nothing.
    ///
    /// - Throws: `unsupported` where the backend does not tell.
    public nonisolated(nonsending) func explain() async throws(StorageError) -> QueryExplanation {
        try await run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    private nonisolated(nonsending) func aggregate<R: ColumnValue>(
        _ function: AggregateFunction, _ term: QueryNode
    ) async throws(StorageError) -> R {
        try await run { (reading) throws(StorageError) in try reading.aggregate(function, R.self, selection, term) }
    }

    nonisolated(nonsending) func run<T>(_ body: (Reading) throws(StorageError) -> T) async throws(StorageError) -> T {
        try await source.asking("select", model, body)
    }
}

// The same calls without `async`.
extension Select where Source == Store.Session {
    /// The records with all that they own, in order.
    public func all() throws(StorageError) -> [Model] {
        try run { (reading) throws(StorageError) in try reading.all(Model.self, selection) }
    }

    /// The first record, or nil where there is none.
    public func first() throws(StorageError) -> Model? {
        try run { (reading) throws(StorageError) in try reading.all(Model.self, ofFirst).first }
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
    /// - Throws: the body's error as it is; what `all()` throws.
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
        try source.executor.loop(model, selection, rows: rows, models: models)
    }

    /// The sum of a term, 0 over nothing; nil values are left out.
    ///
    /// - Throws: `overflow` where a sum of integers leaves the range of its type.
    public func sum<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V.Sum { try aggregate(.sum, node(Model.self, term)) }

    /// The mean of a term, nil over nothing; nil values are left out.
    public func average<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> Double? { try aggregate(.average, node(Model.self, term)) }

    /// The least value of a term, nil over nothing.
    public func min<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V.Scalar? { try aggregate(.min, node(Model.self, term)) }

    /// The greatest value of a term, nil over nothing.
    public func max<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V.Scalar? { try aggregate(.max, node(Model.self, term)) }

    /// How the backend would go about the query. Loads nothing.
    ///
    /// - Throws: `unsupported` where the backend does not tell.
    public func explain() throws(StorageError) -> QueryExplanation {
        try run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    private func aggregate<R: ColumnValue>(_ function: AggregateFunction, _ term: QueryNode) throws(StorageError) -> R {
        try run { (reading) throws(StorageError) in try reading.aggregate(function, R.self, selection, term) }
    }

    func run<T>(_ body: (Reading) throws(StorageError) -> T) throws(StorageError) -> T {
        try source.executor.reading("select", model, body)
    }
}
