internal import StorageAPI

/// Keeps a second writer away from a store, in this process and others, for as long as it lives.
///
/// The lock is taken on a file of its own, `<name>-lock`, because the store's file is replaced when it is rewritten. Who
/// has it may remove that file, so it counts only while the file is the one of that name: else two processes could have
/// locked two files.
final class WriterLock {
    private let file: OpenFile
    private let layer: any FileLayer
    /// Whether there was no file before.
    private let isNew: Bool

    /// How often to try anew where the file was removed between being opened and being locked.
    private static let mostTries = 100

    /// Throws `locked`, naming the holder, where somebody else writes to the store.
    init(_ path: String, _ layer: any FileLayer) throws(StorageError) {
        let name = path + "-lock"
        self.layer = layer
        isNew = try Self.status(at: name, layer) == nil
        file = try Self.take(name, of: path, layer)
        // The name is for the other's message alone: a full disk must not keep a store from being opened.
        try? write(layer.processName())
    }

    private static func take(_ name: String, of path: String, _ layer: any FileLayer) throws(StorageError) -> OpenFile {
        for _ in 0..<mostTries {
            let file: OpenFile
            do { file = try OpenFile(name, .create, layer) } catch { throw FileFailure.error(error, name) }
            guard try file.lock() else { throw locked(path, by: holder(file)) }
            if let named = try status(at: name, layer), named.isSameFile(as: try file.status()) { return file }
            file.unlock()
        }
        throw locked(path, by: "another process")
    }

    private static func locked(_ path: String, by holder: String) -> StorageError {
        StorageError(.locked, "\(path) is written to by \(holder); close it there, or open it read-only here.")
    }

    private static func status(at name: String, _ layer: any FileLayer) throws(StorageError) -> FileStatus? {
        do { return try layer.status(at: name) } catch { throw FileFailure.error(error, name) }
    }

    /// Removes the file where this lock has made it: a store that could not be opened leaves nothing. One that cannot be
    /// removed does no harm, and the caller's own error is the one to tell.
    func removeIfNew() {
        if isNew { try? layer.remove(file.path) }
    }

    deinit { file.unlock() }

    private func write(_ holder: String) throws(StorageError) {
        try file.truncate(to: 0)
        var text = holder + "\n"
        let written = text.withUTF8 { text in
            Result { () throws(StorageError) in try file.write(at: 0, UnsafeRawBufferPointer(text)) }
        }
        try written.get()
    }

    /// The name that the holder has written. It is for a message alone, so one that cannot be read is no error.
    private static func holder(_ file: OpenFile) -> String {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { bytes in
            guard let count = try? file.read(at: 0, into: bytes), count > 0 else { return "another process" }
            let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
            return String(decoding: line, as: UTF8.self)
        }
    }
}
