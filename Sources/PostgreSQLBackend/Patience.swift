internal import Dispatch
internal import StorageDriver

/// Repeats a call during a failover until its time is over, as long as nothing of the call can be stored.
struct Patience {
    private let end: DispatchTime
    private static let pause = DispatchTimeInterval.milliseconds(50)

    init(milliseconds: Int) { end = .now() + .milliseconds(milliseconds) }

    /// Returns true if a call that failed with this error should be repeated, after a short wait.
    func outlasts(_ error: StorageError) -> Bool {
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
