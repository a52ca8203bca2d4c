internal import Logging
internal import StorageDriver

/// Completes the indexes of references to keys of several parts, of which earlier versions have indexed the first part
/// alone.
///
/// The name of an index stays, so that an earlier version can still drop it. A store that cannot be written works without:
/// it looks at all rows that share the first part.
enum CompositeIndexes {
    /// - Throws: an error of the file. A store that another process keeps busy is completed when it is opened next.
    static func complete(_ connection: Connection, logger: Logger) throws(StorageError) {
        guard try Catalog.tables(connection).contains(where: { !incomplete($0).isEmpty }) else { return }
        // Other processes can change tables between two statements. So the definitions and the indexes are read in one
        // transaction, and read again within the write transaction.
        guard try !isComplete(connection) else { return }
        do {
            try connection.begin(.begin)
            let statements = try statements(connection)
            for sql in statements { try connection.execute(sql) }
            try connection.commit()
            logger.notice("indexes of references completed", metadata: ["count": "\(statements.count / 2)"])
        } catch {
            connection.rollBack()
            if error.code == .io || error.code == .corrupt { throw error }
            logger.warning("indexes of references are not completed", metadata: ["error": "\(error)"])
        }
    }

    private static func isComplete(_ connection: Connection) throws(StorageError) -> Bool {
        try connection.begin(.beginRead)
        defer { connection.rollBack() }
        return try statements(connection).isEmpty
    }

    private static func statements(_ connection: Connection) throws(StorageError) -> [String] {
        var statements: [String] = []
        for table in try Catalog.tables(connection) {
            for columns in incomplete(table) where try !isComplete(columns, of: table, on: connection) {
                statements += SchemaCompiler.replaceIndex(columns, table)
            }
        }
        return statements
    }

    /// The indexes of a table that may lack columns.
    private static func incomplete(_ table: TableSchema) -> [[Int]] {
        table.isForeign ? [] : table.indexes.filter { $0.count > 1 }
    }

    private static func isComplete(
        _ columns: [Int], of table: TableSchema, on connection: Connection
    ) throws(StorageError) -> Bool {
        let statement = try Statement(connection, "SELECT count(*) FROM pragma_index_info(?1, 'main')")
        try statement.bind(.text(SchemaCompiler.plainIndexName(table.columns[columns[0]], table)), at: 1)
        return try statement.integer() == Int64(columns.count)
    }
}
