import StorageDriver

// A model as a store has recorded it: its tables bound without the program's types, so that the same queries and writes
// run.
extension ModelTables {
    /// - Parameters:
    ///   - tables: all tables of the store.
    ///   - hasRemoved: whether properties that no program declares any more are properties all the same.
    ///   - defaults: the defaults of properties that a written record lacks.
    /// - Throws: `invalidQuery` if no model has the name.
    package convenience init(
        recorded name: StoredName, _ tables: [TableSchema], hasRemoved: Bool = false,
        defaults: DeclaredDefaults = DeclaredDefaults(type: nil)
    ) throws(StorageError) {
        let recorded = try RecordedTables(name, tables.filter { hasRemoved || !$0.isRemoved })
        let roots = tables.filter(\.isRoot).map { $0.storedPath[0] }
        var bindings: [TableBinding] = []
        for index in recorded.list.indices {
            let defaults = try defaults.table(recorded.list[index])
            bindings.append(Self.binding(index, in: recorded, roots: roots, hasRemoved: hasRemoved, defaults: defaults))
        }
        self.init(
            name: name, tables: bindings, assigns: recorded.list[0].assigns,
            undeclared: hasRemoved ? [] : RecordedTables.list(name, tables.filter(\.isRemoved)))
    }

    /// Returns whether a store's tables are still the ones that the model was made of.
    func isMade(of recorded: [TableSchema]) -> Bool {
        let own = RecordedTables.list(name, recorded)
        return own.filter { !$0.isRemoved } == tables.map(\.schema).filter { !$0.isRemoved }
            && own.filter(\.isRemoved) == tables.map(\.schema).filter(\.isRemoved) + undeclared
    }

    /// True if every recorded property is one of the model's.
    var isWhole: Bool { undeclared.isEmpty && tables.allSatisfy(\.unknownColumns.isEmpty) }

    /// True if some of its properties are removed ones.
    package var hasRemoved: Bool {
        tables.contains { table in
            table.schema.isRemoved || table.columns.contains { table.schema.columns[$0].isRemoved }
        }
    }

    private static func binding(
        _ index: Int, in tables: RecordedTables, roots: [StoredName], hasRemoved: Bool,
        defaults: DeclaredDefaults.Table?
    ) -> TableBinding {
        let schema = tables.list[index]
        let prefix = schema.prefix
        let removed = hasRemoved ? removedColumns(of: schema, tables.owned[index].map { tables.list[$0] }) : []
        let own = schema.columns.indices.filter { index in
            !schema.columns[index].role.isPrefix && (!schema.columns[index].isRemoved || removed.contains(index))
        }
        var relations = tables.owned[index].map { relation(of: schema, columns: own, to: tables.list[$0], target: $0) }
        var initials: [Int: DeclaredDefaults.Initial] = [:]
        if let defaults {
            for place in own where schema.columns[place].role == .property {
                initials[place] = defaults.initial(of: schema.columns[place])
            }
            for index in relations.indices {
                relations[index].writeDefault = defaults.owned(by: relations[index].storedProperty)
            }
        }
        let properties = own.filter { schema.columns[$0].role == .property }
        let columns = prefix + own
        let references = references(in: schema, columns, roots)
        // The parts of a reference are single properties, and together one more.
        let composite = references.indices.filter {
            references[$0].columns.count > 1 && !references[$0].schema.isElement
        }
        let names =
            properties.map { schema.columns[$0].property } + relations.map(\.property)
            + composite.map { references[$0].property }
        return TableBinding(
            index: index, schema: schema, form: schema.isRoot ? .root : schema.isNode ? .node : .child,
            columns: columns, prefixCount: prefix.count,
            members: properties.map { member($0, references) } + relations.indices.map(TableBinding.Member.relation)
                + composite.map { .reference($0) },
            relations: relations, references: references,
            identity: identity(of: schema, own),
            names: names.map { .init(name: StoredName($0), storedName: StoredName($0)) }, initials: initials)
    }

    /// The columns of the key of owned records. Stores of earlier versions of the library do not record it; most keys are
    /// called id.
    private static func identity(of schema: TableSchema, _ own: [Int]) -> [Int] {
        let marked = own.filter { schema.columns[$0].isOwnedKey }
        guard marked.isEmpty else { return marked }
        return own.filter { schema.columns[$0].role == .property && schema.columns[$0].storedProperty == "id" }
    }

    /// The removed columns that have values. A column that said whether an array is nil has no values if the array
    /// still exists and is no longer Optional.
    private static func removedColumns(of schema: TableSchema, _ owned: [TableSchema]) -> Set<Int> {
        Set(
            schema.columns.indices.filter { index in
                let column = schema.columns[index]
                guard column.isRemoved, column.role == .presence else { return column.isRemoved }
                return owned.contains { $0.isRemoved && $0.storedPath.last == column.storedProperty }
            })
    }

    private static func member(_ column: Int, _ references: [ReferenceBinding]) -> TableBinding.Member {
        let single = references.firstIndex { $0.columns == [column] && !$0.schema.isElement }
        return single.map(TableBinding.Member.reference) ?? .column(column)
    }

