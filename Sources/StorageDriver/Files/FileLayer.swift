/// The system calls on files that engines write. Tests replace it to make calls fail one by one.
///
/// Each call makes the POSIX call of its purpose once: reads and writes may be short. A call that a signal interrupts
/// is repeated.
package protocol FileLayer: Sendable {
    func open(_ path: String, _ access: FileAccess) throws(SystemError) -> Int32
    /// Reads, and returns the number of bytes; 0 at the end of the file.
    func read(_ file: Int32, at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// Writes, and returns the number of bytes.
    func write(_ file: Int32, at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
    func sync(_ file: Int32, _ scope: SyncScope) throws(SystemError)
    func truncate(_ file: Int32, to size: Int64) throws(SystemError)
    func status(_ file: Int32) throws(SystemError) -> FileStatus
    /// The status of the file at a path, which may be a symbolic link; nil without a file.
    func status(at path: String) throws(SystemError) -> FileStatus?
    /// Gives a file the permissions of another, and its owner and group if the process may.
    func adopt(_ status: FileStatus, for file: Int32) throws(SystemError)
    /// Takes the lock, shared or exclusive, without waiting. Returns false if another process has it.
    func lock(_ file: Int32, shared isShared: Bool) throws(SystemError) -> Bool
    /// Also releases the file's lock. Does not throw: a failure to close loses no written data.
    func close(_ file: Int32)
    /// Renames a file. Throws `EEXIST` if the new name exists and its file may not be replaced.
    func rename(_ path: String, to newPath: String, replacing isReplacing: Bool) throws(SystemError)
    func remove(_ path: String) throws(SystemError)
    /// The path without symbolic links; nil if the file doesn't exist.
    func resolve(_ path: String) throws(SystemError) -> String?
    /// Seconds since 1970.
    func now() -> Int64
    /// This process, for messages: `process 12 on host a`.
    func processName() -> String
}

/// The access that a file is opened for.
package enum FileAccess: Sendable, Equatable {
    case read
    case readWrite
    /// To write; created if it does not exist.
    case create
    /// To write, created with these permissions; it must not exist.
    case createNew(permissions: UInt32)
    /// A folder, to sync it.
    case folder
}

/// The guarantee that a sync waits for.
package enum SyncScope: Sendable {
    /// The bytes and the size.
    case contents
    /// All that the file system knows of the file.
    case everything
}

/// The status of a file.
package struct FileStatus: Sendable, Equatable {
    package var size: Int64
    /// The time of the last write, in nanoseconds since 1970.
    package var modified: Int64
    package var device: UInt64
    package var number: UInt64
    package var permissions: UInt32
    package var owner: UInt32
    package var group: UInt32
    /// A Boolean value that indicates whether it is a regular file, not a folder, link, pipe or device.
    package var isRegular: Bool

    package init(
        size: Int64, modified: Int64, device: UInt64, number: UInt64, permissions: UInt32, owner: UInt32, group: UInt32,
        isRegular: Bool = true
    ) {
        self.isRegular = isRegular
        (self.size, self.modified) = (size, modified)
        (self.device, self.number) = (device, number)
        (self.permissions, self.owner, self.group) = (permissions, owner, group)
    }

    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && number == other.number }
}

/// A system call that failed.
package struct SystemError: Error, Sendable, CustomStringConvertible {
    /// The call's name: `pwrite`.
    package let call: String
    /// Its `errno`.
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }
}
