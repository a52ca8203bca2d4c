/// One open file: complete reads and writes, and failures as storage errors that name it. Closes itself.
package final class OpenFile: Sendable {
    package let path: String
    package let descriptor: Int32
    private let layer: any FileLayer

    /// Opens the file at a path. Errors name it `name`, if that is given.
    package init(
        _ path: String, _ access: FileAccess, layer: any FileLayer, name: String? = nil
    ) throws(SystemError) {
        descriptor = try layer.open(path, access)
        self.path = name ?? path
        self.layer = layer
    }

    deinit { layer.close(descriptor) }

    /// Reads until the buffer is full or the file ends, and returns the number of bytes.
    package func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
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

    package func write(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
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

    package func sync(_ scope: SyncScope) throws(StorageError) {
        try named { () throws(SystemError) in try layer.sync(descriptor, scope) }
    }

    package func truncate(to size: Int64) throws(StorageError) {
        try named { () throws(SystemError) in try layer.truncate(descriptor, to: size) }
    }

    package func status() throws(StorageError) -> FileStatus {
        try named { () throws(SystemError) in try layer.status(descriptor) }
    }

    /// Adopts another file's permissions, and its owner and group if the process may.
    package func adopt(_ status: FileStatus) throws(StorageError) {
        try named { () throws(SystemError) in try layer.adopt(status, for: descriptor) }
    }

    /// Takes the lock, shared or exclusive, until the file is closed. Returns false if another process has it.
    package func lock(shared isShared: Bool = false) throws(StorageError) -> Bool {
        try named { () throws(SystemError) in try layer.lock(descriptor, shared: isShared) }
    }

    private func named<T>(_ call: () throws(SystemError) -> T) throws(StorageError) -> T {
        do { return try call() } catch { throw FileFailure.error(error, path) }
    }
}

extension OpenFile {
    /// A path's folder and name.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    /// Waits until the names in a file's folder are on the disk.
    package static func syncFolder(of path: String, _ layer: any FileLayer) throws(StorageError) {
        let name = split(path).folder
        let folder: OpenFile
        do { folder = try OpenFile(name, .folder, layer: layer) } catch { throw FileFailure.error(error, name) }
        try folder.sync(.everything)
    }

    /// The status of the file at a path; nil without a file.
    package static func status(at path: String, _ layer: any FileLayer) throws(StorageError) -> FileStatus? {
        do { return try layer.status(at: path) } catch { throw FileFailure.error(error, path) }
    }

    /// The absolute path, without symbolic links, of a file that exists or can be created.
    ///
    /// Throws `io` if the path is not a regular file and so must not be overwritten: a folder, a device, a pipe, or a
    /// dangling link.
    package static func place(of path: String, _ layer: any FileLayer) throws(StorageError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.configuration, "The path is empty or has a NUL; name a file.")
        }
        let place = try resolved(path, layer)
        if let status = try status(at: place, layer), !status.isRegular {
            throw StorageError(
                .io, "\(path) is a folder, a device, a pipe, or a dangling link; name a file.")
        }
        return place
    }

    private static func resolved(_ path: String, _ layer: any FileLayer) throws(StorageError) -> String {
        if let resolved = try resolve(path, layer) { return resolved }
        let (folder, name) = split(path)
        guard let resolved = try resolve(folder, layer), !name.isEmpty else {
            throw StorageError(.io, "\(path): there is no folder \(folder), or no file is named; check the path.")
        }
        return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }

    private static func resolve(_ path: String, _ layer: any FileLayer) throws(StorageError) -> String? {
        do { return try layer.resolve(path) } catch { throw FileFailure.error(error, path) }
    }

    /// The number of attempts for a file that was locked, or replaced between being opened and being locked.
    private static let maximumTries = 100

    /// Opens the file at a path and takes its lock; nil if another process has it.
    ///
    /// A lock counts only while the file has its name; otherwise two processes could have locked two files.
    package static func locked(
        _ path: String, _ access: FileAccess, layer: any FileLayer
    ) throws(StorageError) -> OpenFile? {
        for _ in 0..<maximumTries {
            let file: OpenFile
            do { file = try OpenFile(path, access, layer: layer) } catch { throw FileFailure.error(error, path) }
            // A reader takes the lock for a moment, to see whether a writer has it.
            guard try file.lock() else { continue }
            if let named = try status(at: path, layer), named.isSameFile(as: try file.status()) { return file }
        }
        return nil
    }
}
