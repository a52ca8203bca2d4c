import StorageDriver

/// The tables that a save reads and writes back because they contain more than the program declares (clause S7).
/// Determined once for a model; nil for nearly all.
final class UndeclaredTables: Sendable {
    struct Table: Sendable {
        let schema: TableSchema
        /// The model's table; nil if it is not declared.
        let binding: TableBinding?
        /// The tables of its owned rows.
        var owned: [Int] = []
        /// In a type that owns itself, the table at which that begins.
        let entry: Int?
        /// The columns of the root's key and of positions.
        let prefix: [Int]
        let node: (number: Int, parent: Int)?
        /// Columns that the program does not declare.
        let unknown: [Int]
        let readOne: QueryPlan
        let readSeveral: QueryPlan
        let insert: WritePlan
        let delete: WritePlan
    }

    /// The root's first; owners before their owned records, except for types that own each other.
    let tables: [Table]
    let keyCount: Int

    /// - Throws: `schemaMismatch` for a type that owns itself in a store that has not recorded its name yet.
    init?(_ model: ModelTables, directory: ModelDirectory) throws(StorageError) {
        guard !model.undeclared.isEmpty || model.tables.dropFirst().contains(where: { !$0.unknownColumns.isEmpty })
        else { return nil }
        let recorded = try RecordedTables(model.name, model.tables.map(\.schema) + model.undeclared)
        let bindings = recorded.list.map { schema in model.tables.first { $0.schema.storedPath == schema.storedPath } }
        let isUntouched = Self.untouched(recorded, bindings)
        let isNeeded = recorded.list.indices.dropFirst().contains { index in
            !isUntouched[index] && bindings[index]?.unknownColumns.isEmpty != true
        }
        guard isNeeded else { return nil }
        let places = recorded.list.indices.filter { !isUntouched[$0] }
        keyCount = model.rootKeyCount
        tables = places.map { index in
            var table = Table(
                recorded.list[index], bindings[index], entry: recorded.entries[index].flatMap(places.firstIndex),
                keyCount: model.rootKeyCount, all: recorded.list, directory: directory)
            table.owned = recorded.owned[index].compactMap(places.firstIndex)
            return table
        }
    }

    /// Undeclared owned properties of the root, and everything below them, stay without being read.
    private static func untouched(_ recorded: RecordedTables, _ bindings: [TableBinding?]) -> [Bool] {
        var isUntouched = recorded.list.map { _ in false }
        for index in recorded.list.indices.dropFirst() where bindings[index] == nil {
            if let entry = recorded.entries[index] {
                isUntouched[index] = isUntouched[entry]
            } else {
                isUntouched[index] = recorded.owned.indices.contains { owner in
                    (owner == 0 || isUntouched[owner]) && recorded.owned[owner].contains(index)
                }
            }
        }
        return isUntouched
    }
}

extension UndeclaredTables.Table {
    fileprivate init(
        _ schema: TableSchema, _ binding: TableBinding?, entry: Int?, keyCount: Int, all: [TableSchema],
        directory: ModelDirectory
    ) {
        func columns(_ role: ColumnSchema.Role) -> [Int] {
            schema.columns.indices.filter { schema.columns[$0].role == role }
        }
        self.schema = schema
        self.binding = binding
        self.entry = entry
        prefix =
            schema.isRoot
            ? schema.key
            : schema.columns.indices.filter { [.owner, .position].contains(schema.columns[$0].role) }
        if let number = columns(.node).first, let parent = columns(.parent).first {
            node = (number, parent)
        } else {
            node = nil
        }
        unknown = binding?.unknownColumns ?? []
        let everything = Array(schema.columns.indices)
        func read(_ scope: Query.Scope) -> QueryPlan {
            QueryPlan(
                id: directory.nextPlan(), query: Query(.columns(everything), scope: scope), table: schema, tables: all)
        }
        readOne = read(.key(columns: keyCount))
        readSeveral = read(.keys(columns: keyCount, list: 0))
        insert = WritePlan(id: directory.nextPlan(), operation: .insert, table: schema, columns: everything)
        delete = WritePlan(
            id: directory.nextPlan(), operation: .delete, table: schema, columns: Array(schema.key.prefix(keyCount)))
    }
}

extension TableBinding {
    /// Columns of properties that the program does not declare. The column that distinguishes nil from an empty array
    /// does not count if the program declares the array.
    var unknownColumns: [Int] {
        schema.columns.indices.filter { index in
            let column = schema.columns[index]
            switch column.role {
            case .property: return !columns.contains(index)
            case .presence:
                return !columns.contains(index)
                    && !relations.contains { $0.storedProperty == column.storedProperty }
            case .owner, .position, .node, .parent: return false
            }
        }
    }
}
