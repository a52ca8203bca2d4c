internal import StorageDriver

extension SQLiteSession {
    final func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        guard table.isForeign else { return try greatestEverAssigned(in: table) }
        // A table of other software may not remember deleted keys.
        let key = table.key.first.map { table.columns[$0].sql } ?? "NULL"
        let greatest = try Statement(connection, "SELECT max(\(key)) FROM \(table.name.quotedName)").integer() ?? 0
        guard try connection.foreign.table(table, connection).isAutoincrement else { return max(greatest, 0) }
        return try max(greatest, greatestEverAssigned(in: table), 0)
    }

    private func greatestEverAssigned(in table: TableSchema) throws(StorageError) -> Int64 {
        let statement = try connection.statement(.greatestKey)
        try statement.bind(.text(table.name), at: 1)
        return try statement.integer() ?? 0
    }
}
