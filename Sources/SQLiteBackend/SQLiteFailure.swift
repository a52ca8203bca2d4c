internal import CSQLite
internal import StorageDriver

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Converts SQLite's result codes to storage errors. No other code does.
enum SQLiteFailure {
    /// - Parameter isCompiling: whether SQLite was compiling SQL, where it has no separate code for exceeding its
    ///   limits.
    static func error(
        _ code: Int32, _ database: OpaquePointer?, doing action: String, isCompiling: Bool = false
    ) -> StorageError {
        let systemError = systemError(code, database)
        let text = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let cause = SQLiteError(
            code: code, message: text, action: action, systemError: systemError)
        if isCompiling, code == SQLITE_ERROR, isTooLarge(text) {
            return StorageError(
                .limitExceeded, "The query has more terms than SQLite's limit; use isIn for many values.",
                underlying: cause)
        }
        let (storageCode, advice) = meaning(of: cause)
        return StorageError(storageCode, advice, underlying: cause)
    }

    /// Returns whether the store must not be written after this failure until it is reopened.
    static func isDamage(_ error: StorageError) -> Bool {
        guard let code = (error.underlying as? SQLiteError)?.code else { return false }
        return error.code != .full && [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
    }

    /// The system's code for a file that could not be opened, read or written. SQLite does not keep it for a failed
    /// commit; then it is the thread's last code.
    private static func systemError(_ code: Int32, _ database: OpaquePointer?) -> Int32 {
        let last = errno
        guard let database, [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) else { return 0 }
        let kept = sqlite3_system_errno(database)
        return kept == 0 ? last : kept
    }

    private static func isTooLarge(_ message: String) -> Bool {
        ["too many ", "Expression tree is too large", "parser stack overflow"].contains { message.hasPrefix($0) }
    }

    private static func meaning(of cause: SQLiteError) -> (StorageError.Code, String) {
        switch cause.code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            (
                .busy,
                "Another process holds the database for longer than the busy timeout; try again, or raise the timeout."
            )
        case SQLITE_FULL: (.full, "The disk or the database is full; free some space. Nothing of this call is stored.")
        case SQLITE_NOTADB: (.corrupt, "The file is not an SQLite database; check the path. It was not changed.")
        case SQLITE_CORRUPT:
            (.corrupt, "The database is damaged; restore a backup, or recover the rest with sqlite3's .recover.")
        case SQLITE_CANTOPEN: (.io, "The database cannot be opened; \(remedyOfOpening(cause.systemError)).")
        case SQLITE_IOERR: failedIO(cause)
        case SQLITE_READONLY, SQLITE_PERM:
            (.io, "The database or its folder cannot be written; check their permissions, or open it read-only.")
        case SQLITE_TOOBIG: (.limitExceeded, "A value or a statement is larger than SQLite's limit.")
        case SQLITE_INTERRUPT: (.cancelled, "The task was cancelled, and its query was stopped.")
        case SQLITE_CONSTRAINT: (.constraint, "The database refuses the value.")
        case SQLITE_MISMATCH: (.invalidValue, "The database refuses the type of the value.")
        case SQLITE_NOMEM: (.io, "SQLite is out of memory; free some, or lower the option cache.")
        default:
            (
                .io,
                "SQLite failed: \(cause.message). https://sqlite.org/rescode.html explains the code \(cause.code)."
            )
        }
    }

    private static func remedyOfOpening(_ error: Int32) -> String {
        switch error {
        case EMFILE, ENFILE: "too many files are open: close stores that are not needed, or raise the limit (ulimit -n)"
        case EACCES, EPERM: "check the permissions of the file and of its folder"
        case EISDIR: "its path is a folder"
        case 0, ENOENT, ENOTDIR: "check that its folder exists and can be written"
        default: "the system says: \(String(cString: strerror(error)))"
        }
    }

    private static func failedIO(_ cause: SQLiteError) -> (StorageError.Code, String) {
        switch cause.systemError {
        case EFBIG:
            (
                .full,
                "The file has reached the limit of a file's size; raise it (ulimit -f), or use another file system. Nothing of this call is stored."
            )
        case EDQUOT: (.full, "The disk quota is exhausted; free some space. Nothing of this call is stored.")
        case 0: (.io, "The disk fails: \(cause.message); check it and the system's log.")
        default:
            (
                .io,
                "The disk fails: \(String(cString: strerror(cause.systemError))); check it and the system's log."
            )
        }
    }
}

/// SQLite's error: the `underlying` error of a `StorageError`.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code, as <https://sqlite.org/rescode.html> lists them.
    public let code: Int32
    /// SQLite's message.
    public let message: String
    /// The action that failed.
    public let action: String
    /// The system's code (`errno`) if a file could not be opened, read or written; otherwise 0.
    public let systemError: Int32

    public var description: String {
        let system = systemError == 0 ? "" : ", system error \(systemError)"
        return "SQLite error \(code)\(system), \(message), trying to \(action)"
    }
}
