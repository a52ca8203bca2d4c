import StorageDriver

/// The tables of a store that models are copied into.
struct CopyTarget {
    private let context: TransactionContext
    private let store: Store

    init(_ context: TransactionContext, _ store: Store) { (self.context, self.store) = (context, store) }

    /// Creates the model's tables, empty, and returns them in the order of the model's tables.
    ///
    /// - Throws: `constraint` if the model has records that must not be replaced; `schemaMismatch` if the program has
    ///   declared the model differently; `limitExceeded` if a table has too many columns.
    func prepare(_ model: StoredModel, isReplacing: Bool) throws(StorageError) -> [TableSchema] {
        let writer = try context.innerWriter(model.name)
        try context.capture?.willReplaceAll(of: model.name)
        let tables = try writer.tables()
        let own = StoredModel.all(in: tables).first { $0.name == model.name }
        guard let own else { return try createWhole(model, besides: tables, writer) }
        if !isReplacing { try requireEmpty(own, writer) }
        if own.isAlike(model) {
            for table in own.tables { try writer.truncate(table, store.registry.directory) }
            return own.tables
        }
        guard !store.registry.isDeclared(model.name) else {
            throw StorageError(
                .schemaMismatch,
                "The program has declared the model differently from the source; copy into a store that is "
                    + "opened without models.", model: model.name)
        }
        for table in own.tables.reversed() { try writer.change(.drop(table)) }
        for feature in store.features.all { try feature.didDrop(own.tables, of: model.name, in: context) }
        return try createWhole(model, besides: try writer.tables(), writer)
    }

    /// Creates the tables, and the data that features keep about them.
    private func createWhole(
        _ model: StoredModel, besides tables: [TableSchema], _ writer: any StorageWriter
    ) throws(StorageError) -> [TableSchema] {
        let made = try create(model, besides: tables, writer)
        for feature in store.features.all { try feature.didCreateTables(of: model.name, in: context) }
        return made
    }

    private func requireEmpty(_ model: StoredModel, _ writer: any StorageWriter) throws(StorageError) {
        for table in model.tables {
            let count = try writer.count(table)
            guard count == 0 else {
                throw StorageError(
                    .constraint,
                    "The store has \(count) row\(count == 1 ? "" : "s") of the model already; replace them, or copy into an empty store.",
                    model: model.name)
            }
        }
    }

    private func create(
        _ model: StoredModel, besides tables: [TableSchema], _ writer: any StorageWriter
    ) throws(StorageError) -> [TableSchema] {
        let info = store.info
        var names = NameAllocator(used: tables.map(\.name), reservedPrefixes: info.reservedNamePrefixes)
        var created: [TableSchema] = []
        for table in model.tables {
            guard table.columns.count <= info.limits.columns else {
                throw StorageError(
                    .limitExceeded, "The table \(table.name) has more than \(info.limits.columns) columns.",
                    model: model.name)
            }
            var table = table
            table.name = names.allocate(table.name)
            table.isForeign = false
            try writer.change(.create(table))
            created.append(table)
        }
        return created
    }
}

extension StoredModel {
    /// Returns whether two models' tables differ only in the names that backends gave them, and in the marks of owned keys,
    /// which a store of an earlier version of the library lacks.
    func isAlike(_ other: StoredModel) -> Bool {
        tables.count == other.tables.count
            && zip(tables, other.tables).allSatisfy { $0.withoutOwnedKeys.isAlike($1.withoutOwnedKeys) }
    }
}

extension TableSchema {
    fileprivate var withoutOwnedKeys: TableSchema {
        var table = self
        for index in columns.indices { table.columns[index].isOwnedKey = false }
        return table
    }
}
