internal import StorageDriver

/// Turns changes of tables into SQL.
struct SchemaCompiler {
    private let names: Names

    init(_ names: Names) { self.names = names }

    /// - Parameter making: the indexes that are not made by these statements.
    func statements(for change: TableChange, _ making: IndexMaking = IndexMaking()) -> [String] {
        switch change {
        case .create(let table):
            create(table) + table.columns.indices.compactMap { index($0, table) } + [comment(table)]
                + table.columns.compactMap { comment($0, table) }
        case .drop(let table): ["DROP TABLE " + names.table(table)]
        case .alter(let old, let new, let added): alter(old, to: new, adding: added, making)
        }
    }

    private func create(_ table: TableSchema) -> [String] {
        let keys = table.key.map { table.columns[$0].sqlName }
        let key = "CONSTRAINT \(Names.key(of: table)) PRIMARY KEY (\(keys.joined(separator: ", ")))"
        let lines = table.columns.map(definition) + [key]
        let sql = "CREATE TABLE \(names.table(table)) (\n  \(lines.joined(separator: ",\n  "))\n)"
        // A table's name may pass to another table, so the partitions' names do not contain it.
        let name = Self.partitionName()
        switch partitioning(of: table) {
        case nil: return [sql]
        case .hash(let column):
            return [sql + " PARTITION BY HASH (\(table.columns[column].sqlName))"]
                + (0..<names.partitions).map { part in
                    "CREATE TABLE \(names.own("\(name)_\(part)")) PARTITION OF \(names.table(table)) "
                        + "FOR VALUES WITH (MODULUS \(names.partitions), REMAINDER \(part))"
                }
        case .ranges(let key, let size):
            // The first partition also says how large the others are.
            let range = key.range(of: key.first, size: size)
            return [
                sql + " PARTITION BY RANGE (\(table.columns[table.key[0]].sqlName))",
                "CREATE TABLE \(names.own(name)) PARTITION OF \(names.table(table)) \(key.bounds(range))",
            ]
        }
    }

    private static func partitionName() -> String { "storage_part_" + String(UInt64.random(in: 0...(.max)), radix: 36) }

    /// The statements that add a partition to a table that others use. Attaching a table stops neither readers nor writers,
    /// as a new partition would.
    ///
    /// - Returns: the statements, and the name of the partition in SQL.
    func adding(_ range: KeyRange, _ key: RangedKey, to table: TableSchema) -> (statements: [String], name: String) {
        let (whole, part) = (names.table(table), names.own(Self.partitionName()))
        return (
            [
                "CREATE TABLE \(part) (LIKE \(whole) INCLUDING DEFAULTS)",
                "ALTER TABLE \(whole) ATTACH PARTITION \(part) \(key.bounds(range))",
            ], part
        )
    }

    /// The way in which a new table is divided; nil if it stays whole. The store's internal tables do. The server keeps values
    /// unique within a partition alone, so that each unique value of a divided table must be the one by which it is divided.
    func partitioning(of table: TableSchema) -> Partitioning? {
        guard let model = table.path.first, model.utf8.first != 0, let first = table.key.first else { return nil }
        if let span = names.ranges[model], let key = RangedKey(table.columns[first].type), let size = key.size(span),
            canDivide(table, by: first)
        {
            return .ranges(key, size: size)
        }
        guard names.partitions > 1 else { return nil }
        return table.key.first { canDivide(table, by: $0) }.map { .hash(column: $0) }
    }

    /// The index of a value of any length is one of an expression, which the server does not take for a column.
    private func canDivide(_ table: TableSchema, by column: Int) -> Bool {
        table.columns.indices.allSatisfy {
            !table.columns[$0].isUnique || $0 == column && !table.columns[$0].type.isUnbounded
        }
    }

    /// The reason why a new table cannot have the ranges that the options want; nil if it can, or if they want none.
    func refusal(of table: TableSchema) -> StorageError? {
        guard let model = table.path.first, let span = names.ranges[model], table.isRoot, let first = table.key.first
        else { return nil }
        let column = table.columns[first]
        let reason: String
        if RangedKey(column.type)?.size(span) == nil {
            reason =
                "its key begins with \(column.property), a value of type \(column.type). Name a number of keys for whole numbers "
                + "(\(model):1000000), and a time for UUIDs of version 7 (\(model):1d)"
        } else if let unique = table.columns.indices.first(where: { table.columns[$0].isUnique && $0 != first }) {
            reason =
                "\(table.columns[unique].property) is unique, and the server keeps values unique within a partition alone. Take "
                + "@Unique or the option away"
        } else {
            return nil
        }
        return StorageError(
            .configuration, "The option ranges cannot divide the table of \(model): \(reason); the table is not made.",
            model: model)
    }

