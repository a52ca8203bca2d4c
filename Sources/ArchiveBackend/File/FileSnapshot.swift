internal import StorageAPI

/// A store file up to its last commit at one moment, read beside its writer.
struct FileSnapshot {
    let file: OpenFile
    let size: Int64

    private static let blockSize = 1 << 20

    /// Copies the bytes to an empty file.
    func copy(to target: OpenFile) throws(StorageError) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 16)
        defer { block.deallocate() }
        var position: Int64 = 0
        while position < size {
            let wanted = min(Int(size - position), block.count)
            let part = UnsafeMutableRawBufferPointer(rebasing: block[..<wanted])
            guard try file.read(at: position, into: part) == wanted else {
                throw StorageError(.corrupt, "\(file.path) is shorter than it was; check its storage.")
            }
            try target.write(at: position, UnsafeRawBufferPointer(part))
            position += Int64(wanted)
        }
    }

    private static func sentence(_ range: Range<Int64>, _ reason: String) -> String {
        "bytes \(range.lowerBound) to \(range.upperBound): \(reason)"
    }

    /// Reads every commit again; a sentence for each part that is not as it was written.
    func findDamage() throws(StorageError) -> [String] {
        var scan = try RecoveryScan(try FileWindow(file, upTo: size), .salvage)
        try scan.run { (_) throws(StorageError) in }
        var problems = scan.recovery.damage.map { Self.sentence($0.range, $0.reason) }
        let end = scan.scanner.position
        if end < size { problems.append(Self.sentence(end..<size, "the commits that were there are gone")) }
        return problems
    }
}

extension StoreFile {
    /// The file as of its last commit; nil before the first. Where the file is rewritten, what is open stays as it was.
    func snapshot() throws(StorageError) -> FileSnapshot? {
        guard let current else { return nil }
        if mode == .readWrite { try requirePresence(of: current) }
        return FileSnapshot(file: current.file, size: size)
    }
}
