public import StorageDriver

/// Numbers and values made of all records of a query. The backend makes them: no record is loaded.
extension Reading {
    func aggregate<V: ColumnValue>(
        _ function: AggregateFunction, _: V.Type, _ selection: Selection, _ term: QueryNode
    ) throws(StorageError) -> V {
        var groups = GroupSelection(rows: selection)
        groups.outputs = [.aggregate(function, term)]
        let result = try handle.plan(groups)
        var rows = try RowCursor(
            session.rows(result.plan, result.arguments), RowContext(model: handle.tables, table: result.binding))
        guard try rows.next() else {
            throw StorageError(.corrupt, "The backend gave no aggregate.", model: handle.name)
        }
        var row = rows.row
        return try row.read(V.self)
    }
}

/// The column of a closure like `{ $0.age }`.
func node<M: Storable, V>(_: M.Type, _ term: (M.Columns) -> QueryExpression<V>) -> QueryNode {
    term(M.Columns(PropertyPath())).node
}

extension Select {
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

    private nonisolated(nonsending) func aggregate<R: ColumnValue>(
        _ function: AggregateFunction, _ term: QueryNode
    ) async throws(StorageError) -> R {
        try await run { (reading) throws(StorageError) in try reading.aggregate(function, R.self, selection, term) }
    }
}

extension BlockingSelect {
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

    private func aggregate<R: ColumnValue>(
        _ function: AggregateFunction, _ term: QueryNode
    ) throws(StorageError) -> R {
        try run { (reading) throws(StorageError) in try reading.aggregate(function, R.self, selection, term) }
    }
}
