internal import CSQLite
internal import StorageDriver

/// Bounds the write-ahead log of a database: it is copied back once it is as large as the database, at the earliest where
/// SQLite would do so by itself and at the latest at ten times that.
///
/// A rare checkpoint makes inserts faster, since a page that is written often is copied once. A log that outgrows its
/// database only takes space.
final class LogLimit {
    /// The number of pages at which SQLite copies a log back by default:
    /// https://www.sqlite.org/pragma.html#pragma_wal_autocheckpoint
    private static let minimum = 1000
    private static let maximum = 10_000

    /// A raw statement, not a `Statement`: it runs within the commit, whose outcome its failure must not change.
    private let pageCount: OpaquePointer
    /// The number of pages in the log at which the next commit looks at the size of the database.
    private var limit = minimum

    /// - Parameter connection: the connection that writes.
    init(_ connection: Connection) throws(StorageError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection.database, "PRAGMA page_count", -1, &statement, nil)
        try connection.check(code, doing: "read the size of the database")
        guard let statement else {
            throw SQLiteFailure.error(SQLITE_NOMEM, connection.database, doing: "bound the log")
        }
        pageCount = statement
        use(connection.database)
    }

    deinit { sqlite3_finalize(pageCount) }

    /// Asks SQLite to report commits. This hook replaces the hook that `PRAGMA wal_autocheckpoint` sets.
    func use(_ database: OpaquePointer) {
        // Valid while the connection is open: the connection owns this object, and only commits of the connection call
        // the function.
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = sqlite3_wal_hook(
            database,
            { context, database, name, pages in
                guard let context, let database else { return SQLITE_OK }
                let limit = Unmanaged<LogLimit>.fromOpaque(context).takeUnretainedValue()
                // The commit is complete. The next commit tries a failed checkpoint again, as SQLite does.
                if pages >= limit.limit, limit.isReached(by: Int(pages)) { _ = sqlite3_wal_checkpoint(database, name) }
                return SQLITE_OK
            }, context)
    }

    private func isReached(by pages: Int) -> Bool {
        let size = sqlite3_step(pageCount) == SQLITE_ROW ? sqlite3_column_int64(pageCount, 0) : 0
        sqlite3_reset(pageCount)
        limit = Int(min(max(size, Int64(Self.minimum)), Int64(Self.maximum)))
        return pages >= limit
    }
}
