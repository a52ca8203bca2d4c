/// The rows of a table as they are stored, one after the other in key order, each cell checked against its column.
struct TableScan: ~Copyable {
    let table: TableSchema
    private let checks: [ColumnCheck]
    private var cursor: Cursor
    /// How many rows have been given.
    private(set) var count = 0

    init(_ table: TableSchema, in session: any StorageSession) throws(StorageError) {
        self.table = table
        checks = table.columns.map(ColumnCheck.init)
        cursor = try session.rows(
            QueryPlan(id: nil, query: Query(.columns(Array(table.columns.indices))), table: table, tables: [table]),
            QueryArguments())
    }

    /// The current row: a cell for each of the table's columns, valid until the next step.
    var cells: UnsafePointer<Cell> { cursor.cells }

    /// Moves to the next row; false after the last.
    ///
    /// - Throws: `typeMismatch` for a cell that its column cannot hold.
    mutating func next() throws(StorageError) -> Bool {
        guard try cursor.next() else { return false }
        count += 1
        for column in checks.indices {
            if let problem = checks[column].problem(cursor.cells[column]) { throw mismatch(column, problem) }
        }
        return true
    }

    private func mismatch(_ column: Int, _ problem: String) -> StorageError {
        let property = (table.path.dropFirst() + [table.columns[column].property]).joined(separator: ".")
        let error = StorageError(
            .typeMismatch, "The stored value \(problem). Correct it with the program that has written it.",
            model: table.path.first, key: table.key.map { cursor.cells[$0].value }, property: property)
        return error.with { $0.storedValue = cursor.cells[column].value }
    }
}

extension StorageSession {
    /// How many rows a table has.
    func count(_ table: TableSchema) throws(StorageError) -> Int {
        let plan = QueryPlan(id: nil, query: Query(.count), table: table, tables: [table])
        var cursor = try rows(plan, QueryArguments())
        return try cursor.next() ? Int(cursor.cells[0].int) : 0
    }
}
