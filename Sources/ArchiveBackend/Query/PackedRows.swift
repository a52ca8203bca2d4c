internal import StorageDriver

/// A row where it lies, as the general evaluation of queries looks at it.
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
    func rows(of table: TableSchema, keyPrefix: [Value]) -> PackedRows {
        guard let table = self[table.name] else { return PackedRows(nil, RowFormat(width: 0)) }
        let key = ValueCells(ValueList(width: keyPrefix.count, values: keyPrefix))
        guard !keyPrefix.isEmpty else { return PackedRows(RowRange(table.rows), table.format) }
        return PackedRows(RowRange(table.rows, prefix: key.cells, count: keyPrefix.count), table.format)
    }

    func keys(of table: TableSchema, within bounds: ColumnBounds) -> [[Value]]? {
        guard let table = self[table.name], let index = table.index(on: bounds.column),
            bounds.isWorthwhile(in: index.entries)
        else { return nil }
        let format = index.entries.order.format
        return bounds.ranges(of: index.entries).flatMap { range in
            PackedRows(range, format).map { entry in table.schema.key.indices.map { entry[$0 + ColumnIndex.keyStart] } }
        }
    }
}
