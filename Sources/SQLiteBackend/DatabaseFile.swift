internal import CSQLite
internal import Foundation
internal import StorageDriver
import Synchronization

/// The file of an open database and its log, by whose identities a store finds out whether they still have their names.
///
/// Commits to a file that has lost its name are lost with it, and SQLite does not report that.
final class DatabaseFile: Sendable {
    private let path: String
    /// Nil if the system does not have the file, because a test has a separate file system.
    private let file: NamedFile?
    /// The log; nil before the first commit.
    private let log = Mutex<NamedFile?>(nil)

    /// - Parameter connection: the connection that has opened the file.
    init(_ path: String, _ connection: Connection) throws(StorageError) {
        self.path = path
        file = NamedFile(connection.fileName)
        if connection.hasMoved { throw moved() }
    }

    /// Checks before a file is opened that no log exists without a database. SQLite would remove the log, and with it
    /// the last commits of a database that is elsewhere.
    ///
    /// - Throws: `io` if a log exists and the database does not.
    static func requireNoLostLog(_ path: String) throws(StorageError) {
        guard size(of: path) == 0, size(of: path + "-wal") > 0 else { return }
        throw StorageError(
            .io,
            "\(path)-wal is the log of a database that is not there; put the database back at \(path), or move the log away."
        )
    }

    private static func size(of path: String) -> Int64 {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : 0
    }

    /// True if the file has its name.
    var keepsName: Bool { file?.keepsName != false }

    /// Checks that a commit can be found by the file's name. Costs two calls of the system.
    ///
    /// - Throws: `io` if the file or its log has been removed, renamed or replaced.
    func requireName(_ connection: Connection) throws(StorageError) {
        guard let file else { return }
        guard file.keepsName else { throw PublishedFile.isReplaced(path) }
        let hasLog = log.withLock { log in
            if let log { return log.keepsName }
            log = NamedFile(connection.logName)
            return log != nil
        }
        guard hasLog else {
            throw StorageError(
                .io,
                "\(path)-wal, the log of the database, was removed, renamed or replaced while it was open, so nothing of this "
                    + "call is stored; close the store, which completes the file, and open it again.")
        }
    }

    /// Checks that a connection has opened the file that the store has, and not another one of its name.
    func requireSame(_ connection: Connection) throws(StorageError) {
        if connection.hasMoved || !keepsName { throw moved() }
    }

    /// The error of a read.
    func moved(by cause: (any Error)? = nil) -> StorageError {
        StorageError(
            .io,
            "\(path) was removed, renamed or replaced while it was open; put it back, or close the store and open it again.",
            underlying: cause)
    }
}

/// A file with the name that it had at first.
private struct NamedFile: Sendable {
    private let name: [CChar]
    private let device: UInt64
    private let number: UInt64

    /// Nil if the file does not exist.
    init?(_ name: UnsafePointer<CChar>?) {
        guard let name else { return nil }
        self.name = Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
        guard let (device, number) = Self.identity(self.name) else { return nil }
        (self.device, self.number) = (device, number)
    }

    var keepsName: Bool {
        guard let now = Self.identity(name) else { return false }
        return now == (device, number)
    }

    private static func identity(_ name: [CChar]) -> (UInt64, UInt64)? {
        var info = stat()
        guard stat(name, &info) == 0 else { return nil }
        return (UInt64(truncatingIfNeeded: info.st_dev), UInt64(truncatingIfNeeded: info.st_ino))
    }
}

extension Connection {
    /// The file's whole name, without links.
    fileprivate var fileName: UnsafePointer<CChar>? {
        // A database in memory has the empty name.
        sqlite3_db_filename(database, "main").flatMap { $0.pointee == 0 ? nil : $0 }
    }

    fileprivate var logName: UnsafePointer<CChar>? { fileName.flatMap { sqlite3_filename_wal($0) } }

    /// True if the name of the connection's open file belongs to another file now, or to none.
    fileprivate var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(database, nil, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }
}
