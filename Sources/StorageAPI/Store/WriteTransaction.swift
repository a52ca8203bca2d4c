import StorageDriver
import Synchronization

/// A write, from the call of a verb to the end of its commit. The caller creates it, ``CommitQueue`` runs and commits it,
/// and the caller gets it back to finish the call.
///
/// Unchecked: only `cancelled`, which is atomic, is used by several threads at once. The caller creates and enqueues the
/// transaction. Whoever takes it out of the queue's `pending`, under its lock, is then its only user: a drain, which passes
/// it to the queue that completes it, or the thread that cancels the task. `caller` returns it to the caller. The lock, the
/// queues and the continuation order memory.
final class WriteTransaction: CancellableCall, @unchecked Sendable {
    // Released when the transaction is complete, because an object that outlives the call must not retain the store or the
    // caller's closure.
    private var store: Store?
    private var body: ((TransactionContext) throws(StorageError) -> Void)?
    /// True if features may work before the body.
    private let isPreceded: Bool
    /// Measures the call; nil if the call is not measured.
    private let call: (any MeasuredCall)?
    /// True if the body may run again after it was undone. This is true of a verb's body and false for a user's closure.
    let isRepeatable: Bool
    private let cancelled = Atomic<Bool>(false)
    /// The caller to resume; nil if the caller waits on the queue itself.
    var caller: UnsafeContinuation<Void, Never>?
    /// Counts the call as running until the transaction is complete.
    var calls: RunningCalls?
    /// The group of which the transaction is one; nil if it is alone.
    var group: TransactionGroup?

    // The outcome of the last run. Exclusivity is not checked at run time, because no user of the transaction keeps an
    // access beyond one statement.

    /// True if the body has been called.
    @exclusivity(unchecked) private(set) var hasBegun = false
    /// True if the body has returned, or has left the commit to the work of features.
    @exclusivity(unchecked) private var hasRun = false
    /// True if the work of features has reached the limit of one commit, so the body has not run.
    @exclusivity(unchecked) private var isPostponed = false
    /// The models that the transaction has prepared or whose tables it has changed; nil for none.
    @exclusivity(unchecked) private(set) var own: UncommittedModels?
    /// The changes; nil if no feature followed them when the transaction began.
    @exclusivity(unchecked) private(set) var changes: ChangeSet?
    /// The changes made by the work of features before the body; nil for none, or if they are not wanted.
    @exclusivity(unchecked) private(set) var precedingChanges: ChangeSet?
    /// The first error; nil for none.
    @exclusivity(unchecked) private(set) var failure: StorageError?
    /// The transactions with which the last run shares the work of features; nil for none.
    @exclusivity(unchecked) private(set) var commitGroup: CommitGroup?

    init(
        in store: Store, isRepeatable: Bool, isPreceded: Bool = true, call: (any MeasuredCall)? = nil,
        _ body: @escaping (TransactionContext) throws(StorageError) -> Void
    ) {
        self.store = store
        self.isRepeatable = isRepeatable
        self.isPreceded = isPreceded
        self.call = call
        self.body = body
    }

    // MARK: On the queue

    /// Runs the body, after the work of features, in a transaction of the engine. Called by the queue, and again after a
    /// failure if `isRepeatable`, or if the body has not begun. The changes take effect when the engine commits.
    ///
    /// - Parameter commitGroup: the transactions that share a commit with this one, which features complete together.
    func run(_ writer: any StorageWriter, in commitGroup: CommitGroup? = nil) throws(StorageError) {
        try checkCancellation()
        hasRun = false
        self.commitGroup = commitGroup
        if let store, let body { try run(body, writer, in: store) }
        try checkCancellation()
    }

