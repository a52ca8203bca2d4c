internal import StorageDriver
import Synchronization

/// Tracks whether the server is a replica, as of the last new connection. One that was is promoted at any time.
final class ServerRole: Sendable {
    private let replica = Atomic(false)

    var isReplica: Bool { replica.load(ordering: .acquiring) }

    func note(isReplica: Bool) { replica.store(isReplica, ordering: .releasing) }
}

extension PostgreSQLEngine: PromotableEngine {
    /// Returns whether the server takes writes. One that was a replica is asked for its role.
    func canWriteNow() throws(StorageError) -> Bool {
        if isReadOnly { return false }
        guard role.isReplica else { return true }
        let connection = try newConnection()
        guard !role.isReplica else { return false }
        // The store may never have been written to.
        try completeRecord(connection)
        return true
    }
}
