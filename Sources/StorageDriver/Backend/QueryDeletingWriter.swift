/// An optional feature of a writing session: it deletes the rows that a query selects. Without it, the store reads the
/// keys, 4,096 at a time, and deletes by them.
///
/// ```
/// func delete(
///     _ plan: WritePlan, keysOf keys: QueryPlan, _ arguments: QueryArguments
/// ) throws(StorageError) -> Int {
///     // DELETE FROM table WHERE (column, …) IN (SELECT …)
///     try connection.run(statement(plan, keys), arguments).changedRows
/// }
/// ```
public protocol QueryDeletingWriter: StorageWriter {
    /// Deletes the rows of a table whose columns hold a key that a query gives, and returns their number.
    ///
    /// The query is asked before the first row goes. It has neither an order nor a limit.
    ///
    /// - Parameters:
    ///   - plan: a plan to delete rows of a model's table, by these columns.
    ///   - keys: the plan of a query whose result is as many columns.
    ///   - arguments: the query's values.
    func delete(
        _ plan: WritePlan, keysOf keys: QueryPlan, _ arguments: QueryArguments
    ) throws(StorageError) -> Int
}
