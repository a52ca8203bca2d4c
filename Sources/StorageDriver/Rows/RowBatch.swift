/// The operation of a write on its rows.
public enum WriteOperation: Hashable, Sendable {
    /// Adds rows; a row whose key is stored already is `duplicateKey`.
    case insert
    /// Adds rows or replaces the rows with the same key.
    case upsert
    /// Replaces the rows with the same key; a missing one is `notFound`.
    case update
    /// Sets the columns of the one row given first on the rows with the following keys. They are whole keys of stored rows:
    /// the store has asked a query for them.
    case patch
    /// Removes all rows whose key begins with one of the given keys.
    case delete
    /// Removes every row, and restarts assigned keys at 1.
    case truncate
}

/// One shape of write: which operation on which columns of which table. A backend may prepare once for each ``id``.
public final class WritePlan: Sendable {
    /// A small, dense number for use as an array index. The number of a plan that was not used for long passes to
    /// another plan, so compare the plan (`===`) before you use anything kept under its number.
    public let id: Int
    /// The operation on the rows.
    public let operation: WriteOperation
    /// The table that is written.
    public let table: TableSchema
    /// The column of each cell of a row. For `delete` these are the first columns of the key.
    ///
    /// In a stored row, other columns keep their values. In a new row they are null if they are marked as removed
    /// (``removedColumns``). The rest came with another program while this one was open: they have the value that they were
    /// added with (``TableChange/alter(from:to:added:)``).
    public let columns: [Int]
    /// For `patch`: the columns of the key.
    public let keyColumns: [Int]

    package init(id: Int, operation: WriteOperation, table: TableSchema, columns: [Int], keyColumns: [Int] = []) {
        self.id = id
        self.operation = operation
        self.table = table
        self.columns = columns
        self.keyColumns = keyColumns
    }

    /// The columns that are null in new rows: the columns marked as removed that are not among ``columns``.
    public var removedColumns: [Int] {
        table.columns.indices.filter { table.columns[$0].isRemoved && !columns.contains($0) }
    }
}

/// The rows of one write. Its memory is valid while the call that receives it runs.
public struct RowBatch: ~Copyable {
    /// The operation, with its table and columns.
    public let plan: WritePlan
    /// The number of rows; for `patch`, the number of keys.
    public let count: Int
    /// Row after row, ``WritePlan/columns`` cells each; for `delete` and `patch`, key after key.
    public let cells: UnsafePointer<Cell>
    /// For `patch`: the values to set, one for each of ``WritePlan/columns``.
    public let values: UnsafePointer<Cell>?

    @inlinable
    package init(plan: WritePlan, count: Int, cells: UnsafePointer<Cell>, values: UnsafePointer<Cell>? = nil) {
        self.plan = plan
        self.count = count
        self.cells = cells
        self.values = values
    }

    /// The number of cells in a row.
    public var width: Int {
        plan.operation == .patch ? plan.keyColumns.count : plan.columns.count
    }

    /// A row, or for `delete` and `patch` a key, as values.
    public func row(_ index: Int) -> [Value] {
        (0..<width).map { cells[index * width + $0].value }
    }

    /// The values to set, for `patch`.
    public var patch: [Value] {
        guard let values else { return [] }
        return plan.columns.indices.map { values[$0].value }
    }

    /// An error of this batch's table for one of its rows, with the row's key.
    public func error(_ code: StorageError.Code, _ message: String, row index: Int) -> StorageError {
        let row = row(index)
        // A condition chose the keys of a patch, so the caller knows none of them by its index.
        if plan.operation == .patch { return StorageError(code, message, model: plan.table.path.first, key: row) }
        let key = plan.table.key.compactMap { column in plan.columns.firstIndex(of: column).map { row[$0] } }
        return StorageError(code, message, model: plan.table.path.first).row(index, key: key)
    }
}
