internal import CSQLite
internal import Logging
internal import StorageDriver

/// The tables of a database that other software created, and that `storage_tables` does not record.
///
/// Leaves out virtual tables, SQLite's internal tables, views that SQLite cannot prepare, and tables whose columns have all
/// names of a row number. Cached until any program changes the schema.
final class ForeignCatalog {
    private var version: Int64?
    private var recorded: Set<String> = []
    private var known: [ForeignTable] = []
    var conversions: [TableSchema: [ColumnConversion]] = [:]

    /// - Parameter recorded: the tables that a store has created.
    func tables(besides recorded: [TableSchema], _ connection: Connection) throws(StorageError) -> [ForeignTable] {
        let version = try connection.schemaVersion()
        let names = Set(recorded.map(\.name))
        if version == self.version, names == self.recorded { return known }
        var tables: [ForeignTable] = []
        for header in try Self.headers(connection) where !names.contains(header.name) {
            guard try !Catalog.isOwn(header.name, connection) else { continue }
            if let table = try Self.readable(header, connection), table.schema != nil {
                tables.append(table)
            } else {
                connection.logger.debug(
                    "table or view left out, since it cannot be read", metadata: ["table": "\(header.name)"])
            }
        }
        (self.version, self.recorded, known, conversions) = (version, names, tables, [:])
        return tables
    }

    // MARK: Declarations

    private struct Header {
        let name: String
        let isView: Bool
        let hasRowID: Bool
        let isStrict: Bool
        let hasConflictClause: Bool
        /// The declaration of a view; empty for a table.
        let sql: String
    }

    private static func headers(_ connection: Connection) throws(StorageError) -> [Header] {
        let statement = try Statement(
            connection,
            """
            SELECT s.name, l.wr, l.strict, s.sql LIKE '%CONFLICT%', iif(s.type = 'view', s.sql, NULL) FROM sqlite_schema AS s
            JOIN pragma_table_list AS l ON l.name = s.name AND l.schema = 'main' AND l.type = s.type
            WHERE s.type IN ('table', 'view') AND s.name <> '' AND s.name NOT LIKE 'sqlite~_%' ESCAPE '~'
            ORDER BY s.type, s.rowid
            """)
        var cursor = try statement.cursor()
        var headers: [Header] = []
        while try cursor.next() {
            guard case .text(let name) = cursor.cells[0].value else { continue }
            var view: String?
            if case .text(let sql) = cursor.cells[4].value { view = sql }
            headers.append(
                Header(
                    name: name, isView: view != nil, hasRowID: view == nil && cursor.cells[1].int == 0,
                    isStrict: cursor.cells[2].int == 1, hasConflictClause: view == nil && cursor.cells[3].int == 1,
                    sql: view ?? ""))
        }
        return headers
    }

    /// The declaration of a table, or of a view; nil for a view that SQLite cannot prepare: a table of it may be gone, or a
    /// function unknown.
    private static func readable(_ header: Header, _ connection: Connection) throws(StorageError) -> ForeignTable? {
        guard header.isView else { return try table(header, connection) }
        do throws(StorageError) {
            let types = try ViewTypes(header.name, declaration: header.sql, connection)
            return try table(header, connection, types: types)
        } catch {
            guard error.isOfStatement else { throw error }
            return nil
        }
    }

    /// - Parameter types: the types of a view's columns without a declared one.
    private static func table(
        _ header: Header, _ connection: Connection, types: ViewTypes? = nil
    ) throws(StorageError) -> ForeignTable {
        let statement = try Statement(
            connection, "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1, 'main') WHERE hidden = 0")
        try statement.bind(.text(header.name), at: 1)
        var cursor = try statement.cursor()
        let references = try header.isView ? [:] : references(of: header.name, connection)
        var columns: [ForeignTable.Column] = []
        var isAutoincrement = false
        while try cursor.next() {
            guard case .text(let name) = cursor.cells[0].value else { continue }
            var declaration = ""
            if case .text(let text) = cursor.cells[1].value { declaration = text }
            // SQLite tells no details of views.
            let details =
                try header.isView
                ? (collation: "", isAutoincrement: false) : details(of: name, in: header.name, connection)
            isAutoincrement = isAutoincrement || details.isAutoincrement
            let declared = DeclaredType(declaration, isStrict: header.isStrict)
            columns.append(
                ForeignTable.Column(
                    name: name, declared: declared, type: types?.type(of: name) ?? declared.type,
                    isOptional: cursor.cells[2].int == 0, keyPlace: Int(cursor.cells[3].int),
                    collation: details.collation, reference: references[name.lowercased()]))
        }
        return ForeignTable(
            name: header.name, isView: header.isView, columns: columns,
            indexes: try indexes(of: header.name, connection), isAutoincrement: isAutoincrement,
            hasRowID: header.hasRowID, hasConflictClause: header.hasConflictClause,
            hasKeyIndex: try hasKeyIndex(header.name, connection))
    }

