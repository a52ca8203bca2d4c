internal import Logging
internal import StorageDriver

/// Completes the indexes of references to keys of several parts, of which earlier versions have indexed the first part
/// alone.
///
/// The name of an index stays, so that an earlier version can still drop it. A read-only store works without the completed
/// index: it looks at all rows that share the first part.
enum CompositeIndexes {
    /// Completes the indexes if possible. The index of a table that another user owns, or that is in use, is left until the
    /// store is opened next.
    ///
    /// - Throws: the loss of the connection.
    ///
    /// - Parameter definitions: the answer to ``question(_:)``.
    static func complete(
        _ definitions: StatementResult, by connection: Connection, _ names: Names, logger: Logger
    ) throws(StorageError) {
        let compiler = SchemaCompiler(names)
        for table in try Catalog.tables(definitions) where !table.isForeign {
            for columns in table.indexes where columns.count > 1 {
                guard try !isComplete(columns, of: table, by: connection, names) else { continue }
                do throws(StorageError) {
                    connection.add("BEGIN ISOLATION LEVEL READ COMMITTED")
                    connection.add(Catalog.turn(names, isExclusive: true))
                    // Another program may have changed the table since its definition was read.
                    guard try Catalog.tables(connection.run(question(names))).contains(table) else {
                        connection.sendOnly("ROLLBACK")
                        continue
                    }
                    for sql in compiler.replaceIndex(columns, table) { connection.add(sql) }
                    try connection.run("COMMIT")
                    logger.notice("index of references completed", metadata: ["table": "\(table.name)"])
                } catch {
                    connection.dropWaiting()
                    if connection.loss != nil { throw error }
                    connection.sendOnly("ROLLBACK")
                    logger.warning("an index of references is not completed", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// Asks for the definitions of tables that may have such indexes.
    static func question(_ names: Names) -> Statement {
        // A definition is JSON with sorted keys, and no text in it has quotes that are not escaped.
        Statement("SELECT definition FROM \(names.own("storage_tables")) WHERE definition LIKE '%\"part\":1%'")
    }

    private static func isComplete(
        _ columns: [Int], of table: TableSchema, by connection: Connection, _ names: Names
    ) throws(StorageError) -> Bool {
        let index = names.own(Names.index(table.columns[columns[0]], of: table)).quotedText
        let count = try connection.run(
            "SELECT indnatts::int8 FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass(\(index))"
        ).integer()
        return count == Int64(columns.count)
    }
}
