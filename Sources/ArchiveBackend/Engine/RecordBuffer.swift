internal import StorageAPI

/// The rows of one record, side by side for each table: what the codec takes.
///
/// Used by one thread at a time; the cells' bytes are those of the tables.
final class RecordBuffer {
    private var cells: [UnsafeMutablePointer<Cell>]
    private var capacities: [Int]
    private let counts: UnsafeMutableBufferPointer<RecordRows.Rows>

    /// - Parameter tables: how many tables the model has.
    init(tables: Int) {
        cells = (0..<tables).map { _ in .allocate(capacity: 64) }
        capacities = Array(repeating: 64, count: tables)
        counts = .allocate(capacity: tables)
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

    /// Collects the rows of a record; false where there is none of that key.
    func fill(_ tables: [ArchiveTable], key: UnsafePointer<Cell>) -> Bool {
        for (index, table) in tables.enumerated() {
            let count = fill(index, table, RowRange(table.rows, prefix: key, count: table.rootKeyCount))
            if index == 0, count == 0 { return false }
        }
        return true
    }

    /// Collects a table's rows from a range.
    private func fill(_ index: Int, _ table: ArchiveTable, _ range: RowRange) -> Int {
        var range = range
        let width = table.format.width
        var count = 0
        while let row = range.next() {
            if (count + 1) * width > capacities[index] { grow(index, keeping: count * width, for: width) }
            let start = cells[index] + count * width
            for column in 0..<width { start[column] = table.format.cell(column, of: row) }
            count += 1
        }
        counts[index] = RecordRows.Rows(cells: UnsafePointer(cells[index]), count: count)
        return count
    }

    private func grow(_ index: Int, keeping count: Int, for width: Int) {
        let capacity = (capacities[index] + width) * 2
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity)
        larger.update(from: cells[index], count: count)
        cells[index].deallocate()
        cells[index] = larger
        capacities[index] = capacity
    }
}
