/// A flat table with typed columns, as a backend stores and records it.
///
/// A root model is one table with its key. Each owned property is another table, whose first columns are the root's key
/// and the positions on the path, so all rows of one root are adjacent and in order. A backend creates the table from
/// this value, stores the value with it, and returns it from ``StorageSession/tables()``.
public struct TableSchema: Hashable, Sendable, Codable {
    /// The table's name: never empty, and unique in its store even if case is ignored.
    public var name: String
    /// The model's stored name, followed by the stored names of the properties that lead here.
    @inlinable public var path: [String] {
        get { storedPath.texts }
        set { storedPath = StoredPath(newValue) }
    }
    @usableFromInline package var storedPath: StoredPath
    /// The columns, in the order in which they were added. Removed properties keep theirs.
    public var columns: [ColumnSchema]
    /// The indices of the columns of the primary key, in order. Rows are ordered by it.
    public var key: [Int]
    /// A Boolean value that indicates whether the key is one integer that the store assigns. The backend then remembers
    /// the greatest key ever stored.
    public var assignsKeys: Bool
    /// A Boolean value that indicates whether every owner has a row here: the property is a single child and not
    /// Optional.
    public var isRequired: Bool
    /// The stored name of the owned model whose rows these are; nil for a root, whose name is its path, and in stores
    /// that were written before it was recorded.
    @inlinable public var model: String? {
        get { storedModel?.text }
        set { storedModel = newValue.map { StoredName($0) } }
    }
    @usableFromInline package var storedModel: StoredName?
    /// In a table of a type that owns itself: whether an owner may have several rows here. Other tables have position
    /// columns instead.
    public var isMany: Bool?
    /// A Boolean value that indicates whether the program that opened the store last does not declare the property, and so
    /// no property below it. The table keeps its rows and indexes.
    public var isRemoved: Bool {
        get { removed ?? false }
        set { removed = newValue ? true : nil }
    }
    /// Nil if it is not, so that the recorded JSON is the same as in earlier versions.
    private var removed: Bool?
    /// True if the rules of a removed table still bind. Versions of the library up to format 2 drop them.
    package var keepsRules: Bool?
    /// The former names of the property that other properties have had since; see ``ColumnSchema/settledNames``.
    package var settledNames: [StoredName]?
    /// The version of a store's record of its tables that the table needs, whatever its columns are; nil for most tables.
    ///
    /// Programs that know earlier versions alone refuse the store when they open it, and programs of such a version that are
    /// open already cannot read the definition and refuse it too.
    package var neededFormat: Int?
    /// A Boolean value that indicates whether other software created the table. Its rows are read and written, its
    /// columns and indexes never changed. Not recorded, since a store records no such table.
    public var isForeign = false
    /// The index of a column that the engine counts, since the rows of other software have no key: in a view, or in a
    /// table without one. The first row that the engine reads without a condition has 1. Nil for all other tables. Not recorded.
    public var rowNumber: Int?

    private enum CodingKeys: String, CodingKey {
        case name, columns, key, assignsKeys, isRequired, isMany
        case storedPath = "path"
        case storedModel = "model"
        case removed = "isRemoved"
        case keepsRules, settledNames
        case neededFormat = "format"
        /// The path of a table with a needed format, which earlier versions do not find.
        case laterPath
    }

    /// A table of a model, or of records that a model owns.
    public init(
        name: String, path: [String], columns: [ColumnSchema], key: [Int], assignsKeys: Bool = false,
        isRequired: Bool = false, model: String? = nil, isMany: Bool? = nil
    ) {
        self.name = name
        storedPath = StoredPath(path)
        self.columns = columns
        self.key = key
        self.assignsKeys = assignsKeys
        self.isRequired = isRequired
        storedModel = model.map { StoredName($0) }
        self.isMany = isMany
    }

