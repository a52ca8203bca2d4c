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

    /// The plan of a query of an internal table. The store makes it once, so that an engine compiles its statement once.
    package func ownPlan(_ query: Query, of table: TableSchema) -> QueryPlan {
        ownPlans.withLock { plans in
            plans[table.storedPath, default: OwnPlans(table)].query(query, of: table) { plan(query, of: table) }
        }
    }

    /// The plan of a write to an internal table, made once as a query's is.
    ///
    /// - Parameter columns: nil for all.
    package func ownPlan(_ operation: WriteOperation, of table: TableSchema, columns: [Int]? = nil) -> WritePlan {
        ownPlans.withLock { plans in
            plans[table.storedPath, default: OwnPlans(table)].write(operation, columns, of: table) {
                plan(operation, of: table, columns: columns)
            }
        }
    }
}

/// The plans of the statements on one internal table.
struct OwnPlans {
    private struct Write: Hashable {
        let operation: WriteOperation
        let columns: [Int]?
    }

    private var table: TableSchema
    private var queries: [Query: QueryPlan] = [:]
    private var writes: [Write: WritePlan] = [:]

    init(_ table: TableSchema) { self.table = table }

    mutating func query(_ query: Query, of table: TableSchema, make: () -> QueryPlan) -> QueryPlan {
        follow(table)
        if let known = queries[query] { return known }
        let plan = make()
        queries[query] = plan
        return plan
    }

    mutating func write(
        _ operation: WriteOperation, _ columns: [Int]?, of table: TableSchema, make: () -> WritePlan
    ) -> WritePlan {
        follow(table)
        let statement = Write(operation: operation, columns: columns)
        if let known = writes[statement] { return known }
        let plan = make()
        writes[statement] = plan
        return plan
    }

    /// Drops the plans if the table is another one: another process, or a transaction that failed, may have made it.
    private mutating func follow(_ table: TableSchema) {
        if self.table != table { self = OwnPlans(table) }
    }
}
