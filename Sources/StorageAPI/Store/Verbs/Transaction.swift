public import StorageDriver

extension Store {
    /// The handle of a running transaction. The compiler does not let it leave the closure.
    ///
    /// Every read through it sees the writes of the transaction so far. A call that throws has no effect, and the closure
    /// may catch its error and continue. An error that leaves the closure undoes the whole transaction.
    public struct Transaction: ~Copyable, WritingVerbs {
        let context: TransactionContext
        let store: Store

        public var _session: Store.Session { Store.Session(target: .session(context, of: store)) }

        /// The author of the transaction, for observers of the store; the one of
        /// ``Store/Options/author`` unless it is set.
        ///
        /// At most 65,536 bytes of UTF-8; with more the transaction fails with `limitExceeded`.
        public var author: String? {
            get { context.signature.author }
            nonmutating set { context.signature.author = newValue }
        }

        /// The reason for the transaction, for observers of the store; nil unless it is set. It has the same limit as the
        /// ``author``.
        public var note: String? {
            get { context.signature.note }
            nonmutating set { context.signature.note = newValue }
        }

        /// The origin of the transaction's changes.
        public var origin: Store.Origin { context.givenSignature?.origin ?? .call }

        /// Runs a closure that may fail without failing the transaction: if it throws, its writes are undone and its error
        /// is rethrown.
        ///
        /// - Parameters:
        ///   - judged: whether the savepoint is judged by itself when it ends. References that it has written must then lead to
        ///     stored records, and rules that deny its deletions count for the records that it leaves: a record that denies one
        ///     may be deleted after it. Otherwise each call judges its deletions, and the transaction's end its references.
        ///   - body: the closure.
        /// - Throws: the closure's error, unchanged; `constraint` with a ``RecordSetRefusal`` if records stand against a judged
        ///   savepoint.
        @discardableResult
        public func savepoint<T>(
            judged: Bool = false, _ body: () throws(StorageError) -> T
        ) throws(StorageError) -> T {
            judged ? try context.judgedSavepoint(body) : try context.savepoint(body)
        }

        /// The same for a closure that throws errors of another type, which are rethrown unchanged.
        @_disfavoredOverload
        @discardableResult
        public func savepoint<T>(judged: Bool = false, _ body: () throws -> T) throws -> T {
            let failure = Box<any Error>()
            do throws(StorageError) {
                return try savepoint(judged: judged) { () throws(StorageError) in try failure.keeping(body) }
            } catch {
                throw failure.value ?? error
            }
        }
    }

    /// The handle of a read block: one snapshot. The compiler does not let it leave the closure.
    public struct Snapshot: ~Copyable, ReadingVerbs {
        let context: TransactionContext
        let store: Store

        public var _session: Store.Session { Store.Session(target: .session(context, of: store)) }
    }
}

extension Store {
    /// Runs a transaction: all writes of the closure are committed when it returns, and undone if it throws.
    ///
    /// The closure is synchronous and runs off the caller's thread, and no other writer of the store runs in the meantime.
    /// It cannot wait for another task, so other writers wait only for the work of the closure.
    ///
    /// ```swift
    /// let total = try await store.transaction { tx in
    ///     try tx.save(person)
    ///     return try tx.select(Person.self).count()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - origin: the origin of the changes, which is recorded with them. Layers that change rows and the times of
    ///     `@Created` and `@Modified` act on ``CommitOrigin/call`` alone.
    ///   - retries: the number of times that the transaction is repeated if the store ends it with `busy` or `conflict`,
    ///     because another process writes; each time after a longer pause, of at most a second. An error that the body
    ///     itself throws never causes a retry.
    ///   - body: the closure, which runs once for each attempt. An error that leaves it undoes the transaction.
    /// - Returns: the body's result.
    /// - Throws: the closure's error, unchanged; `cancelled` if the task is cancelled before the commit; errors of
    ///   beginning and committing.
    @discardableResult
    public nonisolated(nonsending) func transaction<T: Sendable>(
        as origin: Origin = .call, retries: Int = 0,
        _ body: sending @escaping (inout Transaction) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        nonisolated(unsafe) let body = body
        return try await transacting(retries, as: origin, body)
    }

    /// The same for a closure that throws errors of another type, which are rethrown unchanged.
    @_disfavoredOverload
    @discardableResult
    public nonisolated(nonsending) func transaction<T: Sendable>(
        as origin: Origin = .call, retries: Int = 0, _ body: sending @escaping (inout Transaction) throws -> T
    ) async throws -> T {
        let failure = Box<any Error>()
        nonisolated(unsafe) let body = body
        do {
            return try await transacting(retries, as: origin) { (transaction) throws(StorageError) in
                try failure.keeping { try body(&transaction) }
            }
        } catch {
            throw failure.value ?? error
        }
    }

    /// - Parameters:
    ///   - body: called by the queue while this call waits. No other code can call it, because the callers take it as
    ///     `sending`.
    ///   - signature: takes the signature of the last attempt; nil if it is not wanted.
    nonisolated(nonsending) func transacting<T>(
        _ retries: Int, as origin: Origin = .call, signature: Box<CommitSignature>? = nil,
        _ body: @escaping (inout Transaction) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        var attempt = 0
        while true {
            let failure = BodyFailure()
            do throws(StorageError) {
                return try await writing("transaction") { context throws(StorageError) in
                    if let signature { signature.value = context.signature }
                    if origin != .call { context.signature.origin = origin }
                    var transaction = Transaction(context: context, store: self)
                    do throws(StorageError) {
                        return try body(&transaction)
                    } catch {
                        failure.error = error
                        failure.isOfStore = context.collision.map { error.isSame(as: $0) } ?? false
                        throw error
                    }
                }
            } catch {
                let isTransient = error.code == .busy || error.code == .conflict
                guard isTransient, failure.error == nil || failure.isOfStore, attempt < retries else {
                    throw failure.error ?? error
                }
                // A cancelled task ends its pause, and its next attempt throws.
                try? await Task.sleep(for: Self.pause(before: attempt))
                attempt += 1
            }
        }
    }

