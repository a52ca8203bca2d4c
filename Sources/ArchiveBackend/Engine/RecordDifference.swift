internal import StorageDriver

/// The keys of a model's records that differ between two states of its tables, in key order, each once: a record
/// differs if its root row or a row that it owns differs.
struct RecordDifference {
    private let parts: [Part]

    /// The changes of one table. Belongs to one value of ``RecordDifference``, which is not copied once it has begun.
    private final class Part {
        // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
        @exclusivity(unchecked) private var rows: RowDifference
        @exclusivity(unchecked) private(set) var head: UnsafeRawPointer?
        private let format: RowFormat
        /// The columns that hold the root's key.
        private let key: [Int]

        init(_ rows: RowDifference, _ table: ArchiveTable) {
            self.rows = rows
            format = table.format
            key = Array(table.schema.key.prefix(table.rootKeyCount))
            advance()
        }

        func advance() { head = rows.next() }

        func copyKey(of row: UnsafeRawPointer, to cells: UnsafeMutablePointer<Cell>) {
            for index in key.indices { cells[index] = format.cell(key[index], of: row) }
        }

        func compare(_ row: UnsafeRawPointer, to cells: UnsafePointer<Cell>) -> Int {
            for index in key.indices {
                let order = format.cell(key[index], of: row).compared(to: cells[index], isDecimal: false)
                if order != 0 { return order }
            }
            return 0
        }
    }

    /// - Parameter tables: the model's, as they are now; the root's first.
    init(from old: ArchiveTables, to tables: [ArchiveTable]) {
        parts = tables.map { table in
            let rows = old.rows(of: table.schema.name) ?? RowTree(table.rows.order)
            return Part(RowDifference(from: rows, to: table.rows), table)
        }
    }

    /// Writes the next key to memory for as many cells as a key has; false after the last. The cells point at the bytes
    /// of the tables.
    func next(_ key: UnsafeMutablePointer<Cell>) -> Bool {
        var isFound = false
        for part in parts {
            guard let head = part.head, !isFound || part.compare(head, to: key) < 0 else { continue }
            part.copyKey(of: head, to: key)
            isFound = true
        }
        guard isFound else { return false }
        for part in parts {
            while let head = part.head, part.compare(head, to: key) == 0 { part.advance() }
        }
        return true
    }
}
