internal import Dispatch
import StorageDriver
import Synchronization

/// Asks an engine whether another process has committed, while the store has observers: again and again, or when the
/// engine reports such a commit.
final class ExternalCommitMonitor: Sendable {
    private let engine: any ExternalCommitsEngine
    /// Called if another process has committed.
    private let tell: @Sendable () -> Void
    private let queue = DispatchQueue(label: "storage.commits-of-others")
    private let state: Mutex<State>

    private struct State {
        /// The engine's last answer, which may be older than the first observer: a commit since then is announced, not lost.
        var count: ExternalCommitCount
        var timer: (any DispatchSourceTimer)?
    }

    private static let interval = DispatchTimeInterval.milliseconds(50)

    /// Nil if no other process can write.
    init?(_ engine: any ExternalCommitsEngine, tell: @escaping @Sendable () -> Void) {
        // An engine that cannot say it now is asked again.
        let count = Result { () throws(StorageError) in try engine.externalCommits() }
        if case .success(.impossible) = count { return nil }
        self.engine = engine
        self.tell = tell
        state = Mutex(State(count: (try? count.get()) ?? .unknown))
    }

    deinit { stop() }

    func start() {
        if let listening = engine as? any ListeningEngine {
            return listening.startListening { [weak self] in
                guard let self else { return }
                queue.async { self.checkWhileObserved() }
            }
        }
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
        (engine as? any ListeningEngine)?.stopListening()
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// Asks now, and returns when observers are notified.
    nonisolated(nonsending) func refresh() async {
        await withCheckedContinuation { continuation in
            queue.async { self.checkUntilKnown { continuation.resume() } }
        }
    }

    /// A commit may be visible that the engine cannot report yet, and is not announced again.
    private func checkWhileObserved() {
        if check() { return }
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.checkWhileObserved() }
    }

    private func checkUntilKnown(_ body: @escaping @Sendable () -> Void) {
        if check() { return body() }
        // A commit of this store is being written.
        queue.asyncAfter(deadline: .now() + .milliseconds(1)) { self.checkUntilKnown(body) }
    }

    /// On the queue: one at a time. False if the engine cannot tell now.
    @discardableResult
    private func check() -> Bool {
        var count = ExternalCommitCount.unknown
        do throws(StorageError) {
            count = try engine.externalCommits()
            if count == .unknown { return false }
        } catch {
            if error.code == .busy { return true }
            // Observers meet the error when they read. The remaining observers receive no more of it.
        }
        let isNew = state.withLock { state in
            defer { state.count = count }
            return state.count != count
        }
        if isNew { tell() }
        return true
    }

    /// True if it is certain that every commit is announced. Never waits.
    var areAllTold: Bool {
        guard case .count(let count)? = try? engine.externalCommits() else { return false }
        return state.withLock { $0.count == .count(count) }
    }
}

extension Store {
    /// Tells observers of commits.
    var observers: CommitFeed { features.feature() }

    /// Looks now whether another process has committed, and tells observers before it returns. By itself a store looks
    /// 20 times a second while it is observed, or is notified by the server.
    ///
    /// Has no effect if no other process can write to the store.
    /// - Throws: `unsupported` if others can, and the backend cannot tell; `busy` in a body of the store; `closed`.
    public nonisolated(nonsending) func refresh() async throws(StorageError) {
        try checkNotInBody("refresh")
        do throws(StorageError) {
            try runningCalls.begin()
            defer { runningCalls.end() }
            if info.has(.sharing) { try info.require(.foreignCommits, for: "refresh") }
            await observers.otherCommits?.refresh()
        } catch {
            throw error.at(operation: "refresh", backend: info.name)
        }
    }
}
