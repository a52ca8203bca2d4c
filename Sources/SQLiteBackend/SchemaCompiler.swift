internal import StorageDriver

/// Turns changes of tables into SQL.
enum SchemaCompiler {
    static func sql(for change: TableChange) -> [String] {
        switch change {
        case .create(let table): [create(table)] + table.columns.indices.compactMap { index($0, table) }
        case .drop(let table): ["DROP TABLE " + table.name.quotedName]
        case .alter(let old, let new, let added): alter(old, to: new, added: added)
        }
    }

    private static func create(_ table: TableSchema) -> String {
        let isRowID = hasRowID(table)
        var lines = table.columns.enumerated().map { index, column in
            isRowID && table.key == [index] ? keyColumn(column, table) : definition(column)
        }
        if !isRowID {
            lines.append("PRIMARY KEY (" + table.key.map { table.columns[$0].sql }.joined(separator: ", ") + ")")
        }
        let options = isRowID ? "STRICT" : "STRICT, WITHOUT ROWID"
        return "CREATE TABLE \(table.name.quotedName) (\n  \(lines.joined(separator: ",\n  "))\n) \(options)"
    }

    /// A single integer key is SQLite's row number; any other key orders the table itself. An unsigned key that the
    /// store assigns is also a row number, and at most Int64.max.
    static func hasRowID(_ table: TableSchema) -> Bool {
        guard table.key.count == 1 else { return false }
        let type = table.columns[table.key[0]].type
        return type.storage == .integer && (type != .uint64 || table.assignsKeys)
    }

    private static func keyColumn(_ column: ColumnSchema, _ table: TableSchema) -> String {
        "\(column.sql) INTEGER PRIMARY KEY" + (table.assignsKeys ? " AUTOINCREMENT" : "") + " NOT NULL"
    }

    private static func definition(_ column: ColumnSchema) -> String {
        "\(column.sql) \(column.sqlType)" + (column.isOptional ? "" : " NOT NULL")
    }

    // MARK: Indexes

    /// No table's name begins with storage_, and the length of the table's name makes the index names of all columns
    /// different.
    static func plainIndexName(_ column: ColumnSchema, _ table: TableSchema) -> String {
        let kind = column.isUnique ? "unique" : "index"
        return "storage_\(kind)_\(table.name)_\(column.name)_\(table.name.utf8.count)"
    }

    private static func indexName(_ column: ColumnSchema, _ table: TableSchema) -> String {
        plainIndexName(column, table).quotedName
    }

    private static func index(_ first: Int, _ table: TableSchema) -> String? {
        let column = table.columns[first]
        guard isIndexed(column) else { return nil }
        let kind = column.isUnique ? "UNIQUE INDEX" : "INDEX"
        let columns = table.indexColumns(from: first).map { table.columns[$0].sql }.joined(separator: ", ")
        return "CREATE \(kind) \(indexName(column, table)) ON \(table.name.quotedName) (\(columns))"
    }

    /// Makes the index of a reference to a key of several parts again: earlier versions have put its first part alone into it.
    static func replaceIndex(_ columns: [Int], _ table: TableSchema) -> [String] {
        let first = table.columns[columns[0]]
        return ["DROP INDEX IF EXISTS " + indexName(first, table)] + (index(columns[0], table).map { [$0] } ?? [])
    }

    // MARK: Alterations

    private static func alter(_ old: TableSchema, to new: TableSchema, added: [Value]) -> [String] {
        // Indexes are dropped first and then created, because their names depend on the names of the table and the
        // column.
        let kept = zip(old.columns, new.columns)
        let isRenamed = old.name != new.name
        let changed = kept.enumerated().filter { _, pair in
            let (from, to) = pair
            return isRenamed || from.name != to.name || isIndexed(from) != isIndexed(to) || from.isUnique != to.isUnique
        }
        var sql = changed.filter { isIndexed($1.0) }.map { "DROP INDEX " + indexName($1.0, old) }
        if isRenamed { sql.append("ALTER TABLE \(old.name.quotedName) RENAME TO \(new.name.quotedName)") }
        let table = new.name.quotedName
        for (from, to) in kept where from.name != to.name {
            sql.append("ALTER TABLE \(table) RENAME COLUMN \(from.sql) TO \(to.sql)")
        }
        let addedColumns = new.columns[old.columns.count...]
        for (column, value) in zip(addedColumns, added) {
            let base = "ALTER TABLE \(table) ADD COLUMN \(definition(column))"
            sql.append(value.isNull ? base : base + " DEFAULT (\(value.sql))")
        }
        sql += (changed.map(\.offset) + addedColumns.indices).compactMap { index($0, new) }
        return sql
    }

    private static func isIndexed(_ column: ColumnSchema) -> Bool { column.isIndexed || column.isUnique }
}