    private func run(
        _ body: (TransactionContext) throws(StorageError) -> Void, _ writer: any StorageWriter, in store: Store
    ) throws(StorageError) {
        let writer = call?.measuring(writer) ?? writer
        if let version = store.sharedTables?.tablesVersion, try store.registry.compareAgain(at: version, in: writer) {
            try store.features.find(in: writer, isAgain: true)
        }
        var preceding: PrecedingCommit?
        if isPreceded, !store.features.activity.isIdle(at: store.tablesVersion) {
            preceding = try store.features.work(before: self, writer, in: store)
        }
        var isPostponed = preceding?.isAtLimit ?? false
        if let group {
            isPostponed = isPostponed || group.isPostponed
            group.isPostponed = isPostponed
        }
        let (context, capture) = store.context(of: self, writer)
        defer { context.end() }
        let own: UncommittedModels?
        do throws(StorageError) {
            if !isPostponed {
                hasBegun = true
                group?.hasBegun = true
                try body(context)
            }
            own = try store.finish(context, capture)
        } catch {
            context.releaseNames()
            throw error
        }
        (self.own, self.isPostponed) = (own, isPostponed)
        (changes, precedingChanges) = (capture?.changes, preceding?.changes)
        hasRun = true
    }

    /// Runs in a savepoint, so that a failure undoes this transaction only. Called for a transaction that shares a commit
    /// with others.
    ///
    /// - Parameter earlier: the error of the previous run, which is closer to the cause.
    func runAlone(_ writer: any StorageWriter, after earlier: StorageError? = nil) {
        do {
            try writer.savepoint { () throws(StorageError) in try run(writer) }
        } catch {
            fail(earlier ?? error)
        }
    }

    /// True if it has failed, and may run in a later commit: its body has not begun, nor that of another one of its group.
    var canRunLater: Bool {
        failure != nil && !hasBegun && group?.hasBegun != true && group?.isPostponed != true
    }

    /// Clears the failure of a run that was undone. Called before the next run.
    func restart() {
        failure = nil
        group?.isPostponed = false
    }

    /// Records a failure. The caller gets the first one.
    func fail(_ error: StorageError) {
        failure = failure ?? error
        commitGroup = nil
    }

    /// Lets the features keep their knowledge for the next group. Called when the commit is durable.
    func didCommit() { commitGroup.take()?.didCommit() }

    /// Returns the transaction to its caller. Called once, when the transaction is durable or has failed.
    func complete() {
        body = nil
        store = nil
        calls.take()?.end()
        caller.take()?.resume()
    }

    // MARK: After the commit

    /// Ends the call: throws its failure, or runs the actions that wait for the commit and makes the prepared models known
    /// to the store. Called by the caller, after ``complete()``.
    ///
    /// - Returns: whether the body has run. If not, the call needs another transaction.
    func finish(_ operation: String, in store: Store) throws(StorageError) -> Bool {
        if failure == nil, isPostponed {
            runActions(of: precedingChanges)
            return false
        }
        let failure = failure?.at(operation: operation, backend: store.info.name)
        call?.finish(failure)
        if let failure {
            if let own { store.registry.release(own.claimed) }
            throw failure
        }
        guard hasRun else { throw store.notRun(operation) }
        runActions(of: precedingChanges)
        runActions(of: changes)
        if let own {
            store.registry.forget(own.changed)
            store.registry.add(own.prepared)
        }
        return true
    }

    /// Runs the actions that wait for the commit of changes.
    @inline(__always)
    private func runActions(of changes: ChangeSet?) {
        if let changes { for closure in changes.afterCommit { closure() } }
    }

    // MARK: Cancelling

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func checkCancellation() throws(StorageError) {
        if isCancelled { throw Self.cancellation }
    }

    static var cancellation: StorageError {
        StorageError(.cancelled, "The task was cancelled; nothing of this call is stored.")
    }
}

/// Transactions that run in their order, and are committed together.
///
/// Used by the thread that runs its transactions alone.
final class TransactionGroup: @unchecked Sendable {
    /// True if the body of one of them has been called, so that none may run again.
    var hasBegun = false
    /// True if one of them is left to another commit, and so all after it are.
    var isPostponed = false
}
