internal import Dispatch
internal import StorageDriver

/// The time for which a call is repeated during a failover, as long as no part of it can be stored.
struct RetryDeadline {
    private let end: DispatchTime
    private static let pause = DispatchTimeInterval.milliseconds(50)

    init(milliseconds: Int) { end = .now() + .milliseconds(milliseconds) }

    /// Returns true if a call that failed with this error should be repeated, after a short wait.
    func shouldRetry(after error: StorageError) -> Bool {
        guard PostgreSQLFailure.isFailover(error), DispatchTime.now() < end, !Task.isCancelled else { return false }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.pause)
        return true
    }
}

extension PostgreSQLFailure {
    /// True for errors of a failover: no server answers, the connection is lost, or the server accepts no writes yet.
    static func isFailover(_ error: StorageError) -> Bool {
        if isOutage(error) { return true }
        return (error.underlying as? PostgreSQLError)?.state == "25006"
    }
}
