import StorageSync
import Synchronization

/// The way to a hub in this process, which counts messages, and delays each message and each answer.
final class Way: SyncTransport {
    struct Passed {
        var messages = 0
        var bytes = 0
    }

    private let hub: Hub
    private let delay: Duration
    /// Runs after the hub has answered, and before the replica has the answer.
    private let meanwhile: @Sendable () async throws -> Void
    private let counts = Mutex(Passed())

    init(_ hub: Hub, delay: Duration = .zero, meanwhile: @escaping @Sendable () async throws -> Void = {}) {
        (self.hub, self.delay, self.meanwhile) = (hub, delay, meanwhile)
    }

    var passed: Passed { counts.withLock { $0 } }

    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        if delay > .zero { try await Task.sleep(for: delay) }
        let answer = try await hub.answer(message)
        counts.withLock { passed in
            passed.messages += 1
            passed.bytes += message.count + answer.count
        }
        try await meanwhile()
        if delay > .zero { try await Task.sleep(for: delay) }
        return answer
    }
}

/// A way on which every message is lost.
struct Nowhere: SyncTransport {
    func exchange(_ message: [UInt8]) async throws -> [UInt8] { throw Failure("lost") }
}
