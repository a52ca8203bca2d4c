internal import CSQLite
internal import Foundation

/// The files of SQLite's write-ahead log, for a store that is opened read-only.
///
/// A reading connection creates them if they are missing, and may not remove them. So that reading leaves no files, a
/// writable connection opens the database once more at the end: SQLite removes the files when the last connection
/// closes, which it recognises by its locks.
struct LogFiles {
    private let path: String
    private let wereThere: Bool

    /// - Parameter path: the database, which is not open yet.
    init(besides path: String) {
        self.path = path
        wereThere = Self.areThere(path)
    }

    /// Removes the files, if they did not exist before and no other connection uses them.
    func removeIfNew() {
        guard !wereThere, Self.areThere(path) else { return }
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        let access = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        // A read-only database keeps the files, which do no harm.
        guard sqlite3_open_v2(path, &database, access, nil) == SQLITE_OK else { return }
        sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", nil, nil, nil)
    }

    private static func areThere(_ path: String) -> Bool { access(path + "-wal", F_OK) == 0 }
}
