/// The system calls on files that engines write, so that tests can let them fail one by one.
///
/// A call does what the one of the same purpose does in POSIX, once: reads and writes may be short. Calls that a signal
/// interrupts are made again.
package protocol FileLayer: Sendable {
    func open(_ path: String, _ access: FileAccess) throws(SystemError) -> Int32
    /// Bytes read; 0 at the end of the file.
    func read(_ file: Int32, at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// Bytes written.
    func write(_ file: Int32, at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
    func sync(_ file: Int32, _ scope: SyncScope) throws(SystemError)
    func truncate(_ file: Int32, to size: Int64) throws(SystemError)
    func status(_ file: Int32) throws(SystemError) -> FileStatus
    /// Of what is at a path, which may be a symbolic link, or nil where there is nothing.
    func status(at path: String) throws(SystemError) -> FileStatus?
    /// Gives a file the permissions of another, and its owner and group where the process may.
    func adopt(_ status: FileStatus, for file: Int32) throws(SystemError)
    /// Takes the lock without waiting, with others who share it or exclusively. False where somebody else has it.
    func lock(_ file: Int32, shared isShared: Bool) throws(SystemError) -> Bool
    /// Gives the file's lock back too. What the file was written with is not lost when this fails, so it does not.
    func close(_ file: Int32)
    /// Where nothing may be replaced, `EEXIST` for a name that is taken.
    func rename(_ path: String, to newPath: String, replacing isReplacing: Bool) throws(SystemError)
    func remove(_ path: String) throws(SystemError)
    /// The path without symbolic links, or nil where there is no such file.
    func resolve(_ path: String) throws(SystemError) -> String?
    /// Seconds since 1970.
    func now() -> Int64
    /// This process, for messages: `process 12 on host a`.
    func processName() -> String
}

/// What a file is opened for.
package enum FileAccess: Sendable, Equatable {
    case read
    case readWrite
    /// To write; created where it is not there.
    case create
    /// To write, with these permissions; it must not be there.
    case createNew(permissions: UInt32)
    /// A folder, to sync it.
    case folder
}

/// What a sync waits for.
package enum SyncScope: Sendable {
    /// The bytes and the size.
    case contents
    /// All that the file system knows of the file.
    case everything
}

/// What is known of a file.
package struct FileStatus: Sendable, Equatable {
    package var size: Int64
    /// When it was last written to, in nanoseconds since 1970.
    package var modified: Int64
    package var device: UInt64
    package var number: UInt64
    package var permissions: UInt32
    package var owner: UInt32
    package var group: UInt32
    /// Whether it is a file of bytes, and no folder, link, pipe or device.
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
