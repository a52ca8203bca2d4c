import StorageDriver

// The plans of statements on one table.
extension ModelDirectory {
    package func plan(_ query: Query, of table: TableSchema) -> QueryPlan {
        QueryPlan(id: nextPlan(), query: query, table: table, tables: [table])
    }

    /// - Parameter columns: nil for all.
    package func plan(_ operation: WriteOperation, of table: TableSchema, columns: [Int]? = nil) -> WritePlan {
        WritePlan(
            id: nextPlan(), operation: operation, table: table, columns: columns ?? Array(table.columns.indices))
    }
}
