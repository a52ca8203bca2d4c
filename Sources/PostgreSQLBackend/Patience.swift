internal import Dispatch
internal import StorageDriver

/// How long a call waits out a failover: what it has to do is begun again until then, as long as nothing of it can be stored.
struct Patience {
    private let end: DispatchTime
    private static let pause = DispatchTimeInterval.milliseconds(50)

    init(milliseconds: Int) { end = .now() + .milliseconds(milliseconds) }

    /// Whether what an error has ended is begun again. Waits a moment before that.
    func outlasts(_ error: StorageError) -> Bool {
        guard PostgreSQLFailure.isFailover(error), DispatchTime.now() < end, !Task.isCancelled else { return false }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.pause)
        return true
    }
}

extension PostgreSQLFailure {
    /// Whether another server may do better in a moment: nobody answers, the connection is lost, or the server takes no writes yet.
    static func isFailover(_ error: StorageError) -> Bool {
        if isOutage(error) { return true }
        return (error.underlying as? PostgreSQLError)?.state == "25006"
    }
}