    /// Returns the targets of the columns, by their names in lower case: foreign keys of one column to a primary key of
    /// one column.
    private static func references(
        of table: String, _ connection: Connection
    ) throws(StorageError) -> [String: ReferenceSchema] {
        let statement = try Statement(
            connection,
            """
            SELECT f."from", s.name, f.on_delete FROM pragma_foreign_key_list(?1, 'main') AS f
            JOIN sqlite_schema AS s ON s.type = 'table' AND s.name = f."table" COLLATE NOCASE
            WHERE (SELECT count(*) FROM pragma_foreign_key_list(?1, 'main') AS g WHERE g.id = f.id) = 1
            AND (SELECT count(*) FROM pragma_table_info(s.name, 'main') WHERE pk > 0) = 1
            AND (f."to" IS NULL OR f."to" = (SELECT name FROM pragma_table_info(s.name, 'main') WHERE pk = 1) COLLATE NOCASE)
            """)
        try statement.bind(.text(table), at: 1)
        var cursor = try statement.cursor()
        var references: [String: ReferenceSchema] = [:]
        while try cursor.next() {
            guard case .text(let column) = cursor.cells[0].value, case .text(let target) = cursor.cells[1].value,
                case .text(let action) = cursor.cells[2].value
            else { continue }
            references[column.lowercased()] = ReferenceSchema(model: target, onDelete: DeleteRule(sql: action))
        }
        return references
    }

    /// Returns the details of a column that no pragma reports.
    private static func details(
        of column: String, in table: String, _ connection: Connection
    ) throws(StorageError) -> (collation: String, isAutoincrement: Bool) {
        var collation: UnsafePointer<CChar>?
        var isAutoincrement: Int32 = 0
        let code = sqlite3_table_column_metadata(
            connection.database, "main", table, column, nil, &collation, nil, nil, &isAutoincrement)
        try connection.check(code, doing: "look at \(table).\(column)")
        return (collation.map { String(cString: $0).uppercased() } ?? "BINARY", isAutoincrement != 0)
    }

    /// Returns whether the primary key has an index. SQLite's row number has no index.
    private static func hasKeyIndex(_ table: String, _ connection: Connection) throws(StorageError) -> Bool {
        let statement = try Statement(
            connection, "SELECT count(*) FROM pragma_index_list(?1, 'main') WHERE origin = 'pk'")
        try statement.bind(.text(table), at: 1)
        return try statement.integer() != 0
    }

    private static func indexes(
        of table: String, _ connection: Connection
    ) throws(StorageError) -> [ForeignTable.Index] {
        let statement = try Statement(
            connection,
            """
            SELECT i.name, i."unique", x.name, x.coll FROM pragma_index_list(?1, 'main') AS i
            JOIN pragma_index_xinfo(i.name, 'main') AS x WHERE x.key = 1 AND i.partial = 0 ORDER BY i.seq, x.seqno
            """)
        try statement.bind(.text(table), at: 1)
        var cursor = try statement.cursor()
        var parts: [(name: Value, isUnique: Bool, column: Value, isBinary: Bool)] = []
        while try cursor.next() {
            parts.append(
                (
                    cursor.cells[0].value, cursor.cells[1].int == 1, cursor.cells[2].value,
                    cursor.cells[3].value == .text("BINARY")
                ))
        }
        var names: [Value] = []
        for part in parts where names.last != part.name { names.append(part.name) }
        return names.compactMap { name in
            let own = parts.filter { $0.name == name }
            // The column of an expression has no name.
            let columns = own.compactMap { if case .text(let column) = $0.column, $0.isBinary { column } else { nil } }
            guard case .text(let text) = name, columns.count == own.count else { return nil }
            return ForeignTable.Index(name: text, columns: columns, isUnique: own[0].isUnique)
        }
    }
}

extension DeleteRule {
    /// The rule of an action after ON DELETE. An action that would set another value than null becomes a rule that
    /// refuses the delete.
    fileprivate init(sql action: String) {
        switch action.uppercased() {
        case "CASCADE": self = .cascade
        case "SET NULL": self = .nullify
        default: self = .deny
        }
    }
}
