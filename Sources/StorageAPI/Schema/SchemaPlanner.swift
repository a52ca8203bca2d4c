/// Compares what a model declares with what a store has recorded: the steps between them, and the binding of the
/// model's cells to the tables as they will be. Touches nothing.
struct SchemaPlanner {
    private(set) var steps: [SchemaStep] = []
    /// The model's binding to its tables as they are after the steps.
    var binding: ModelTables {
        ModelTables(name: declared.model.name, tables: bindings, assignsKeys: declared.model.assignsKeys)
    }

    private let declared: DeclaredTables
    private let columnLimit: Int
    /// By path, as bytes: two normal forms of a name are two names (clauses S6 and V4).
    private var recorded: [[[UInt8]]: TableSchema] = [:]
    private var names: NameAllocator
    /// The recorded path of each declared table, under its old name where it was renamed.
    private var recordedPaths: [[String]] = []
    private var bindings: [TableBinding] = []

    init(
        _ declared: DeclaredTables, recorded tables: [TableSchema], reservedPrefixes: [String], columnLimit: Int
    ) throws(StorageError) {
        self.declared = declared
        self.columnLimit = columnLimit
        for table in tables { recorded[Self.bytes(of: table.path)] = table }
        names = NameAllocator(used: tables.map(\.name), reservedPrefixes: reservedPrefixes)
        for index in declared.tables.indices { try plan(index) }
        noteForgottenTables(tables)
    }

    private static func bytes(of path: [String]) -> [[UInt8]] { path.map { Array($0.utf8) } }

    private mutating func plan(_ index: Int) throws(StorageError) {
        let table = declared.tables[index]
        let path = recordedPath(of: table)
        recordedPaths.append(path)
        let schema: TableSchema
        if let foreign = recorded[Self.bytes(of: path)], foreign.isForeign {
            let mapping = ForeignMapping(foreign, table)
            schema = try mapping.schema()
            steps += mapping.notes
        } else if let old = recorded[Self.bytes(of: path)] {
            var comparison = TableComparison(old: old, table: table, recordedRelations: recordedRelations(below: path))
            requireChild(table, old)
            schema = try comparison.run()
            steps += comparison.steps
        } else {
            schema = newTable(table)
            try planNewTable(schema, table)
        }
        guard schema.columns.count <= columnLimit else {
            throw StorageError(
                .limitExceeded, "The table \(schema.name) has more than \(columnLimit) columns; split the model.",
                operation: "open", model: declared.model.name)
        }
        bindings.append(try bind(table, index, to: schema))
    }

    /// A child that is no longer Optional must be there for every owner.
    private mutating func requireChild(_ table: DeclaredTables.Table, _ child: TableSchema) {
        guard table.isRequired, !child.isRequired, let owner = table.owner,
            let stored = recorded[Self.bytes(of: recordedPaths[owner.table])]
        else { return }
        let error = StorageError(
            .schemaMismatch,
            "The property is required, and some stored records have no child for it. Make it Optional.",
            operation: "open", model: declared.model.name, property: owner.property.name)
        steps.append(.requireChild(owner: stored, child: child, error))
    }

    private func recordedPath(of table: DeclaredTables.Table) -> [String] {
        guard let owner = table.owner else { return table.path }
        // A child's path begins with its owner's; below a recursion's entry, with the entry's.
        let ownerPath = declared.tables[owner.table].path
        let base = table.path.starts(with: ownerPath) ? recordedPaths[owner.table] : Array(table.path.dropLast())
        let path = base + table.path.dropFirst(base.count == ownerPath.count ? ownerPath.count : base.count)
        let isRecorded = recorded[Self.bytes(of: path)] != nil
        if !isRecorded, let old = owner.property.renamedFrom,
            recorded[Self.bytes(of: path.dropLast() + [old])] != nil
        {
            return path.dropLast() + [old]
        }
        return path
    }

    private func recordedRelations(below path: [String]) -> Set<String> {
        let path = Self.bytes(of: path)
        let below = recorded.filter { $0.key.count == path.count + 1 && $0.key.starts(with: path) }
        return Set(below.values.compactMap(\.path.last))
    }

    // MARK: New tables

    private mutating func newTable(_ table: DeclaredTables.Table) -> TableSchema {
        var own = NameAllocator()
        // The model's own columns get their names first, then the leading ones take what is left.
        let columns = table.members.compactMap(\.column).map { column in
            var column = column
            column.name = own.allocate(column.name)
            return column
        }
        let prefix = table.prefix.map { column in
            var column = column
            column.name = own.allocate(column.name)
            return column
        }
        let all = prefix + columns
        return TableSchema(
            name: names.allocate(table.path.joined(separator: "_")), path: table.path, columns: all,
            key: Self.key(of: all, table, declared.model), assignsKeys: table.assignsKeys,
            isRequired: table.isRequired, model: table.recordedModel, isMany: table.recordedIsMany)
    }

