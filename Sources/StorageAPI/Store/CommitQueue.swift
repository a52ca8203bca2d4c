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
    private let batching: (any BatchingEngine)?
    private let completions = DispatchQueue(label: "storage.completions")
    /// The number of groups of jobs that have run and are not complete.
    private let completing = Atomic(0)

    init(_ engine: any StorageEngine, _ observers: CommitFeed, _ layers: ApplicationLayers) {
        self.engine = engine
        self.observers = observers
        self.layers = layers
        pipeline = engine as? any PipeliningEngine
        batching = engine as? any BatchingEngine
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
        guard let batching else { return commit(jobs) }
        // Where the connection to a server is lost, the engine repeats what may run again: it shares no commit with what may not.
        commitRepeatable(jobs.filter(\.isRepeatable), batching)
        commitOnce(jobs.filter { !$0.isRepeatable })
    }

    private func commit(_ jobs: WriteJobs) {
        var commit: (any PendingCommit)?
        do {
            if let pipeline {
                commit = try pipeline.writeAhead { (writer) throws(StorageError) in try run(jobs, writer) }
            } else {
                try engine.write { (writer) throws(StorageError) in try run(jobs, writer) }
            }
        } catch {
            jobs.forEach { $0.fail(error) }
        }
        complete(jobs, after: commit)
    }

    /// Commits jobs whose batches may be carried out later. If one of them has failed, nothing is done, and which has, and why, is
    /// found when they run one after the other.
    private func commitRepeatable(_ jobs: WriteJobs, _ engine: any BatchingEngine) {
        guard !jobs.isEmpty else { return }
        do {
            if try !runBatching(jobs, engine) {
                try engine.writeRepeatably { (writer) throws(StorageError) in
                    jobs.forEach { $0.restart() }
                    try run(jobs, writer)
                }
            }
        } catch {
            jobs.forEach { $0.fail(error) }
        }
        complete(jobs, after: nil)
    }

    /// Commits jobs that may not run again. Those whose bodies have not begun when the connection is lost are committed after
    /// the others.
    private func commitOnce(_ jobs: WriteJobs) {
        guard !jobs.isEmpty else { return }
        do {
            try engine.write { (writer) throws(StorageError) in try run(jobs, writer) }
        } catch {
            jobs.forEach { $0.fail(error) }
        }
        let later = jobs.filter { $0.outcome != nil && !$0.hasBegun }
        guard later.count < jobs.count else { return complete(jobs, after: nil) }
        complete(jobs.filter { $0.outcome == nil || $0.hasBegun }, after: nil)
        later.forEach { $0.restart() }
        commitOnce(later)
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

    /// - Returns: false if a job or a batch has failed, and nothing is done.
    private func runBatching(_ jobs: WriteJobs, _ engine: any BatchingEngine) throws(StorageError) -> Bool {
        var isRunning = false
        do {
            return try engine.writeBatching { (writer) throws(StorageError) in
                isRunning = true
                for job in jobs.all { try job.run(writer) }
                isRunning = false
                jobs.forEach(announce)
            }
        } catch {
            guard isRunning else { throw error }
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

    func filter(_ isIncluded: (WriteJob) -> Bool) -> WriteJobs {
        var jobs = WriteJobs()
        forEach { if isIncluded($0) { jobs.append($0) } }
        return jobs
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
