package import StorageDriver

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

/// The rows of one record: its root's row, and for each table of owned properties the rows of that root.
package struct RecordRows {
    /// Rows of one table, in the order of its key, each with all columns of the table in order.
    package typealias Rows = TableRows

    /// One for each table of the layout, in its order.
    package var tables: UnsafeBufferPointer<Rows>
    /// The number of the commit that wrote the record, if its archive has it. Encoding ignores it.
    package var sequence: UInt64?

    package init(tables: UnsafeBufferPointer<Rows>, sequence: UInt64? = nil) {
        self.tables = tables
        self.sequence = sequence
    }
}

/// Rows of cells of one width, side by side, in memory that is kept for the next record.
struct CellRows: ~Copyable {
    let width: Int
    private(set) var count = 0
    // Owned by this value alone: `capacity` rows of `width` cells, of which the first `count` are set.
    private(set) var cells: UnsafeMutablePointer<Cell>
    private var capacity = 4

    init(width: Int) {
        self.width = max(width, 1)
        cells = .allocate(capacity: capacity * self.width)
    }

    deinit { cells.deallocate() }

    mutating func removeAll() { count = 0 }

    /// Adds a copy of a row and returns its index. Rows may move.
    @inline(__always)
    mutating func append(_ row: UnsafePointer<Cell>) -> Int {
        if count == capacity { grow() }
        (cells + count &* width).update(from: row, count: width)
        count &+= 1
        return count &- 1
    }

    @inline(__always)
    func row(_ index: Int) -> UnsafeMutablePointer<Cell> { cells + index &* width }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity * 2 * width)
        larger.update(from: cells, count: count * width)
        cells.deallocate()
        cells = larger
        capacity *= 2
    }
}