    /// The pause before a transaction is repeated. It doubles from 10 ms to a second, with a random part so that
    /// transactions that collided do not collide again.
    static func pause(before attempt: Int) -> Duration {
        let most = min(10 << min(attempt, 7), 1000)
        return .milliseconds(Int.random(in: most / 2...most))
    }

    /// Runs a block of reads. All of them see one snapshot.
    ///
    /// The closure is synchronous. It runs on the caller's thread, or on a separate thread if the engine waits for a server
    /// or if the caller is on an actor, whose state the closure cannot use.
    /// - Throws: the closure's error, unchanged; errors of reading.
    public nonisolated(nonsending) func read<T: Sendable>(
        _ body: sending (inout Snapshot) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await reads { () throws(StorageError) in try self.readBlocking(body) }
    }

    /// The same for a closure that throws errors of another type, which are rethrown unchanged.
    @_disfavoredOverload
    public nonisolated(nonsending) func read<T: Sendable>(
        _ body: sending (inout Snapshot) throws -> T
    ) async throws -> T {
        try await reads { try self.readBlocking(body) }
    }

    func readBlocking<T>(_ body: (inout Snapshot) throws(StorageError) -> T) throws(StorageError) -> T {
        try checkNotInTransaction("read")
        let failure = Box<StorageError>()
        do throws(StorageError) {
            return try withReader("read", .snapshot) { (reader) throws(StorageError) in
                let context = TransactionContext(environment, reader: reader)
                defer { context.end() }
                var snapshot = Snapshot(context: context, store: self)
                return try failure.keeping { () throws(StorageError) in
                    try runningCalls.runClosure { () throws(StorageError) in try body(&snapshot) }
                }
            }
        } catch {
            throw failure.value ?? error
        }
    }

    func readBlocking<T>(_ body: (inout Snapshot) throws -> T) throws -> T {
        let failure = Box<any Error>()
        do throws(StorageError) {
            return try readBlocking { (snapshot) throws(StorageError) in try failure.keeping { try body(&snapshot) } }
        } catch {
            throw failure.value ?? error
        }
    }

    /// The same calls without `async`, for programs and threads that may block.
    public var blocking: Blocking { Blocking(store: self) }
}

/// The error that left a transaction's body.
private final class BodyFailure {
    var error: StorageError?
    /// True if a call of the transaction threw the error and the body rethrew it.
    var isOfStore = false
}

extension Box where T: Error {
    /// Runs a closure and keeps its error, which is rethrown unchanged.
    func keeping<V>(_ body: () throws(T) -> V) throws(StorageError) -> V {
        do {
            return try body()
        } catch {
            value = error
            throw (error as? StorageError) ?? StorageError(.cancelled, "The body failed.")
        }
    }
}

extension Store {
    /// A store's calls without `async`: they block the calling thread until they are done.
    ///
    /// For command-line tools, tests and threads that you create. On a thread of the concurrency runtime, blocking calls
    /// delay other tasks. Inside a transaction of the same store, all of them throw `busy`; inside its read blocks and
    /// loops, the calls that write throw it, because they would wait for themselves. Cancelling a task ends the reads that
    /// run on its thread.
    public struct Blocking: WritingVerbs, Sendable {
        let store: Store

        public var _session: Store.Session { Store.Session(target: .store(store)) }

        /// Runs a transaction on the calling thread; see `transaction`.
        @discardableResult
        public func transaction<T>(
            as origin: Origin = .call, _ body: (inout Transaction) throws(StorageError) -> T
        ) throws(StorageError) -> T {
            let failure = Box<StorageError>()
            do throws(StorageError) {
                return try withoutActuallyEscaping(body) { body throws(StorageError) in
                    try store.writingBlocking("transaction") { context throws(StorageError) in
                        if origin != .call { context.signature.origin = origin }
                        var transaction = Transaction(context: context, store: store)
                        return try failure.keeping { () throws(StorageError) in try body(&transaction) }
                    }
                }
            } catch {
                throw failure.value ?? error
            }
        }

        /// The same for a closure that throws errors of another type, which are rethrown unchanged.
        @_disfavoredOverload
        @discardableResult
        public func transaction<T>(
            as origin: Origin = .call, _ body: (inout Transaction) throws -> T
        ) throws -> T {
            let failure = Box<any Error>()
            do throws(StorageError) {
                return try transaction(as: origin) { (transaction) throws(StorageError) in
                    try failure.keeping { try body(&transaction) }
                }
            } catch {
                throw failure.value ?? error
            }
        }

        /// Runs a block of reads that all see one snapshot; see `read`.
        public func read<T>(_ body: (inout Snapshot) throws(StorageError) -> T) throws(StorageError) -> T {
            try store.readBlocking(body)
        }

        /// The same for a closure that throws errors of another type, which are rethrown unchanged.
        @_disfavoredOverload
        public func read<T>(_ body: (inout Snapshot) throws -> T) throws -> T { try store.readBlocking(body) }

        /// Closes the store; see ``Store/close()``.
        public func close() throws(StorageError) { try store.closeNow() }
    }
}
