import Observation

/// Many times what any wait takes on a slow machine. A test that waits without end would stop all others, and nobody would
/// learn which it is.
private let longestWait = Duration.seconds(300)

/// The error of a test that has waited longer than any wait takes.
package struct StillWaiting: Error {
    /// The file and line that wait.
    let place: String
}

/// Waits until a condition holds. Lets other tasks run in between, since what is waited for may need the thread.
///
/// - Throws: `StillWaiting` after five minutes.
package nonisolated(nonsending) func eventually(
    _ condition: () async throws -> Bool, fileID: String = #fileID, line: Int = #line
) async throws {
    let end = ContinuousClock.now + longestWait
    while try await !condition() {
        guard ContinuousClock.now < end else { throw StillWaiting(place: "\(fileID):\(line)") }
        await Task.yield()
    }
}

/// The same where nothing else needs the thread, as in the body of a transaction.
package func blockUntil(_ condition: () throws -> Bool, fileID: String = #fileID, line: Int = #line) throws {
    let end = ContinuousClock.now + longestWait
    while try !condition() {
        guard ContinuousClock.now < end else { throw StillWaiting(place: "\(fileID):\(line)") }
    }
}

/// Waits until a condition holds that reads observable values, without asking in between.
///
/// - Throws: `StillWaiting` after five minutes.
package nonisolated(nonsending) func observed(
    until condition: () -> Bool, fileID: String = #fileID, line: Int = #line
) async throws {
    let end = ContinuousClock.now + longestWait
    while true {
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        if withObservationTracking(condition, onChange: { continuation.yield() }) { return }
        let limit = Task {
            try await Task.sleep(until: end, clock: .continuous)
            continuation.finish()
        }
        defer { limit.cancel() }
        var hasChanged = false
        for await _ in changes {
            hasChanged = true
            break
        }
        guard hasChanged else { throw StillWaiting(place: "\(fileID):\(line)") }
        // The change is announced before it is made.
        await Task.yield()
    }
}
