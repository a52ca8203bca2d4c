internal import StorageAPI

/// The keys of a model's records that differ between two states of its tables, in key order, each once: a record
/// differs where its own row or a row that it owns does.
struct RecordDifference {
    private var parts: [Part]
    private let keyCount: Int

    /// The changes of one table.
    private struct Part {
        var rows: RowDifference
        let format: RowFormat
        /// The columns that hold the root's key.
        let key: [Int]
        var head: UnsafeRawPointer?

        mutating func advance() { head = rows.next() }
    }

    /// - Parameter tables: the model's, as they are now; the root's first.
    init(from old: ArchiveTables, to tables: [ArchiveTable]) {
        keyCount = tables.first?.rootKeyCount ?? 0
        parts = tables.map { table in
            let before = old[table.schema.name]?.rows ?? RowTree(table.rows.order)
            var part = Part(
                rows: RowDifference(from: before, to: table.rows), format: table.format,
                key: Array(table.schema.key.prefix(table.rootKeyCount)))
            part.advance()
            return part
        }
    }

    /// Writes the next key to memory for as many cells as a key has; false after the last. The cells' bytes are those
    /// of the tables.
    mutating func next(_ key: UnsafeMutablePointer<Cell>) -> Bool {
        var isFound = false
        for part in parts {
            guard let head = part.head else { continue }
            if isFound, Self.compare(head, part, to: key) >= 0 { continue }
            for (index, column) in part.key.enumerated() { key[index] = part.format.cell(column, of: head) }
            isFound = true
        }
        guard isFound else { return false }
        for index in parts.indices {
            while let head = parts[index].head, Self.compare(head, parts[index], to: key) == 0 { parts[index].advance() }
        }
        return true
    }

    private static func compare(_ row: UnsafeRawPointer, _ part: Part, to key: UnsafePointer<Cell>) -> Int {
        for (index, column) in part.key.enumerated() {
            let order = part.format.cell(column, of: row).compared(to: key[index], isDecimal: false)
            if order != 0 { return order }
        }
        return 0
    }
}
