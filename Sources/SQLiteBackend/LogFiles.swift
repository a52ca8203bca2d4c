internal import CSQLite
internal import Foundation

/// The files that SQLite keeps beside a database with write-ahead logging, for a store that is opened read-only.
///
/// A connection that only reads makes them where they are missing, and may not remove them again. So that reading leaves
/// nothing behind, a connection that could write opens the database once more: SQLite lets the last one that closes
/// remove them, and knows by its own locks whether it is the last.
struct LogFiles {
    private let path: String
    private let wereThere: Bool

    /// - Parameter path: the database, which is not open yet.
    init(besides path: String) {
        self.path = path
        wereThere = Self.areThere(path)
    }

    /// Removes the files, where they were not there before and no other connection uses them.
    func removeIfNew() {
        guard !wereThere, Self.areThere(path) else { return }
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        let access = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        // A database that may not be written keeps the files, which harm nobody.
        guard sqlite3_open_v2(path, &database, access, nil) == SQLITE_OK else { return }
        sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", nil, nil, nil)
    }

    private static func areThere(_ path: String) -> Bool { access(path + "-wal", F_OK) == 0 }
}
