internal import StorageAPI

/// The handle of a transaction, read block or blocking store that records each call.
struct RecordedHandle {
    /// The verbs of a noncopyable handle.
    private struct Verbs: WritingVerbs {
        let _session: Store.Session
    }

    private let verbs: Verbs
    private let name: String
    private let trial: Trial

    init(_ runner: Store.Session, name: String, trial: Trial) {
        verbs = Verbs(_session: runner)
        self.name = name
        self.trial = trial
    }

    private func note<M: Storable>(_ model: M.Type, _ call: String) {
        trial.note(model)
        trial.note("    try \(name).\(call)")
    }

    @discardableResult
    func insert<M: Storable>(_ model: M) throws(StorageError) -> M {
        note(M.self, "insert(\(SwiftSource.text(of: model)))")
        return try verbs.insert(model)
    }

    @discardableResult
    func insert<M: Storable>(_ models: [M]) throws(StorageError) -> [M] {
        note(M.self, "insert(\(SwiftSource.text(of: models)))")
        return try verbs.insert(models)
    }

    @discardableResult
    func save<M: Storable>(_ model: M) throws(StorageError) -> M {
        note(M.self, "save(\(SwiftSource.text(of: model)))")
        return try verbs.save(model)
    }

    func update<M: Storable>(_ model: M) throws(StorageError) {
        note(M.self, "update(\(SwiftSource.text(of: model)))")
        try verbs.update(model)
    }

    @discardableResult
    func update<M: Storable>(_: M.Type, _ build: (Update<M, Store.Session>) -> Update<M, Store.Session>)
        throws(StorageError) -> Int
    {
        let update = build(verbs.update(M.self))
        note(M.self, "update(\(SwiftSource.name(of: M.self)).self)\(update.source).run()")
        return try update.run()
    }

    @discardableResult
    func delete<M: Storable>(_ type: M.Type, keys: [M.Key]) throws(StorageError) -> Int {
        note(M.self, "delete(\(SwiftSource.name(of: type)).self, keys: \(SwiftSource.text(of: keys)))")
        return try verbs.delete(type, keys: keys)
    }

    func truncate<M: Storable>(_ type: M.Type) throws(StorageError) {
        note(M.self, "truncate(\(SwiftSource.name(of: type)).self)")
        try verbs.truncate(type)
    }

    func find<M: Storable>(_ type: M.Type, key: M.Key) throws(StorageError) -> M? {
        note(M.self, "find(\(SwiftSource.name(of: type)).self, key: \(SwiftSource.text(of: key)))")
        return try verbs.find(type, key: key)
    }

    func all<M: Storable>(
        _ type: M.Type, _ build: (Select<M, Store.Session>) -> Select<M, Store.Session> = { $0 }
    ) throws -> [M] {
        try run(type, "all()", build) { try $0.all() }
    }

    func count<M: Storable>(
        _ type: M.Type, _ build: (Select<M, Store.Session>) -> Select<M, Store.Session> = { $0 }
    ) throws -> Int {
        try run(type, "count()", build) { try $0.count() }
    }

    /// A call of a query, recorded as given.
    func run<M: Storable, T>(
        _ type: M.Type, _ source: String, _ build: (Select<M, Store.Session>) -> Select<M, Store.Session> = { $0 },
        _ body: (Select<M, Store.Session>) throws -> T
    ) throws -> T {
        let query = build(verbs.select(type))
        note(type, "select(\(SwiftSource.name(of: type)).self)\(query.source).\(source)")
        return try body(query)
    }

    /// A savepoint of the handle's transaction.
    @discardableResult
    func savepoint<T>(_ tx: borrowing Store.Transaction, _ body: () throws -> T) throws -> T {
        trial.note("    try \(name).savepoint {")
        defer { trial.note("    }") }
        return try tx.savepoint(body)
    }
}

extension RecordedStore {
    /// A transaction. The handle records calls; the transaction itself is for savepoints.
    @discardableResult
    func transaction<T: Sendable>(
        _ body: sending @escaping (inout Store.Transaction, RecordedHandle) throws -> T
    ) async throws -> T {
        trial.note("try await \(name).transaction { tx in")
        defer { trial.note("}") }
        return try await store.transaction { [trial] tx in
            try body(&tx, RecordedHandle(tx._session, name: "tx", trial: trial))
        }
    }

    /// A block of reads of one snapshot.
    func read<T: Sendable>(_ body: sending (RecordedHandle) throws -> T) async throws -> T {
        trial.note("try await \(name).read { tx in")
        defer { trial.note("}") }
        return try await store.read { [trial] tx in
            try body(RecordedHandle(tx._session, name: "tx", trial: trial))
        }
    }

    /// The calls without `async`.
    var blocking: RecordedHandle {
        RecordedHandle(store.blocking._session, name: "\(name).blocking", trial: trial)
    }
}
