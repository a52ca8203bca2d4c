internal import Dispatch
import StorageDriver
import Synchronization

/// Runs writers one after the other, and commits those that wait together at once, with one sync. One of them may fail
/// without the others.
///
/// Jobs run on one serial queue: a commit blocks for as long as the disk takes, and no thread of the concurrency
/// runtime should block. There is no timer: the job that finds the queue free is committed together with all that wait
/// by then. While the next jobs run, a second queue completes the earlier ones and, if the engine can, waits for their
/// commit.
final class CommitQueue: Sendable {
    private let queue = DispatchQueue(label: "storage.writer")
    private let pending = Mutex(WriteJobs())
    private let mark = DispatchSpecificKey<Bool>()
    private let engine: any StorageEngine
    private let observers: CommitFeed
    private let layers: ApplicationLayers
    /// The engine, if its commits can be waited for later.
    private let pipeline: (any PipeliningEngine)?
    /// The engine, if it sends several batches at once.
    private let deferring: (any BatchingEngine)?
    private let completions = DispatchQueue(label: "storage.completions")
    /// The number of groups of jobs that have run and are not complete.
    private let completing = Atomic(0)

    init(_ engine: any StorageEngine, _ observers: CommitFeed, _ layers: ApplicationLayers) {
        self.engine = engine
        self.observers = observers
        self.layers = layers
        pipeline = engine as? any PipeliningEngine
        deferring = engine as? any BatchingEngine
        for queue in [queue, completions] { queue.setSpecific(key: mark, value: true) }
    }

    /// True if the caller is a running write, or a value that it releases at its end.
    var isInside: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    /// The number of jobs that wait for their turn.
    var waitingJobs: Int { pending.withLock { $0.count } }

