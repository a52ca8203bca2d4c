public import Logging
public import StorageDriver

/// The handle of a running transaction. It cannot leave the body that it is given to: the compiler forbids it.
///
/// Every read through it sees the transaction's own writes. A call that throws has done nothing, and the body may go on
/// after catching its error; an error that leaves the body undoes the whole transaction.
public struct Transaction: ~Copyable, WritingVerbs {
    let context: SessionContext

    public var _runner: VerbRunner { VerbRunner(executor: .session(context)) }

    /// Runs a body that may fail alone: when it throws, what it wrote is undone, and the error comes out.
    @discardableResult
    public func savepoint<T>(_ body: () throws -> T) throws -> T { try context.savepoint(body) }
}

/// The handle of a read block: one snapshot. It cannot leave the body that it is given to.
public struct Snapshot: ~Copyable, ReadingVerbs {
    let context: SessionContext

    public var _runner: VerbRunner { VerbRunner(executor: .session(context)) }
}

extension Store {
    /// Runs a transaction: all that its body writes is committed together when it returns, and undone when it throws.
    ///
    /// The body is synchronous and runs off the caller's thread, alone among all writers of the store. Nothing in it
    /// can wait for another task, so it holds no other writer up for longer than its own work takes.
    ///
    /// ```swift
    /// let total = try await store.transaction { tx in
    ///     try tx.save(person)
    ///     return try tx.select(Person.self).count()
    /// }
    /// ```
    ///
    /// - Returns: what the body returns.
    /// - Throws: the body's own error, unchanged; `cancelled` where the task is cancelled before the commit; what
    ///   beginning and committing throw.
    @discardableResult
    public nonisolated(nonsending) func transaction<T: Sendable>(
        _ body: sending @escaping (inout Transaction) throws -> T
    ) async throws -> T {
        let result = Box<Result<T, any Error>>()
        // The queue calls the body once, while this call waits; nobody else has it, as `sending` says.
        nonisolated(unsafe) let body = body
        do {
            return try await writing("transaction") { context throws(StorageError) in
                try context.transaction(body, result)
            }
        } catch {
            throw result.failure(orElse: error)
        }
    }

    /// Runs a block of reads that all see one snapshot, on the caller's thread.
    ///
    /// - Throws: the body's own error, unchanged; what reading throws.
    public nonisolated(nonsending) func read<T>(_ body: (inout Snapshot) throws -> T) async throws -> T {
        try readBlocking(body)
    }

    func readBlocking<T>(_ body: (inout Snapshot) throws -> T) throws -> T {
        try checkNotInTransaction("read")
        let result = Box<Result<T, any Error>>()
        try reading("read", .snapshot) { (reader) throws(StorageError) in
            let context = SessionContext(self, reader: reader)
            defer { context.end() }
            var snapshot = Snapshot(context: context)
            result.value = gate.runningBody { Result { try body(&snapshot) } }
        }
        return try result.get()
    }

    /// The same calls without `async`, for programs and threads that may block.
    public var blocking: Blocking { Blocking(store: self) }
}

extension SessionContext {
    /// Runs a transaction's body. Its own error goes into `result`; the error thrown here only undoes the transaction.
    func transaction<T>(
        _ body: (inout Transaction) throws -> T, _ result: Box<Result<T, any Error>>
    ) throws(StorageError) -> T {
        var transaction = Transaction(context: self)
        do {
            let value = try body(&transaction)
            result.value = .success(value)
            return value
        } catch {
            result.value = .failure(error)
            throw (error as? StorageError) ?? StorageError(.cancelled, "The transaction's body failed.")
        }
    }
}

extension Box {
    /// The body's own error where there is one.
    fileprivate func failure<V>(orElse error: StorageError) -> any Error where T == Result<V, any Error> {
        if case .failure(let failure) = value { failure } else { error }
    }

    fileprivate func get<V>() throws -> V where T == Result<V, any Error> {
        guard let value else { throw StorageError(.io, "The backend did not run the body.") }
        return try value.get()
    }
}

/// A store's calls without `async`: they block the calling thread until they are done.
///
/// For command-line tools, tests and threads of one's own. On a thread of the concurrency runtime they hold up other
/// tasks. Inside a transaction of the same store all of them throw `busy`, and inside its read blocks and loops those that
/// write: they would wait for themselves. A task that is cancelled ends the reads that run on its thread.
public struct Blocking: WritingVerbs, Sendable {
    let store: Store

    public var _runner: VerbRunner { VerbRunner(executor: .store(store)) }

    /// Runs a transaction on the calling thread; see ``Store/transaction(_:)``.
    @discardableResult
    public func transaction<T>(_ body: (inout Transaction) throws -> T) throws -> T {
        let result = Box<Result<T, any Error>>()
        do {
            return try withoutActuallyEscaping(body) { body in
                try store.writingBlocking("transaction") { context throws(StorageError) in
                    try context.transaction(body, result)
                }
            }
        } catch {
            throw (error as? StorageError).map { result.failure(orElse: $0) } ?? error
        }
    }

    /// Runs a block of reads that all see one snapshot; see ``Store/read(_:)``.
    public func read<T>(_ body: (inout Snapshot) throws -> T) throws -> T { try store.readBlocking(body) }

    /// Closes the store; see ``Store/close()``.
    public func close() throws(StorageError) { try store.closeNow() }
}

extension Blocking {
    /// Opens a store without `async`.
    public static func open(
        _ backend: some StorageBackend, models: any Storable.Type..., logger: Logger = Logger.silent
    ) throws(StorageError) -> Store {
        let store = try Store(opening: backend, logger: logger)
        do {
            try store.prepareBlocking(models)
        } catch {
            // The first error is the one to tell.
            try? store.closeNow()
            throw error
        }
        return store
    }
}
