internal import StorageAPI

/// A store that records each call, as Swift, before it makes it.
struct RecordedStore: Sendable {
    let store: Store
    let name: String
    let trial: Trial

    var info: BackendInfo { store.info }

    /// Records a call of a model.
    func note<M: Storable>(_ model: M.Type, _ call: String, prefix: String = "try await ") {
        trial.note(model)
        trial.note("\(prefix)\(name).\(call)")
    }

    // MARK: Writing

    @discardableResult
    func insert<M: Storable>(_ model: M) async throws(StorageError) -> M {
        note(M.self, "insert(\(SwiftSource.text(of: model)))")
        return try await store.insert(model)
    }

    @discardableResult
    func insert<M: Storable>(_ models: [M]) async throws(StorageError) -> [M] {
        note(M.self, "insert(\(SwiftSource.text(of: models)))")
        return try await store.insert(models)
    }

    @discardableResult
    func save<M: Storable>(_ model: M) async throws(StorageError) -> M {
        note(M.self, "save(\(SwiftSource.text(of: model)))")
        return try await store.save(model)
    }

    @discardableResult
    func save<M: Storable>(_ models: [M]) async throws(StorageError) -> [M] {
        note(M.self, "save(\(SwiftSource.text(of: models)))")
        return try await store.save(models)
    }

    /// Saves a record by other properties than the key; `properties` are those that the body matches by.
    @discardableResult
    func saving<M: Storable>(
        _ model: M, _ properties: String, _ body: (Store, M) async throws -> M
    ) async throws -> M {
        note(M.self, "save(\(SwiftSource.text(of: model)), matching: \(properties))")
        return try await body(store, model)
    }

    @discardableResult
    func saving<M: Storable>(
        _ models: [M], _ properties: String, _ body: (Store, [M]) async throws -> [M]
    ) async throws -> [M] {
        note(M.self, "save(\(SwiftSource.text(of: models)), matching: \(properties))")
        return try await body(store, models)
    }

    func update<M: Storable>(_ model: M) async throws(StorageError) {
        note(M.self, "update(\(SwiftSource.text(of: model)))")
        try await store.update(model)
    }

    func update<M: Storable>(_ models: [M]) async throws(StorageError) {
        note(M.self, "update(\(SwiftSource.text(of: models)))")
        try await store.update(models)
    }

    /// A partial update: `update(Person.self) { $0.where { $0.age > 3 }.set(\.age, to: 4) }`.
    @discardableResult
    func update<M: Storable>(_: M.Type, _ build: (Update<M, Store>) -> Update<M, Store>) async throws(StorageError)
        -> Int
    {
        let update = build(store.update(M.self))
        note(M.self, "update(\(SwiftSource.name(of: M.self)).self)\(update.source).run()")
        return try await update.run()
    }

    @discardableResult
    func delete<M: Storable>(_ model: M) async throws(StorageError) -> Int {
        note(M.self, "delete(\(SwiftSource.text(of: model)))")
        return try await store.delete(model)
    }

    @discardableResult
    func delete<M: Storable>(_ models: [M]) async throws(StorageError) -> Int {
        note(M.self, "delete(\(SwiftSource.text(of: models)))")
        return try await store.delete(models)
    }

    @discardableResult
    func delete<M: Storable>(_ type: M.Type, key: M.Key) async throws(StorageError) -> Int {
        note(M.self, "delete(\(SwiftSource.name(of: type)).self, key: \(SwiftSource.text(of: key)))")
        return try await store.delete(type, key: key)
    }

    @discardableResult
    func delete<M: Storable>(_ type: M.Type, keys: [M.Key]) async throws(StorageError) -> Int {
        note(M.self, "delete(\(SwiftSource.name(of: type)).self, keys: \(SwiftSource.text(of: keys)))")
        return try await store.delete(type, keys: keys)
    }

    /// A delete by a filter: `delete(Person.self) { $0.where { $0.age > 3 } }`.
    @discardableResult
    func delete<M: Storable>(_: M.Type, _ build: (Delete<M, Store>) -> Delete<M, Store>) async throws(StorageError)
        -> Int
    {
        let delete = build(store.delete(M.self))
        note(M.self, "delete(\(SwiftSource.name(of: M.self)).self)\(delete.source).run()")
        return try await delete.run()
    }

    func truncate<M: Storable>(_ type: M.Type) async throws(StorageError) {
        note(M.self, "truncate(\(SwiftSource.name(of: type)).self)")
        try await store.truncate(type)
    }

    // MARK: Reading

    func find<M: Storable>(_ type: M.Type, key: M.Key) async throws(StorageError) -> M? {
        note(M.self, "find(\(SwiftSource.name(of: type)).self, key: \(SwiftSource.text(of: key)))")
        return try await store.find(type, key: key)
    }

    /// A query: `select(Person.self) { $0.where { $0.age > 3 }.limit(2) }`.
    func select<M: Storable>(
        _ type: M.Type, _ build: (Select<M, Store>) -> Select<M, Store> = { $0 }
    ) -> RecordedSelect<M> {
        RecordedSelect(query: build(store.select(type)), store: self)
    }

    /// All records of a query.
    func all<M: Storable>(
        _ type: M.Type, _ build: (Select<M, Store>) -> Select<M, Store> = { $0 }
    ) async throws(StorageError) -> [M] {
        try await select(type, build).all()
    }

    func close() async throws(StorageError) {
        trial.note("try await \(name).close()")
        try await store.close()
    }
}

/// A query that records itself when it runs.
struct RecordedSelect<M: Storable>: Sendable {
    let query: Select<M, Store>
    let store: RecordedStore

    private func note(_ call: String) {
        store.note(M.self, "select(\(SwiftSource.name(of: M.self)).self)\(query.source).\(call)")
    }

    func all() async throws(StorageError) -> [M] {
        note("all()")
        return try await query.all()
    }

    func first() async throws(StorageError) -> M? {
        note("first()")
        return try await query.first()
    }

    func count() async throws(StorageError) -> Int {
        note("count()")
        return try await query.count()
    }

    func exists() async throws(StorageError) -> Bool {
        note("exists()")
        return try await query.exists()
    }

    func keys() async throws(StorageError) -> [M.Key] {
        note("keys()")
        return try await query.keys()
    }

    /// The records of the stream, one after the other, at most `limit`.
    func stream(limit: Int = .max) async throws -> [M] {
        note("stream()")
        var models: [M] = []
        for try await model in query.stream() {
            models.append(model)
            if models.count == limit { break }
        }
        return models
    }

    /// An observer of the query, recorded as given.
    func observer<S: AsyncSequence>(_ source: String, _ body: (Select<M, Store>) -> S) -> S.AsyncIterator {
        store.note(
            M.self, "select(\(SwiftSource.name(of: M.self)).self)\(query.source).\(source).makeAsyncIterator()",
            prefix: "")
        return body(query).makeAsyncIterator()
    }

    /// Any other call, recorded as given.
    func run<T>(_ source: String, _ body: (Select<M, Store>) async throws -> T) async throws -> T {
        note(source)
        return try await body(query)
    }
}

extension FilterBuilder {
    /// The built query, as Swift.
    var source: String { selection.source(for: Model.self) }
}

extension AssignmentBuilder {
    var source: String { selection.source(for: Model.self) + assignments.source(for: Model.self) }
}
