internal import Dispatch
import StorageDriver
import Synchronization

/// Asks an engine whether another process has committed, while somebody observes the store.
final class CommitsOfOthers: Sendable {
    private let engine: any SharedCommitsEngine
    /// Called if another process has committed.
    private let tell: @Sendable () -> Void
    private let queue = DispatchQueue(label: "storage.commits-of-others")
    private let state: Mutex<State>

    private struct State {
        /// The engine's last answer, also from before anybody observed: a commit since then is told, not lost.
        var version: Int?
        var timer: (any DispatchSourceTimer)?
    }

    private static let interval = DispatchTimeInterval.milliseconds(50)

    /// Nil if nobody else can write.
    init?(_ engine: any SharedCommitsEngine, tell: @escaping @Sendable () -> Void) {
        // An engine that cannot say it now is asked again.
        let version = Result { () throws(StorageError) in try engine.commitsOfOthers() }
        if case .success(nil) = version { return nil }
        self.engine = engine
        self.tell = tell
        state = Mutex(State(version: (try? version.get()) ?? nil))
    }

    deinit { stop() }

    func start() {
        state.withLock { state in
            guard state.timer == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.check() }
            timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(10))
            state.timer = timer
            timer.activate()
        }
    }

    func stop() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// Asks now, and returns when observers are told.
    nonisolated(nonsending) func refresh() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.check()
                continuation.resume()
            }
        }
    }

    /// On the queue: one at a time.
    private func check() {
        let version: Int?
        do throws(StorageError) {
            version = try engine.commitsOfOthers()
        } catch {
            if error.code == .busy { return }
            // Observers meet the error when they read. Whoever is left after that is told no more of it.
            version = nil
        }
        let isNew = state.withLock { state in
            defer { state.version = version }
            return state.version != version
        }
        if isNew { tell() }
    }
}

extension Store {
    /// Looks now whether another process has committed, and tells observers before it returns. By itself a store looks
    /// 20 times a second while it is observed.
    ///
    /// Does nothing if nobody else can write to the store.
    /// - Throws: `unsupported` if others can, and the backend cannot tell; `busy` in a body of the store; `closed`.
    public nonisolated(nonsending) func refresh() async throws(StorageError) {
        try checkNotInBody("refresh")
        do throws(StorageError) {
            try runningCalls.begin()
            defer { runningCalls.end() }
            if let commitsOfOthers { return await commitsOfOthers.refresh() }
            if info.has(.sharing) { try info.require(.foreignCommits, for: "refresh") }
        } catch {
            throw error.at(operation: "refresh", backend: info.name)
        }
    }
}
