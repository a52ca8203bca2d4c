internal import StorageDriver

/// A table that other software created, as its declaration describes it.
struct ForeignTable {
    struct Column {
        let name: String
        let declared: DeclaredType
        /// The type of its values for the store.
        let type: ColumnType
        let isOptional: Bool
        /// The position in the primary key, from 1; 0 outside the key.
        let keyPlace: Int
        /// The collation by which SQLite compares its text by default; empty if it is unknown.
        let collation: String
        /// The target of its foreign key, if that is the primary key of another table.
        let reference: ReferenceSchema?

        /// True if text is compared by its bytes.
        var isBinary: Bool { collation == "BINARY" }

        /// True if two different values are two keys. That may not hold for text with a collation, nor for a column
        /// that reads numbers as text.
        fileprivate var canBeKey: Bool {
            type.canBeKey && (type != .string || (declared.affinity == .text && isBinary))
        }
    }

    /// An index of all rows over columns, compared by bytes.
    struct Index {
        let name: String
        let columns: [String]
        let isUnique: Bool
    }

    let name: String
    let isView: Bool
    /// Without generated and hidden columns.
    let columns: [Column]
    let indexes: [Index]
    /// True if SQLite remembers the greatest row number ever used.
    let isAutoincrement: Bool
    let hasRowID: Bool
    /// True if the declaration may have an `ON CONFLICT` clause.
    let hasConflictClause: Bool
    /// True if the primary key has a separate index.
    let hasKeyIndex: Bool

    /// True if the model's key is SQLite's row number.
    var isKeyedByRowNumber: Bool {
        guard hasRowID, let schema, schema.key.count == 1 else { return false }
        let name = schema.columns[schema.key[0]].name
        guard let column = columns.first(where: { $0.name == name }) else { return true }
        return column.keyPlace > 0 && !hasKeyIndex
    }

    /// The table's schema for the store; nil if its columns have all names of a row number.
    ///
    /// The key is the primary key if its columns are integers, text compared by bytes, or UUIDs; otherwise it is
    /// SQLite's row number. Rows without such a number are counted, and can only be read.
    var schema: TableSchema? {
        let primary = columns.indices.filter { columns[$0].keyPlace > 0 }
            .sorted { columns[$0].keyPlace < columns[$1].keyPlace }
        if (1...Self.maximumKeyColumns).contains(primary.count), primary.allSatisfy({ columns[$0].canBeKey }) {
            return schema(columns.map { column($0, isKey: $0.keyPlace > 0) }, key: primary)
        }
        guard let name = rowID ?? countedNumber else { return nil }
        let number = ColumnSchema(name: name, property: name, type: .int64)
        var schema = schema([number] + columns.map { column($0, isKey: false) }, key: [0])
        schema.rowNumber = rowID == nil ? 0 : nil
        return schema
    }

    /// The number of columns of a list of keys.
    private static let maximumKeyColumns = 16

    private func schema(_ columns: [ColumnSchema], key: [Int]) -> TableSchema {
        var schema = TableSchema(name: name, path: [name], columns: columns, key: key, assignsKeys: isAutoincrement)
        schema.isForeign = true
        return schema
    }

    private func column(_ column: Column, isKey: Bool) -> ColumnSchema {
        let leading = indexes.filter { $0.columns.first == column.name }
        return ColumnSchema(
            name: column.name, property: column.name, type: column.type,
            isOptional: column.isOptional && !isKey, isIndexed: !isKey && !leading.isEmpty,
            isUnique: !isKey && leading.contains { $0.isUnique && $0.columns.count == 1 },
            reference: column.reference)
    }

    /// A name of SQLite's for the row number that no column has; nil if the table has no row number, or columns have
    /// all names.
    var rowID: String? {
        hasRowID ? unused(["rowid", "_rowid_", "oid"]) : nil
    }

    /// The name of a number that the rows are given when they are read; nil if SQLite gives them one, or if columns have all
    /// names.
    var countedNumber: String? {
        rowID == nil ? unused((hasRowID ? [] : ["rowid", "_rowid_", "oid"]) + ["row_number"]) : nil
    }

    private func unused(_ names: [String]) -> String? {
        names.first { name in !columns.contains { $0.name.lowercased() == name } }
    }
}
