/// An element of a stream of events: an event, or a keep-alive by which the server notices that a reader has gone.
enum LiveEvent: Equatable {
    case change, pulse
}

extension AsyncStream<Void> {
    /// The elements, and a pulse if none comes for a while.
    func withPulses(every pause: Duration) -> AsyncStream<LiveEvent> {
        let (stream, continuation) = AsyncStream<LiveEvent>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let changes = Task {
            for await _ in self { continuation.yield(.change) }
            continuation.finish()
        }
        let pulses = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: pause)
                continuation.yield(.pulse)
            }
        }
        continuation.onTermination = { _ in
            changes.cancel()
            pulses.cancel()
        }
        return stream
    }
}
