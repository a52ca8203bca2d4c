import StorageDriver

/// Compares a model's declaration with the recorded schema: the steps between them, and the binding of the model's
/// cells to the tables as they will be. Changes no tables.
struct SchemaPlanner {
    private(set) var steps: [SchemaStep] = []
    var model: StoredName { declared.model.name }
    /// The steps as a change, for observers of schema changes.
    var change: SchemaChange {
        SchemaChange(model: model, tables: RecordedTables.list(model, before), steps: steps)
    }
    /// The model's binding to its tables as they are after the steps.
    var binding: ModelTables {
        ModelTables(
            name: declared.model.name, tables: bindings, assigns: declared.model.keyAssignment, undeclared: undeclared)
    }

    let declared: DeclaredTables
    private let columnLimit: Int
    private let data: StoredData
    private let removals: RuleRemovals
    /// The model's tables before the steps.
    private let before: [TableSchema]
    /// The model's tables by path.
    private var recorded: [StoredPath: TableSchema] = [:]
    private var names = NameAllocator()
    /// The recorded path of each declared table, under its old name if it was renamed.
    private var recordedPaths: [StoredPath] = []
    /// The declared tables whose recorded path is known.
    private var placed: Set<Int> = [0]
    private var bindings: [TableBinding] = []
    /// The recorded tables of the model that are not declared, as they are after the steps.
    private var undeclared: [TableSchema] = []

    /// - Parameter tables: the tables to compare with, which get the model's as they are after the steps.
    init(
        _ declared: DeclaredTables, in tables: inout PlannedTables, columnLimit: Int,
        data: StoredData, removals: RuleRemovals
    ) throws(StorageError) {
        self.removals = removals
        self.declared = declared
        self.columnLimit = columnLimit
        self.data = data
        before = tables[declared.model.name]
        for table in before { recorded[table.storedPath] = table }
        recordedPaths = declared.tables.map(\.path)
        swap(&names, &tables.names)
        // Owners come before their owned records.
        for index in declared.tables.indices { try plan(index) }
        swap(&names, &tables.names)
        keepUndeclared(before)
        tables[declared.model.name] = bindings.map(\.schema) + undeclared
    }

    private mutating func plan(_ index: Int) throws(StorageError) {
        let table = declared.tables[index]
        let stored = recorded[recordedPaths[index]]
        try placeOwned(by: index, stored)
        let schema: TableSchema
        if let stored, stored.isForeign {
            let mapping = ForeignMapping(stored, table)
            schema = try mapping.schema()
            steps += mapping.notes
        } else if let stored {
            var comparison = TableComparison(
                old: stored, table: table, owned: recordedOwned(of: index), data: data, removals: removals)
            requireChild(table, stored)
            schema = try comparison.run()
            steps += comparison.steps
        } else {
            schema = declared.newTable(table, &names)
            try planNewTable(schema, table)
        }
        bindings.append(try declared.binding(of: index, to: schema, columnLimit: columnLimit))
    }

    /// A child that is no longer Optional must exist for every owner.
    private mutating func requireChild(_ table: DeclaredTables.Table, _ child: TableSchema) {
        guard table.isRequired, !child.isRequired, let owner = table.owner,
            let stored = recorded[recordedPaths[owner.table]]
        else { return }
        let error = StorageError(
            .schemaMismatch,
            "The property is required, and some stored records have no child for it. Make it Optional.",
            operation: "open", model: declared.model.name, property: owner.property.name)
        steps.append(.requireChild(owner: stored, child: child, error))
    }

    // MARK: Owned properties

    /// Returns the prefix of the recorded paths of a table's owned properties, as ``DeclaredTables`` makes them.
    private func base(of index: Int) -> StoredPath {
        let table = declared.tables[index]
        guard let entry = table.entry, table.model.name != declared.tables[entry].model.name else {
            return recordedPaths[table.entry ?? index]
        }
        return recordedPaths[entry] + [table.model.name]
    }

