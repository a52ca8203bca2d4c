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

/// A database with write-ahead logging on a read-only medium.
///
/// SQLite creates files beside such a database even to read it, which is impossible there. If the file is declared
/// immutable (<https://sqlite.org/uri.html>), SQLite needs no files. This is sound if no one can change the file and
/// there is no log to read.
enum ReadOnlyMedium {
    /// The name with which SQLite opens the file.
    static func name(of path: String) -> (name: String, flags: Int32) {
        guard isReadOnly(path), usesLog(path), size(of: path + "-wal") == 0 else { return (path, 0) }
        return ((path.hasPrefix("/") ? "file://" : "file:") + escaped(path) + "?immutable=1", SQLITE_OPEN_URI)
    }

    private static func isReadOnly(_ path: String) -> Bool {
        var info = statvfs()
        return statvfs(path, &info) == 0 && UInt(info.f_flag) & UInt(ST_RDONLY) != 0
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

    private static func size(of path: String) -> Int64 {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : 0
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic && byte < 0x80 || "/._-~0123456789".utf8.contains(byte)
            return isPlain ? String(Character(scalar)) : "%" + Hexadecimal.text(of: [byte])
        }.joined()
    }
}
