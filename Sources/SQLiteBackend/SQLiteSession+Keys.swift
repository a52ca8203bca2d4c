internal import StorageAPI

extension SQLiteSession {
    final func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        guard table.isForeign else { return try greatestEverAssigned(in: table) }
        // Other software's table may remember no key that is gone.
        let key = table.key.first.map { table.columns[$0].sql } ?? "NULL"
        let greatest = try integer("SELECT max(\(key)) FROM \(table.name.quotedName)") ?? 0
        guard try connection.foreign.table(table, connection).isAutoincrement else { return max(greatest, 0) }
        return try max(greatest, greatestEverAssigned(in: table), 0)
    }

    private func greatestEverAssigned(in table: TableSchema) throws(StorageError) -> Int64 {
        try integer("SELECT seq FROM sqlite_sequence WHERE name = \(table.name.quotedText)") ?? 0
    }

    /// The integer in the first column of the first row.
    private func integer(_ sql: String) throws(StorageError) -> Int64? {
        var cursor = try Statement(connection, sql).cursor()
        return try cursor.next() && cursor.cells[0].tag == .int ? cursor.cells[0].int : nil
    }
}
