import StorageDriver

/// The rows of a table as they are stored, one after the other in key order. Used by one thread.
package final class TableScan {
    package let table: TableSchema
    private let checks: [ColumnCheck]
    private var cursor: Cursor
    private let numbers: ElementNumbers?
    private var numbered: UnsafePointer<Cell>?
    /// True if ``cells`` belong to a row.
    package private(set) var isAtRow = false

    /// - Parameter numbersElements: whether elements of arrays of references have the numbers 0, 1, 2, … as positions,
    ///   instead of the stored positions.
    package init(
        _ table: TableSchema, in session: any StorageSession, numbersElements: Bool = false
    ) throws(StorageError) {
        self.table = table
        numbers = numbersElements ? ElementNumbers(table) : nil
        checks = table.columns.map(ColumnCheck.init)
        cursor = try session.rows(
            QueryPlan(id: nil, query: Query(.columns(Array(table.columns.indices))), table: table, tables: [table]),
            QueryArguments())
    }

    /// The current row: a cell for each of the table's columns, valid until the next step.
    package var cells: UnsafePointer<Cell> { numbered ?? cursor.cells }

    /// The current row as it is stored.
    package var storedCells: UnsafePointer<Cell> { cursor.cells }

    /// Moves to the next row, whatever is in it; false after the last.
    package func step() throws(StorageError) -> Bool {
        isAtRow = try cursor.next()
        if isAtRow, let numbers { numbered = numbers.numbered(cursor.cells) }
        return isAtRow
    }

    /// Moves to the next row; false after the last.
    ///
    /// - Throws: `typeMismatch` for a cell that its column cannot hold.
    package func next() throws(StorageError) -> Bool {
        guard try step() else { return false }
        for column in checks.indices {
            if let problem = checks[column].problem(cells[column]) { throw mismatch(column, problem) }
        }
        return true
    }

    private func mismatch(_ column: Int, _ problem: String) -> StorageError {
        let error = StorageError(
            .typeMismatch, "The stored value \(problem). Correct it with the program that has written it.",
            model: table.path.first, key: key, property: table.property(of: column))
        return error.with { $0.storedValue = cells[column].value }
    }

    // MARK: Looking at rows

    /// The current row's key.
    package var key: [Value] { table.key.map { cells[$0].value } }

    /// Calls a closure with the problem of each cell of the current row.
    package func forEachProblem(_ body: (_ column: Int, _ problem: String) -> Void) {
        for column in checks.indices {
            if let problem = checks[column].problem(cells[column]) { body(column, problem) }
        }
    }

    /// Compares the first `count` parts of the current row's key with another scan's.
    package func order(to other: TableScan, count: Int) -> ValueOrder {
        for index in 0..<count {
            let order = cells[table.key[index]].keyOrder(to: other.cells[other.table.key[index]])
            if order != .same { return order }
        }
        return .same
    }
}

extension TableSchema {
    /// A column's property with its path: `pens.color`.
    package func property(of column: Int) -> String {
        (path.dropFirst() + [columns[column].property]).joined(separator: ".")
    }
}

extension StorageSession {
    /// Returns the number of rows in a table.
    package func count(_ table: TableSchema) throws(StorageError) -> Int {
        let plan = QueryPlan(id: nil, query: Query(.count), table: table, tables: [table])
        var cursor = try rows(plan, QueryArguments())
        return try cursor.next() ? Int(cursor.cells[0].int) : 0
    }
}
