internal import StorageDriver
import Synchronization

extension SQLiteEngine: ExternalCommitsEngine {
    /// Costs a few microseconds.
    func externalCommits() throws(StorageError) -> ExternalCommitCount {
        if isPrivate { return .impossible }
        // A transaction counts at its beginning, and no other connection commits during it.
        if others.isInTransaction { return .count(others.count) }
        var result = ExternalCommitCount.unknown
        try writer.withLockIfAvailable { (state) throws(StorageError) in
            guard let connection = state.connection else { throw Self.closed }
            try others.look(connection)
            result = .count(others.count)
        }
        return result
    }
}

/// Counts the times at which others had committed, by SQLite's `data_version` on the writing connection. Commits of
/// that connection itself do not change it.
final class ExternalCommitCounter: Sendable {
    private let counted = Atomic(0)
    private let inTransaction = Atomic(false)
    /// The last version, read and set by the holder of the writing connection.
    private let version = Mutex<Int64?>(nil)

    var count: Int { counted.load(ordering: .acquiring) }

    /// True if a transaction that writes has counted and has not begun to commit.
    var isInTransaction: Bool { inTransaction.load(ordering: .acquiring) }

    func look(_ connection: Connection) throws(StorageError) {
        let now = try connection.dataVersion()
        version.withLock { version in
            if let version, version != now { counted.add(1, ordering: .releasing) }
            version = now
        }
    }

    /// Called when the write lock is taken, and commits before that are counted.
    func begin() { inTransaction.store(true, ordering: .releasing) }

    /// Called before the write lock is left.
    func end() { inTransaction.store(false, ordering: .releasing) }

    /// Runs a body that changes the version without a commit, such as a change of the journal's mode.
    func apart<T>(_ connection: Connection, _ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        try look(connection)
        let result = try body()
        let now = try connection.dataVersion()
        version.withLock { $0 = now }
        return result
    }
}
