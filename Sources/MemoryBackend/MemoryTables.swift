import StorageDriver

/// The tables of an in-memory store, as one value.
struct MemoryTables: ValueTables {
    private(set) var schemas: [TableSchema] = []
    private var tables: [String: MemoryTable] = [:]

    subscript(schema: TableSchema) -> MemoryTable {
        get { tables[schema.name] ?? MemoryTable(schema) }
        set { tables[schema.name] = newValue }
    }

    func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, isReading: Bool, counting work: QueryWork? = nil
    ) throws(StorageError) -> Cursor {
        try evaluation(plan, arguments, isReading: isReading, counting: work).cursor()
    }

    /// The evaluation of a query, which begins with the related rows that its conditions choose.
    func evaluation(
        _ plan: QueryPlan, _ arguments: QueryArguments, isReading: Bool = false, counting work: QueryWork? = nil
    ) throws(StorageError) -> QueryEvaluation<MemoryTables> {
        var arguments = arguments
        let plan = try plan.choosingRelated(&arguments, rowCount: { self[$0].count }) {
            (plan, arguments) throws(StorageError) in
            try rows(plan, arguments, isReading: isReading, counting: work)
        }
        return QueryEvaluation(plan, arguments, in: self, isReading: isReading, counting: work)
    }

    func rows(of table: TableSchema, keyPrefix: [Value]) -> RowStream<[Value]> {
        RowStream(self[table].rows(keyPrefix: keyPrefix))
    }

    func rows(
        of table: TableSchema, orderedBy column: Int, within bounds: ColumnBounds?, descending: Bool
    ) -> RowStream<[Value]>? {
        self[table].rows(orderedBy: column, within: bounds, descending: descending)
    }

    func keys(of table: TableSchema, within bounds: ColumnBounds) -> [[Value]]? { self[table].keys(within: bounds) }

    mutating func add(_ table: MemoryTable) {
        schemas.append(table.schema)
        tables[table.schema.name] = table
    }

    mutating func remove(_ schema: TableSchema) {
        schemas.removeAll { $0.name == schema.name }
        tables[schema.name] = nil
    }

    mutating func replace(_ old: TableSchema, by table: MemoryTable) {
        schemas = schemas.map { $0.name == old.name ? table.schema : $0 }
        tables[old.name] = nil
        tables[table.schema.name] = table
    }
}
