internal import StorageDriver

/// Turns changes of tables into SQL.
struct SchemaCompiler {
    private let names: Names

    init(_ names: Names) { self.names = names }

    func statements(for change: TableChange) -> [String] {
        switch change {
        case .create(let table):
            create(table) + table.columns.indices.compactMap { index($0, table) } + [comment(table)]
                + table.columns.compactMap { comment($0, table) }
        case .drop(let table): ["DROP TABLE " + names.table(table)]
        case .alter(let old, let new, let added): alter(old, to: new, adding: added)
        }
    }

    private func create(_ table: TableSchema) -> [String] {
        let keys = table.key.map { table.columns[$0].sqlName }
        let key = "CONSTRAINT \(Names.key(of: table)) PRIMARY KEY (\(keys.joined(separator: ", ")))"
        let lines = table.columns.map(definition) + [key]
        let sql = "CREATE TABLE \(names.table(table)) (\n  \(lines.joined(separator: ",\n  "))\n)"
        guard isPartitioned(table), let first = keys.first else { return [sql] }
        // A table's name may pass to another table, so the partitions' names do not contain it.
        let name = "storage_part_" + String(UInt64.random(in: 0...(.max)), radix: 36)
        return [sql + " PARTITION BY HASH (\(first))"]
            + (0..<names.partitions).map { part in
                "CREATE TABLE \(names.own("\(name)_\(part)")) PARTITION OF \(names.table(table)) "
                    + "FOR VALUES WITH (MODULUS \(names.partitions), REMAINDER \(part))"
            }
    }

    /// Returns whether a new table has partitions. The server keeps values unique within a partition alone, so a table with
    /// unique values beside its key has none. The store's internal tables have none either.
    func isPartitioned(_ table: TableSchema) -> Bool {
        names.partitions > 1 && table.path.first?.utf8.first != 0 && !table.columns.contains(where: \.isUnique)
    }

    private func definition(_ column: ColumnSchema) -> String {
        "\(column.sqlName) \(column.type.sql.declared)" + (column.isOptional ? "" : " NOT NULL")
    }

    // MARK: Indexes

    private func index(_ first: Int, _ table: TableSchema) -> String? {
        let column = table.columns[first]
        guard Self.isIndexed(column) else { return nil }
        let kind = column.isUnique ? "UNIQUE INDEX" : "INDEX"
        var parts = table.indexColumns(from: first).map { part in
            let type = table.columns[part].type
            let value = type.compared(table.columns[part].sqlName)
            // Sorted as a query sorts it, ascending with nil first.
            return "(\(type.isUnbounded ? type.beginning(value) : value)) NULLS FIRST"
        }
        if column.isUnique, column.type.isUnbounded {
            parts.append("(\(column.type.remainder(column.type.compared(column.sqlName))))")
        }
        let name = Names.index(column, of: table)
        return "CREATE \(kind) \(name) ON \(names.table(table)) (\(parts.joined(separator: ", ")))"
    }

    /// Recreates the index of a reference to a key of several parts: earlier versions have indexed its first part alone.
    func replaceIndex(_ columns: [Int], _ table: TableSchema) -> [String] {
        let name = names.own(Names.index(table.columns[columns[0]], of: table))
        return ["DROP INDEX IF EXISTS " + name] + (index(columns[0], table).map { [$0] } ?? [])
    }

    private static func isIndexed(_ column: ColumnSchema) -> Bool { column.isIndexed || column.isUnique }

    // MARK: Alterations

    private func alter(_ old: TableSchema, to new: TableSchema, adding added: [Value]) -> [String] {
        // Indexes are dropped first and then created, because their names depend on the names of the table and the column.
        let kept = zip(old.columns, new.columns)
        let isRenamed = old.name != new.name
        let changed = kept.enumerated().filter { _, pair in
            let (from, to) = pair
            return isRenamed || from.name != to.name || Self.isIndexed(from) != Self.isIndexed(to)
                || from.isUnique != to.isUnique
        }
        var sql = changed.filter { Self.isIndexed($1.0) }.map {
            "DROP INDEX " + names.own(Names.index($1.0, of: old))
        }
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
        if isRenamed { sql.append(comment(new)) }
        return sql + (changed.map(\.offset) + addedColumns.indices).compactMap { index($0, new) }
            + addedColumns.compactMap { comment($0, new) }
    }

    // MARK: Comments

    /// Returns the comment on a table, for administrators.
    private func comment(_ table: TableSchema) -> String {
        let model = table.path.first ?? table.name
        let property = table.path.dropFirst().joined(separator: ".")
        // The store's internal tables have a path that begins with a NUL.
        let text =
            if model.utf8.first == 0 {
                "The store's own \(model.dropFirst())."
            } else if table.isRoot {
                "Records of \(model)."
            } else if table.isOfReferences {
                "The references \(property) of \(model)."
            } else {
                "The records that \(model) owns as \(property)."
            }
        return "COMMENT ON TABLE \(names.table(table)) IS \(Self.literal(text))"
    }

    /// Returns the comment on a column; nil if its name and its type suffice.
    private func comment(_ column: ColumnSchema, _ table: TableSchema) -> String? {
        let parts = [column.meaning, column.reference.map { "The key of a record of \($0.model)." }]
        let text = parts.compactMap(\.self).joined(separator: " ")
        if text.isEmpty { return nil }
        return "COMMENT ON COLUMN \(names.table(table)).\(column.sqlName) IS \(Self.literal(text))"
    }

    /// A property's name may have a NUL, which the server's texts cannot hold.
    private static func literal(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value != 0 })).literal
    }
}

extension ColumnSchema {
    fileprivate var meaning: String? {
        switch role {
        case .property: type.meaning
        case .presence: "Whether there is an array, which may be empty."
        case .owner: "A part of the owning record's key."
        case .position: "The place in the owner's array, in ascending order."
        case .node: "The row's number within its record."
        case .parent: "The number of the owning row, or 0."
        }
    }
}

extension ColumnType {
    /// The meaning of a column's values, if its declared type does not express it.
    fileprivate var meaning: String? {
        switch self {
        case .date: "Seconds since 2001-01-01 00:00 UTC."
        case .url: "A URL."
        case .duration: "Attoseconds: 16 bytes, the highest first, with the sign bit inverted."
        case .vector: "32-bit floats, each with the lowest byte first."
        case .array(let element): "An array of \(element)."
        case .embedded: "A value, encoded as JSON."
        default: nil
        }
    }
}
