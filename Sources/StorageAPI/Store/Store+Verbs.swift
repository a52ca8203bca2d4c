// The verbs of a store. Each has the same meaning in a transaction and in `blocking`.

extension Store {
    // MARK: Writing

    /// Stores a new record with all that it owns.
    ///
    /// - Returns: the stored record, with its key where the store assigned it.
    /// - Throws: `duplicateKey` where a record has the key already; then nothing is stored. `invalidValue`,
    ///   `constraint`, `limitExceeded`; what the engine meets.
    @discardableResult
    public nonisolated(nonsending) func insert<M: Storable>(_ model: M) async throws(StorageError) -> M {
        try await put(model, .insert)
    }

    /// Stores new records with all that they own: all of them or, where one fails, none.
    @discardableResult
    public nonisolated(nonsending) func insert<M: Storable>(_ models: [M]) async throws(StorageError) -> [M] {
        try await put(models, .insert)
    }

    /// Stores a record whether or not its key is stored already. Afterwards the store holds exactly this value:
    /// properties that are nil and children that are gone included.
    ///
    /// - Returns: the stored record, with its key where the store assigned it.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(_ model: M) async throws(StorageError) -> M {
        try await put(model, .upsert)
    }

    /// Stores records whether or not their keys are stored already: all of them or, where one fails, none. Of two with
    /// the same key the last is kept.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(_ models: [M]) async throws(StorageError) -> [M] {
        try await put(models, .upsert)
    }

    /// Replaces a stored record, with all that it owns, by this value.
    ///
    /// - Throws: `notFound` where no record has the key, `missingKey` where the key is nil; then nothing is stored.
    public nonisolated(nonsending) func update<M: Storable>(_ model: M) async throws(StorageError) {
        _ = try await put(model, .update)
    }

    /// Replaces stored records: all of them or, where one fails, none.
    public nonisolated(nonsending) func update<M: Storable>(_ models: [M]) async throws(StorageError) {
        _ = try await put(models, .update)
    }

    /// Sets some properties on the records that meet a condition; see ``Update``.
    public func update<M: Storable>(_: M.Type) -> Update<M> { Update(store: self) }

    /// Deletes a record with all that it owns, by its key.
    ///
    /// - Returns: how many records went: 0 where none has the key.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(_ model: M) async throws(StorageError) -> Int {
        try await delete([model])
    }

    /// Deletes records with all that they own, by their keys.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(_ models: [M]) async throws(StorageError) -> Int {
        try await write("delete", M.self) { (writing) throws(StorageError) in try writing.delete(models) }
    }

    /// Deletes the record with the key, and all that it owns.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(
        _ type: M.Type, key: M.Key
    ) async throws(StorageError) -> Int {
        try await delete(type, keys: [key])
    }

    /// Deletes the records with the keys, and all that they own. Any number of keys.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(
        _: M.Type, keys: [M.Key]
    ) async throws(StorageError) -> Int {
        try await write("delete", M.self) { (writing) throws(StorageError) in try writing.delete(M.self, keys: keys) }
    }

    /// Deletes the records that meet a condition; see ``Delete``.
    public func delete<M: Storable>(_: M.Type) -> Delete<M> { Delete(store: self) }

    /// Removes every record of a model with all that they own, and lets assigned keys begin at 1 again.
    public nonisolated(nonsending) func truncate<M: Storable>(_: M.Type) async throws(StorageError) {
        try await write("truncate", M.self) { (writing) throws(StorageError) in try writing.truncate() }
    }

    // MARK: Reading

    /// The record with the key, with all that it owns, or nil.
    ///
    /// - Throws: `typeMismatch` where a stored value does not fit its property.
    public nonisolated(nonsending) func find<M: Storable>(_: M.Type, key: M.Key) async throws(StorageError) -> M? {
        try await select(M.self).run { (reading) throws(StorageError) in try reading.find(M.self, key: key) }
    }

    /// Asks for records; see ``Select``.
    public func select<M: Storable>(_: M.Type) -> Select<M> { Select(store: self) }

    // MARK: Helpers

    nonisolated(nonsending) private func put<M: Storable>(
        _ model: M, _ operation: WriteOperation
    ) async throws(StorageError) -> M {
        let stored = try await write(operation.verb, M.self) { (writing) throws(StorageError) in
            try writing.put(one: model, operation)
        }
        return stored
    }

    nonisolated(nonsending) private func put<M: Storable>(
        _ models: [M], _ operation: WriteOperation
    ) async throws(StorageError) -> [M] {
        guard !models.isEmpty else { return [] }
        return try await write(operation.verb, M.self) { (writing) throws(StorageError) in
            try writing.put(models, operation)
        }
    }

    nonisolated(nonsending) private func write<M: Storable, T>(
        _ operation: String, _: M.Type, _ body: @escaping (Writing) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await writing(operation) { context throws(StorageError) in
            let model = ModelSource.type(M.self)
            return try placed(operation, model, context) { () throws(StorageError) in try body(context.writing(model)) }
        }
    }
}

extension WriteOperation {
    /// The verb that errors name.
    var verb: String {
        switch self {
        case .insert: "insert"
        case .upsert: "save"
        case .update, .patch: "update"
        case .delete: "delete"
        case .truncate: "truncate"
        }
    }
}

extension Writing {
    /// Writes one model; its error names no element.
    func put<M: Storable>(one model: M, _ operation: WriteOperation) throws(StorageError) -> M {
        do {
            return try put([model], operation).first ?? model
        } catch {
            throw error.with { $0.element = nil }
        }
    }

    func delete<M: Storable>(_: M.Type, keys: [M.Key]) throws(StorageError) -> Int {
        try delete(ValueList(width: handle.tables.rootKeyCount, values: keys.flatMap(M.values(of:))))
    }
}
