internal import StorageDriver

/// Turns changes of tables into SQL.
struct SchemaCompiler {
    private let names: Names

    init(_ names: Names) { self.names = names }

    func statements(for change: TableChange) -> [String] {
        switch change {
        case .create(let table): [create(table)] + table.columns.compactMap { index($0, table) }
        case .drop(let table): ["DROP TABLE " + names.table(table)]
        case .alter(let old, let new, let added): alter(old, new, added)
        }
    }

    private func create(_ table: TableSchema) -> String {
        let key = table.key.map { table.columns[$0].sqlName }.joined(separator: ", ")
        let lines = table.columns.map(definition) + ["CONSTRAINT \(Names.key(of: table)) PRIMARY KEY (\(key))"]
        return "CREATE TABLE \(names.table(table)) (\n  \(lines.joined(separator: ",\n  "))\n)"
    }

    private func definition(_ column: ColumnSchema) -> String {
        "\(column.sqlName) \(column.type.sql.declared)" + (column.isOptional ? "" : " NOT NULL")
    }

    // MARK: Indexes

    private func index(_ column: ColumnSchema, _ table: TableSchema) -> String? {
        guard Self.isIndexed(column) else { return nil }
        let kind = column.isUnique ? "UNIQUE INDEX" : "INDEX"
        let value = column.type.compared(column.sqlName)
        // Sorted as a query sorts it, ascending with nil first.
        var parts = ["(\(column.type.isUnbounded ? column.type.beginning(value) : value)) NULLS FIRST"]
        if column.isUnique, column.type.isUnbounded { parts.append("(\(column.type.remainder(value)))") }
        let name = Names.index(column, of: table)
        return "CREATE \(kind) \(name) ON \(names.table(table)) (\(parts.joined(separator: ", ")))"
    }

    private static func isIndexed(_ column: ColumnSchema) -> Bool { column.isIndexed || column.isUnique }

    // MARK: Alterations

    private func alter(_ old: TableSchema, _ new: TableSchema, _ added: [Value]) -> [String] {
        // Indexes are dropped first and then created, since their names depend on those of the table and the column.
        let kept = zip(old.columns, new.columns)
        let isRenamed = old.name != new.name
        let changed = kept.filter {
            isRenamed || $0.name != $1.name || Self.isIndexed($0) != Self.isIndexed($1) || $0.isUnique != $1.isUnique
        }
        var sql = changed.filter { Self.isIndexed($0.0) }.map { "DROP INDEX " + names.own(Names.index($0.0, of: old)) }
        let table = names.table(new)
        if isRenamed {
            sql.append("ALTER TABLE \(names.table(old)) RENAME TO \(Names.column(new.name))")
            sql.append("ALTER TABLE \(table) RENAME CONSTRAINT \(Names.key(of: old)) TO \(Names.key(of: new))")
        }
        for (from, to) in kept where from.name != to.name {
            sql.append("ALTER TABLE \(table) RENAME COLUMN \(from.sqlName) TO \(to.sqlName)")
        }
        let addedColumns = new.columns[old.columns.count...]
        for (column, value) in zip(addedColumns, added) {
            let base = "ALTER TABLE \(table) ADD COLUMN \(definition(column))"
            sql.append(value.isNull ? base : base + " DEFAULT \(value.literal(column.type))")
        }
        return sql + changed.compactMap { index($0.1, new) } + addedColumns.compactMap { index($0, new) }
    }
}
