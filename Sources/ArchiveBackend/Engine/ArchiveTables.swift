internal import StorageDriver

/// All tables of a store, as one value: a copy is a snapshot.
struct ArchiveTables {
    /// In the order in which they were created.
    private(set) var list: [ArchiveTable] = []
    private var places: [String: Int] = [:]
    /// True if plans may exist for tables that another process has changed since.
    var hasOldPlans = false

    var schemas: [TableSchema] { list.map(\.schema) }

    /// The table of a name. It exists for every plan that a store makes.
    subscript(name: String) -> ArchiveTable? { places[name].map { list[$0] } }

    /// The rows of a table, without a copy of the rest.
    func rows(of name: String) -> RowTree? { places[name].map { list[$0].rows } }

    /// Changes a table in place, so that its rows are not copied.
    mutating func change<T>(
        _ name: String, _ body: (inout ArchiveTable) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        guard let place = places[name] else { throw Self.unknown(name) }
        return try body(&list[place])
    }

    /// The same by the table's index in ``list``.
    mutating func change(
        at place: Int, _ body: (inout ArchiveTable) throws(StorageError) -> Void
    ) throws(StorageError) {
        try body(&list[place])
    }

    mutating func add(_ table: ArchiveTable) {
        places[table.schema.name] = list.count
        list.append(table)
    }

    mutating func remove(_ name: String) {
        list.removeAll { $0.schema.name == name }
        number()
    }

    mutating func replace(_ name: String, by table: ArchiveTable) {
        guard let place = places[name] else { return add(table) }
        list[place] = table
        number()
    }

    private mutating func number() {
        places = [:]
        for (place, table) in list.enumerated() { places[table.schema.name] = place }
    }

    func table(_ schema: TableSchema) throws(StorageError) -> ArchiveTable {
        guard let table = self[schema.name] else { throw Self.unknown(schema.name) }
        return table
    }

    /// Looks whether the tables that a plan was made for are still as it needs them.
    ///
    /// - Throws: `schemaMismatch`, naming the property.
    func requireStored(_ plan: QueryPlan) throws(StorageError) {
        let schemas = schemas
        try plan.tables.requireStored(in: schemas, inPlace: true)
    }

    private static func unknown(_ name: String) -> StorageError {
        StorageError(.schemaMismatch, "The store has no table \(name); open it again with the models it is to have.")
    }

    // MARK: Models

    /// A model's tables by their indexes in ``list``, the root's first.
    struct Model {
        let name: StoredName
        let places: [Int]
    }

    /// The models, each with its root's table; rows are stored by model, in one entry with their owned records.
    var models: [Model] {
        list.indices.filter { list[$0].schema.isRoot }.map { root in
            let owned = list.indices.filter { $0 != root && list[$0].schema.isOfModel(list[root].schema) }
            return Model(name: list[root].schema.storedPath[0], places: [root] + owned)
        }
    }
}

extension TableSchema {
    /// Returns whether the table has records of the same model as another, or their owned records.
    func isOfModel(_ other: TableSchema) -> Bool { storedPath.first == other.storedPath.first }

    /// Returns whether two versions of a table have the same names.
    func hasNames(of other: TableSchema) -> Bool {
        StoredName(name) == StoredName(other.name) && storedPath == other.storedPath
            && zip(columns, other.columns).allSatisfy {
                StoredName($0.name) == StoredName($1.name) && $0.storedProperty == $1.storedProperty
            }
    }
}
