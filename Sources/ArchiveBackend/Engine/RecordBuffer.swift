internal import StorageAPI

/// The rows of one record after the other, side by side for each table: what the codec takes.
///
/// Used by one thread at a time; the cells' bytes are those of the tables.
final class RecordBuffer {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var parts: [Part]
    /// About how many bytes the record has that was collected last.
    @exclusivity(unchecked) private(set) var bytes = 0
    private let counts: UnsafeMutableBufferPointer<RecordRows.Rows>

    /// One table's rows. The cells are the buffer's own, as many as the capacity says.
    private struct Part {
        var walk: RowWalk
        var cells: UnsafeMutablePointer<Cell>
        var capacity = 64
        let format: RowFormat
        let keyCount: Int

        init(_ table: ArchiveTable) {
            walk = RowWalk(table.rows)
            cells = .allocate(capacity: capacity)
            (format, keyCount) = (table.format, table.rootKeyCount)
        }
    }

    /// - Parameter tables: the model's, the root's first.
    init(_ tables: [ArchiveTable]) {
        parts = tables.map { Part($0) }
        counts = .allocate(capacity: tables.count)
        for (index, part) in parts.enumerated() {
            counts.initializeElement(at: index, to: RecordRows.Rows(cells: UnsafePointer(part.cells), count: 0))
        }
    }

    deinit {
        for part in parts { part.cells.deallocate() }
        counts.deallocate()
    }

    /// The rows of the record that was collected last, valid until the next one is.
    var rows: RecordRows { RecordRows(tables: UnsafeBufferPointer(counts)) }

    /// Collects the rows of a record; false where there is none of that key. Keys are asked for in their order.
    func fill(_ key: UnsafePointer<Cell>) -> Bool {
        bytes = 0
        for index in parts.indices {
            let count = Self.fill(&parts[index], key, &bytes)
            counts[index] = RecordRows.Rows(cells: UnsafePointer(parts[index].cells), count: count)
            if index == 0, count == 0 { return false }
        }
        return true
    }

    /// Collects a table's rows, and returns how many there are.
    private static func fill(_ part: inout Part, _ key: UnsafePointer<Cell>, _ bytes: inout Int) -> Int {
        let (format, keyCount) = (part.format, part.keyCount)
        part.walk.seek(key, count: keyCount)
        var count = 0
        while part.walk.isAt(key, count: keyCount), let row = part.walk.row {
            if (count + 1) * format.width > part.capacity { grow(&part, keeping: count * format.width) }
            let start = part.cells + count * format.width
            for column in 0..<format.width { start[column] = format.cell(column, of: row) }
            count += 1
            bytes += RowFormat.size(of: row)
            part.walk.advance()
        }
        return count
    }

    private static func grow(_ part: inout Part, keeping count: Int) {
        let capacity = (part.capacity + part.format.width) * 2
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity)
        larger.update(from: part.cells, count: count)
        part.cells.deallocate()
        (part.cells, part.capacity) = (larger, capacity)
    }
}