    private func definition(_ column: ColumnSchema) -> String {
        "\(column.sqlName) \(column.type.sql.declared)" + (column.isOptional ? "" : " NOT NULL")
    }

    // MARK: Indexes

    private func index(_ first: Int, _ table: TableSchema) -> String? {
        guard Self.isIndexed(table.columns[first]) else { return nil }
        let index = ColumnIndex(first, of: table)
        return sql(of: index, index.name, on: names.table(table))
    }

    /// The statement that makes an index.
    ///
    /// - Parameters:
    ///   - name: the name of the index, or of its part of a partition.
    ///   - target: the table or partition, in SQL.
    ///   - isConcurrent: whether it is made beside writers, outside a transaction.
    func sql(of index: ColumnIndex, _ name: String, on target: String, isConcurrent: Bool = false) -> String {
        let (first, table) = (index.column, index.table)
        let column = table.columns[first]
        let kind = (column.isUnique ? "UNIQUE INDEX" : "INDEX") + (isConcurrent ? " CONCURRENTLY" : "")
        var parts = table.indexColumns(from: first).map { part in
            let type = table.columns[part].type
            let value = type.compared(table.columns[part].sqlName)
            // Sorted as a query sorts it, ascending with nil first.
            return "(\(type.isUnbounded ? type.beginning(value) : value)) NULLS FIRST"
        }
        if column.isUnique, column.type.isUnbounded {
            parts.append("(\(column.type.remainder(column.type.compared(column.sqlName))))")
        }
        return "CREATE \(kind) \(name) ON \(target) (\(parts.joined(separator: ", ")))"
    }

    /// Recreates the index of a reference to a key of several parts: earlier versions have indexed its first part alone.
    func replaceIndex(_ columns: [Int], _ table: TableSchema) -> [String] {
        let name = names.own(Names.index(table.columns[columns[0]], of: table))
        return ["DROP INDEX IF EXISTS " + name] + (index(columns[0], table).map { [$0] } ?? [])
    }

    private static func isIndexed(_ column: ColumnSchema) -> Bool { column.isIndexed || column.isUnique }

    // MARK: Alterations

    /// The columns whose index a change of a table adds.
    func addedIndexes(_ old: TableSchema, _ new: TableSchema) -> [Int] {
        new.columns.indices.filter { Self.isIndexed(new.columns[$0]) && !keepsIndex($0, from: old, to: new) }
    }

    /// True if a column's index stays, perhaps under another name.
    private func keepsIndex(_ column: Int, from old: TableSchema, to new: TableSchema) -> Bool {
        guard old.columns.indices.contains(column) else { return false }
        let (from, to) = (old.columns[column], new.columns[column])
        return Self.isIndexed(from) && Self.isIndexed(to) && from.isUnique == to.isUnique
            && old.indexColumns(from: column) == new.indexColumns(from: column)
    }

    /// Drops the indexes that do not stay, and renames the others: their names depend on the table and the column.
    private func alterIndexes(_ old: TableSchema, to new: TableSchema) -> [String] {
        old.indexedColumns.flatMap { column -> [String] in
            let name = Names.index(old.columns[column], of: old)
            // It may not be made yet.
            guard keepsIndex(column, from: old, to: new) else {
                return ["DROP INDEX IF EXISTS " + names.own(name), UnbuiltIndexes.remove(name, names)]
            }
            let renamed = Names.index(new.columns[column], of: new)
            guard renamed != name else { return [] }
            return [
                "ALTER INDEX IF EXISTS \(names.own(name)) RENAME TO \(renamed)",
                UnbuiltIndexes.rename(name, to: renamed, names),
            ]
        }
    }

    /// Makes the indexes that a change adds, unless they exist or are made later.
    private func addIndexes(_ old: TableSchema, to new: TableSchema, _ making: IndexMaking) -> [String] {
        addedIndexes(old, new).flatMap { column -> [String] in
            let name = Names.index(new.columns[column], of: new)
            if making.existing.contains(column) { return [UnbuiltIndexes.remove(name, names)] }
            // The rest of an attempt to make it beside writers.
            let drop = "DROP INDEX IF EXISTS " + names.own(name)
            if making.later.contains(column) { return [drop, UnbuiltIndexes.add(name, of: new.name, names)] }
            return [drop, UnbuiltIndexes.remove(name, names)] + (index(column, new).map { [$0] } ?? [])
        }
    }

    private func alter(
        _ old: TableSchema, to new: TableSchema, adding added: [Value], _ making: IndexMaking
    ) -> [String] {
        let kept = zip(old.columns, new.columns)
        let isRenamed = old.name != new.name
        var sql = alterIndexes(old, to: new)
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
        return sql + addIndexes(old, to: new, making) + addedColumns.compactMap { comment($0, new) }
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
