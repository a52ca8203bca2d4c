internal import StorageAPI

/// All tables of a store, as one value: a copy is a snapshot.
struct ArchiveTables {
    /// In the order in which they were created.
    private(set) var list: [ArchiveTable] = []
    private var places: [String: Int] = [:]

    var schemas: [TableSchema] { list.map(\.schema) }

    /// The table of a name, which is there for every plan that a store makes.
    subscript(name: String) -> ArchiveTable? { places[name].map { list[$0] } }

    /// Changes a table where it stands, so that its rows are not copied.
    mutating func change<T>(
        _ name: String, _ body: (inout ArchiveTable) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        guard let place = places[name] else { throw Self.unknown(name) }
        return try body(&list[place])
    }

    /// The same by the table's place in ``list``.
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

    private static func unknown(_ name: String) -> StorageError {
        StorageError(.schemaMismatch, "The store has no table \(name); open it again with the models it is to have.")
    }

    // MARK: Models

    /// A model's tables by their places in ``list``, the root's first.
    struct Model {
        let name: String
        let places: [Int]
    }

    /// The models, each with its root's table; rows are stored by model, in one entry with what they own.
    var models: [Model] {
        var names: [String] = []
        var members: [String: [Int]] = [:]
        for (place, table) in list.enumerated() {
            guard let name = table.schema.path.first else { continue }
            if members[name] == nil { names.append(name) }
            if table.schema.isRoot {
                members[name, default: []].insert(place, at: 0)
            } else {
                members[name, default: []].append(place)
            }
        }
        return names.compactMap { name in members[name].map { Model(name: name, places: $0) } }
    }
}
