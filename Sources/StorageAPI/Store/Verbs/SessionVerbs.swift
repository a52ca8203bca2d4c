public import StorageDriver

/// The verbs without `async`, which ``Store/Blocking``, ``Store/Transaction`` and ``Store/Snapshot`` share. They mean
/// the same as the store's.
public protocol ReadingVerbs: ~Copyable {
    /// The session on which the verbs run. For the library only.
    var _session: Store.Session { get }
}

/// ``ReadingVerbs`` and the verbs that write.
public protocol WritingVerbs: ReadingVerbs, ~Copyable {}

extension ReadingVerbs where Self: ~Copyable {
    /// The record with the key, with everything that it owns, or nil.
    @inlinable
    public func find<M: Storable>(_: M.Type, key: M.Key) throws(StorageError) -> M? {
        var found: M?
        try _session.lookUp(M.self, M.values(of: key)) { (rows) throws(StorageError) in
            found = try rows.nextModel(M.self)
        }
        return found
    }

    /// The records with the keys: one element for each key, in their order, and nil for a key without a record.
    public func find<M: Storable>(_ type: M.Type, keys: [M.Key]) throws(StorageError) -> [M?] {
        try _session.target.reading("find", .type(type)) { (reading) throws(StorageError) in
            try reading.find(type, keys: keys.map { M.values(of: $0) })
        }
    }

    /// The record that a reference names; nil if it is not stored.
    public func find<M: Storable>(_ reference: Ref<M>) throws(StorageError) -> M? {
        try find(M.self, key: reference.key)
    }

    /// The records that references name: one for each that is stored, by its reference.
    public func find<M: Storable>(_ references: [Ref<M>]) throws(StorageError) -> [Ref<M>: M] {
        let references = Array(Set(references))
        return references.records(try find(M.self, keys: references.map(\.key)))
    }

    /// Queries records; see ``Select``.
    public func select<M: Storable>(_: M.Type) -> Select<M, Store.Session> { Select(source: _session) }
}

extension WritingVerbs where Self: ~Copyable {
    /// Stores a new record with everything that it owns, as ``Store`` does.
    @discardableResult
    @inlinable
    public func insert<M: Storable>(_ model: M) throws(StorageError) -> M { try put(model, .insert) }

    /// Stores new records: all of them or none.
    @discardableResult
    @inlinable
    public func insert<M: Storable>(_ models: [M]) throws(StorageError) -> [M] { try put(models, .insert) }

    /// Stores a record whether or not its key is stored already.
    @discardableResult
    @inlinable
    public func save<M: Storable>(_ model: M) throws(StorageError) -> M { try put(model, .upsert) }

    /// Stores records whether or not their keys are stored already: all of them or none.
    @discardableResult
    @inlinable
    public func save<M: Storable>(_ models: [M]) throws(StorageError) -> [M] { try put(models, .upsert) }

    /// Replaces a stored record. Throws `notFound` if no record has the key.
    @inlinable
    public func update<M: Storable>(_ model: M) throws(StorageError) { _ = try put(model, .update) }

    /// Replaces stored records: all of them or none.
    @inlinable
    public func update<M: Storable>(_ models: [M]) throws(StorageError) { _ = try put(models, .update) }

    /// Sets some properties on the records that meet a condition.
    public func update<M: Storable>(_: M.Type) -> Update<M, Store.Session> { Update(source: _session) }

    /// Deletes a record with everything that it owns. Returns the number of deleted records.
    @discardableResult
    public func delete<M: Storable>(_ model: M) throws(StorageError) -> Int {
        try _session.target.writing("delete", ModelSource(model)) { (writing) throws(StorageError) in
            try writing.delete(one: model)
        }
    }

    /// Deletes records, each with everything that it owns. Returns the number of deleted records.
    @discardableResult
    public func delete<M: Storable>(_ models: [M]) throws(StorageError) -> Int {
        guard let first = models.first else { return 0 }
        return try _session.target.writing("delete", ModelSource(first)) { (writing) throws(StorageError) in
            try writing.delete(models)
        }
    }

    /// Deletes the record with the key, and everything that it owns.
    @discardableResult
    public func delete<M: Storable>(_ type: M.Type, key: M.Key) throws(StorageError) -> Int {
        try delete(type, keys: [key])
    }

    /// Deletes the records with the keys, each with everything that it owns.
    @discardableResult
    public func delete<M: Storable>(_: M.Type, keys: [M.Key]) throws(StorageError) -> Int {
        try _session.target.writing("delete", .type(M.self)) { (writing) throws(StorageError) in
            try writing.delete(M.self, keys: keys)
        }
    }

    /// Deletes the records that meet a condition.
    public func delete<M: Storable>(_: M.Type) -> Delete<M, Store.Session> { Delete(source: _session) }

    /// Removes every record of a model, each with everything that it owns, and restarts assigned keys at 1.
    public func truncate<M: Storable>(_: M.Type) throws(StorageError) {
        try _session.target.writing("truncate", .type(M.self)) { (writing) throws(StorageError) in
            try writing.truncate()
        }
    }

    // As for the verbs of a store: code that needs a model's type is compiled into the program.

    @inlinable
    func put<M: Storable>(_ model: M, _ operation: WriteOperation) throws(StorageError) -> M {
        let stored = Box<M>()
        try _session.write(operation.verb, M.self, record: model._recordedModel) { (writing) throws(StorageError) in
            if let keyed = try writing.put(one: model, operation) { stored.value = keyed }
        }
        return stored.value ?? model
    }

    @inlinable
    func put<M: Storable>(_ models: [M], _ operation: WriteOperation) throws(StorageError) -> [M] {
        guard !models.isEmpty else { return [] }
        let stored = Box<[M]>()
        try _session.write(operation.verb, M.self, record: models.first?._recordedModel) {
            (writing) throws(StorageError) in
            stored.value = try writing.put(models, operation)
        }
        return stored.value ?? models
    }
}