    /// Finds the recorded paths of a table's owned properties: each under its name, or under a former one.
    ///
    /// - Throws: `schemaMismatch` if one of the names belongs to another kind of property, or if a rename is
    ///   impossible.
    private mutating func placeOwned(by owner: Int, _ stored: TableSchema?) throws(StorageError) {
        let table = declared.tables[owner]
        let base = base(of: owner)
        let kinds = PropertyKinds(table: table, owner: stored)
        var owned: [(target: Int, declared: FormerNames.Declared)] = []
        // In types that own each other, several tables may be owners of one table's rows; the first to be planned
        // decides.
        for relation in table.relations where placed.insert(relation.target).inserted {
            guard let property = declared.tables[relation.target].owner?.property else { continue }
            owned.append((relation.target, .init(property: property, name: property.storedName)))
        }
        let names = try FormerNames(owned.map(\.declared), recordedNames(below: base), kinds: kinds) {
            (name) throws(StorageError) in
            try recorded[base + [name]].map { (table) throws(StorageError) in try data.isIn(table) } ?? false
        }
        for (target, declared) in owned {
            let path = base + [declared.name]
            let source = names.source(of: declared.name)
            if recorded[path] == nil {
                if source == nil {
                    for former in declared.property.renamedFrom {
                        try kinds.requireNoColumn(former, renamedTo: declared.property)
                    }
                }
                try kinds.requireNoColumn(for: declared.property)
            }
            // Without a source, its path may be that of rows which another property has now: no recorded path has a NUL.
            recordedPaths[target] =
                base + [source ?? (recorded[path] == nil ? declared.name : StoredName("\u{0}\(declared.name)"))]
        }
        for name in names.replaced { dropEmpty(base + [name]) }
    }

    private func recordedNames(below base: StoredPath) -> [FormerNames.Recorded] {
        recorded.values.filter { $0.path.count == base.count + 1 && $0.storedPath.starts(with: base) }.map {
            FormerNames.Recorded(
                name: $0.storedPath[base.count], isRemoved: $0.isRemoved, settledNames: $0.settledNames ?? [])
        }
    }

    /// Drops the recorded tables of a path and below it, which have no rows.
    private mutating func dropEmpty(_ path: StoredPath) {
        for table in recorded.values.filter({ $0.storedPath.starts(with: path) }).sorted(by: { $0.name < $1.name }) {
            steps.append(.change(.drop(table), note: "empty table of owned property dropped"))
            recorded[table.storedPath] = nil
        }
    }

    /// The recorded tables that a table owns, or owned, by their names.
    private func recordedOwned(of index: Int) -> RecordedOwned {
        let base = base(of: index)
        let below = recorded.filter { $0.key.count == base.count + 1 && $0.key.starts(with: base) }
        var declaredNames: [StoredName: TableSchema] = [:]
        for relation in declared.tables[index].relations {
            declaredNames[relation.storedProperty] = recorded[recordedPaths[relation.target]]
        }
        return RecordedOwned(
            byName: Dictionary(uniqueKeysWithValues: below.map { ($0.key[base.count], $0.value) }),
            declared: declaredNames)
    }

    /// Keeps undeclared tables unchanged under their owner's current name, and marks them as removed.
    private mutating func keepUndeclared(_ tables: [TableSchema]) {
        let known = Set(recordedPaths)
        for table in tables {
            guard !known.contains(table.storedPath), recorded[table.storedPath] != nil, !table.isForeign else {
                continue
            }
            var kept = table
            kept.storedPath = currentPath(of: table)
            (kept.isRemoved, kept.isRequired) = (true, false)
            keepRules(of: &kept, table)
            let sources = followOwners(&kept, table)
            undeclared.append(kept)
            let change = TableChange.alter(from: table, to: kept, added: [])
            let name = table.path.dropFirst().joined(separator: ".")
            if let sources {
                let note = "property \(name) is gone; its rows are kept"
                steps.append(.rebuild(from: table, to: kept, sources: sources, note: note))
            } else if kept.storedPath != table.storedPath {
                steps.append(.change(change, note: "\(name) moved with its owner"))
            } else if kept != table {
                steps.append(.mark(change, note: "property \(name) is gone; its rows are kept"))
            }
        }
    }

    /// Keeps the rules of a table that is not declared (clause S14).
    private func keepRules(of kept: inout TableSchema, _ table: TableSchema) {
        for index in kept.columns.indices {
            let column = kept.columns[index]
            guard column.role == .property, removals.contains(column, of: table, as: column) else { continue }
            kept.columns[index].searchWeight = nil
            kept.columns[index].isIndexed = false
            kept.columns[index].isUnique = false
            kept.columns[index].reference?.onDelete = .unchecked
        }
        let hasRules = kept.columns.contains(where: \.isRuled)
        kept.keepsRules = hasRules && (!table.isRemoved || table.keepsRules == true) ? true : nil
    }

