internal import CSQLite
internal import Foundation
internal import StorageDriver

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A database with write-ahead logging beside which no file can be made: on a read-only medium, or in a folder that the
/// user may not write, as that of an application.
///
/// SQLite creates files beside such a database even to read it. If the file is declared immutable
/// (<https://sqlite.org/uri.html>), SQLite needs no files. This is sound if no one changes the file and it has no
/// log, so a connection is used only as long as that holds.
struct UnwritableFile {
    private let path: String
    private let status: FileStatus

    /// Nil if SQLite can open the file as usual, or reports why not.
    ///
    /// - Parameter isReadOnly: true if the store does not want to write.
    /// - Throws: `io` if the file has a log that cannot be read here.
    init?(_ path: String, isReadOnly: Bool) throws(StorageError) {
        let layer = SystemFileLayer()
        guard let path = try? layer.resolve(path), let status = try? layer.status(at: path) else { return nil }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let isUnwritable = !Self.mayWrite(folder) && (isReadOnly || !Self.mayWrite(path))
        guard isUnwritable || Self.isOnReadOnlyMedium(path), Self.usesLog(path) else { return nil }
        (self.path, self.status) = (path, status)
        guard hasLog else { return }
        // SQLite reads the log if the log's other file exists too.
        guard (try? layer.status(at: path + "-shm")) == nil else { return nil }
        throw StorageError(
            .io,
            "\(path)-wal has commits that can be read only where its folder can be written; open the database there once, which completes it, or copy both files to such a folder."
        )
    }

    /// The name with which SQLite opens the file.
    var name: String { (path.hasPrefix("/") ? "file://" : "file:") + Self.escaped(path) + "?immutable=1" }

    /// True if the file is as it was, and has no log.
    var isUnchanged: Bool { (try? SystemFileLayer().status(at: path)) == status && !hasLog }

    private var hasLog: Bool { ((try? SystemFileLayer().status(at: path + "-wal"))?.size ?? 0) > 0 }

    private static func isOnReadOnlyMedium(_ path: String) -> Bool {
        var info = statvfs()
        return statvfs(path, &info) == 0 && UInt(info.f_flag) & UInt(ST_RDONLY) != 0
    }

    /// True also on a read-only medium, which the permissions don't show.
    private static func mayWrite(_ path: String) -> Bool {
        faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 || ![EACCES, EPERM].contains(errno)
    }

    /// Bytes 18 and 19 of the header are the versions for writing and reading; 2 means a log
    /// (<https://sqlite.org/fileformat2.html>, section 1.3). A file that cannot be read is left to SQLite, which
    /// reports why.
    private static func usesLog(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let header = (try? file.read(upToCount: 20)) ?? Data()
        return header.count == 20 && header[header.startIndex + 18] == 2
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic && byte < 0x80 || "/._-~0123456789".utf8.contains(byte)
            return isPlain ? String(Character(scalar)) : "%" + Hexadecimal.text(of: [byte])
        }.joined()
    }
}
