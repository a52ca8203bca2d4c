internal import StorageDriver

/// The keys of a table's rows in the order of some columns: rows of the columns' values and the key, null included.
struct ColumnIndex {
    /// The table's columns: one, or the parts of a reference.
    let columns: [Int]
    let isUnique: Bool
    private(set) var entries: RowTree
    private let table: RowFormat
    private let keyColumns: [Int]

    init(_ columns: [Int], of schema: TableSchema, _ format: RowFormat) {
        self.columns = columns
        isUnique = columns.count == 1 && schema.columns[columns[0]].isUnique
        table = format
        keyColumns = schema.key
        let columns = columns + schema.key
        let ordered = columns.enumerated().map { ($0.offset, schema.columns[$0.element].type == .decimal) }
        entries = RowTree(RowOrder(format: RowFormat(width: columns.count), columns: ordered))
    }

    /// The first of its columns.
    var column: Int { columns[0] }

    /// The index in an entry at which the columns of the table's key begin: after the values.
    var keyStart: Int { columns.count }

    private var width: Int { columns.count + keyColumns.count }

    mutating func add(_ row: UnsafeRawPointer, _ builder: RowBuilder) throws(StorageError) {
        fill(builder, from: row)
        let entry = try builder.pack(entries.order.format)
        entries.insert(entry, at: entries.search(builder.cells, count: width).position)
    }

    mutating func remove(_ row: UnsafeRawPointer, _ builder: RowBuilder) {
        fill(builder, from: row)
        let (position, isFound) = entries.search(builder.cells, count: width)
        if isFound { entries.remove(at: position) }
    }

    private func fill(_ builder: RowBuilder, from row: UnsafeRawPointer) {
        builder.begin(width: width)
        for (index, column) in columns.enumerated() { builder.cells[index] = table.cell(column, of: row) }
        for (index, column) in keyColumns.enumerated() { builder.cells[keyStart + index] = table.cell(column, of: row) }
    }

    /// Returns whether a row of another key has the value, in an index of one column. Null is never the same as another
    /// null here.
    func hasOther(_ value: Cell, than key: UnsafePointer<Cell>) -> Bool {
        guard !value.isNull else { return false }
        return withUnsafePointer(to: value) { value in
            let (position, isFound) = entries.search(value, count: 1)
            guard isFound else { return false }
            let entry = entries.row(at: position)
            return keyColumns.indices.contains { index in
                let stored = entries.order.format.cell(keyStart + index, of: entry)
                return stored.compared(to: key[index], isDecimal: false) != 0
            }
        }
    }
}
