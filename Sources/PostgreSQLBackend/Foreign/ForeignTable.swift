internal import StorageDriver

/// A table that other software made, as the server describes it.
struct ForeignTable: Decodable {
    struct Column: Decodable {
        let name: String
        /// The name of the type, without domains; empty for a type that does not come with the server.
        let base: String
        /// The declared type in SQL, without and with its arguments.
        let cast: String
        let full: String
        /// The type's arguments, as the server keeps them: of `numeric(10,2)`; -1 for none.
        let modifier: Int
        let isOptional: Bool
        /// The number of the sequence that gives its values, if one does.
        let sequence: Int64?
        /// The target of its foreign key, if that is the primary key of another table.
        let reference: Reference?

        var type: ColumnType { ForeignConversion.Kind(self).type }
    }

    struct Reference: Decodable {
        let table: String
        let action: String
    }

    /// An index of all rows. The column of an expression has no name.
    struct Index: Decodable {
        let name: String
        let columns: [String]
        let isUnique: Bool
        let isPrimary: Bool
        /// True if a duplicate is refused at once, and not at the end of the transaction.
        let isImmediate: Bool
        /// True if two texts are equal only if their bytes are.
        let isByBytes: Bool
        /// The names of the indexes of a partitioned table's partitions.
        let parts: [String]

        /// True if it keeps values unique as the contract says.
        var keepsUnique: Bool { isUnique && isImmediate && isByBytes }
    }

    /// The properties of a table that change how it is read or written.
    struct Particulars: Sendable {
        var isPartitioned = false
        /// True for a view or a materialized view.
        var isView = false
        /// True if a trigger or a rule may silently prevent a row from being written.
        var mayKeepOut = false
        /// True if it has triggers or rules.
        var hasTriggers = false
        /// The reason why its primary key cannot be a model's; nil if it can, or without a primary key.
        var obstacle: String?
    }

    let name: String
    /// True if a store created it.
    let isOwn: Bool
    let isPartitioned: Bool
    /// True if it has partitions by ranges; nil if it has no partitions.
    let hasRanges: Bool?
    let isView: Bool
    let mayKeepOut: Bool
    let hasTriggers: Bool
    /// True if a foreign key of it has an action.
    let hasActions: Bool
    /// Without generated columns.
    let columns: [Column]
    let indexes: [Index]

    var particulars: Particulars {
        let obstacle = indexes.first { $0.isPrimary }.flatMap { key -> String? in
            if !key.isImmediate {
                return "is DEFERRABLE, so that a duplicate is found too late; make it NOT DEFERRABLE"
            }
            return key.isByBytes
                ? nil : "has a collation by which different texts are equal; give its columns a deterministic one"
        }
        // A view is a rule by itself.
        return Particulars(
            isPartitioned: isPartitioned, isView: isView, mayKeepOut: !isView && mayKeepOut,
            hasTriggers: !isView && hasTriggers, obstacle: obstacle)
    }

    /// The table's schema for the store; nil if it has no columns, a primary key that cannot be a model's, or columns of all
    /// names of a row number.
    ///
    /// The key is the primary key, otherwise the first unique index over columns that take no null, if their values can be
    /// keys. Without such, and in views, the rows are counted, and can only be read.
    var schema: TableSchema? {
        var schema: TableSchema
        if !isView, let key = indexes.lazy.compactMap(self.key).first {
            schema = TableSchema(
                name: name, path: [name], columns: columns.enumerated().map { column($1, isKey: key.contains($0)) },
                key: key, assignsKeys: key.count == 1 && columns[key[0]].sequence != nil)
        } else {
            guard !columns.isEmpty, particulars.obstacle == nil, let name = countedNumber else { return nil }
            let number = ColumnSchema(name: name, property: name, type: .int64)
            schema = TableSchema(
                name: self.name, path: [self.name], columns: [number] + columns.map { column($0, isKey: false) },
                key: [0])
            schema.rowNumber = 0
        }
        schema.isForeign = true
        return schema
    }

    /// The name of a number that the rows are given when they are read; nil if columns have all names.
    var countedNumber: String? {
        ["rowid", "_rowid_", "row_number"].first { name in !columns.contains { $0.name == name } }
    }

    /// The column of the number that the server counts; nil for another name.
    func rowNumber(_ name: String) -> Column? {
        guard name == countedNumber else { return nil }
        return Column(
            name: name, base: "int8", cast: "pg_catalog.int8", full: "bigint", modifier: -1, isOptional: false,
            sequence: nil, reference: nil)
    }

    /// The number of columns of a list of keys.
    private static let maximumKeyColumns = 16

    private func key(_ index: Index) -> [Int]? {
        let numbers = index.columns.compactMap { name in columns.firstIndex { $0.name == name } }
        guard index.keepsUnique, numbers.count == index.columns.count,
            (1...Self.maximumKeyColumns).contains(numbers.count),
            numbers.allSatisfy({ columns[$0].type.canBeKey && !columns[$0].isOptional })
        else { return nil }
        return numbers
    }

    private func column(_ column: Column, isKey: Bool) -> ColumnSchema {
        let leading = indexes.filter { $0.columns.first == column.name }
        return ColumnSchema(
            name: column.name, property: column.name, type: column.type, isOptional: column.isOptional && !isKey,
            isIndexed: !isKey && !leading.isEmpty,
            isUnique: !isKey && leading.contains { $0.keepsUnique && $0.columns.count == 1 },
            reference: column.reference.map { ReferenceSchema(model: $0.table, onDelete: DeleteRule(sql: $0.action)) })
    }
}

extension DeleteRule {
    /// The rule of a foreign key's action. An action that would set another value than null refuses the delete.
    fileprivate init(sql action: String) {
        switch action {
        case "c": self = .cascade
        case "n": self = .nullify
        default: self = .deny
        }
    }
}
