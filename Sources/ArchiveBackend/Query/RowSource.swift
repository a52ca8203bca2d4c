internal import StorageDriver

/// The rows that a query looks at, in the order of the ranges that they come from: ranges of the table, or of an index,
/// whose entries lead to rows.
struct RowSource {
    private let nextRange: () -> RowRange?
    private var current: RowRange?
    private let lookup: IndexLookup?
    /// The check that ends a reader's loop.
    var cancellation = CancellationCheck(isOn: false)

    /// - Parameters:
    ///   - lookup: maps entries to rows, if the ranges are ranges of an index.
    ///   - nextRange: gives range after range, then nil.
    init(_ lookup: IndexLookup? = nil, _ nextRange: @escaping () -> RowRange?) {
        self.lookup = lookup
        self.nextRange = nextRange
    }

    init(_ lookup: IndexLookup? = nil, _ ranges: [RowRange]) {
        var left = ranges[...]
        self.init(lookup) { left.popFirst() }
    }

    @inline(__always)
    mutating func next() throws(StorageError) -> UnsafeRawPointer? {
        while true {
            if let row = current?.next() {
                try cancellation.row()
                guard let lookup else { return row }
                return lookup.row(for: row)
            }
            guard let range = nextRange() else { return nil }
            current = range
        }
    }
}

/// Leads from entries of an index to the table's rows.
final class IndexLookup {
    private let entries: RowFormat
    private let table: ArchiveTable
    private let key: UnsafeMutablePointer<Cell>
    private let keyStart: Int

    init(_ index: ColumnIndex, in table: ArchiveTable) {
        entries = index.entries.order.format
        keyStart = index.keyStart
        self.table = table
        key = .allocate(capacity: table.schema.key.count)
    }

    deinit { key.deallocate() }

    /// The entry's row; every entry has one.
    func row(for entry: UnsafeRawPointer) -> UnsafeRawPointer? {
        for index in table.schema.key.indices { key[index] = entries.cell(index + keyStart, of: entry) }
        return table.rows.row(key)
    }
}
