import Testing

/// Waits until a condition holds. Lets other tasks run in between, since what is waited for may need the thread.
///
/// - Throws: `StillWaiting` after many times what any wait takes on a slow machine: a test that waits without end would
///   stop all others, and nobody would learn which it is.
func eventually(
    _ condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw StillWaiting(place: sourceLocation) }
        await Task.yield()
    }
}

/// The same where nothing else needs the thread, as in the body of a transaction.
func blockUntil(_ condition: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let end = ContinuousClock.now + .seconds(300)
    while try !condition() {
        guard ContinuousClock.now < end else { throw StillWaiting(place: sourceLocation) }
    }
}

struct StillWaiting: Error { let place: SourceLocation }
