import StorageDriver

/// Copies the greatest assigned key of a table when its rows are copied to another.
package struct AssignedKeys {
    let writer: any StorageWriter
    let directory: ModelDirectory

    package init(writer: any StorageWriter, directory: ModelDirectory) {
        self.writer = writer
        self.directory = directory
    }

    /// Makes a table remember a key that was assigned and deleted, so that it is not assigned again.
    ///
    /// - Parameter table: has no rows yet, so that no unique value is in the way.
    package func remember(_ greatest: Int64, in table: TableSchema) throws(StorageError) {
        guard greatest > 0 else { return }
        // Store and delete a row with the greatest key, which the engine remembers.
        var list = ValueList(width: table.columns.count, values: table.columns.map(Self.placeholder))
        for column in table.key {
            let most = table.columns[column].type.range?.upperBound ?? greatest
            list.values[column] = .int(min(greatest, most))
        }
        let cells = ValueCells(list)
        let insert = directory.plan(.insert, of: table)
        let delete = directory.plan(.delete, of: table, columns: table.key)
        let keys = ValueCells(ValueList(width: table.key.count, values: table.key.map { list.values[$0] }))
        _ = try writer.write(RowBatch(plan: insert, count: 1, cells: UnsafePointer(cells.rows.cells)))
        _ = try writer.write(RowBatch(plan: delete, count: 1, cells: UnsafePointer(keys.rows.cells)))
    }

    /// A value that the column may have.
    private static func placeholder(_ column: ColumnSchema) -> Value {
        guard !column.isOptional else { return .null }
        let values: [Value] =
            switch column.type.storage {
            case .integer: [.int(0)]
            case .double: [.double(0)]
            // An array and any other JSON, or a number.
            case .text: [.text("[]"), .text("0")]
            // Bytes, or a UUID or a duration.
            case .blob: [.blob([]), .blob(DurationBytes.bytes(0))]
            }
        return values.first { column.type.row.stored($0) != nil } ?? values[0]
    }
}
