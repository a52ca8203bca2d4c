package import StorageDriver

/// Files that are read and replaced whole.
package enum WholeFile {
    /// The largest file that is read into memory.
    private static let largest: Int64 = 1 << 32

    package static func read(_ path: String) throws(StorageError) -> [UInt8] {
        let layer = SystemFileLayer()
        let place = try OpenFile.place(of: path, layer)
        let file: OpenFile
        do { file = try OpenFile(place, .read, layer, name: path) } catch { throw FileFailure.error(error, path) }
        let size = try file.status().size
        guard size <= largest else { throw StorageError(.io, "\(path) is no file of less than 4 GiB.") }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(StorageError) in try file.read(at: 0, into: buffer) }
        }
        guard try count.get() == bytes.count else {
            throw StorageError(.io, "\(path) was cut while it was read. Read it again.")
        }
        return bytes
    }

    /// Writes a file beside the path, and puts it there when it is on the disk.
    package static func write(_ bytes: [UInt8], to path: String) throws(StorageError) {
        let file = try PublishedFile(path, over: .anyFile)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try file.file.write(at: 0, bytes) }
        }
        try written.get()
        try file.publish()
    }
}
