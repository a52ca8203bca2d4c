internal import StorageDriver

/// Works out from tables the owner and the key of each object.
struct RecordLayoutBuilder {
    private let schemas: [TableSchema]
    private let missing: [[Value]]
    private let rootClass: String?
    private(set) var keys: [[UInt8]] = []
    private var keyIndex: [StoredName: Int] = [:]

    init(_ schemas: [TableSchema], missing: [[Value]], rootClass: String?) {
        self.schemas = schemas
        self.missing = missing
        self.rootClass = rootClass
    }

    mutating func build() throws(StorageError) -> [RecordLayout.Table] {
        guard let root = schemas.first, root.isRoot, schemas.dropFirst().allSatisfy({ !$0.isRoot }) else {
            throw failure("the first table, and no other, must be the root's")
        }
        var tables: [RecordLayout.Table] = []
        for (index, schema) in schemas.enumerated() { tables.append(try table(schema, index)) }
        for index in tables.indices { tables[index].relations = try relations(of: index, tables) }
        return tables
    }

    // MARK: Columns

    private mutating func table(_ schema: TableSchema, _ index: Int) throws(StorageError) -> RecordLayout.Table {
        let missing = missing.indices.contains(index) ? missing[index] : []
        guard missing.isEmpty || missing.count == schema.columns.count else {
            throw failure("\(schema.name) needs one default for each column")
        }
        let className = (index == 0 ? rootClass : nil) ?? schema.model ?? schema.path.last ?? schema.name
        var columns: [RecordLayout.Column] = []
        for (place, column) in schema.columns.enumerated() where Self.hasValue(column) {
            columns.append(
                RecordLayout.Column(
                    index: place, key: key(Self.key(of: column)), form: ScalarForm(column.type)))
        }
        return RecordLayout.Table(
            name: schema.name, className: Array(className.utf8), width: schema.columns.count,
            columns: columns, form: try form(schema), owners: Self.columns(schema, .owner),
            positions: Self.columns(schema, .position),
            missing: missing.isEmpty ? schema.columns.map { _ in .null } : missing)
    }

    /// The array itself shows whether it is nil, as long as the property exists. The number of a row that types which
    /// own each other share is written, so that a record has the same rows after reading.
    private static func hasValue(_ column: ColumnSchema) -> Bool {
        switch column.role {
        case .property, .node: true
        case .presence: column.isRemoved
        case .owner, .position, .parent: false
        }
    }

    private static func columns(_ schema: TableSchema, _ role: ColumnSchema.Role) -> [Int] {
        schema.columns.indices.filter { schema.columns[$0].role == role }
    }

    private func form(_ schema: TableSchema) throws(StorageError) -> RecordLayout.Form {
        if schema.isRoot { return .root }
        guard Self.columns(schema, .owner).count == schemas[0].key.count else {
            throw failure("\(schema.name) does not name its rows' root")
        }
        guard let node = Self.columns(schema, .node).first else { return .child }
        guard let parent = Self.columns(schema, .parent).first else {
            throw failure("\(schema.name) has no column for the owning row")
        }
        return .node(node: node, parent: parent)
    }

    /// A removed property keeps its data under a key that no property can have, so that a later property of the same
    /// name does not meet it.
    static func key(of column: ColumnSchema) -> String {
        if column.role == .node { return "$node" }
        return column.isRemoved ? "$removed." + column.name : escaped(column.property)
    }

    /// The archiver's rule: keys that begin with `$` are reserved for it, so a property's name that begins with `$`
    /// gets another `$`.
    static func escaped(_ property: String) -> String {
        property.utf8.first == UInt8(ascii: "$") ? "$" + property : property
    }

    private mutating func key(_ text: String) -> Int {
        let name = StoredName(text)
        if let known = keyIndex[name] { return known }
        keyIndex[name] = keys.count
        keys.append(Array(text.utf8))
        return keys.count - 1
    }

    // MARK: Relations

    private mutating func relations(
        of owner: Int, _ tables: [RecordLayout.Table]
    ) throws(StorageError) -> [RecordLayout.Relation] {
        var relations: [RecordLayout.Relation] = []
        for (target, schema) in schemas.enumerated().dropFirst() where try self.owner(of: target, mayBe: owner) {
            let property = schema.storedPath.last
            let presence = schemas[owner].columns.firstIndex {
                $0.role == .presence && $0.storedProperty == property && !$0.isRemoved
            }
            let isArray =
                tables[target].form == .child
                ? tables[target].positions.count > tables[owner].positions.count : schemas[target].isMany ?? true
            // If a value has the property's name, use a key that no property can have.
            let usual = key(Self.escaped(relationName(schema)))
            let isTaken =
                tables[owner].columns.contains { $0.key == usual } || relations.contains { $0.key == usual }
            relations.append(
                RecordLayout.Relation(
                    key: isTaken ? key("$owned." + schema.name) : usual, formerKey: isTaken ? usual : nil,
                    target: target, isMany: isArray, isOfReferences: schema.isOfReferences, presence: presence))
        }
        return relations
    }

    /// The property's name. Which type a row of a recursion has is not known here, so a name that two of its types use
    /// is preceded by the type's.
    private func relationName(_ schema: TableSchema) -> String {
        let property = schema.storedPath.last ?? ""
        guard schema.columns.contains(where: { $0.role == .node }) else { return property.text }
        let entry = entryPath(of: schema.storedPath, isNode: true)
        let rivals = schemas.filter { rival in
            rival.storedPath.last == property && rival.columns.contains { $0.role == .node }
                && entryPath(of: rival.storedPath, isNode: true) == entry
        }
        return rivals.count == 1 ? property.text : schema.path.dropFirst(entry.count).joined(separator: ".")
    }

    /// Returns whether rows of one table may be owned by rows of another: the table above, or within a recursion any.
    private func owner(of target: Int, mayBe owner: Int) throws(StorageError) -> Bool {
        let path = schemas[target].storedPath
        let isNode = schemas[target].columns.contains { $0.role == .node }
        let above = schemas.indices.last { candidate in
            let prefix = schemas[candidate].storedPath
            return candidate != target && path.starts(with: prefix)
                && prefix.count == entryPath(of: path, isNode: isNode).count
        }
        guard let above else { throw failure("the table that owns \(schemas[target].name) is not among them") }
        if owner == above { return true }
        guard isNode, schemas[owner].columns.contains(where: { $0.role == .node }) else { return false }
        return schemas[owner].storedPath.starts(with: schemas[above].storedPath)
    }

    /// The path of the nearest table above that is not part of a recursion.
    private func entryPath(of path: StoredPath, isNode: Bool) -> StoredPath {
        guard isNode else { return StoredPath(path.dropLast()) }
        let entries = schemas.filter { schema in
            schema.storedPath.count < path.count && path.starts(with: schema.storedPath)
                && !schema.columns.contains { $0.role == .node }
        }
        return entries.max { $0.path.count < $1.path.count }?.storedPath ?? []
    }

    private func failure(_ reason: String) -> StorageError {
        StorageError(
            .configuration, "These tables cannot be kept in one archive: \(reason).", model: schemas.first?.name)
    }
}
