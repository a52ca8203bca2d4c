internal import StorageAPI

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Files that are read and replaced whole.
enum AtomicFile {
    /// The largest file that is read into memory.
    private static let largest = 1 << 32

    static func read(_ path: String) throws(StorageError) -> [UInt8] {
        let file = try open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest else {
            throw StorageError(.io, "\(path) is no file of less than 4 GiB.")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let step = bytes.withUnsafeMutableBytes { buffer in
                retried { systemRead(file, buffer.baseAddress.map { $0 + count }, buffer.count - count) }
            }
            guard step >= 0 else { throw failure("read", path) }
            guard step > 0 else { throw StorageError(.io, "\(path) was cut while it was read. Read it again.") }
            count += step
        }
        return bytes
    }

    /// Writes a file beside the path, syncs it, renames it, and syncs the folder.
    static func write(_ bytes: [UInt8], to path: String) throws(StorageError) {
        let temporary = "\(path).\(UInt32.random(in: 0 ... .max)).tmp"
        let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
        do throws(StorageError) {
            try fill(file, with: bytes, temporary)
            guard rename(temporary, path) == 0 else { throw failure("replace", path) }
        } catch {
            unlink(temporary)
            throw error
        }
        try syncFolder(of: path)
    }

    private static func fill(_ file: Int32, with bytes: [UInt8], _ path: String) throws(StorageError) {
        var isClosed = false
        defer { if !isClosed { close(file) } }
        var count = 0
        while count < bytes.count {
            let step = bytes.withUnsafeBytes { buffer in
                retried { systemWrite(file, buffer.baseAddress.map { $0 + count }, buffer.count - count) }
            }
            guard step > 0 else { throw failure("write", path) }
            count += step
        }
        guard fsync(file) == 0 else { throw failure("sync", path) }
        isClosed = true
        guard close(file) == 0 else { throw failure("close", path) }
    }

    /// A rename is durable when the folder is.
    private static func syncFolder(of path: String) throws(StorageError) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = try open(parent, O_RDONLY | O_CLOEXEC)
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure("sync", parent) }
    }

    private static func open(_ path: String, _ flags: Int32) throws(StorageError) -> Int32 {
        let file = Int32(retried { Int(systemOpen(path, flags)) })
        guard file >= 0 else { throw failure("open", path) }
        return file
    }

    /// Calls again what a signal interrupted.
    private static func retried(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private static func failure(_ what: String, _ path: String) -> StorageError {
        let code = errno
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return StorageError(code == ENOSPC ? .full : .io, "Cannot \(what) \(path): \(reason).")
    }
}

// The C functions under names that the enum's own do not hide.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o644) }
private func systemRead(_ file: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, start, count)
}
private func systemWrite(_ file: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int { write(file, start, count) }