    /// The references in a table's rows: the columns from a first part to the next.
    private static func references(
        in schema: TableSchema, _ cells: [Int], _ roots: [StoredName]
    ) -> [ReferenceBinding] {
        schema.references.compactMap { columns, reference in
            guard columns.allSatisfy(cells.contains) else { return nil }
            let first = schema.columns[columns[0]]
            let name = first.property
            let base = columns.count > 1 ? String(name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)) : name
            var known = reference
            // A removed property may refer to a removed model.
            if schema.isRemoved || first.isRemoved, !roots.contains(reference.storedModel) {
                known.onDelete = .unchecked
            }
            let property = reference.isElement ? schema.path.last ?? name : base
            return ReferenceBinding(
                property: property, target: .recorded(reference.storedModel), schema: known, columns: columns, in: cells
            )
        }
    }

    /// - Parameter own: the owner's columns that are the model's.
    private static func relation(
        of owner: TableSchema, columns own: [Int], to child: TableSchema, target: Int
    ) -> RelationBinding {
        let name = child.storedPath.last ?? ""
        let isMany = child.holdsMany(below: owner)
        return RelationBinding(
            storedProperty: name, property: name.text, target: target, isMany: isMany,
            isOptional: isMany
                ? own.contains { owner.columns[$0].role == .presence && owner.columns[$0].storedProperty == name }
                : !child.isRequired)
    }
}

/// The recorded tables of one model, and the owners of the rows of each.
package struct RecordedTables {
    /// The root's first, owners before their owned records.
    let list: [TableSchema]
    /// For each table the tables of its owned rows. A table of a type that owns itself is listed for each table with
    /// rows of the declaring type.
    private(set) var owned: [[Int]]
    /// For each table of a type that owns itself the table above the recursion.
    private(set) var entries: [Int?]

    /// - Throws: `invalidQuery` if no model has the name; `schemaMismatch` for a type that owns itself in a store that
    ///   was written before the names of owned types were recorded.
    init(_ name: StoredName, _ recorded: [TableSchema]) throws(StorageError) {
        list = Self.list(name, recorded)
        guard let root = list.first, root.isRoot else {
            throw StorageError.unknownModel(
                name.text, among: recorded.filter { $0.isRoot && !$0.isStoresOwn }.map { $0.path.joined() })
        }
        if let table = list.dropFirst().first(where: { $0.isRoot || !$0.isOwned(by: root) }) {
            throw StorageError(
                .corrupt,
                "The store's record of the table \(table.name) contradicts that of \(root.name); restore a backup.",
                model: name)
        }
        owned = list.map { _ in [] }
        entries = list.map { _ in nil }
        for index in list.indices.dropFirst() { try place(index) }
    }

    package static func list(_ name: StoredName, _ recorded: [TableSchema]) -> [TableSchema] {
        let own = recorded.filter { $0.storedPath.first == name }
        // Owners have shorter paths; of equal ones the first made comes first.
        return own.enumerated().sorted { ($0.element.path.count, $0.offset) < ($1.element.path.count, $1.offset) }
            .map(\.element)
    }

    /// The stored name of the model whose rows a table holds.
    func model(of index: Int) -> StoredName { list[index].storedModel ?? list[index].storedPath.last ?? "" }

    private mutating func place(_ index: Int) throws(StorageError) {
        let table = list[index]
        guard let above = nearest(above: index) else { return }
        guard table.isNode else { return owned[above].append(index) }
        guard table.model != nil else {
            throw StorageError(
                .schemaMismatch,
                "The names of the types below \(list[above].name) are not recorded; open the store once with them.",
                model: list[0].path.first)
        }
        entries[index] = above
        // Below the entry a path names the declaring type; the path of the entry itself does not.
        let isOfEntry = isDirectly(index, below: above)
        let type = isOfEntry ? recursiveModel(of: above) : table.storedPath.dropLast().last ?? ""
        for owner in list.indices where owner == above || isNode(owner, below: above) {
            let isOwner = owner == above && isOfEntry || model(of: owner) == type
            if isOwner { owned[owner].append(index) }
        }
    }

    /// The stored name of an entry's type, by which rows of that type further below are known. A program that gives the
    /// entry's rows to another type renames the entry alone: then the name is the one of the rows below that no path has.
    private func recursiveModel(of entry: Int) -> StoredName {
        let nodes = list.indices.filter { isNode($0, below: entry) }
        let own = model(of: entry)
        if nodes.contains(where: { model(of: $0) == own }) { return own }
        let declaring = nodes.filter { !isDirectly($0, below: entry) }.compactMap {
            list[$0].storedPath.dropLast().last
        }
        let others = nodes.map { model(of: $0) }.filter { !declaring.contains($0) }
        return others.first ?? own
    }

    private func isDirectly(_ index: Int, below entry: Int) -> Bool {
        list[index].path.count == list[entry].path.count + 1
    }

    /// The last table above the given one, without the tables of types that own themselves.
    private func nearest(above index: Int) -> Int? {
        list.indices.last { !list[$0].isNode && isAbove(list[$0], list[index]) }
    }

    /// Returns whether a table belongs to the recursion that an entry begins, and to no later one: where a recursion
    /// has been removed, another may begin below its entry.
    private func isNode(_ index: Int, below entry: Int) -> Bool {
        list[index].isNode && nearest(above: index) == entry
    }

    private func isAbove(_ owner: TableSchema, _ table: TableSchema) -> Bool {
        owner.path.count < table.path.count && table.storedPath.starts(with: owner.storedPath)
    }
}

extension TableSchema {
    /// Returns whether it is the root's table of a model.
    package func isRoot(of model: StoredName) -> Bool { isRoot && !isRemoved && storedPath[0] == model }

    /// Returns whether an owner may have several rows here. If that is not recorded, several are assumed, which loses
    /// none.
    func holdsMany(below owner: TableSchema) -> Bool {
        isNode ? isMany ?? true : positions > owner.positions
    }

    private var positions: Int { columns.count { $0.role == .position } }
}
