public import StorageDriver

// The verbs of a store. Each has the same meaning in a transaction and in `blocking`.

extension Store {
    // MARK: Writing

    /// Stores a new record with everything that it owns. Returns when it is committed.
    ///
    /// - Returns: the stored record, with its key if the store assigned one.
    /// - Throws: `duplicateKey` if a record has the key already; `missingKey` if the key is nil and the store does not
    ///   assign it; `overflow` if no key is left to assign; `constraint` if a unique property repeats a value;
    ///   `invalidValue` for a value that cannot be stored; `limitExceeded` if the record is larger than the engine accepts;
    ///   errors of the engine. If it throws, the store is unchanged.
    @discardableResult
    @inlinable
    public nonisolated(nonsending) func insert<M: Storable>(_ model: M) async throws(StorageError) -> M {
        try await put(model, .insert)
    }

    /// Stores new records, each with everything that it owns, in one transaction: all of them, or none if one fails.
    ///
    /// Costs one commit for the whole array.
    /// - Returns: the stored records, with the keys that the store assigned.
    /// - Throws: as for one record, with the index of the element; `duplicateKey` also if two elements have one key.
    @discardableResult
    @inlinable
    public nonisolated(nonsending) func insert<M: Storable>(_ models: [M]) async throws(StorageError) -> [M] {
        try await put(models, .insert)
    }

    /// Stores a record whether or not its key is stored already. Afterwards the store contains exactly this value: a
    /// property that is nil becomes nil, and children that it no longer has are deleted.
    ///
    /// Keeps stored properties that the type does not declare, such as properties of a newer program.
    /// - Returns: the stored record, with its key if the store assigned one.
    /// - Throws: as for an insert, but never `duplicateKey`.
    @discardableResult
    @inlinable
    public nonisolated(nonsending) func save<M: Storable>(_ model: M) async throws(StorageError) -> M {
        try await put(model, .upsert)
    }

    /// Stores records whether or not their keys are stored already, in one transaction: all of them, or none if one
    /// fails. Of two with the same key the last is kept.
    ///
    /// Costs one commit for the whole array.
    /// - Returns: the stored records, with the keys that the store assigned.
    /// - Throws: as for one record, with the index of the element.
    @discardableResult
    @inlinable
    public nonisolated(nonsending) func save<M: Storable>(_ models: [M]) async throws(StorageError) -> [M] {
        try await put(models, .upsert)
    }

    /// Replaces a stored record, with everything that it owns, by this value. Never inserts.
    ///
    /// - Throws: `notFound` if no record has the key, `missingKey` if the key is nil; `constraint`, `invalidValue` and
    ///   `limitExceeded` as for an insert; errors of the engine. If it throws, the store is unchanged.
    @inlinable
    public nonisolated(nonsending) func update<M: Storable>(_ model: M) async throws(StorageError) {
        _ = try await put(model, .update)
    }

    /// Replaces stored records, in one transaction: all of them, or none if one fails.
    ///
    /// - Throws: as for one record, with the index of the element.
    @inlinable
    public nonisolated(nonsending) func update<M: Storable>(_ models: [M]) async throws(StorageError) {
        _ = try await put(models, .update)
    }

    /// Sets some properties on the records that meet a condition; see ``Update``.
    public func update<M: Storable>(_: M.Type) -> Update<M, Store> { Update(source: self) }

