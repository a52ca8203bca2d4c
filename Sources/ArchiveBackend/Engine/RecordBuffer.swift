internal import StorageAPI

/// The rows of one record after the other, side by side for each table: what the codec takes.
///
/// Used by one thread at a time; the cells' bytes are those of the tables.
final class RecordBuffer {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var walks: [RowWalk]
    @exclusivity(unchecked) private var cells: [UnsafeMutablePointer<Cell>]
    @exclusivity(unchecked) private var capacities: [Int]
    private let tables: [ArchiveTable]
    /// About how many bytes the record has that was collected last.
    @exclusivity(unchecked) private(set) var bytes = 0
    private let counts: UnsafeMutableBufferPointer<RecordRows.Rows>

    /// - Parameter tables: the model's, the root's first.
    init(_ tables: [ArchiveTable]) {
        self.tables = tables
        walks = tables.map { RowWalk($0.rows) }
        cells = tables.map { _ in .allocate(capacity: 64) }
        capacities = Array(repeating: 64, count: tables.count)
        counts = .allocate(capacity: tables.count)
        for (index, cells) in cells.enumerated() {
            counts.initializeElement(at: index, to: RecordRows.Rows(cells: UnsafePointer(cells), count: 0))
        }
    }

    deinit {
        for cells in cells { cells.deallocate() }
        counts.deallocate()
    }

    /// The rows of the record that was collected last, valid until the next one is.
    var rows: RecordRows { RecordRows(tables: UnsafeBufferPointer(counts)) }

    /// Collects the rows of a record; false where there is none of that key. Keys are asked for in their order.
    func fill(_ key: UnsafePointer<Cell>) -> Bool {
        bytes = 0
        for index in tables.indices {
            let count = fill(index, tables[index].format, key, tables[index].rootKeyCount)
            if index == 0, count == 0 { return false }
        }
        return true
    }

    /// Collects a table's rows.
    private func fill(_ index: Int, _ format: RowFormat, _ key: UnsafePointer<Cell>, _ keyCount: Int) -> Int {
        walks[index].seek(key, count: keyCount)
        var count = 0
        while walks[index].isAt(key, count: keyCount), let row = walks[index].row {
            if (count + 1) * format.width > capacities[index] {
                grow(index, keeping: count * format.width, format.width)
            }
            let start = cells[index] + count * format.width
            for column in 0..<format.width { start[column] = format.cell(column, of: row) }
            count += 1
            bytes += RowFormat.size(of: row)
            walks[index].advance()
        }
        counts[index] = RecordRows.Rows(cells: UnsafePointer(cells[index]), count: count)
        return count
    }

    private func grow(_ index: Int, keeping count: Int, _ width: Int) {
        let capacity = (capacities[index] + width) * 2
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity)
        larger.update(from: cells[index], count: count)
        cells[index].deallocate()
        cells[index] = larger
        capacities[index] = capacity
    }
}
