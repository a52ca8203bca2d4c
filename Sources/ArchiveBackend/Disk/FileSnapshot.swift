internal import StorageDriver

/// A snapshot of a store file up to its last commit, read while it may be written.
struct FileSnapshot {
    let file: OpenFile
    let size: Int64
    /// The bytes after the last commit that were not a commit when the file was opened read-only.
    let torn: Recovery.TornTail?
    /// The bytes of the file's record of its length, and their offset; nil in a file of version 1.
    let length: (place: Int64, record: ByteBuffer)?

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
        if let length { try target.write(at: length.place, length.record.bytes) }
    }

    /// Reads every commit again; a sentence for each part that is not as it was written.
    func findDamage() throws(StorageError) -> [String] {
        var scan = try RecoveryScan(try FileWindow(file, upTo: size), .salvage)
        try scan.run { (_) throws(StorageError) in }
        var problems = scan.recovery.damage
        let end = scan.scanner.position
        if end < size {
            problems.append(Recovery.Damage(range: end..<size, reason: "the commits that were there are gone"))
        }
        if let place = scan.scanner.lengthPlace, scan.scanner.knownLength == 0 {
            let range = place..<place + Int64(scan.scanner.codec.trailerSize)
            problems.append(
                Recovery.Damage(range: range, reason: "how long the file is cannot be read; a writer mends it"))
        }
        return (torn.map { [$0.description] } ?? []) + problems.map(\.description)
    }
}

extension StoreFile {
    /// The file as of its last commit; nil before the first. If the file is rewritten, the open one stays as it was.
    func snapshot() throws(StorageError) -> FileSnapshot? {
        guard let commitLog else { return nil }
        if mode == .readWrite { try requirePresence(of: commitLog) }
        let scanner = commitLog.scanner
        var length: (Int64, ByteBuffer)?
        if let place = scanner.lengthPlace, let last = scanner.last {
            let record = ByteBuffer()
            LengthRecord(of: last, length: size).append(to: record, scanner.codec)
            length = (place, record)
        }
        return FileSnapshot(
            file: commitLog.file, size: size, torn: mode == .readWrite ? nil : found.torn, length: length)
    }
}
