internal import CSQLite
internal import StorageAPI

/// Turns SQLite's result codes into storage errors: the only place that does.
enum SQLiteFailure {
    static func error(_ code: Int32, _ database: OpaquePointer?, doing action: String) -> StorageError {
        let text = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let (storageCode, advice) = isTooLarge(text) ? tooLarge : meaning(of: code)
        return StorageError(storageCode, advice, underlying: SQLiteError(code: code, message: text, action: action))
    }

    /// Whether nothing more must be written after this code, until the file has been looked at anew.
    static func isDamage(_ code: Int32) -> Bool { [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

    // SQLite has no code of its own for a statement beyond its limits.
    private static func isTooLarge(_ message: String) -> Bool {
        ["too many ", "Expression tree is too large", "parser stack overflow"].contains { message.hasPrefix($0) }
    }

    private static let tooLarge = (
        StorageError.Code.limitExceeded, "The query has more terms than SQLite takes; use isIn for many values."
    )

    private static func meaning(of code: Int32) -> (StorageError.Code, String) {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            (
                .busy,
                "Another process holds the database for longer than the busy timeout; try again, or raise the timeout."
            )
        case SQLITE_FULL: (.full, "The disk or the database is full; free some space. Nothing of this call is stored.")
        case SQLITE_NOTADB: (.corrupt, "The file is no SQLite database; check the path. It was not changed.")
        case SQLITE_CORRUPT:
            (.corrupt, "The database is damaged; restore a backup, or rescue what is left with sqlite3's .recover.")
        case SQLITE_CANTOPEN:
            (.io, "The database cannot be opened; check that its folder exists and can be written.")
        case SQLITE_READONLY, SQLITE_PERM:
            (.io, "The database or its folder cannot be written; check their permissions, or open it read-only.")
        case SQLITE_TOOBIG: (.limitExceeded, "A value or a statement is larger than SQLite takes.")
        case SQLITE_INTERRUPT: (.cancelled, "The task was cancelled, and its query was stopped.")
        case SQLITE_CONSTRAINT: (.constraint, "The database refuses the value.")
        case SQLITE_MISMATCH: (.invalidValue, "The database refuses the type of the value.")
        default: (.io, "SQLite failed; the cause says at what.")
        }
    }
}

/// SQLite's own account of a failure: the `underlying` of a `StorageError`.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code, as <https://sqlite.org/rescode.html> lists them.
    public let code: Int32
    /// SQLite's message.
    public let message: String
    /// What was being done.
    public let action: String

    public var description: String { "SQLite error \(code), \(message), trying to \(action)" }
}
