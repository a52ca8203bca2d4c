import StorageAPI
public import StorageDriver

extension Replica {
    /// Exchanges with the hub until the task is cancelled: at once, after local commits, and at an interval for the commits of others.
    ///
    /// After an error that may pass, such as a hub that cannot be reached, the next attempt comes after a pause that doubles
    /// from a second up to the interval, with a random part, or that is as long as the transport asks. ``status`` has the error.
    ///
    /// - Parameter interval: the time between exchanges while the store is not written to.
    /// - Throws: errors that only the program can resolve: refusals of the hub, `notKept`, `schemaMismatch`, `configuration`, `closed`.
    public func run(every interval: Duration = .seconds(30)) async throws(StorageError) {
        let commits = Latest(0)
        let store = store
        let following = Task {
            var changes = store.changes().makeAsyncIterator()
            // A commit before this observer counts too.
            repeat { commits.change { $0 += 1 } } while try await changes.next() != nil
            commits.change { $0 += 1 }
        }
        defer { following.cancel() }
        var failures = 0
        while !Task.isCancelled {
            let number = commits.current.number
            do throws(StorageError) {
                try await sync()
                failures = 0
            } catch {
                if error.code == .cancelled { return }
                guard error.mayPass else { throw error }
                failures += 1
                let advised = (error.underlying as? any SyncRetryAdvice)?.retryAfter ?? .zero
                try? await Task.sleep(for: max(Self.pause(after: failures, interval), advised))
                continue
            }
            try await waitForCommits(commits, after: number, atMost: interval)
        }
    }

    private static func pause(after failures: Int, _ interval: Duration) -> Duration {
        let most = min(interval, .seconds(1 << min(failures, 20)))
        return most * Double.random(in: 0.5...1)
    }

    /// Waits until patches wait, or a time has passed. The commit of an exchange itself is no reason for another.
    private func waitForCommits(
        _ commits: Latest<Int>, after number: Int, atMost interval: Duration
    ) async throws(StorageError) {
        let end = ContinuousClock.now + interval
        var number = number
        while !Task.isCancelled, ContinuousClock.now < end {
            let seen = number
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
                group.addTask { await commits.wait(after: seen) }
                await group.next()
                group.cancelAll()
            }
            let current = commits.current.number
            if current == number { continue }
            number = current
            if try await hasWaiting() { return }
        }
    }
}

extension StorageError {
    /// True for an error after which the same exchange may succeed.
    fileprivate var mayPass: Bool {
        if underlying is SyncRefusal { return false }
        return switch code {
        case .busy, .io, .full, .locked, .conflict, .outcomeUnknown, .corrupt, .schemaNewer, .moved: true
        default: false
        }
    }
}
