internal import StorageDriver

/// A table that other software made, as its declaration describes it.
struct ForeignTable {
    struct Column {
        let name: String
        let declared: DeclaredType
        let isOptional: Bool
        /// The place in the primary key, from 1 on; 0 outside it.
        let keyPlace: Int
        /// How SQLite compares its text where a query does not say.
        let collation: String

        /// Whether text is compared by its bytes.
        var isBinary: Bool { collation == "BINARY" }

        /// Whether two values that differ are two keys. Text under a collation may not be, nor may a column be that
        /// shows numbers as text.
        fileprivate var canBeKey: Bool {
            declared.type.canBeKey && (declared.type != .string || (declared.affinity == .text && isBinary))
        }
    }

    /// An index of all rows over columns, compared by bytes.
    struct Index {
        let name: String
        let columns: [String]
        let isUnique: Bool
    }

    let name: String
    /// Without generated and hidden columns.
    let columns: [Column]
    let indexes: [Index]
    /// Whether SQLite keeps the greatest row number ever used.
    let isAutoincrement: Bool
    let hasRowID: Bool

    /// The table as the store knows it; nil where nothing can be its key.
    ///
    /// The key is the primary key where its columns are integers or text compared by bytes, or UUIDs; otherwise SQLite's
    /// own row number.
    var schema: TableSchema? {
        let primary = columns.indices.filter { columns[$0].keyPlace > 0 }
            .sorted { columns[$0].keyPlace < columns[$1].keyPlace }
        if (1...Self.mostKeyColumns).contains(primary.count), primary.allSatisfy({ columns[$0].canBeKey }) {
            return schema(columns.map { column($0, isKey: $0.keyPlace > 0) }, key: primary)
        }
        guard let rowID else { return nil }
        let number = ColumnSchema(name: rowID, property: rowID, type: .int64)
        return schema([number] + columns.map { column($0, isKey: false) }, key: [0])
    }

    /// As many as a list of keys has columns.
    private static let mostKeyColumns = 16

    private func schema(_ columns: [ColumnSchema], key: [Int]) -> TableSchema {
        var schema = TableSchema(name: name, path: [name], columns: columns, key: key, assignsKeys: isAutoincrement)
        schema.isForeign = true
        return schema
    }

    private func column(_ column: Column, isKey: Bool) -> ColumnSchema {
        let leading = indexes.filter { $0.columns.first == column.name }
        return ColumnSchema(
            name: column.name, property: column.name, type: column.declared.type,
            isOptional: column.isOptional && !isKey, isIndexed: !isKey && !leading.isEmpty,
            isUnique: !isKey && leading.contains { $0.isUnique && $0.columns.count == 1 })
    }

    /// The name under which SQLite gives the row number: one that no column has.
    private var rowID: String? {
        guard hasRowID else { return nil }
        return ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.name.lowercased() == name } }
    }
}
