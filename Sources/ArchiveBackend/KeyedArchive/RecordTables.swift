internal import StorageDriver

/// The rows of the record that is being read. Memory is kept for the next one.
final class RecordTables {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var rows: [CellRowsBox] = []
    private let views: UnsafeMutablePointer<RecordRows.Rows>

    private final class CellRowsBox {
        @exclusivity(unchecked) var rows: CellRows
        init(width: Int) { rows = CellRows(width: width) }
    }

    init(_ layout: RecordLayout) {
        rows = layout.tables.map { CellRowsBox(width: $0.width) }
        views = .allocate(capacity: rows.count)
    }

    deinit { views.deallocate() }

    func removeAll() {
        for table in rows { table.rows.removeAll() }
    }

    @inline(__always)
    func append(_ template: UnsafePointer<Cell>, to table: Int) -> Int { rows[table].rows.append(template) }

    func width(of table: Int) -> Int { rows[table].rows.width }

    /// Valid until a row is added to the table.
    @inline(__always)
    func row(_ row: Int, of table: Int) -> UnsafeMutablePointer<Cell> { rows[table].rows.row(row) }

    /// Sets the root's key in all rows that it owns.
    func fillOwners(_ layout: RecordLayout) {
        let root = row(0, of: 0)
        for (index, table) in layout.tables.enumerated().dropFirst() {
            for row in 0..<rows[index].rows.count {
                let cells = self.row(row, of: index)
                for (column, key) in zip(table.owners, layout.keyColumns) {
                    cells[column] = root[layout.root.columns[key].index]
                }
            }
        }
    }

    /// Calls the body with the rows of all tables, which are valid until it returns.
    func withRows(
        _ body: (UnsafeBufferPointer<RecordRows.Rows>) throws(StorageError) -> Void
    ) throws(StorageError) {
        for (index, table) in rows.enumerated() {
            (views + index).initialize(
                to: RecordRows.Rows(cells: UnsafePointer(table.rows.cells), count: table.rows.count))
        }
        try body(UnsafeBufferPointer(start: views, count: rows.count))
    }
}

/// A row of defaults, which every row of a table begins as.
final class CellTemplate {
    let cells: UnsafePointer<Cell>
    private let storage: UnsafeMutablePointer<Cell>

    init(_ table: RecordLayout.Table, _ bytes: inout ByteBlocks) {
        storage = .allocate(capacity: max(table.width, 1))
        storage.initialize(repeating: .null, count: max(table.width, 1))
        for (index, value) in table.missing.enumerated() { storage[index] = Self.cell(value, &bytes) }
        cells = UnsafePointer(storage)
    }

    deinit { storage.deallocate() }

    private static func cell(_ value: Value, _ bytes: inout ByteBlocks) -> Cell {
        switch value {
        case .null: .null
        case .int(let value): .int(value)
        case .unsigned(let value): .unsigned(value)
        case .double(let value): .double(value)
        case .text(let value): .bytes(Array(value.utf8).withUnsafeBytes { bytes.copy($0) }, .text)
        case .blob(let value): .bytes(value.withUnsafeBytes { bytes.copy($0) }, .blob)
        }
    }
}
