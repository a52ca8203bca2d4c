internal import StorageDriver

/// A cursor's source over rows where they lie: a row's columns become cells that point at its bytes.
///
/// Used by one thread at a time.
final class RowCursor: CursorSource {
    private let cells: UnsafeMutablePointer<Cell>
    private let columns: UnsafeMutablePointer<Int>
    private let width: Int
    private let format: RowFormat
    // Exclusivity is not checked at run time: no access to these lasts beyond one call, which does not reach them again.
    @exclusivity(unchecked) private var first: UnsafeRawPointer?
    @exclusivity(unchecked) private var next: () throws(StorageError) -> UnsafeRawPointer?
    private var error: StorageError?

    /// - Parameters:
    ///   - first: a row before the rows that `next` gives. `next` keeps its page alive too.
    ///   - next: gives row after row, and keeps their pages alive.
    init(
        _ columns: [Int], _ format: RowFormat, first: UnsafeRawPointer? = nil,
        _ next: @escaping () throws(StorageError) -> UnsafeRawPointer?
    ) {
        self.first = first
        width = columns.count
        cells = .allocate(capacity: max(width, 1))
        cells.initialize(repeating: .null, count: max(width, 1))
        self.columns = .allocate(capacity: max(width, 1))
        for (index, column) in columns.enumerated() { (self.columns + index).initialize(to: column) }
        self.format = format
        self.next = next
    }

    deinit {
        cells.deallocate()
        columns.deallocate()
    }

    /// The cursor keeps the source alive, so the unretained context and the cells stay valid.
    var cursor: Cursor {
        Cursor(source: self, context: Unmanaged.passUnretained(self).toOpaque(), cells: UnsafePointer(cells)) {
            Unmanaged<RowCursor>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.step() }
        }
    }

    private func step() -> Int32 {
        let found: UnsafeRawPointer?
        if let first {
            found = first
            self.first = nil
        } else {
            do throws(StorageError) {
                found = try next()
            } catch {
                self.error = error
                return -1
            }
        }
        guard let row = found else { return 0 }
        var index = 0
        while index < width {
            cells[index] = format.cell(columns[index], of: row)
            index += 1
        }
        return 1
    }

    func failure() -> StorageError { error ?? StorageError(.io, "The rows cannot be read.") }

    func finish() {
        first = nil
        next = { nil }
    }
}

/// A row in its page, for the general evaluation of queries.
struct PackedRow: ValueRow {
    let row: UnsafeRawPointer
    let format: RowFormat

    subscript(column: Int) -> Value { format.cell(column, of: row).value }
}

/// The rows of a range one by one. Keeps their pages alive.
struct PackedRows: Sequence, IteratorProtocol {
    private var range: RowRange?
    private let format: RowFormat

    init(_ range: RowRange?, _ format: RowFormat) {
        self.range = range
        self.format = format
    }

    mutating func next() -> PackedRow? { range?.next().map { PackedRow(row: $0, format: format) } }
}

extension ArchiveTables: ValueTables {
    func rows(of table: TableSchema, keyPrefix: [Value]) -> RowStream<PackedRow> {
        guard let table = self[table.name] else { return RowStream([]) }
        let key = ValueCells(ValueList(width: keyPrefix.count, values: keyPrefix))
        guard !keyPrefix.isEmpty else { return RowStream(PackedRows(RowRange(table.rows), table.format)) }
        return RowStream(PackedRows(RowRange(table.rows, prefix: key.cells, count: keyPrefix.count), table.format))
    }

    func rows(
        of table: TableSchema, orderedBy column: Int, within bounds: ColumnBounds?, descending: Bool
    ) -> RowStream<PackedRow>? {
        guard let table = self[table.name] else { return nil }
        let index = table.index(on: column)
        guard column == table.schema.key[0] || index?.columns.count == 1 else { return nil }
        let path = AccessPath.ordered(column == table.schema.key[0] ? nil : index, bounds, isDescending: descending)
        var source = path.source(table, QueryArguments())
        let format = table.format
        return RowStream { () throws(StorageError) in
            try source.next().map { PackedRow(row: $0, format: format) }
        }
    }

    func keys(of table: TableSchema, within bounds: ColumnBounds) -> [[Value]]? {
        guard let table = self[table.name], let index = table.index(on: bounds.column),
            bounds.isWorthwhile(in: index.entries)
        else { return nil }
        let format = index.entries.order.format
        return bounds.ranges(of: index.entries).flatMap { range in
            PackedRows(range, format).map { entry in table.schema.key.indices.map { entry[$0 + index.keyStart] } }
        }
    }
}