    /// Runs the job and returns when it is committed or undone. If the task is cancelled while the job waits its turn,
    /// it returns at once.
    ///
    /// - Parameter calls: counts the call, which ends on a queue, before the caller's task gets a thread again.
    nonisolated(nonsending) func run(_ job: WriteJob, of calls: RunningCalls? = nil) async {
        await withTaskCancellationHandler {
            // Unchecked, because a checked continuation would double the cost of a write besides its statements. The
            // queue completes every job once, since `drain` takes each from `pending` once.
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                job.calls = calls
                job.caller = continuation
                // If others wait already, their drain has not begun, and it takes this job too.
                if enqueue(job) { queue.async { self.drain() } }
                // The task may have been cancelled before the job was in the queue, where it could not be found.
                if job.isCancelled { withdraw(job) }
            }
        } onCancel: {
            job.cancel()
            withdraw(job)
        }
    }

    /// Ends a cancelled job that still waits. If a drain has taken it, the drain ends it.
    private func withdraw(_ job: WriteJob) {
        let waited = pending.withLock { pending in
            pending.remove(job)
        }
        guard waited else { return }
        job.fail(WriteJob.cancellation)
        job.complete()
    }

    /// The same on the caller's thread.
    func runBlocking(_ job: WriteJob) {
        _ = enqueue(job)
        queue.sync { drain() }
        waitForCompletions()
    }

    /// Runs the body on the queue's thread while no write runs.
    nonisolated(nonsending) func perform<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            queue.async {
                self.waitForCompletions()
                continuation.resume(returning: body())
            }
        }
    }

    /// Waits until no write runs, and runs the body before any other.
    func finish(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        var failure: StorageError?
        queue.sync {
            waitForCompletions()
            do throws(StorageError) { try body() } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Closes the engine of a store that was dropped: before this returns, unless the caller is one of the queues, which
    /// cannot wait for itself.
    func closeDropped() {
        let close = { @Sendable [self] in
            waitForCompletions()
            // No caller is left to receive the error; earlier commits stay.
            try? engine.close()
        }
        if isInside { queue.async(execute: close) } else { queue.sync(execute: close) }
    }

    /// Adds a job, and returns whether it is the first that waits.
    private func enqueue(_ job: WriteJob) -> Bool {
        pending.withLock { pending in
            pending.append(job)
            return pending.count == 1
        }
    }

    /// Commits all jobs that wait. Does nothing if another drain has taken them.
    private func drain() {
        let jobs = pending.withLock { pending in
            let jobs = pending
            pending = WriteJobs()
            return jobs
        }
        guard !jobs.isEmpty else { return }
        var commit: (any PendingCommit)?
        do {
            if let pipeline {
                commit = try pipeline.writeAhead { (writer) throws(StorageError) in try run(jobs, writer) }
            } else if try !isDeferred(jobs) {
                try engine.write { (writer) throws(StorageError) in try run(jobs, writer) }
            }
        } catch {
            jobs.forEach { $0.fail(error) }
        }
        complete(jobs, after: commit)
    }

    /// Completes jobs in the order in which they ran, when their commit is durable: on this thread if nobody waits,
    /// since changing threads takes as long as some disks, and if they have changed tables, so that the next job is not
    /// planned for the old ones.
    private func complete(_ jobs: WriteJobs, after commit: (any PendingCommit)?) {
        var changesTables = false
        jobs.forEach { if $0.attempt.own?.changed.isEmpty == false { changesTables = true } }
        if changesTables { waitForCompletions() }
        // Only this queue adds jobs to be completed: if there are none, no job is overtaken.
        if !isCompleting, changesTables || pending.withLock({ $0.isEmpty }) { return finish(commit, of: jobs) }
        completing.add(1, ordering: .relaxed)
        completions.async {
            self.finish(commit, of: jobs)
            self.completing.subtract(1, ordering: .releasing)
        }
    }

    private func finish(_ commit: (any PendingCommit)?, of jobs: WriteJobs) {
        do throws(StorageError) { try commit?.finish() } catch {
            jobs.forEach { $0.fail(error) }
        }
        if layers.hasCommitLayers { jobs.forEach(tellLayers) }
        // Notify observers before resuming callers, to preserve order.
        if observers.isAsked { jobs.forEach { observers.tell($0) } }
        jobs.forEach { $0.complete() }
    }

    private func tellLayers(_ job: WriteJob) {
        guard job.outcome == nil else { return }
        for changes in [job.attempt.expired, job.attempt.changes] { if let changes { layers.didCommit(changes) } }
    }

    /// Waits until all jobs that have run are complete.
    private func waitForCompletions() {
        if isCompleting { completions.sync {} }
    }

    private var isCompleting: Bool { completing.load(ordering: .acquiring) > 0 }

    private func isDeferred(_ jobs: WriteJobs) throws(StorageError) -> Bool {
        guard let deferring else { return false }
        return try runBatching(jobs.all, deferring)
    }

    /// Runs jobs whose batches may be carried out later. False if one of them has failed: nothing is then done, and which has,
    /// and why, is found when they run one after the other.
    private func runBatching(_ jobs: [WriteJob], _ engine: any BatchingEngine) throws(StorageError) -> Bool {
        guard jobs.allSatisfy(\.isRepeatable) else { return false }
        var (hasBegun, hasRun) = (false, false)
        do {
            return try engine.writeBatching { (writer) throws(StorageError) in
                hasBegun = true
                for job in jobs { try job.run(writer) }
                hasRun = true
                for job in jobs { announce(job) }
            }
        } catch {
            guard hasBegun, !hasRun else { throw error }
            return false
        }
    }

    private func run(_ jobs: WriteJobs, _ writer: any StorageWriter) throws(StorageError) {
        if let job = jobs.only { try job.run(writer) } else { Self.runEach(jobs.all, writer) }
        jobs.forEach(announce)
    }

    private func announce(_ job: WriteJob) {
        if observers.isAsked, job.outcome == nil { observers.announce(job) }
    }

    /// Runs jobs in one transaction so that each is done or undone. Jobs that may run again share a savepoint, because
    /// a savepoint costs more than some jobs.
    private static func runEach(_ jobs: [WriteJob], _ writer: any StorageWriter) {
        var rest = jobs[...]
        while let first = rest.first {
            let together = rest.prefix { $0.isRepeatable }
            if together.count > 1 {
                runTogether(together, writer)
                rest = rest[together.endIndex...]
            } else {
                first.runAlone(writer)
                rest = rest.dropFirst()
            }
        }
    }

    /// Runs jobs in one savepoint. If one fails, all are undone, and each runs again in its own savepoint.
    private static func runTogether(_ jobs: ArraySlice<WriteJob>, _ writer: any StorageWriter) {
        var running: WriteJob?
        do {
            try writer.savepoint { () throws(StorageError) in
                for job in jobs {
                    running = job
                    try job.run(writer)
                }
            }
        } catch {
            for job in jobs { job.runAlone(writer, after: job === running ? error : nil) }
        }
    }
}

/// Jobs in the order in which they came. One alone, as it mostly is, needs no array.
private struct WriteJobs {
    private var first: WriteJob?
    private var others: [WriteJob] = []

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : others.count + 1 }
    /// The job, if there is one alone.
    var only: WriteJob? { others.isEmpty ? first : nil }
    var all: [WriteJob] { first.map { [$0] + others } ?? [] }

    func forEach(_ body: (WriteJob) -> Void) {
        if let first { body(first) }
        for job in others { body(job) }
    }

    mutating func append(_ job: WriteJob) {
        if first == nil { first = job } else { others.append(job) }
    }

    /// Removes a job, and returns whether it was waiting.
    mutating func remove(_ job: WriteJob) -> Bool {
        if first === job {
            first = others.isEmpty ? nil : others.removeFirst()
            return true
        }
        guard let place = others.firstIndex(where: { $0 === job }) else { return false }
        others.remove(at: place)
        return true
    }
}

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

    /// The caller gets the first failure.
    func fail(_ error: StorageError) { outcome = outcome ?? error }

    func complete() {
        body = nil
        store = nil
        calls.take()?.end()
        caller.take()?.resume()
    }
}
