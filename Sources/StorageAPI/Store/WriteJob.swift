import StorageDriver
import Synchronization

/// The outcome of one run of a job's body. It is moved into its job: copies would cost a save more than they hold.
struct WriteAttempt: ~Copyable {
    /// True if the body has come to its end, or has left the transaction to the removal of expired records.
    var hasRun = false
    /// Models that it has prepared, and those whose tables it has changed; nil if there are none.
    var own: UncommittedModels?
    /// The changes, if anybody asked for them when it began.
    var changes: ChangeSet?
    /// The changes by the removal of expired records before it; nil if there are none, or if they are not wanted.
    var expired: ChangeSet?
    /// Actions of the layers for the time after the commit; nil if no changes are captured. An empty array would cost each save.
    var afterCommit: [() -> Void]?
    /// The number of the commit in the history; nil if it records nothing of it.
    var commit: Int64?
    /// True if the run has removed as many expired records as one commit does, and has done nothing else.
    var expiryLimitReached = false
}

/// One write that waits its turn.
///
/// Unchecked: one thread at a time uses everything but `cancelled`, which is atomic. The caller creates and enqueues
/// the job. Whoever takes it out of `pending`, under its lock, is its only user: a drain, which passes it to the queue
/// that completes it, or the thread that cancels the task. `caller` returns it to the caller. The lock, the queues and
/// the continuation order memory.
final class WriteJob: CancellableCall, @unchecked Sendable {
    // Released when the job is complete: nothing that outlives the call may keep the store or the caller's closure.
    private var store: Store?
    private var body: ((TransactionContext) throws(StorageError) -> Void)?
    /// True if expired records are deleted before the body runs.
    let removesExpired: Bool
    /// Counts the work of the write; nil if the store has no instruments.
    let call: MeteredCall?
    /// The last run of the body. Exclusivity is not checked at run time: no access lasts beyond one statement of those who use
    /// the job.
    @exclusivity(unchecked) private(set) var attempt = WriteAttempt()
    private(set) var outcome: StorageError?
    /// True if the body has been called.
    var hasBegun = false
    /// True if the body may run again after it was undone: a verb's body may, a user's closure may not.
    let isRepeatable: Bool
    private let cancelled = Atomic<Bool>(false)
    /// The waiting caller, if it does not wait on the queue itself.
    var caller: UnsafeContinuation<Void, Never>?
    /// Counts the call until the job is complete.
    var calls: RunningCalls?

    init(
        _ store: Store, isRepeatable: Bool, removesExpired: Bool = true, _ call: MeteredCall? = nil,
        _ body: @escaping (TransactionContext) throws(StorageError) -> Void
    ) {
        self.store = store
        self.isRepeatable = isRepeatable
        self.removesExpired = removesExpired
        self.call = call
        self.body = body
    }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func checkCancellation() throws(StorageError) {
        if isCancelled { throw Self.cancellation }
    }

    static var cancellation: StorageError {
        StorageError(.cancelled, "The task was cancelled; nothing of this call is stored.")
    }

    func run(_ writer: any StorageWriter) throws(StorageError) {
        try checkCancellation()
        attempt.hasRun = false
        if let store, let body { attempt = try store.run(self, body, writer) }
        try checkCancellation()
    }

    /// Runs in a savepoint: a failure undoes this job only.
    ///
    /// - Parameter failure: the error of the job's earlier run, which is closer to the cause.
    func runAlone(_ writer: any StorageWriter, after failure: StorageError? = nil) {
        do {
            try writer.savepoint { () throws(StorageError) in try run(writer) }
        } catch {
            fail(failure ?? error)
        }
    }

    /// Forgets the failure of a run of which nothing is stored, before the next.
    func restart() { outcome = nil }

    /// The caller gets the first failure.
    func fail(_ error: StorageError) { outcome = outcome ?? error }

    func complete() {
        body = nil
        store = nil
        calls.take()?.end()
        caller.take()?.resume()
    }
}