    static func key(
        of columns: [ColumnSchema], _ table: DeclaredTables.Table, _ model: DeclaredModel
    ) -> [Int] {
        guard table.form == .root else {
            return columns.indices.filter { [.owner, .position, .node].contains(columns[$0].role) }
        }
        return model.keys.compactMap { key in
            columns.firstIndex { $0.role == .property && $0.property == key.storedName }
        }
    }

    private mutating func planNewTable(
        _ schema: TableSchema, _ table: DeclaredTables.Table
    ) throws(StorageError) {
        // A new required child has no value for owners that are stored already.
        if let owner = table.owner, owner.property.defaultValue == nil,
            let stored = recorded[Self.bytes(of: recordedPaths[owner.table])]
        {
            steps.append(
                .requireEmpty(
                    stored,
                    StorageError(
                        .schemaMismatch,
                        "The new property has no value for the records that are stored already; make it Optional, or give it an empty default.",
                        operation: "open", model: declared.model.name, property: owner.property.name)))
        }
        let isNewModel = table.form == .root
        steps.append(.change(.create(schema), note: isNewModel ? "table created" : "table of owned property created"))
    }

    private mutating func noteForgottenTables(_ tables: [TableSchema]) {
        let known = Set(recordedPaths.map(Self.bytes))
        for table in tables
        where table.path.first.map({ Array($0.utf8) }) == Array(declared.model.name.utf8)
            && !known.contains(Self.bytes(of: table.path))
        {
            steps.append(
                .note(
                    "property \(table.path.dropFirst().joined(separator: ".")) is gone; its rows are kept", table.name))
        }
    }

    // MARK: Binding

    private func bind(
        _ table: DeclaredTables.Table, _ index: Int, to schema: TableSchema
    ) throws(StorageError) -> TableBinding {
        let prefix = table.prefix.map { wanted in schema.columns.firstIndex { Self.isSame($0, wanted) } }
        let own = table.members.compactMap(\.column).map { wanted in
            schema.columns.firstIndex { $0.role == wanted.role && $0.property == wanted.property }
        }
        let columns = (prefix + own).compactMap(\.self)
        guard columns.count == prefix.count + own.count else {
            throw StorageError(
                .corrupt, "The recorded schema of table \(schema.name) lacks columns that the table must have.",
                operation: "open", model: declared.model.name)
        }
        let keyCells =
            table.form == .root
            ? schema.key.compactMap { columns.firstIndex(of: $0) }
            : columns.indices.filter { $0 < prefix.count && schema.columns[columns[$0]].role == .owner }
        return TableBinding(
            index: index, schema: schema, form: table.form, columns: columns, prefixCount: prefix.count,
            keyCells: keyCells, members: members(of: table, columns, schema), relations: table.relations,
            names: table.members.map { .init(name: $0.property.name, storedName: $0.property.storedName) })
    }

    static func isSame(_ column: ColumnSchema, _ wanted: ColumnSchema) -> Bool {
        column.role == wanted.role && column.property == wanted.property
    }

    private func members(
        of table: DeclaredTables.Table, _ columns: [Int], _ schema: TableSchema
    ) -> [TableBinding.Member] {
        var cell = table.prefix.count
        return table.members.map { member in
            defer { cell += member.column == nil ? 0 : 1 }
            return member.relation.map(TableBinding.Member.relation) ?? .column(columns[cell])
        }
    }
}

/// One step from a recorded schema to a declared one.
enum SchemaStep: Sendable {
    case change(TableChange, note: String)
    /// Copy all rows into a table of the new form, converting values; a value that does not fit refuses the whole.
    case rebuild(from: TableSchema, to: TableSchema, sources: [ColumnSource], note: String)
    /// Only goes on where the table has no rows.
    case requireEmpty(TableSchema, StorageError)
    /// Only goes on where there are as many children as owners.
    case requireChild(owner: TableSchema, child: TableSchema, StorageError)
    /// Only goes on where no row has the value 0 in the column.
    case requireTrue(TableSchema, column: Int, StorageError)
    /// Nothing to do, but worth a line in the log.
    case note(String, String)

    var changesStore: Bool {
        if case .note = self { false } else { true }
    }
}

/// Where a rebuilt column's values come from.
struct ColumnSource: Sendable {
    /// The column of the old table, or nil where there was none.
    var column: Int?
    /// What stands in for nil, or for a column that was not there.
    var missing: Value?
    var from: ColumnType
    var to: ColumnSchema
    var error: StorageError
}
