internal import StorageAPI

/// One open file: whole reads and writes, and failures as storage errors that name it. Closes itself.
final class OpenFile: Sendable {
    let path: String
    private let layer: any FileLayer
    private let descriptor: Int32

    /// Opens the file at a path; errors name it by `name` where that is another.
    init(
        _ path: String, _ access: FileAccess, _ layer: any FileLayer, name: String? = nil
    ) throws(SystemError) {
        descriptor = try layer.open(path, access)
        self.path = name ?? path
        self.layer = layer
    }

    deinit { layer.close(descriptor) }

    /// Reads until the buffer is full or the file ends, and says how many bytes that were.
    func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
            let read = try named { () throws(SystemError) in
                try layer.read(descriptor, at: offset + Int64(count), into: rest)
            }
            if read == 0 { break }
            count += read
        }
        return count
    }

    func write(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let written = try named { () throws(SystemError) in
                try layer.write(descriptor, at: offset + Int64(count), rest)
            }
            guard written > 0 else {
                throw StorageError(.io, "\(path): the file system wrote nothing and gave no reason; check the disk.")
            }
            count += written
        }
    }

    func sync(_ scope: SyncScope) throws(StorageError) {
        try named { () throws(SystemError) in try layer.sync(descriptor, scope) }
    }

    func truncate(to size: Int64) throws(StorageError) {
        try named { () throws(SystemError) in try layer.truncate(descriptor, to: size) }
    }

    func status() throws(StorageError) -> FileStatus {
        try named { () throws(SystemError) in try layer.status(descriptor) }
    }

    /// Takes another file's permissions, and its owner and group where the process may.
    func adopt(_ status: FileStatus) throws(StorageError) {
        try named { () throws(SystemError) in try layer.adopt(status, for: descriptor) }
    }

    func lock() throws(StorageError) -> Bool {
        try named { () throws(SystemError) in try layer.lock(descriptor) }
    }

    func unlock() { layer.unlock(descriptor) }

    private func named<T>(_ call: () throws(SystemError) -> T) throws(StorageError) -> T {
        do { return try call() } catch { throw FileFailure.error(error, path) }
    }
}

extension OpenFile {
    /// A path's folder and name.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    /// Waits until the names in a file's folder are on the disk.
    static func syncFolder(of path: String, _ layer: any FileLayer) throws(StorageError) {
        let name = split(path).folder
        let folder: OpenFile
        do { folder = try OpenFile(name, .folder, layer) } catch { throw FileFailure.error(error, name) }
        try folder.sync(.everything)
    }
}
