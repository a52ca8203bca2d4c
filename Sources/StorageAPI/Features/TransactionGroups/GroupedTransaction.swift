import StorageDriver

/// A transaction of a group with the outcome of its body.
final class GroupedTransaction<T>: @unchecked Sendable {
    private let store: Store
    private let body: (inout Store.Transaction) throws -> T
    private let origin: Store.Origin
    private let isRepeatable: Bool
    private let call: (any MeasuredCall)?
    private let failure = Box<any Error>()
    private let value = Box<T>()
    /// The transaction that runs the body; nil before the first.
    private(set) var transaction: WriteTransaction?
    /// The outcome; nil until the transaction is committed or has failed.
    private(set) var result: Result<T, any Error>?

    init(_ transaction: Store.GroupBody<T>, repeating: Bool, in store: Store) {
        (origin, body, isRepeatable, self.store) = (transaction.origin, transaction.body, repeating, store)
        call = store.features.meter?.begin(Self.operation, model: nil, isWriting: true, in: store)
    }

    static var operation: String { "transactions" }

    func begin(in group: TransactionGroup) -> WriteTransaction {
        let transaction = WriteTransaction(in: store, isRepeatable: isRepeatable, call: call) {
            [store, origin, body, failure, value] context throws(StorageError) in
            // An earlier run may have left them.
            (failure.value, value.value) = (nil, nil)
            if origin != .call { context.signature.origin = origin }
            var handle = Store.Transaction(context: context, store: store)
            value.value = try failure.keeping { try body(&handle) }
        }
        transaction.group = group
        self.transaction = transaction
        return transaction
    }

    /// Ends the transaction, which is complete.
    ///
    /// - Returns: the models that it has prepared; nil for none, or if it has not run and needs another commit.
    func finish() -> UncommittedModels? {
        guard let transaction else { return nil }
        do throws(StorageError) {
            guard try transaction.finish(Self.operation, in: store) else { return nil }
            result = value.value.map { .success($0) } ?? .failure(store.notRun(Self.operation))
            return transaction.own
        } catch {
            result = .failure(failure.value ?? error)
            return nil
        }
    }

    /// Fails the transaction, which does not run.
    func fail(_ error: StorageError) {
        call?.finish(error)
        result = .failure(error)
    }
}

extension TransactionGroup {
    /// Makes a transaction of each body.
    ///
    /// - Returns: the transactions, and the results of the bodies once they have run.
    static func of<T>(
        _ bodies: [Store.GroupBody<T>], repeating: Bool, in store: Store
    ) -> [GroupedTransaction<T>] {
        bodies.map { GroupedTransaction($0, repeating: repeating, in: store) }
    }
}

extension Store {
    /// Runs several transactions in their order, and commits them together, with one sync.
    ///
    /// Each sees the writes of the ones before it, has an author, a note and a number in the history, and may fail alone: if
    /// its body throws, its writes are undone and the others are not. That is a fraction of the cost of as many
    /// calls of `transaction`, whose commits wait for the disk one by one.
    ///
    /// ```swift
    /// func take(_ people: [Person]) async -> [Result<Void, any Error>] {
    ///     await store.transactions(
    ///         people.map { person in
    ///             { tx in
    ///                 tx.author = person.name
    ///                 try tx.insert(person)
    ///             }
    ///         })
    /// }
    /// ```
    ///
    /// If the commit fails, all that have succeeded until then fail with its error, and none is stored. Cancelling
    /// the task keeps the transactions that have ended, and fails the running one and all after it with `cancelled`. If so
    /// many records have expired that their removal fills a commit, the rest of the transactions is in another commit.
    ///
    /// - Parameters:
    ///   - origin: the origin of the changes of all of them, as for `transaction`.
    ///   - bodies: the closures, each of which runs once at most, off the caller's thread, as that of `transaction`.
    /// - Returns: the result of each transaction, in their order: the value of its body, the error that left the body,
    ///   unchanged, or the error with which it could not begin or be committed.
    public nonisolated(nonsending) func transactions<T: Sendable>(
        as origin: Origin = .call, _ bodies: sending [(inout Transaction) throws -> T]
    ) async -> [Result<T, any Error>] {
        await transactions(repeating: false, bodies.map { (origin, $0) })
    }

    /// A transaction of a group: the origin of its changes, and the closure that makes them.
    public typealias GroupBody<T> = (origin: Origin, body: (inout Transaction) throws -> T)

    /// Runs several transactions of different origins in their order, and commits them together; see
    /// ``transactions(as:_:)``.
    ///
    /// - Parameters:
    ///   - repeating: true if the closures may run again. The transactions then share their questions to a server as far as
    ///     they can, which costs a fraction: if one of them fails, all are undone, and each runs again by itself. Such closures
    ///     must have no effect but their writes and their values. Cancelling the task fails all that are not committed.
    ///   - bodies: the origin of each transaction, and its closure.
    /// - Returns: the result of each transaction, in their order: of its last run.
    public nonisolated(nonsending) func transactions<T: Sendable>(
        repeating: Bool, _ bodies: sending [GroupBody<T>]
    ) async -> [Result<T, any Error>] {
        // The queue alone calls them, while this call waits.
        nonisolated(unsafe) let bodies = bodies
        let all = TransactionGroup.of(bodies, repeating: repeating, in: self)
        var open = all[...]
        while !open.isEmpty {
            do throws(StorageError) { try enter(GroupedTransaction<T>.operation) } catch {
                for transaction in open { transaction.fail(error) }
                break
            }
            let group = TransactionGroup()
            let transactions = open.map { $0.begin(in: group) }
            if Task.isCancelled { for transaction in transactions { transaction.cancel() } }
            await queue.run(transactions, of: runningCalls)
            for transaction in open {
                if let own = transaction.finish() { try? await complete(own.names, isCommitted: true) }
            }
            open = open.filter { $0.result == nil }[...]
        }
        return all.map { $0.result ?? .failure(notRun(GroupedTransaction<T>.operation)) }
    }
}

extension Store.Blocking {
    /// Runs several transactions in their order on the calling thread, and commits them together; see
    /// ``Store/transactions(as:_:)``.
    ///
    /// - Returns: the result of each transaction, in their order.
    public func transactions<T>(
        as origin: Store.Origin = .call, _ bodies: [(inout Store.Transaction) throws -> T]
    ) -> [Result<T, any Error>] {
        transactions(repeating: false, bodies.map { (origin, $0) })
    }

    /// Runs several transactions of different origins in their order on the calling thread, and commits them together; see
    /// ``Store/transactions(repeating:_:)``.
    ///
    /// - Returns: the result of each transaction, in their order.
    public func transactions<T>(
        repeating: Bool, _ bodies: [Store.GroupBody<T>]
    ) -> [Result<T, any Error>] {
        let all = TransactionGroup.of(bodies, repeating: repeating, in: store)
        var open = all[...]
        while !open.isEmpty {
            do throws(StorageError) {
                try store.enter(GroupedTransaction<T>.operation)
                defer { store.runningCalls.end() }
                try store.checkNotInBody(GroupedTransaction<T>.operation)
                let group = TransactionGroup()
                store.queue.runBlocking(open.map { $0.begin(in: group) })
            } catch {
                for transaction in open { transaction.fail(error) }
                break
            }
            for transaction in open {
                if let own = transaction.finish() { try? store.completeBlocking(own.names, isCommitted: true) }
            }
            open = open.filter { $0.result == nil }[...]
        }
        return all.map { $0.result ?? .failure(store.notRun(GroupedTransaction<T>.operation)) }
    }
}
