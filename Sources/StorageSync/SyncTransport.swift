import StorageDriver

/// The way from a replica to its hub and back.
public protocol SyncTransport: Sendable {
    /// Brings a message to the hub, and returns the hub's answer.
    ///
    /// A message may be lost, and may reach the hub more than once: the replica repeats it. The transport names the user to the
    /// hub, and does not change the bytes.
    ///
    /// - Throws: any error if there is no answer; the replica keeps its patches.
    func exchange(_ message: [UInt8]) async throws -> [UInt8]
}

/// An error of a transport that asks to wait before the next attempt. ``Replica/run(every:)`` waits so long at least if it
/// is the `underlying` error of a `StorageError`.
public protocol SyncRetryAdvice: Error {
    /// The time to wait; nil if it is not known.
    var retryAfter: Duration? { get }
}

/// The way to a hub in the same program.
public struct LocalHub: SyncTransport {
    private let hub: Hub
    private let user: String?

    /// A transport to a hub.
    ///
    /// - Parameters:
    ///   - hub: the hub.
    ///   - user: the user for the hub's rules; nil for none.
    public init(_ hub: Hub, as user: String? = nil) { (self.hub, self.user) = (hub, user) }

    public func exchange(_ message: [UInt8]) async throws -> [UInt8] { try await hub.answer(message, as: user) }
}
