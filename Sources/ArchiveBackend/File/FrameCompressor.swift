internal import CArchive
internal import StorageDriver

/// Makes frames: compresses contents by libarchive, and gives zstd frames the check of their contents, which libarchive
/// leaves out.
struct FrameCompressor {
    let codec: ArchiveCodec
    let level: Int
    /// Whether the frames stay only until the file is written anew. Then small ones are stored (``StoredFrame``), and those
    /// of up to ``fewBytes`` are compressed at the codec's fastest level: a higher one first prepares memory for much more.
    /// For the contents of 64 saved records zstd's level 3 takes twice the instructions of level 1, for frames that are 3 to
    /// 5 % smaller, and xz's 6 five times the time of 0, for 1 %.
    var isAppending = false

    private static let fewBytes = 256 << 10

    // AE_IFREG, a macro with a cast, which Swift does not import.
    private static let regularFile: UInt32 = 0o100000

    /// Appends one frame.
    func compress(_ contents: UnsafeRawBufferPointer, to output: ByteBuffer) throws(StorageError) {
        guard codec != .none else { return output.append(contents) }
        if isAppending, codec == .zstd, contents.count <= StoredFrame.largestContents {
            return StoredFrame.append(contents, to: output)
        }
        let start = output.count
        let archive = archive_write_new()
        defer { archive_write_free(archive) }
        try configure(archive, level: level(for: contents.count))
        // libarchive calls back only inside the calls below, during which the caller holds the buffer.
        let context = Unmanaged.passUnretained(output).toOpaque()
        try require(archive_write_open(archive, context, nil, appendFrame, nil), archive)
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_filetype(entry, Self.regularFile)
        try require(archive_write_header(archive, entry), archive)
        try write(contents, archive)
        try require(archive_write_close(archive), archive)
        if codec == .zstd { addCheck(of: contents, to: output, frameAt: start) }
    }

    private func level(for bytes: Int) -> Int {
        guard isAppending, bytes <= Self.fewBytes, let fastest = codec.levels?.lowerBound else { return level }
        return fastest
    }

    private func configure(_ archive: OpaquePointer?, level: Int) throws(StorageError) {
        try require(archive_write_set_format_raw(archive), archive)
        try require(codec.addFilter(archive), archive)
        try require(
            archive_write_set_filter_option(archive, codec.rawValue, "compression-level", String(level)), archive)
        // Padding would be junk after the frame.
        try require(archive_write_set_bytes_per_block(archive, 0), archive)
    }

    private func write(_ contents: UnsafeRawBufferPointer, _ archive: OpaquePointer?) throws(StorageError) {
        var rest = contents
        while !rest.isEmpty {
            let written = archive_write_data(archive, rest.baseAddress, rest.count)
            guard written > 0 else { throw Self.failed(archive) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        }
    }

    private func require(_ result: Int32, _ archive: OpaquePointer?) throws(StorageError) {
        if result != ARCHIVE_OK { throw Self.failed(archive) }
    }

    private static func failed(_ archive: OpaquePointer?) -> StorageError {
        StorageError(.io, "libarchive could not compress: \(LibarchiveError.text(archive)). Nothing is stored.")
    }

    /// Sets the frame's bit for a check and appends it (RFC 8878, 3.1.1: the low 32 bits of XXH64 of the contents).
    private func addCheck(of contents: UnsafeRawBufferPointer, to output: ByteBuffer, frameAt start: Int) {
        let bit: UInt8 = 0b0000_0100
        guard output.count > start + 4, output.bytes[start + 4] & bit == 0 else { return }
        output.mutableBytes[start + 4] |= bit
        output.append(UInt32(truncatingIfNeeded: XXHash64.hash(contents)))
    }
}

private let appendFrame: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int = {
    archive, context, bytes, count in
    guard let context else { return -1 }
    Unmanaged<ByteBuffer>.fromOpaque(context).takeUnretainedValue()
        .append(UnsafeRawBufferPointer(start: bytes, count: count))
    return count
}
