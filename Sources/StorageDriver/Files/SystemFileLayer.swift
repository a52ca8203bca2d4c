#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The operating system's calls.
package struct SystemFileLayer: FileLayer {
    package init() {}

    package func open(_ path: String, _ access: FileAccess) throws(SystemError) -> Int32 {
        let (flags, permissions) = Self.flags(access)
        // Opening a pipe would wait for its other end.
        return try Self.call("open") {
            systemOpen(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, permissions: permissions)
        }
    }

    private static func flags(_ access: FileAccess) -> (Int32, mode_t) {
        switch access {
        case .read: (O_RDONLY, 0)
        case .readWrite: (O_RDWR, 0)
        case .create: (O_RDWR | O_CREAT, 0o644)
        case .createNew(let permissions): (O_RDWR | O_CREAT | O_EXCL, mode_t(truncatingIfNeeded: permissions))
        case .folder: (O_RDONLY | O_DIRECTORY, 0)
        }
    }

    package func read(
        _ file: Int32, at offset: Int64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try Self.call("pread") { pread(file, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    package func write(
        _ file: Int32, at offset: Int64, _ bytes: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        try Self.call("pwrite") { pwrite(file, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    package func sync(_ file: Int32, _ scope: SyncScope) throws(SystemError) {
        #if canImport(Darwin)
        // fsync alone leaves the bytes in the drive's cache.
        if fcntl(file, F_FULLFSYNC) == 0 { return }
        try Self.call("fsync") { fsync(file) }
        #else
        switch scope {
        case .contents: try Self.call("fdatasync") { fdatasync(file) }
        case .everything: try Self.call("fsync") { fsync(file) }
        }
        #endif
    }

    package func truncate(_ file: Int32, to size: Int64) throws(SystemError) {
        try Self.call("ftruncate") { ftruncate(file, off_t(size)) }
    }

    package func status(_ file: Int32) throws(SystemError) -> FileStatus {
        var status = stat()
        try Self.call("fstat") { fstat(file, &status) }
        return FileStatus(status)
    }

    package func status(at path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        do { try Self.call("lstat") { lstat(path, &status) } } catch {
            if error.isMissingFile { return nil }
            throw error
        }
        return FileStatus(status)
    }

    package func adopt(_ status: FileStatus, for file: Int32) throws(SystemError) {
        // Only root may change a file's owner, and others only its group to one of theirs. Permissions come last, since
        // changing the owner may clear some.
        if fchown(file, status.owner, status.group) != 0 { _ = fchown(file, uid_t.max, status.group) }
        try Self.call("fchmod") { fchmod(file, mode_t(truncatingIfNeeded: status.permissions)) }
    }

    package func lock(_ file: Int32, shared isShared: Bool) throws(SystemError) -> Bool {
        do {
            try Self.call("flock") { flock(file, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    package func close(_ file: Int32) {
        // Closing alone would leave the lock to a child process that has not yet replaced its program.
        _ = flock(file, LOCK_UN)
        _ = systemClose(file)
    }

    package func rename(_ path: String, to newPath: String, replacing isReplacing: Bool) throws(SystemError) {
        if isReplacing {
            try Self.call("rename") { systemRename(path, newPath) }
            return
        }
        // A link, unlike a renaming, never replaces a file that another process has created meanwhile.
        do { try Self.call("link") { link(path, newPath) } } catch {
            guard !error.isExistingFile, try status(at: newPath) == nil else { throw error }
            // A file system without links.
            try Self.call("rename") { systemRename(path, newPath) }
            return
        }
        // The file has its new name. If the old one cannot be removed, the next cleaning removes it.
        _ = unlink(path)
    }

    package func remove(_ path: String) throws(SystemError) {
        try Self.call("unlink") { unlink(path) }
    }

    package func resolve(_ path: String) throws(SystemError) -> String? {
        guard let text = realpath(path, nil) else {
            if errno == ENOENT { return nil }
            throw SystemError(call: "realpath", code: errno)
        }
        defer { free(text) }
        return String(cString: text)
    }

    package func now() -> Int64 { Int64(time(nil)) }

    package func processName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        let host = gethostname(&name, name.count - 1) == 0 ? name.prefix { $0 != 0 } : []
        return "process \(getpid()) on host \(String(decoding: host.map(UInt8.init(bitPattern:)), as: UTF8.self))"
    }

    /// Makes a call that returns -1 on failure, and repeats it if a signal interrupted it.
    @discardableResult
    private static func call<N: SignedInteger>(_ name: String, _ make: () -> N) throws(SystemError) -> N {
        while true {
            let result = make()
            if result != -1 { return result }
            if errno != EINTR { throw SystemError(call: name, code: errno) }
        }
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
        let modified = status.st_mtimespec
        #else
        let modified = status.st_mtim
        #endif
        self.init(
            size: Int64(status.st_size), modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino),
            permissions: UInt32(status.st_mode) & 0o777, owner: status.st_uid, group: status.st_gid,
            isRegular: status.st_mode & S_IFMT == S_IFREG)
    }
}

// Inside the layer these names refer to its methods.
private func systemOpen(_ path: String, _ flags: Int32, permissions: mode_t) -> Int32 {
    open(path, flags, permissions)
}
private func systemClose(_ file: Int32) -> Int32 { close(file) }
private func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }
