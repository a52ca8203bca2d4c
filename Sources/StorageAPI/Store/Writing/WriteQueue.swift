internal import Dispatch
import StorageDriver
import Synchronization

/// Lets writers in one after the other, and commits those that wait together at once: one sync for all. One of them
/// may fail alone.
///
/// Jobs run on one serial queue: a commit blocks for as long as a disk takes, which no thread of the concurrency
/// runtime should. There is no timer: whoever finds the queue free takes everyone who waits by then along. While the
/// next jobs run, those before are completed on a second queue, and where the engine can, their commit is waited for there.
final class WriteQueue: Sendable {
    private let queue = DispatchQueue(label: "storage.writer")
    private let pending = Mutex<[WriteJob]>([])
    private let mark = DispatchSpecificKey<Bool>()
    private let engine: any StorageEngine
    /// The engine, where it need not be waited for.
    private let pipeline: (any PipeliningEngine)?
    private let completions = DispatchQueue(label: "storage.completions")
    /// How many groups of jobs have run and are not complete.
    private let completing = Atomic(0)

    init(_ engine: any StorageEngine) {
        self.engine = engine
        pipeline = engine as? any PipeliningEngine
        for queue in [queue, completions] { queue.setSpecific(key: mark, value: true) }
    }

    /// Whether the caller is a write that is running, or what it lets go of at its end.
    var isInside: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    /// Runs the job and returns when it is committed or undone. Where the task is cancelled while the job waits its turn,
    /// it returns at once.
    ///
    /// - Parameter atEnd: called on a queue, before the caller's task gets a thread again.
    nonisolated(nonsending) func run(_ job: WriteJob, atEnd: @escaping @Sendable () -> Void = {}) async {
        await withTaskCancellationHandler {
            // Unchecked, because this is half of what a write costs beside its statements: the queue completes every
            // job once, since `drain` takes each from `pending` once.
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                job.completion = {
                    atEnd()
                    continuation.resume()
                }
                // Where others wait already, the drain that they have asked for has not begun, and takes this one along.
                if enqueue(job) { queue.async { self.drain() } }
                // Cancelled before it waited, it was not there to be withdrawn.
                if job.isCancelled { withdraw(job) }
            }
        } onCancel: {
            job.cancel()
            withdraw(job)
        }
    }

    /// Ends a cancelled job that still waits. One that a drain has taken ends there.
    private func withdraw(_ job: WriteJob) {
        let waited = pending.withLock { pending in
            guard let place = pending.firstIndex(where: { $0 === job }) else { return false }
            pending.remove(at: place)
            return true
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
            // Nobody is left to be told; what was committed is committed.
            try? engine.close()
        }
        if isInside { queue.async(execute: close) } else { queue.sync(execute: close) }
    }

    /// Whether the job is the first that waits.
    private func enqueue(_ job: WriteJob) -> Bool {
        pending.withLock { pending in
            pending.append(job)
            return pending.count == 1
        }
    }

    /// Commits all jobs that wait. A job that another drain took along leaves nothing to do here.
    private func drain() {
        let jobs = pending.withLock { pending in
            let jobs = pending
            pending = []
            return jobs
        }
        guard !jobs.isEmpty else { return }
        var commit: (any PendingCommit)?
        do {
            if let pipeline {
                commit = try pipeline.writeAhead { (writer) throws(StorageError) in try Self.run(jobs, writer) }
            } else {
                try engine.write { (writer) throws(StorageError) in try Self.run(jobs, writer) }
            }
        } catch {
            for job in jobs { job.fail(error) }
        }
        complete(jobs, after: commit)
    }

    /// Completes jobs in the order in which they ran, when their commit is durable: on this thread where nobody waits, since
    /// to change threads takes as long as some disks, and where they have changed tables, so that the next job is not
    /// planned for the old ones.
    private func complete(_ jobs: [WriteJob], after commit: (any PendingCommit)?) {
        let changesTables = jobs.contains { !$0.changed.isEmpty }
        if changesTables { waitForCompletions() }
        // Only this queue adds to what is being completed: where that is nothing, nothing is overtaken.
        if !isCompleting, changesTables || pending.withLock({ $0.isEmpty }) { return Self.finish(commit, of: jobs) }
        completing.add(1, ordering: .relaxed)
        completions.async {
            Self.finish(commit, of: jobs)
            self.completing.subtract(1, ordering: .releasing)
        }
    }

    private static func finish(_ commit: (any PendingCommit)?, of jobs: [WriteJob]) {
        do throws(StorageError) { try commit?.finish() } catch {
            for job in jobs { job.fail(error) }
        }
        for job in jobs { job.complete() }
    }

    /// Waits until all jobs that have run are complete.
    private func waitForCompletions() {
        if isCompleting { completions.sync {} }
    }

    private var isCompleting: Bool { completing.load(ordering: .acquiring) > 0 }

    private static func run(_ jobs: [WriteJob], _ writer: any StorageWriter) throws(StorageError) {
        if jobs.count == 1 { return try jobs[0].run(writer) }
        runEach(jobs, writer)
    }

    /// Runs jobs in one transaction so that each is done or undone. Those that may run again share a savepoint, which
    /// costs an engine more than some jobs do.
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

    /// Runs jobs in one savepoint. Where one fails, all are undone, and each runs again in one of its own.
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

/// One write that waits its turn.
///
/// Unchecked: everything but `cancelled`, which is atomic, is touched by one thread at a time. The caller sets it up and
/// enqueues the job. Whoever takes it out of `pending`, under its lock, has it alone: a drain, which hands it on to the
/// queue that completes it, or the thread that cancels the task. `completion` gives it back to the caller. The lock, the
/// queues and the continuation order memory.
final class WriteJob: @unchecked Sendable {
    /// Gone once the job is complete: what outlives the call must not keep the caller's closure.
    private var body: ((any StorageWriter, WriteJob) throws(StorageError) -> Void)?
    private(set) var outcome: StorageError?
    /// Models that the job has prepared.
    var prepared: [ObjectIdentifier: ModelHandle] = [:]
    /// Models whose tables the job has changed by a schema.
    var changed: Set<String> = []
    /// Whether the body may run again after it was undone: that of a verb may, the user's own may not.
    let isRepeatable: Bool
    private let cancelled = Atomic<Bool>(false)
    /// What wakes the caller, where it does not wait on the queue itself.
    var completion: (@Sendable () -> Void)?

    init(isRepeatable: Bool, _ body: @escaping (any StorageWriter, WriteJob) throws(StorageError) -> Void) {
        self.isRepeatable = isRepeatable
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
        try body?(writer, self)
        try checkCancellation()
    }

    /// Runs in a savepoint: a failure is this job's alone.
    ///
    /// - Parameter failure: what the job met when it ran before, which is nearer to the cause.
    func runAlone(_ writer: any StorageWriter, after failure: StorageError? = nil) {
        do {
            try writer.savepoint { () throws(StorageError) in try run(writer) }
        } catch {
            fail(failure ?? error)
        }
    }

    /// The first failure is the one that the caller sees.
    func fail(_ error: StorageError) { outcome = outcome ?? error }

    func complete() {
        body = nil
        completion.take()?()
    }
}
