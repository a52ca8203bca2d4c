internal import StorageDriver

extension SQLiteEngine: SharedCommitsEngine {
    /// Waits for a running write, beside which nobody else commits. Costs a few microseconds.
    func commitsOfOthers() throws(StorageError) -> Int? {
        if isPrivate { return nil }
        return try withWriter { (state, connection) throws(StorageError) in
            try state.others.look(connection)
            return state.others.count
        }
    }
}

/// Counts the times at which others had committed, by SQLite's `data_version` on the writing connection: that
/// connection's own commits do not change it.
struct OtherCommits {
    private(set) var count = 0
    private var version: Int64?

    mutating func look(_ connection: Connection) throws(StorageError) {
        let now = try connection.dataVersion()
        if let version, version != now { count += 1 }
        version = now
    }

    /// Runs what changes the version without a commit, such as a change of the journal's mode.
    mutating func apart<T>(
        _ connection: Connection, _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try look(connection)
        let result = try body()
        version = try connection.dataVersion()
        return result
    }
}
