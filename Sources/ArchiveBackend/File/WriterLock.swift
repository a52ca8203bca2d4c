internal import StorageAPI

/// Keeps a second writer away from a store, in this process and others, for as long as it lives.
///
/// The lock is taken on a file of its own, `<name>-lock`, because the store's file is replaced when it is rewritten. The
/// file stays there: to remove it would let two processes lock two files of that name.
final class WriterLock {
    private let file: OpenFile

    /// Throws `locked`, naming the holder, where somebody else writes to the store.
    init(_ path: String, _ layer: any FileLayer) throws(StorageError) {
        let name = path + "-lock"
        do { file = try OpenFile(name, .create, layer) } catch { throw FileFailure.error(error, name) }
        guard try file.lock() else {
            throw StorageError(
                .locked, "\(path) is written to by \(Self.holder(file)); close it there, or open it read-only here.")
        }
        // The name is for the other's message alone: a full disk must not keep a store from being opened.
        try? write(layer.processName())
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

    private static func holder(_ file: OpenFile) -> String {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { bytes in
            guard let count = try? file.read(at: 0, into: bytes), count > 0 else { return "another process" }
            let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
            return String(decoding: line, as: UTF8.self)
        }
    }
}
