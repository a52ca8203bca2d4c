internal import StorageDriver

/// The rows of one record after the other, side by side for each table, as the codec takes them.
///
/// Used by one thread at a time; the cells point at the bytes of the tables.
final class RecordBuffer {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var parts: [Part]
    /// The approximate size of the last collected record, in bytes.
    @exclusivity(unchecked) private(set) var bytes = 0
    /// True if the last record differs from its earlier version, where the buffer has that.
    @exclusivity(unchecked) private(set) var isChanged = true
    private let comparing: Bool
    private let counts: UnsafeMutableBufferPointer<RecordRows.Rows>

    /// One table's rows. The buffer owns the cells, as many as the capacity says.
    private struct Part {
        var walk: RowWalk
        /// The rows of the table before, or none.
        var old: RowWalk
        var cells: UnsafeMutablePointer<Cell>
        var capacity = 64
        let format: RowFormat
        let keyCount: Int

        init(_ table: ArchiveTable, before: RowTree?) {
            walk = RowWalk(table.rows, isSought: true)
            old = RowWalk(before ?? RowTree(table.rows.order), isSought: true)
            cells = .allocate(capacity: capacity)
            (format, keyCount) = (table.format, table.rootKeyCount)
        }
    }

    /// - Parameters:
    ///   - tables: the model's, the root's first.
    ///   - before: the tables with which each record is compared.
    init(_ tables: [ArchiveTable], comparedWith before: ArchiveTables? = nil) {
        comparing = before != nil
        parts = tables.map { Part($0, before: before?.rows(of: $0.schema.name)) }
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

    /// Collects the rows of a record; returns false if no record has the key. Keys must ascend.
    func fill(_ key: UnsafePointer<Cell>) -> Bool {
        bytes = 0
        isChanged = !comparing
        for index in parts.indices {
            let count = fill(&parts[index], key)
            counts[index] = RecordRows.Rows(cells: UnsafePointer(parts[index].cells), count: count)
            if index == 0, count == 0 { return false }
        }
        return true
    }

    /// Collects a table's rows, and returns their number.
    private func fill(_ part: inout Part, _ key: UnsafePointer<Cell>) -> Int {
        let (format, keyCount) = (part.format, part.keyCount)
        part.walk.seek(key, count: keyCount)
        if !isChanged { part.old.seek(key, count: keyCount) }
        var count = 0
        while let row = part.walk.row(at: key, count: keyCount) {
            if !isChanged {
                if let old = part.old.row(at: key, count: keyCount), old == row || RowFormat.areEqual(old, row) {
                    part.old.advance()
                } else {
                    isChanged = true
                }
            }
            if (count + 1) * format.width > part.capacity { Self.grow(&part, keeping: count * format.width) }
            let start = part.cells + count * format.width
            for column in 0..<format.width { start[column] = format.cell(column, of: row) }
            count += 1
            bytes += RowFormat.size(of: row)
            part.walk.advance()
        }
        // A removed row.
        if !isChanged, part.old.row(at: key, count: keyCount) != nil { isChanged = true }
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
