internal import Foundation
internal import StorageDriver

/// The database's record of its tables: `storage_tables` has a row for each table, with its definition as JSON, and
/// `storage_info` has the format's version.
enum Catalog {
    /// The version of the format that a new record has. Tables raise it to the version that they need.
    private static let format = 1

    /// The version of the database's record; nil if the database has no record, like a database of other software.
    ///
    /// - Throws: `schemaNewer` if a later version has written the database, `unsupported` if its text is UTF-16.
    ///   The database is then unchanged.
    static func checkedFormat(_ connection: Connection) throws(StorageError) -> Int? {
        let encoding = try Statement(connection, "PRAGMA encoding").text()
        guard encoding == "UTF-8" else {
            throw StorageError(
                .unsupported,
                "The database stores text as \(encoding ?? "unknown"), which SQLite sorts in another order than UTF-8; "
                    + "make a new one of it: sqlite3 old.db .dump | sqlite3 new.db")
        }
        guard try isOwn("storage_info", connection) else { return nil }
        let statement = try Statement(connection, "SELECT value FROM storage_info WHERE key = 'format'")
        let text = try statement.text()
        guard let text, let found = Int(text) else {
            throw StorageError(.corrupt, "storage_info does not say the format's version; restore a backup.")
        }
        guard found <= TableSchema.newestFormat else {
            throw StorageError(
                .schemaNewer,
                "The database has format \(found), and this version reads up to \(TableSchema.newestFormat); update the program. "
                    + "Nothing was changed.")
        }
        return found
    }

    /// The recorded tables, in the order of their creation.
    static func tables(_ connection: Connection) throws(StorageError) -> [TableSchema] {
        guard try isOwn("storage_tables", connection) else { return [] }
        let statement = try Statement(connection, "SELECT definition FROM storage_tables ORDER BY rowid")
        var cursor = try statement.cursor()
        var tables: [TableSchema] = []
        var definitions: [[UInt8]: TableSchema] = [:]
        while try cursor.next() {
            let definition = Array(cursor.cells[0].bytes)
            let table: TableSchema
            if let known = connection.definitions[definition] { table = known } else { table = try decoded(definition) }
            definitions[definition] = table
            tables.append(table)
        }
        connection.definitions.keep(definitions)
        return tables
    }

    private static func decoded(_ definition: [UInt8]) throws(StorageError) -> TableSchema {
        do {
            return try JSONDecoder().decode(TableSchema.self, from: Data(definition))
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(
                .corrupt, "storage_tables has a definition that cannot be read; restore a backup.", underlying: error)
        }
    }

    /// Updates the record for a change.
    static func record(_ change: TableChange, _ connection: Connection) throws(StorageError) {
        switch change {
        case .create(let table):
            try createTables(connection)
            try write("INSERT INTO storage_tables (name, definition) VALUES (?1, ?2)", of: table, on: connection)
            try raiseFormat(to: table.requiredFormat, connection)
        case .drop(let table):
            try write("DELETE FROM storage_tables WHERE name = ?1", of: table, on: connection, hasDefinition: false)
        case .alter(let old, let new, _):
            try write(
                "UPDATE storage_tables SET name = ?1, definition = ?2 WHERE name = \(old.name.quotedText)", of: new,
                on: connection)
            try raiseFormat(to: new.requiredFormat, connection)
        }
    }

    private static func raiseFormat(to required: Int, _ connection: Connection) throws(StorageError) {
        guard required > format else { return }
        try connection.execute(
            "UPDATE storage_info SET value = '\(required)' WHERE key = 'format' AND CAST(value AS INTEGER) < \(required)"
        )
    }

    private static func createTables(_ connection: Connection) throws(StorageError) {
        for name in columns.keys where try !isOwn(name, connection) { try checkFree(name, connection) }
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS storage_tables (name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL) STRICT")
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS storage_info (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT")
        try connection.execute("INSERT OR IGNORE INTO storage_info (key, value) VALUES ('format', '\(format)')")
    }

    private static func write(
        _ sql: String, of table: TableSchema, on connection: Connection, hasDefinition: Bool = true
    ) throws(StorageError) {
        let statement = try Statement(connection, sql)
        try statement.bind(.text(table.name), at: 1)
        if hasDefinition { try statement.bind(.text(try definition(of: table)), at: 2) }
        try statement.run()
    }

    private static func definition(of table: TableSchema) throws(StorageError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(table), as: UTF8.self)
        } catch {
            throw StorageError(.io, "A table's definition cannot be encoded.", underlying: error)
        }
    }

    /// The columns that distinguish the record from tables of other software.
    private static let columns = ["storage_tables": "name,definition", "storage_info": "key,value"]

    /// Returns whether a table is the record, and not a table of the same name that other software created.
    static func isOwn(_ table: String, _ connection: Connection) throws(StorageError) -> Bool {
        guard let columns = columns[table] else { return false }
        let statement = try Statement(connection, "SELECT group_concat(name) FROM pragma_table_info(?1, 'main')")
        try statement.bind(.text(table), at: 1)
        return try statement.text() == columns
    }

    /// Other software may have created something with a table's name.
    static func checkFree(
        _ name: String, _ connection: Connection, model: String? = nil
    ) throws(StorageError) {
        let statement = try Statement(connection, "SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE")
        try statement.bind(.text(name), at: 1)
        guard let type = try statement.text() else { return }
        throw StorageError(
            .schemaMismatch,
            "The database has a \(type) \(name) that no store has created; rename it, or the model. Nothing was changed.",
            model: model)
    }
}
