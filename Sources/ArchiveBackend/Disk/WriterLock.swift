internal import StorageDriver

/// Keeps a second writer away from a store, in this process and others, for as long as it lives.
///
/// The lock is taken on a separate file, `<name>-lock`, because the store's file may not exist yet, and is replaced
/// when it is rewritten. The store's file is locked too.
final class WriterLock {
    private let file: OpenFile
    private let layer: any FileLayer
    /// True if the file did not exist before.
    private let isNew: Bool

    /// Throws `locked`, with the holder, if another process writes to the store.
    init(_ path: String, _ layer: any FileLayer) throws(StorageError) {
        let name = path + "-lock"
        let found = try OpenFile.status(at: name, layer)
        guard found?.isRegular != false else {
            throw StorageError(.io, "\(name) is not a file, and is in the way of the store's lock; move it away.")
        }
        (self.layer, isNew) = (layer, found == nil)
        guard let file = try OpenFile.locked(name, .create, layer: layer) else {
            throw Self.locked(path, by: Self.holder(name, layer))
        }
        self.file = file
        // The name is for the other's message alone: a full disk must not keep a store from being opened.
        try? write(layer.processName())
    }

    static func locked(_ path: String, by holder: String) -> StorageError {
        StorageError(.locked, "\(path) is written to by \(holder); close it there, or open it read-only here.")
    }

    /// Removes the file if this lock created it: a store that could not be opened leaves no file. A failure is ignored,
    /// because the file does no harm, and the caller throws the error of opening.
    func removeIfNew() {
        if isNew { try? layer.remove(file.path) }
    }

    private func write(_ holder: String) throws(StorageError) {
        try file.truncate(to: 0)
        var text = holder + "\n"
        let written = text.withUTF8 { text in
            Result { () throws(StorageError) in try file.write(at: 0, UnsafeRawBufferPointer(text)) }
        }
        try written.get()
    }

    /// The name that the holder has written. Only a message uses the name, so an unreadable name is no error.
    private static func holder(_ name: String, _ layer: any FileLayer) -> String {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { bytes in
            guard let count = try? OpenFile(name, .read, layer: layer).read(at: 0, into: bytes), count > 0 else {
                return "another process"
            }
            let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
            return String(decoding: line, as: UTF8.self)
        }
    }
}