    /// - Throws: `DecodingError` for an inconsistent table, for example after a change by another program; the error
    ///   `schemaNewer` for a table of a later version.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        neededFormat = try values.decodeIfPresent(Int.self, forKey: .neededFormat)
        if let neededFormat, neededFormat > Self.newestFormat {
            throw StorageError(
                .schemaNewer,
                "The store has the table \(name) of format \(neededFormat), and this version reads up to \(Self.newestFormat); "
                    + "update the program.")
        }
        storedPath = try values.decode(StoredPath.self, forKey: neededFormat == nil ? .storedPath : .laterPath)
        columns = try values.decode([ColumnSchema].self, forKey: .columns)
        key = try values.decode([Int].self, forKey: .key)
        assignsKeys = try values.decode(Bool.self, forKey: .assignsKeys)
        isRequired = try values.decode(Bool.self, forKey: .isRequired)
        storedModel = try values.decodeIfPresent(StoredName.self, forKey: .storedModel)
        isMany = try values.decodeIfPresent(Bool.self, forKey: .isMany)
        removed = try values.decodeIfPresent(Bool.self, forKey: .removed)
        keepsRules = try values.decodeIfPresent(Bool.self, forKey: .keepsRules)
        settledNames = try values.decodeIfPresent([StoredName].self, forKey: .settledNames)
        guard isSound else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the table \(name) does not hold together"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(storedPath, forKey: neededFormat == nil ? .storedPath : .laterPath)
        try values.encode(columns, forKey: .columns)
        try values.encode(key, forKey: .key)
        try values.encode(assignsKeys, forKey: .assignsKeys)
        try values.encode(isRequired, forKey: .isRequired)
        try values.encodeIfPresent(storedModel, forKey: .storedModel)
        try values.encodeIfPresent(isMany, forKey: .isMany)
        try values.encodeIfPresent(removed, forKey: .removed)
        try values.encodeIfPresent(keepsRules, forKey: .keepsRules)
        try values.encodeIfPresent(settledNames, forKey: .settledNames)
        try values.encodeIfPresent(neededFormat, forKey: .neededFormat)
    }

    /// A Boolean value that indicates whether the key consists of the right columns: of a root's properties, or for
    /// owned rows, of everything that leads to them.
    private var isSound: Bool {
        guard !name.isEmpty, !storedPath.isEmpty, !key.isEmpty, Set(key).count == key.count,
            key.allSatisfy(columns.indices.contains)
        else { return false }
        let leading = columns.prefix { $0.role.isPrefix }.map(\.role)
        guard !columns.dropFirst(leading.count).contains(where: \.role.isPrefix) else { return false }
        // While a root's table is replaced, its replacement temporarily has another path.
        guard let first = leading.first else { return !key.contains { columns[$0].role != .property } }
        let ways = leading.drop { $0 == .owner }
        let isNode = ways.suffix(2).elementsEqual([.node, .parent])
        return !isRoot && first == .owner && ways.dropLast(isNode ? 2 : 0).allSatisfy { $0 == .position }
            && key.elementsEqual(leading.indices.dropLast(isNode ? 1 : 0))
            && zip(columns, leading).allSatisfy { $0.type == .int64 || $1 == .owner }
    }

    /// Returns whether the rows can be owned by a root's rows: they begin with its key.
    package func isOwned(by root: TableSchema) -> Bool {
        let owners = columns.prefix { $0.role == .owner }.map(\.type.storage)
        return owners == root.key.map { root.columns[$0].type.storage }
    }

    /// A Boolean value that indicates whether the rows can only be read, as all rows with a ``rowNumber``.
    public var isReadOnly: Bool { rowNumber != nil }

    /// A Boolean value that indicates whether the table holds root records, not owned ones.
    public var isRoot: Bool { storedPath.count == 1 }

    /// A Boolean value that indicates whether the rows are the elements of an array of references.
    public var isOfReferences: Bool {
        let own = columns.filter { $0.role == .property && !$0.isRemoved }
        return !isRoot && !own.isEmpty && own.allSatisfy { $0.reference?.isElement == true }
    }

    /// The columns that are declared as indexed or unique, in their order.
    public var indexedColumns: [Int] { columns.indices.filter { columns[$0].isIndexed || columns[$0].isUnique } }

    /// The columns of each index, in the order of their first: one column, or all parts of a reference's key.
    public var indexes: [[Int]] { indexedColumns.map(indexColumns) }

    /// The columns of the index that begins with a column. A reference to a key of several parts has one index, on all of
    /// them, since many records may share the first part.
    public func indexColumns(from column: Int) -> [Int] {
        guard columns[column].reference?.part == 0, !columns[column].isUnique else { return [column] }
        var parts = [column]
        while let next = parts.last.map({ $0 + 1 }), next < columns.count,
            columns[next].isRemoved == columns[column].isRemoved,
            columns[next].reference?.part == parts.count
        {
            parts.append(next)
        }
        return parts
    }

    /// The key of a row that has all columns of the table.
    public func key(of row: [Value]) -> [Value] { key.map { row[$0] } }
}

extension TableSchema {
    /// The newest version of a store's record of its tables that the library reads.
    package static let newestFormat = 4

    /// The version of the record that the table needs: ``neededFormat`` if it has such, 3 if a property that the last program did not declare has a rule, or if
    /// a property has a former name of another, 2 if a column is searched, else 1.
    ///
    /// A program that knows only earlier versions would ignore the rule, lose the record of the names, or leave the
    /// search index as it is when it writes, so it must refuse the store (clause S5).
    package var requiredFormat: Int {
        if let neededFormat { return neededFormat }
        let hasRule = columns.contains { column in
            let isChecked = column.reference.map { $0.part == 0 && $0.onDelete != .unchecked } ?? false
            return (isRemoved || column.isRemoved) && binds(column)
                && (column.isExpiry || column.searchWeight != nil || isChecked)
        }
        let isSettled = settledNames != nil || columns.contains { $0.settledNames != nil }
        return hasRule || isSettled ? 3 : columns.contains { $0.searchWeight != nil } ? 2 : 1
    }

