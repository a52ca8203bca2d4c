import StorageDriver

/// Aggregates over all records of a query. The backend computes them; no record is loaded.
extension RecordReader {
    package func aggregate<V: ColumnValue>(
        _ function: AggregateFunction, _: V.Type, of selection: Selection, term: QueryNode
    ) throws(StorageError) -> V {
        var groups = GroupSelection(rows: selection)
        groups.outputs = [.aggregate(function, term)]
        let result = try handle.plan(groups, in: session)
        var rows = try RowCursor(
            session.rows(result.plan, result.arguments), RowContext(model: handle.tables, table: result.binding))
        guard try rows.next() else {
            throw StorageError(.corrupt, "The backend gave no aggregate.", model: handle.name)
        }
        var row = rows.row
        return try row.read(V.self)
    }
}
