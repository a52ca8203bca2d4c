internal import StorageDriver

/// The keys of a table's rows in the order of one column: rows of the column's value and the key, null included.
struct ColumnIndex {
    /// The table's column.
    let column: Int
    let isUnique: Bool
    private(set) var entries: RowTree
    private let table: RowFormat
    private let keyColumns: [Int]

    init(_ column: Int, of schema: TableSchema, _ format: RowFormat) {
        self.column = column
        isUnique = schema.columns[column].isUnique
        table = format
        keyColumns = schema.key
        let columns = [column] + schema.key
        let ordered = columns.enumerated().map { ($0.offset, schema.columns[$0.element].type == .decimal) }
        entries = RowTree(RowOrder(format: RowFormat(width: columns.count), columns: ordered))
    }

    /// The columns of the table's key in an entry, after the value.
    static let keyStart = 1

    mutating func add(_ row: UnsafeRawPointer, _ builder: RowBuilder) throws(StorageError) {
        fill(builder, from: row)
        let entry = try builder.pack(entries.order.format)
        entries.insert(entry, at: entries.search(builder.cells, count: keyColumns.count + 1).position)
    }

    mutating func remove(_ row: UnsafeRawPointer, _ builder: RowBuilder) {
        fill(builder, from: row)
        let (position, isFound) = entries.search(builder.cells, count: keyColumns.count + 1)
        if isFound { entries.remove(at: position) }
    }

    private func fill(_ builder: RowBuilder, from row: UnsafeRawPointer) {
        builder.begin(width: keyColumns.count + 1)
        builder.cells[0] = table.cell(column, of: row)
        for (index, column) in keyColumns.enumerated() { builder.cells[index + 1] = table.cell(column, of: row) }
    }

    /// Whether a row of another key has the value. Null is never the same as another null here.
    func hasOther(_ value: Cell, than key: UnsafePointer<Cell>) -> Bool {
        guard !value.isNull else { return false }
        return withUnsafePointer(to: value) { value in
            let (position, isFound) = entries.search(value, count: 1)
            guard isFound else { return false }
            let entry = entries.row(at: position)
            return keyColumns.indices.contains { index in
                let stored = entries.order.format.cell(index + 1, of: entry)
                return stored.compared(to: key[index], isDecimal: false) != 0
            }
        }
    }
}
