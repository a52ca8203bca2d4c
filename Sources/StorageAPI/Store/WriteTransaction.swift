import StorageDriver
import Synchronization

/// A write from the call of its verb to the end of its commit.
///
/// Unchecked: one thread at a time uses everything but `cancelled`, which is atomic. The caller creates and enqueues
/// the transaction. Whoever takes it out of the queue's `pending`, under its lock, is its only user: a drain, which passes it
/// to the queue that completes it, or the thread that cancels the task. `caller` returns it to the caller. The lock, the
/// queues and the continuation order memory.
final class WriteTransaction: CancellableCall, @unchecked Sendable {
    // Released when the transaction is complete: nothing that outlives the call may keep the store or the caller's closure.
    private var store: Store?
    private var body: ((TransactionContext) throws(StorageError) -> Void)?
    /// True if features may work before the body.
    private let isPreceded: Bool
    /// Measures the call; nil if nobody asks for it.
    private let call: (any MeasuredCall)?
    /// True if the body may run again after it was undone: a verb's body may, a user's closure may not.
    let isRepeatable: Bool
    private let cancelled = Atomic<Bool>(false)
    /// The waiting caller, if it does not wait on the queue itself.
    var caller: UnsafeContinuation<Void, Never>?
    /// Counts the call until the transaction is complete.
    var calls: RunningCalls?

    // The outcome of the last run. Exclusivity is not checked at run time: no access lasts beyond one statement of those who
    // use the transaction.

    /// True if the body has been called.
    @exclusivity(unchecked) private(set) var hasBegun = false
    /// True if the body has come to its end, or has left the commit to the work of features.
    @exclusivity(unchecked) private var hasRun = false
    /// True if the work of features before the body is as much as one commit does, and the body has not run.
    @exclusivity(unchecked) private var isPostponed = false
    /// Models that it has prepared, and those whose tables it has changed; nil if there are none.
    @exclusivity(unchecked) private(set) var own: UncommittedModels?
    /// The changes, if anybody asked for them when it began.
    @exclusivity(unchecked) private(set) var changes: ChangeSet?
    /// The changes by the work of features before it; nil if there are none, or if they are not wanted.
    @exclusivity(unchecked) private(set) var precedingChanges: ChangeSet?
    /// The first error; nil if there is none.
    @exclusivity(unchecked) private(set) var failure: StorageError?

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

    /// Runs the body in a transaction of the engine. Its changes take effect when that is committed.
    func run(_ writer: any StorageWriter) throws(StorageError) {
        try checkCancellation()
        hasRun = false
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
        let isPostponed = preceding?.isAtLimit ?? false
        let (context, capture) = store.context(of: self, writer)
        defer { context.end() }
        let own: UncommittedModels?
        do throws(StorageError) {
            if !isPostponed {
                hasBegun = true
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

    /// Runs in a savepoint: a failure undoes this transaction only.
    ///
    /// - Parameter earlier: the error of the earlier run, which is closer to the cause.
    func runAlone(_ writer: any StorageWriter, after earlier: StorageError? = nil) {
        do {
            try writer.savepoint { () throws(StorageError) in try run(writer) }
        } catch {
            fail(earlier ?? error)
        }
    }

    /// Forgets the failure of a run of which nothing is stored, before the next.
    func restart() { failure = nil }

    /// The caller gets the first failure.
    func fail(_ error: StorageError) { failure = failure ?? error }

    /// Returns the transaction to its caller.
    func complete() {
        body = nil
        store = nil
        calls.take()?.end()
        caller.take()?.resume()
    }

    // MARK: After the commit

    /// Ends the call. The models that the transaction has prepared are then known.
    ///
    /// - Returns: whether the body has run; if not, the call needs another transaction.
    func finish(_ operation: String, in store: Store) throws(StorageError) -> Bool {
        if failure == nil, isPostponed { return false }
        let failure = failure?.at(operation: operation, backend: store.info.name)
        call?.finish(failure)
        if let failure {
            if let own { store.registry.release(own.claimed) }
            throw failure
        }
        guard hasRun else { throw store.notRun(operation) }
        if let changes { for closure in changes.afterCommit { closure() } }
        if let own {
            store.registry.forget(own.changed)
            store.registry.add(own.prepared)
        }
        return true
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