    /// Gives the columns of the root's key, in a table that is not declared, the types that the key has now.
    ///
    /// - Returns: whether one has changed.
    private func followKey(_ kept: inout TableSchema) -> Bool {
        guard let root = bindings.first?.schema else { return false }
        var hasChanged = false
        let owners = kept.columns.indices.filter { kept.columns[$0].role == .owner }
        for (owner, key) in zip(owners, root.key) where kept.columns[owner].type != root.columns[key].type {
            kept.columns[owner].type = root.columns[key].type
            hasChanged = true
        }
        return hasChanged
    }

    /// Renames the columns that distinguish nil from an empty array, in a table that is not declared, with their
    /// arrays.
    ///
    /// - Returns: how to rewrite the rows. A column that was not written while its array was not Optional, and so never
    ///   nil, becomes 1; a column whose name that of another array gets is dropped. Nil if no row changes.
    private func followOwners(_ kept: inout TableSchema, _ table: TableSchema) -> [ColumnSource]? {
        let hasOtherKey = followKey(&kept)
        var unwritten: Set<Int> = []
        var renamed: [Int: StoredName] = [:]
        for (index, column) in table.columns.enumerated() where column.role == .presence {
            let path = base(of: table) + [column.storedProperty]
            if let owned = recordedPaths.firstIndex(of: path), let name = declared.tables[owned].path.last,
                name != column.storedProperty
            {
                kept.columns[index].storedProperty = name
                renamed[index] = name
            }
            if column.isRemoved, !table.isRemoved, recorded[path]?.isRemoved == false { unwritten.insert(index) }
        }
        let dropped = Set(
            table.columns.indices.filter { index in
                let column = table.columns[index]
                return column.role == .presence && renamed[index] == nil
                    && renamed.values.contains(column.storedProperty)
            })
        guard hasOtherKey || !unwritten.isEmpty || !dropped.isEmpty else { return nil }
        // The columns of the key come before all others, so the key does not change.
        let left = table.columns.indices.filter { !dropped.contains($0) }
        kept.columns = left.map { kept.columns[$0] }
        let error = StorageError(
            .corrupt, "A stored value is missing in \(table.name); restore a backup.", model: declared.model.name)
        return zip(left, kept.columns).map { index, column in
            ColumnSource(
                column: index, missing: unwritten.contains(index) ? .int(1) : nil, from: column.type, to: column,
                error: error)
        }
    }

    /// Returns the prefix of the recorded paths of a recorded table's owned properties.
    private func base(of table: TableSchema) -> StoredPath {
        guard table.isNode, let model = table.storedModel else { return table.storedPath }
        let above = recorded.values.filter { other in
            !other.isNode && other.path.count < table.path.count && table.storedPath.starts(with: other.storedPath)
        }
        guard let entry = above.max(by: { $0.path.count < $1.path.count }) else { return table.storedPath }
        return (entry.storedModel ?? entry.storedPath.last) == model ? entry.storedPath : entry.storedPath + [model]
    }

    private func currentPath(of table: TableSchema) -> StoredPath {
        let owners = declared.tables.indices.filter { table.storedPath.starts(with: recordedPaths[$0]) }
        guard let owner = owners.max(by: { recordedPaths[$0].count < recordedPaths[$1].count }) else {
            return table.storedPath
        }
        return declared.tables[owner].path + table.storedPath.dropFirst(recordedPaths[owner].count)
    }

    // MARK: New tables

    private mutating func planNewTable(
        _ schema: TableSchema, _ table: DeclaredTables.Table
    ) throws(StorageError) {
        // A new required child has no value for owners that are stored already.
        if let owner = table.owner, owner.property.defaultValue == nil,
            let stored = recorded[recordedPaths[owner.table]]
        {
            steps.append(
                .requireEmpty(
                    stored,
                    StorageError(
                        .schemaMismatch,
                        "The new property owns a record that stored records do not have, and a default in Swift is only stored with new records; make it Optional, or an array that is empty by default.",
                        operation: "open", model: declared.model.name, property: owner.property.name)))
        }
        let isNewModel = table.form == .root
        steps.append(.change(.create(schema), note: isNewModel ? "table created" : "table of owned property created"))
    }
}
