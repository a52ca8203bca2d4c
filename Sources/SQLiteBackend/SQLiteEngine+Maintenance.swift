internal import CSQLite
internal import StorageDriver

// The engine's features beyond the contract.

extension SQLiteEngine: CheckingEngine {
    func findDamage() throws(StorageError) -> [String] {
        try withReader { (connection) throws(StorageError) in
            var problems: [String] = []
            do throws(StorageError) {
                for row in try connection.rows("PRAGMA integrity_check") where row != [.text("ok")] {
                    // The first row has a line for each thing that is wrong with a page, below a heading.
                    let lines = row.map(Self.text).joined(separator: " ").split(separator: "\n")
                    problems += lines.filter { !$0.hasPrefix("*** in database ") }.map(String.init)
                }
                problems += try Self.missingTargets(connection)
            } catch {
                // A page that cannot be read ends the check, and is a result of it.
                guard error.code == .corrupt else { throw error }
                problems.append(error.message)
            }
            return problems
        }
    }

    /// Returns the dangling references by the foreign keys that tables of other software declare.
    private static func missingTargets(_ connection: Connection) throws(StorageError) -> [String] {
        let tables = """
            SELECT DISTINCT t.name FROM sqlite_schema t, pragma_foreign_key_list(t.name) WHERE t.type = 'table' ORDER BY t.rowid
            """
        var problems: [String] = []
        for table in try connection.rows(tables).map({ text($0[0]) }) {
            do throws(StorageError) {
                for row in try connection.rows("PRAGMA foreign_key_check(\(table.quotedName))") where row.count >= 3 {
                    // A table without row numbers does not tell which it is.
                    let place = row[1].isNull ? "a row" : "row \(text(row[1]))"
                    problems.append("\(table), \(place): what it refers to in \(text(row[2])) is missing")
                }
            } catch {
                // A declaration that SQLite cannot follow: it refers to columns that do not exist or are not unique.
                guard let cause = error.underlying as? SQLiteError, cause.code == SQLITE_ERROR else { throw error }
                problems.append("\(table): its foreign keys cannot be checked: \(cause.message)")
            }
        }
        return problems
    }

    private static func text(_ value: Value) -> String {
        if case .text(let text) = value { text } else { value.description }
    }
}

extension SQLiteEngine: CompactingEngine {
    func compact() throws(StorageError) {
        try changing { (_, connection) throws(StorageError) in
            guard file.keepsName else { throw PublishedFile.isReplaced(configuration.path) }
            try connection.execute("VACUUM")
            // The new pages are in the log until they are copied back, and the file keeps its size until then.
            _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}

extension SQLiteEngine: BackupEngine {
    func backUp(to path: String, replacing isReplacing: Bool) throws(StorageError) {
        let file = try PublishedFile(path, over: isReplacing ? .anyFile : .nothing)
        try withReader { (connection) throws(StorageError) in
            // One reading transaction, so writers continue. SQLite's backup interface starts again with every change by
            // another connection.
            try connection.execute("PRAGMA query_only = OFF")
            // A reader never writes anyway; the setting is a second safeguard, so its failure is ignored.
            defer { try? connection.execute("PRAGMA query_only = ON") }
            let statement = try Statement(connection, "VACUUM INTO ?1")
            try statement.bind(.text(file.temporaryPath), at: 1)
            try statement.run()
        }
        try file.publish()
    }
}

extension Connection {
    /// All rows of a statement without parameters.
    fileprivate func rows(_ sql: String) throws(StorageError) -> [[Value]] {
        let statement = try Statement(self, sql)
        var cursor = try statement.cursor()
        var rows: [[Value]] = []
        while try cursor.next() { rows.append((0..<statement.columnCount).map { cursor.cells[$0].value }) }
        return rows
    }
}
