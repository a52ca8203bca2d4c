public import StorageDriver

extension Store {
    /// The result of a transaction with the number of its commit; see `Store.commit`.
    public struct Committed<Value> {
        /// The result of the transaction's body.
        public let value: Value
        /// The number of the commit in the history; nil if the store keeps no history of the changed models.
        public let commit: Int?
    }

    /// Runs a transaction, as `transaction` does, and returns the number of its commit beside the body's result.
    ///
    /// ```swift
    /// let done = try await store.commit { tx in try tx.delete(person) }
    /// if let commit = done.commit { try await store.undo(commit) }
    /// ```
    ///
    /// The number is that of this transaction, also while others write to the store.
    ///
    /// - Parameters:
    ///   - origin: the origin of the changes, as for `transaction`.
    ///   - retries: the number of times that the transaction is repeated if the store ends it with `busy` or `conflict`.
    ///   - body: the closure, which runs once for each attempt. An error that leaves it undoes the transaction.
    /// - Throws: as `transaction`.
    @discardableResult
    public nonisolated(nonsending) func commit<T: Sendable>(
        as origin: Origin = .call, retries: Int = 0,
        _ body: sending @escaping (inout Transaction) throws(StorageError) -> T
    ) async throws(StorageError) -> Committed<T> {
        let signature = Box<CommitSignature>()
        nonisolated(unsafe) let body = body
        let value = try await transacting(retries, as: origin, signature: signature, body)
        return Committed(value: value, signature)
    }

    /// The same for a closure that throws errors of another type, which are rethrown unchanged.
    @_disfavoredOverload
    @discardableResult
    public nonisolated(nonsending) func commit<T: Sendable>(
        as origin: Origin = .call, retries: Int = 0, _ body: sending @escaping (inout Transaction) throws -> T
    ) async throws -> Committed<T> {
        let failure = Box<any Error>()
        let signature = Box<CommitSignature>()
        // As in `transaction`: the queue alone calls it, while this call waits.
        nonisolated(unsafe) let body = body
        do {
            let value = try await transacting(retries, as: origin, signature: signature) {
                (transaction) throws(StorageError) in
                try failure.keeping { try body(&transaction) }
            }
            return Committed(value: value, signature)
        } catch {
            throw failure.value ?? error
        }
    }
}

extension Store.Committed {
    init(value: Value, _ signature: Box<CommitSignature>) {
        self.init(value: value, commit: signature.value?.commit.map { Int($0) })
    }
}

extension Store.Committed: Sendable where Value: Sendable {}

extension Store.Blocking {
    /// Runs a transaction on the calling thread, and returns the number of its commit beside the body's result; see
    /// `Store.commit`.
    @discardableResult
    public func commit<T>(
        as origin: Store.Origin = .call, _ body: (inout Store.Transaction) throws(StorageError) -> T
    ) throws(StorageError) -> Store.Committed<T> {
        let signature = Box<CommitSignature>()
        let value = try transaction(as: origin) { (transaction) throws(StorageError) in
            signature.value = transaction.context.signature
            return try body(&transaction)
        }
        return Store.Committed(value: value, signature)
    }

    /// The same for a closure that throws errors of another type, which are rethrown unchanged.
    @_disfavoredOverload
    @discardableResult
    public func commit<T>(
        as origin: Store.Origin = .call, _ body: (inout Store.Transaction) throws -> T
    ) throws -> Store.Committed<T> {
        let signature = Box<CommitSignature>()
        let value = try transaction(as: origin) { transaction in
            signature.value = transaction.context.signature
            return try body(&transaction)
        }
        return Store.Committed(value: value, signature)
    }
}
