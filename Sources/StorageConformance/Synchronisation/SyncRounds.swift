internal import Dispatch
internal import StorageAPI
import StorageDriver
internal import StorageSync
internal import Synchronization

/// Keeps a hub busy until messages wait, which it then answers in one round.
///
/// A hub runs two rounds at once, and later messages wait for the next one. So two messages of a replica that takes no other part in
/// the simulation come first. The hub's rule is busy for its patch, so they change nothing, and executors keep their tasks from
/// going on. Time decides nothing.
final class SyncRounds: Sendable {
    private static let user = "the user who keeps the hub busy"
    private let message: [UInt8]
    private let executor = Mutex<SyncExecutor?>(nil)

    /// - Parameter store: the hub's store, which is empty.
    init(_ store: Store) async throws {
        let (user, hub) = (Self.user, try await Hub(store, models: PlainModel.types))
        let last = LastMessage()
        let transport = SyncDraw { message in
            last.message.withLock { $0 = message }
            guard try SyncMessage(bytes: message).patches.isEmpty else { throw SyncEnd() }
            return try await hub.answer(message, as: user)
        }
        let place = try await TrialPlace(InMemoryHarness())
        let own = try await Store(
            place.backend(), models: PlainModel.types, options: .init(history: .init(records: PlainModel.types)))
        let replica = try await Replica(own, models: PlainModel.types, to: transport)
        try await replica.sync()
        try await own.insert(Depot(id: "busy"))
        do throws(StorageError) { try await replica.sync() } catch {
            guard error.underlying is SyncEnd else { throw error }
        }
        message = last.message.withLock { $0 }
        try await own.close()
        _ = try await place.destroy()
    }

    /// Makes a hub that can be kept busy.
    func hub(of store: Store) async throws -> Hub {
        var rules = HubRules()
        rules.judge = { [self] judgement in
            guard judgement.user == Self.user else { return }
            executor.withLock { $0 }?.stop()
            throw StorageError(.busy, "The hub is kept busy.")
        }
        return try await Hub(store, models: PlainModel.types, rules: rules)
    }

    /// Keeps a hub busy.
    func hold(_ hub: Hub) async throws -> SyncHeldHub {
        var held: [(SyncExecutor, Task<Void, Never>)] = []
        for _ in 0..<2 {
            let executor = SyncExecutor()
            self.executor.withLock { $0 = executor }
            let task = Task(executorPreference: executor) { [message] in
                _ = try? await hub.answer(message, as: Self.user)
                executor.end()
            }
            guard await executor.isStopped() else {
                throw SyncDifference("the hub answers while it is busy", expected: "an error after its transaction")
            }
            held.append((executor, task))
        }
        return SyncHeldHub(hub: hub, held: held)
    }

    private final class LastMessage: Sendable {
        let message = Mutex<[UInt8]>([])
    }
}

/// A hub that is busy.
struct SyncHeldHub {
    typealias Answer = Result<[UInt8], StorageError>

    fileprivate let hub: Hub
    fileprivate let held: [(executor: SyncExecutor, task: Task<Void, Never>)]

    /// Lets messages arrive in their order, and the hub go on when all of them wait.
    ///
    /// - Returns: the answers in the same order.
    func answers(to messages: [[UInt8]]) async -> [Answer] {
        let (executor, hub) = (SyncExecutor(), hub)
        let tasks = messages.map { message in
            Task(executorPreference: executor) { () -> Answer in
                do throws(StorageError) { return .success(try await hub.answer(message)) } catch {
                    return .failure(error)
                }
            }
        }
        // The executor runs it after the others, which wait by then.
        await Task(executorPreference: executor) {}.value
        for (executor, task) in held {
            executor.goOn()
            await task.value
        }
        var answers: [Answer] = []
        for task in tasks { answers.append(await task.value) }
        return answers
    }
}

/// Runs the jobs of tasks one after the other. It can be stopped: then it keeps the jobs that come.
private final class SyncExecutor: TaskExecutor {
    private struct State {
        var isStopped = false
        var kept: [UnownedJob] = []
    }

    private let queue = DispatchQueue(label: "conformance.rounds")
    private let state = Mutex(State())
    private let (stops, stopping) = AsyncStream.makeStream(of: Bool.self)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isKept = state.withLock { state in
            if state.isStopped { state.kept.append(job) }
            return state.isStopped
        }
        if isKept { stopping.yield(true) } else { run(job) }
    }

    private func run(_ job: UnownedJob) {
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Stops when the running job has ended: its task then waits, and a job resumes it. A thread of the executor must not call this.
    func stop() {
        state.withLock { $0.isStopped = true }
        queue.sync {}
    }

    /// Waits until a job is kept, or the task has ended without.
    ///
    /// - Returns: true if one is kept.
    func isStopped() async -> Bool {
        for await isStopped in stops { return isStopped }
        return false
    }

    func goOn() {
        let jobs = state.withLock { state in
            defer { state = State() }
            return state.kept
        }
        for job in jobs { run(job) }
    }

    /// The task has ended.
    func end() { stopping.yield(false) }
}
