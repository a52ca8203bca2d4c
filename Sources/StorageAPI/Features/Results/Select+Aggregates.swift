public import StorageDriver

extension Select where Source == Store {
    /// The sum of a term; 0 without values. Ignores nil. Exact for integers, and rounded once for Doubles and Decimals,
    /// so it does not depend on the order of the records.
    ///
    /// - Throws: `overflow` if a sum of integers leaves the range of its type.
    public nonisolated(nonsending) func sum<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V.Sum { try await aggregate(.sum, node(Model.self, term)) }

    /// The mean of a term: the exact sum as a Double, divided by the count; nil without values. Ignores nil.
    public nonisolated(nonsending) func average<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> Double? { try await aggregate(.average, node(Model.self, term)) }

    /// The least value of a term; nil without values.
    public nonisolated(nonsending) func min<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V.Scalar? { try await aggregate(.min, node(Model.self, term)) }

    /// The greatest value of a term; nil without values.
    public nonisolated(nonsending) func max<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V.Scalar? { try await aggregate(.max, node(Model.self, term)) }

    private nonisolated(nonsending) func aggregate<R: ColumnValue>(
        _ function: AggregateFunction, _ term: QueryNode
    ) async throws(StorageError) -> R {
        try await run { (reading) throws(StorageError) in
            try reading.aggregate(function, R.self, of: selection, term: term)
        }
    }
}

// The same calls without `async`.
extension Select where Source == Store.Session {
    /// The sum of a term; 0 without values. Ignores nil.
    ///
    /// - Throws: `overflow` if a sum of integers leaves the range of its type.
    public func sum<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V.Sum { try aggregate(.sum, node(Model.self, term)) }

    /// The mean of a term; nil without values. Ignores nil.
    public func average<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> Double? { try aggregate(.average, node(Model.self, term)) }

    /// The least value of a term; nil without values.
    public func min<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V.Scalar? { try aggregate(.min, node(Model.self, term)) }

    /// The greatest value of a term; nil without values.
    public func max<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V.Scalar? { try aggregate(.max, node(Model.self, term)) }

    private func aggregate<R: ColumnValue>(_ function: AggregateFunction, _ term: QueryNode) throws(StorageError) -> R {
        try run { (reading) throws(StorageError) in try reading.aggregate(function, R.self, of: selection, term: term) }
    }
}