    /// Returns whether the rules of a column bind writes (clause S14). They do even if no program declares the
    /// property, unless an earlier version of the library has removed it.
    package func binds(_ column: ColumnSchema) -> Bool {
        if isRemoved, keepsRules != true { return false }
        // That version has taken the marks of the column, and the index of a reference, which its first part has.
        return !column.isRemoved || column.isIndexed || column.reference?.part != 0
    }
}

/// One column of a ``TableSchema``.
public struct ColumnSchema: Hashable, Sendable, Codable {
    /// The purpose of a column.
    public enum Role: String, Hashable, Sendable, Codable {
        /// A property of the model.
        case property
        /// The presence of an optional array: 0 for nil, 1 for an array, which may be empty.
        case presence
        /// A part of the root's key, in a table of owned rows.
        case owner
        /// The position in an array, of the row itself or of an owner on its path.
        case position
        /// The row's number within its root, in a table of a type that owns itself.
        case node
        /// The number of the owning row, or 0 if the owner is outside the recursion.
        case parent
    }

    /// The column's name, unique in its table even if case is ignored.
    public var name: String
    /// The purpose of the column.
    public var role: Role
    /// The property's stored name, for the roles that belong to one.
    @inlinable public var property: String {
        get { storedProperty.text }
        set { storedProperty = StoredName(newValue) }
    }
    @usableFromInline package var storedProperty: StoredName
    /// The type of its values.
    public var type: ColumnType
    /// A Boolean value that indicates whether the column may be null.
    public var isOptional: Bool
    /// A Boolean value that indicates whether an index begins with the column; see ``TableSchema/indexColumns(from:)``.
    public var isIndexed: Bool
    /// A Boolean value that indicates whether two rows with equal values are refused.
    public var isUnique: Bool
    /// A Boolean value that indicates whether the program that opened the store last does not declare the property. The
    /// column keeps its data, its index and its uniqueness, and is null in rows that such a program inserts.
    public var isRemoved: Bool
    /// The target of a reference; nil for all other columns.
    public var reference: ReferenceSchema?
    /// A Boolean value that indicates whether a row's record expires at the time in the column.
    ///
    /// The store sees to that: the queries that reach an engine have the condition. An engine stores this with the column.
    public var isExpiry: Bool {
        get { expiry ?? false }
        set { expiry = newValue ? true : nil }
    }
    /// Nil if it is not, so that the recorded JSON is the same as in earlier versions.
    private var expiry: Bool?
    /// A Boolean value that indicates whether the property is the key of an owned type, or a part of it.
    ///
    /// Such a key is data (clause C2): equal ones may be stored. It tells which records of two arrays are the same one. A store of
    /// an earlier version of the library gets the mark when a program opens it with the type.
    public var isOwnedKey: Bool {
        get { ownedKey ?? false }
        set { ownedKey = newValue ? true : nil }
    }
    /// Nil if it is not, so that the recorded JSON is the same as in earlier versions.
    private var ownedKey: Bool?
    /// The weight of the column's words in a full-text search; nil for a column that is not searched.
    ///
    /// The store keeps the index in separate tables. An engine stores this with the column.
    public var searchWeight: Double?
    /// The former names of the property that other properties have had since. Data under such a name are theirs, whatever
    /// renames a program declares. Nil without any, so that the recorded JSON is the same as in earlier versions.
    package var settledNames: [StoredName]?

    private enum CodingKeys: String, CodingKey {
        case name, role, type, isOptional, isIndexed, isUnique, isRemoved, reference, expiry, ownedKey, searchWeight
        case settledNames
        case storedProperty = "property"
    }

    /// A column, by default that of a property.
    public init(
        name: String, role: Role = .property, property: String, type: ColumnType, isOptional: Bool = false,
        isIndexed: Bool = false, isUnique: Bool = false, isRemoved: Bool = false, reference: ReferenceSchema? = nil
    ) {
        self.name = name
        self.role = role
        storedProperty = StoredName(property)
        self.type = type
        self.isOptional = isOptional
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        self.isRemoved = isRemoved
        self.reference = reference
    }
}

/// One step from a recorded to a declared schema.
public enum TableChange: Sendable {
    /// Creates and records the table and its indexes.
    case create(TableSchema)
    /// Changes the first table into the second and records it. They may differ in the table's name, path and marks, in
    /// the names, properties, index marks and removal marks of columns at the same indexes, and in columns added at the
    /// end, whose rows get the given values.
    case alter(from: TableSchema, to: TableSchema, added: [Value])
    /// Drops the table with its rows and its recorded schema.
    case drop(TableSchema)
}

extension ColumnSchema.Role {
    /// True if columns of the role are a prefix of a row: they precede the table's data.
    package var isPrefix: Bool {
        switch self {
        case .property, .presence: false
        case .owner, .position, .node, .parent: true
        }
    }
}
