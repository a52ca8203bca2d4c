#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A file that is made beside its place, and put there when it is whole: for engines that write files.
package struct PublishedFile: ~Copyable {
    private let path: String
    private let isReplacing: Bool
    /// Where the file is written.
    package let temporaryPath: String

    /// - Throws: `io` where a file is at the path and is not to be replaced.
    package init(_ path: String, replacing isReplacing: Bool) throws(StorageError) {
        self.path = path
        self.isReplacing = isReplacing
        temporaryPath = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.configuration, "The path is empty or has a NUL; name a file.")
        }
        if !isReplacing, access(path, F_OK) == 0 { throw Self.isTaken(path) }
    }

    deinit { unlink(temporaryPath) }

    /// Waits until the temporary file is on the disk, and gives it its name.
    package consuming func publish() throws(StorageError) {
        try Self.sync(temporaryPath)
        if isReplacing {
            guard rename(temporaryPath, path) == 0 else { throw Self.failure(path) }
        } else if link(temporaryPath, path) != 0 {
            // A link, unlike a renaming, never replaces a file that somebody else has made meanwhile.
            if errno == EEXIST { throw Self.isTaken(path) }
            // File systems without links: nothing was there when the work began.
            guard access(path, F_OK) != 0, rename(temporaryPath, path) == 0 else { throw Self.failure(path) }
        }
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        try Self.sync(end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    }

    private static func sync(_ path: String) throws(StorageError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure(path) }
    }

    private static func isTaken(_ path: String) -> StorageError {
        StorageError(.io, "\(path) is there already; name another file, or say that it may be replaced.")
    }

    private static func failure(_ path: String) -> StorageError {
        let code = errno
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return StorageError(code == ENOSPC || code == EDQUOT ? .full : .io, "\(path) cannot be written: \(reason).")
    }
}
