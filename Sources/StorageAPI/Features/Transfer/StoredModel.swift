import StorageDriver

/// A model's tables as a store has recorded them.
struct StoredModel {
    let name: StoredName
    /// The root's table first, then the tables of owned properties in the order of their paths, which no backend decides.
    let tables: [TableSchema]

    /// The models of a store, in the order in which their tables were created. What can only be read, as views can, has no
    /// records of its own, and is left out.
    static func all(in tables: [TableSchema]) -> [StoredModel] {
        tables.filter { $0.isRoot && !$0.isStoresOwn && !$0.isReadOnly }.map { root in
            let own = tables.filter { $0.isOfModel(root) }
            return StoredModel(name: root.storedPath[0], tables: own.sorted { $0.precedes($1) })
        }
    }

    /// The models with the names, in their order.
    ///
    /// - Throws: `invalidQuery` for a name that no model has; `unsupported` for a view of other software, and a table without a
    ///   key.
    static func named(_ names: [String], in tables: [TableSchema]) throws(StorageError) -> [StoredModel] {
        let models = all(in: tables)
        var found: [StoredModel] = []
        for name in names {
            guard let model = models.first(where: { $0.name == StoredName(name) }) else {
                if tables.contains(where: { $0.isReadOnly && $0.isRoot(of: StoredName(name)) }) {
                    throw StorageError(
                        .unsupported,
                        "\(name) is a view, or a table without a key, whose records cannot be told from each other; export them.",
                        model: name)
                }
                throw StorageError.unknownModel(name, among: models.map(\.name.text)).with { $0.model = name }
            }
            found.append(model)
        }
        return found
    }
}

extension TableSchema {
    fileprivate func isOfModel(_ root: TableSchema) -> Bool { storedPath.first == root.storedPath.first }

    fileprivate func precedes(_ other: TableSchema) -> Bool {
        storedPath.lexicographicallyPrecedes(other.storedPath)
    }
}
