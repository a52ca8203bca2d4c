import StorageDriver

/// Copies the greatest assigned key of a table when its rows are copied to another.
struct AssignedKeys {
    let writer: any StorageWriter
    let directory: ModelDirectory

    /// Makes the table remember a key that was assigned and deleted, so that it is not assigned again.
    func remember(_ greatest: Int64, in table: TableSchema) throws(StorageError) {
        guard greatest > 0, try writer.greatestKey(in: table) < greatest else { return }
        // A row with the greatest key is stored and deleted, which the engine remembers.
        var list = ValueList(width: table.columns.count, values: table.columns.map(Self.placeholder))
        for column in table.key { list.values[column] = .int(greatest) }
        let cells = ValueCells(list)
        let insert = WritePlan(
            id: directory.nextPlan(), operation: .insert, table: table, columns: Array(table.columns.indices))
        let delete = WritePlan(id: directory.nextPlan(), operation: .delete, table: table, columns: table.key)
        let keys = ValueCells(ValueList(width: 1, values: [.int(greatest)]))
        _ = try writer.write(RowBatch(plan: insert, count: 1, cells: UnsafePointer(cells.rows.cells)))
        _ = try writer.write(RowBatch(plan: delete, count: 1, cells: UnsafePointer(keys.rows.cells)))
    }

    private static func placeholder(_ column: ColumnSchema) -> Value {
        guard !column.isOptional else { return .null }
        switch column.type.storage {
        case .integer: return .int(0)
        case .double: return .double(0)
        case .text: return .text("")
        case .blob: return .blob([])
        }
    }
}