    /// Deletes a record with everything that it owns, by its key.
    ///
    /// - Returns: the number of deleted records. It is 0 if no record has the key, which is not an error.
    /// - Throws: `missingKey` if the key is nil; errors of the engine.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(_ model: M) async throws(StorageError) -> Int {
        try await writing("delete", ModelSource(model)) { (writing) throws(StorageError) in
            try writing.delete(one: model)
        }
    }

    /// Deletes records, each with everything that it owns, by their keys, in one transaction.
    ///
    /// - Returns: the number of deleted records. Keys without a record are not an error.
    /// - Throws: `missingKey`, with the index of the element, if a key is nil; errors of the engine.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(_ models: [M]) async throws(StorageError) -> Int {
        guard let first = models.first else { return 0 }
        return try await writing("delete", ModelSource(first)) { (writing) throws(StorageError) in
            try writing.delete(models)
        }
    }

    /// Deletes the record with the key, and everything that it owns.
    ///
    /// - Returns: the number of deleted records, which is 0 if no record has the key.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(
        _ type: M.Type, key: M.Key
    ) async throws(StorageError) -> Int {
        try await delete(type, keys: [key])
    }

    /// Deletes the records with the keys, each with everything that it owns, in one transaction. Accepts any number of
    /// keys.
    ///
    /// - Returns: the number of deleted records. Keys without a record are not an error.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Storable>(
        _: M.Type, keys: [M.Key]
    ) async throws(StorageError) -> Int {
        try await writing("delete", .type(M.self)) { (writing) throws(StorageError) in
            try writing.delete(M.self, keys: keys)
        }
    }

    /// Deletes the records that meet a condition; see ``Delete``.
    public func delete<M: Storable>(_: M.Type) -> Delete<M, Store> { Delete(source: self) }

    /// Removes every record of a model, each with everything that it owns, and restarts assigned keys at 1.
    ///
    /// Other models are unchanged.
    public nonisolated(nonsending) func truncate<M: Storable>(_: M.Type) async throws(StorageError) {
        try await writing("truncate", .type(M.self)) { (writing) throws(StorageError) in try writing.truncate() }
    }

    // MARK: Reading

    /// The record with the key, with everything that it owns; nil if no record has it.
    ///
    /// Costs one lookup, and one query for each owned property.
    /// - Throws: `typeMismatch` if a stored value does not fit its property; `schemaMismatch` if the model's stored
    ///   schema does not fit its type; `cancelled`, `closed`; errors of the engine.
    @inlinable
    public nonisolated(nonsending) func find<M: Storable>(_: M.Type, key: M.Key) async throws(StorageError) -> M? {
        var handle = handle(M.self)
        if handle == nil { handle = try await preparedHandle(M.self) }
        let key = M.values(of: key)
        if readsHere(#isolation) { return try findNow(M.self, handle, key) }
        return try await reads { [handle] () throws(StorageError) in try self.findNow(M.self, handle, key) }
    }

    /// The records with the keys, each with everything that it owns: one element for each key, in the order of the keys,
    /// and nil for a key without a record. A key that is given twice returns its record twice.
    ///
    /// Accepts any number of keys. Costs one query for each table, however many keys, and holds all found records in
    /// memory.
    /// - Throws: as ``find(_:key:)``.
    public nonisolated(nonsending) func find<M: Storable>(
        _ type: M.Type, keys: [M.Key]
    ) async throws(StorageError) -> [M?] {
        try await asking("find", .type(type)) { (reading) throws(StorageError) in
            try reading.find(type, keys: keys.map { M.values(of: $0) })
        }
    }

    /// The record that a reference names; nil if it is not stored.
    ///
    /// - Throws: as ``find(_:key:)``.
    @inlinable
    public nonisolated(nonsending) func find<M: Storable>(_ reference: Ref<M>) async throws(StorageError) -> M? {
        try await find(M.self, key: reference.key)
    }

    /// The records that references name: one for each that is stored, by its reference. A reference may be given
    /// several times.
    ///
    /// Costs one query for each table, however many references are given.
    /// - Throws: as ``find(_:key:)``.
    public nonisolated(nonsending) func find<M: Storable>(
        _ references: [Ref<M>]
    ) async throws(StorageError) -> [Ref<M>: M] {
        let references = Array(Set(references))
        return references.records(try await find(M.self, keys: references.map(\.key)))
    }

    /// Queries records; see ``Select``.
    public func select<M: Storable>(_: M.Type) -> Select<M, Store> { Select(source: self) }

    // MARK: Helpers

    // Code that needs a model's type is compiled into the program, which knows the type, and is kept minimal; the rest is
    // not generic.

    @usableFromInline
    func handle(_ type: any Storable.Type) -> ModelHandle? { registry.handle(type) }

    @usableFromInline
    nonisolated(nonsending) func preparedHandle(_ type: any Storable.Type) async throws(StorageError) -> ModelHandle? {
        try await prepare([type])
        return registry.handle(type)
    }

    // Without `async`, which would cost more than some lookups.
    @inlinable
    func findNow<M: Storable>(_: M.Type, _ handle: ModelHandle?, _ key: [Value]) throws(StorageError) -> M? {
        var found: M?
        try lookUp(M.self, handle, key: key) { (rows) throws(StorageError) in found = try rows.nextModel(M.self) }
        return found
    }

    @usableFromInline
    func lookUp(
        _ type: any Storable.Type, _ handle: ModelHandle?, key: [Value],
        _ body: (inout RowCursor) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkCancellation("find")
        // A transaction that declares the model again makes the store forget prepared models.
        guard let handle else {
            return try reading("find", .type(type)) { (reading) throws(StorageError) in try reading.find(key, body) }
        }
        try reading("find", handle) { (reading) throws(StorageError) in try reading.find(key, body) }
    }
}

extension WriteOperation {
    /// The verb that errors name.
    @usableFromInline var verb: String {
        switch self {
        case .insert: "insert"
        case .upsert: "save"
        case .update, .patch: "update"
        case .delete: "delete"
        case .truncate: "truncate"
        }
    }
}
