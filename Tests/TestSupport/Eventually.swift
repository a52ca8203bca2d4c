import Foundation
import Observation

/// Many times what any wait takes on a slow machine. A test that waits without end would stop all others, and its name would
/// stay unknown.
let maximumWait = Duration.seconds(300)

/// The pauses between two questions, in microseconds. Each is twice the one before: an event that takes long is asked for
/// seldom, since each question may start a process.
private struct Pauses {
    private var pause: UInt32 = 5000

    mutating func next() -> UInt32 {
        defer { pause = min(2 * pause, 100_000) }
        return pause
    }
}

/// The error of a test that has waited longer than any wait takes.
package struct StillWaiting: Error {
    /// The file and line that wait.
    let place: String
}

/// Waits until a condition holds. Other tasks run between two questions, since what is waited for may need the thread.
///
/// - Throws: `StillWaiting` after five minutes.
package nonisolated(nonsending) func eventually(
    _ condition: () async throws -> Bool, fileID: String = #fileID, line: Int = #line
) async throws {
    let end = ContinuousClock.now + maximumWait
    var pauses = Pauses()
    while try await !condition() {
        guard ContinuousClock.now < end else { throw StillWaiting(place: "\(fileID):\(line)") }
        try await Task.sleep(for: .microseconds(pauses.next()))
    }
}

/// The same where nothing else needs the thread, as in the body of a transaction.
package func blockUntil(_ condition: () throws -> Bool, fileID: String = #fileID, line: Int = #line) throws {
    let end = ContinuousClock.now + maximumWait
    var pauses = Pauses()
    while try !condition() {
        guard ContinuousClock.now < end else { throw StillWaiting(place: "\(fileID):\(line)") }
        usleep(pauses.next())
    }
}

/// Waits until a condition holds that reads observable values, without asking in between.
///
/// - Throws: `StillWaiting` after five minutes.
package nonisolated(nonsending) func observed(
    until condition: () -> Bool, fileID: String = #fileID, line: Int = #line
) async throws {
    let end = ContinuousClock.now + maximumWait
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
