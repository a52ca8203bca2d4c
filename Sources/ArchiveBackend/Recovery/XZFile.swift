internal import StorageDriver

/// Reads a store file that a build before 0.1 has compressed with xz. The store that opens it for writing then rewrites
/// it with a codec of today.
///
/// Decompressed, the file is a tar of the entries. After the entries of a commit comes an entry `.karch` with its
/// trailer, and after the first trailer another one with the record of the file's length. These two are stored
/// without compression, so the last of them is found from outside. xz itself finds changed bytes before it.
struct XZFile {
    /// Beginning of a trailer and of the record of the length, which continue with `43` and `4c`.
    private static let marker = Array("KARCH trailer 4b4152".utf8)
    /// Bytes from the mark to the end of the stream.
    private static let markedBytes: Int64 = 541

    private let window: FileWindow
    /// The end of the last commit.
    let end: Int64

    /// Nil for a file of another codec.
    init?(_ window: FileWindow) throws(StorageError) {
        let magic: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        guard try window.bytes(at: 0, magic.count)?.elementsEqual(magic) == true else { return nil }
        var (end, place): (Int64, Int64) = (0, 0)
        while let hit = try window.place(of: Self.marker, from: place) {
            (end, place) = (hit + Self.markedBytes, hit + 1)
        }
        (self.window, self.end) = (window, end)
    }

    /// Calls `each` with the entries of all commits, and returns the number of commits.
    ///
    /// - Throws: `corrupt` unless the file has whole commits up to its last trailer, and as many bytes as it says.
    func read(each: (Entry) throws(StorageError) -> Void) throws(StorageError) -> UInt64 {
        guard end > 0 else { throw damaged }
        let frames = try FrameReader(xzFile: window, upTo: end)
        let parser = EntryParser(commit: 0, ByteBuffer(), hasTrailers: true)
        var (commits, knownLength): (UInt64, Int64) = (0, 0)
        while let block = try next(frames) {
            try parser.parse(block) { (entry) throws(StorageError) in
                guard entry.name == TarHeader.trailerName else {
                    return try each(Entry(name: entry.name, contents: entry.contents, commit: commits))
                }
                guard let payload = ArchiveCodec.payload(in: entry.contents) else { throw damaged }
                if payload.starts(with: LengthRecord.magic) {
                    knownLength = payload.withUnsafeBytes { $0.littleEndian(at: 24) }
                } else {
                    // The record of the length follows, unless the file was cut here.
                    let version: UInt16 = payload.withUnsafeBytes { $0.littleEndian(at: 4) }
                    if commits == 0, version >= StoreFormat.firstWithLength { knownLength = .max }
                    commits += 1
                }
            }
        }
        try parser.finish()
        guard commits > 0, knownLength <= end, end <= window.end else { throw damaged }
        return commits
    }

    private func next(_ frames: FrameReader) throws(StorageError) -> UnsafeRawBufferPointer? {
        do throws(StorageError) { return try frames.next() } catch {
            throw error.code == .corrupt ? damaged : error
        }
    }

    private var damaged: StorageError {
        StorageError(
            .corrupt,
            "\(window.file.path) is damaged. Restore a backup; bsdtar -xf extracts what precedes the damage. The file was "
                + "not changed.")
    }

    static func cannotFollow(_ path: String) -> StorageError {
        StorageError(
            .unsupported,
            "\(path) is compressed with xz, as builds before 0.1 could do. Open it for writing once, as storage compact "
                + "does, which rewrites it with zstd; or extract what is whole by bsdtar -xf.")
    }
}
