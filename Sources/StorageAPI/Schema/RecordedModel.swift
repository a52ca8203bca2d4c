/// A model as a store has recorded it: its tables bound without the program's types, so that the same queries run.
struct RecordedModel: Sendable {
    let tables: ModelTables
    /// Of each table the one whose rows own its rows; nil for the root.
    let owners: [Int?]

    /// - Parameter recorded: all tables of the store.
    /// - Throws: `invalidQuery` where no model has the name.
    init(_ name: String, _ recorded: [TableSchema]) throws(StorageError) {
        let own = recorded.filter { $0.path.first == name }.sorted { $0.path.count < $1.path.count }
        guard let root = own.first, root.isRoot else {
            let known = recorded.filter(\.isRoot).map { $0.path.joined() }.sorted().joined(separator: ", ")
            throw StorageError(
                .invalidQuery, "The store has no model \(name); it has \(known.isEmpty ? "none" : known).")
        }
        owners = own.map { table in
            // Rows of a type that owns itself stand below the place where the recursion begins, whatever their path.
            own.indices.last {
                own[$0].path.count < table.path.count && table.path.starts(with: own[$0].path) && !own[$0].isNode
            }
        }
        let owners = owners
        let bindings = own.indices.map { index in
            Self.binding(index, own, owned: own.indices.filter { owners[$0] == index && !own[$0].isNode }, root)
        }
        tables = ModelTables(name: name, tables: bindings, assignsKeys: root.assignsKeys)
    }

    /// Whether the store's tables are still those that the model was made of.
    func isMade(of recorded: [TableSchema]) -> Bool {
        let own = recorded.filter { $0.path.first == tables.name }.sorted { $0.path.count < $1.path.count }
        return own == tables.tables.map(\.schema)
    }

    private static func binding(
        _ index: Int, _ tables: [TableSchema], owned: [Int], _ root: TableSchema
    ) -> TableBinding {
        let schema = tables[index]
        let prefix = schema.columns.indices.filter { schema.columns[$0].role.isPrefix }
        let own = schema.columns.indices.filter { !schema.columns[$0].role.isPrefix && !schema.columns[$0].isRemoved }
        let relations = owned.map { relation(schema, tables[$0], target: $0) }
        let properties = own.filter { schema.columns[$0].role == .property }
        let names = properties.map { schema.columns[$0].property } + relations.map(\.property)
        let columns = prefix + own
        return TableBinding(
            index: index, schema: schema, form: schema.isRoot ? .root : schema.isNode ? .node : .child,
            columns: columns, prefixCount: prefix.count,
            keyCells: schema.isRoot ? schema.key.compactMap(columns.firstIndex) : Array(root.key.indices),
            members: properties.map(TableBinding.Member.column) + relations.indices.map(TableBinding.Member.relation),
            relations: relations, names: names.map { .init(name: $0, storedName: $0) })
    }

    private static func relation(_ owner: TableSchema, _ child: TableSchema, target: Int) -> RelationBinding {
        let name = child.path.last ?? ""
        let isMany = child.positions > owner.positions
        let hasPresence = owner.columns.contains { $0.role == .presence && $0.property == name }
        return RelationBinding(
            storedProperty: name, property: name, target: target, isMany: isMany,
            isOptional: isMany ? hasPresence : !child.isRequired)
    }
}

extension TableSchema {
    /// Whether the rows are of a type that owns itself.
    var isNode: Bool { columns.contains { $0.role == .node } }
    fileprivate var positions: Int { columns.count { $0.role == .position } }
}

extension ColumnSchema.Role {
    fileprivate var isPrefix: Bool {
        switch self {
        case .property, .presence: false
        case .owner, .position, .node, .parent: true
        }
    }
}
