internal import CArchive
internal import StorageDriver

/// Makes frames: compresses contents by libarchive, and gives zstd frames the check of their contents, which libarchive
/// leaves out.
struct FrameCompressor {
    let codec: ArchiveCodec
    let level: Int
    /// True if the frames stay only until the file is rewritten. Then small ones are stored without compression, and
    /// frames of up to ``fewBytes`` are compressed at the codec's fastest level, because a higher level first prepares
    /// memory for much more. For the contents of 64 saved records zstd's level 3 takes twice the instructions of level
    /// 1, for frames that are 3 to 5 % smaller.
    var isAppending = false
    /// True if dense contents, of which a sample does not shrink to 4/7, are compressed at the codec's
    /// ``ArchiveCodec/denseLevel``. Each opening decompresses the file, so a level that saves little and decompresses
    /// slowly costs more than it gains: 10 MB of a search index take 6.2 MB at zstd's level 3, and 7.7 MB at -1, which
    /// decompresses 2.7 times as fast.
    var sparesReaders = false

    private static let fewBytes = 256 << 10
    private static let sampleBytes = 32 << 10
    // Below this, a sample would cost more than reading the frame at the usual level.
    private static let minimumSampledBytes = 4 * sampleBytes

    // AE_IFREG, a macro with a cast, which Swift does not import.
    private static let regularFile: UInt32 = 0o100000

    /// Appends one frame.
    func compress(_ contents: UnsafeRawBufferPointer, to output: ByteBuffer) throws(StorageError) {
        guard codec != .none else { return output.append(contents) }
        if isAppending, codec == .zstd, contents.count <= StoredFrame.largestContents {
            return StoredFrame.append(contents, to: output)
        }
        let start = output.count
        try compress(contents, level: level(for: contents), to: output)
        if codec == .zstd { addCheck(of: contents, to: output, frameAt: start) }
    }

    private func compress(
        _ contents: UnsafeRawBufferPointer, level: Int, to output: ByteBuffer
    ) throws(StorageError) {
        let archive = archive_write_new()
        defer { archive_write_free(archive) }
        try configure(archive, level: level)
        // libarchive calls back only inside the calls below, during which the caller holds the buffer.
        let context = Unmanaged.passUnretained(output).toOpaque()
        try require(archive_write_open(archive, context, nil, appendFrame, nil), archive)
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_filetype(entry, Self.regularFile)
        try require(archive_write_header(archive, entry), archive)
        try write(contents, archive)
        try require(archive_write_close(archive), archive)
    }

    private func level(for contents: UnsafeRawBufferPointer) throws(StorageError) -> Int {
        if isAppending, contents.count <= Self.fewBytes { return codec.levels?.lowerBound ?? level }
        guard sparesReaders, let dense = codec.denseLevel, contents.count >= Self.minimumSampledBytes else {
            return level
        }
        let sample = contents.part(contents.count / 2, Self.sampleBytes)
        let compressed = ByteBuffer(capacity: Self.sampleBytes)
        try compress(sample, level: dense, to: compressed)
        return compressed.count * 7 > sample.count * 4 ? dense : level
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

/// zstd frames that are made without compressing: raw blocks, and blocks of one repeated byte for runs of zeros, of
/// which a tar header has several (RFC 8878, 3.1.1.2).
///
/// A compressor of libarchive cannot be kept from frame to frame, and making one costs 23 µs, a fifth of a durable
/// commit on a fast disk; for the records that 40 tasks save at a time, 7 KB, it takes as long as the disk. A commit of one
/// small record is a tenth larger this way, one of 40 a third; rewriting the file compresses it.
enum StoredFrame {
    /// Contents up to this size are stored, such as most commits of records that are saved one by one. A block may have
    /// 128 KiB, so no frame needs to be cut.
    static let largestContents = 16 << 10

    private static let minimumRunLength = 32
    /// Magic number; a check of the contents and no content size; a window of 128 KiB.
    private static let header: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0b0000_0100, 7 << 3]

    static func append(_ contents: UnsafeRawBufferPointer, to output: ByteBuffer) {
        output.append(header)
        var start = 0
        while let run = zeros(in: contents, from: start) {
            if run.lowerBound > start { appendRaw(contents.part(start, run.lowerBound - start), to: output) }
            appendBlock(type: 1, size: run.count, to: output)
            output.append(0 as UInt8)
            start = run.upperBound
        }
        appendRaw(contents.part(start, contents.count - start), to: output, isLast: true)
        output.append(UInt32(truncatingIfNeeded: XXHash64.hash(contents)))
    }

    /// Puts the contents of these bytes into an empty buffer, if they are one such frame. Returns false, with undefined
    /// bytes in the buffer, if they are not, if the contents exceed ``largestContents``, or if the frame's check does not
    /// hold; libarchive then reads or refuses them.
    ///
    /// A reader of libarchive cannot be kept from frame to frame either, and making one costs more than all else that is done
    /// with a small commit when a file is opened.
    static func read(_ frame: UnsafeRawBufferPointer, to output: ByteBuffer) -> Bool {
        guard frame.starts(with: header) else { return false }
        var place = header.count
        while place + 3 <= frame.count {
            let block = Int(frame[place]) | Int(frame[place + 1]) << 8 | Int(frame[place + 2]) << 16
            let (isLast, type, size) = (block & 1 == 1, block >> 1 & 3, block >> 3)
            place += 3
            guard output.count + size <= largestContents else { return false }
            if type == 0, place + size <= frame.count {
                output.append(frame.part(place, size))
                place += size
            } else if type == 1, place < frame.count, frame[place] == 0 {
                output.appendZeros(size)
                place += 1
            } else {
                return false
            }
            if isLast {
                let check = UInt32(truncatingIfNeeded: XXHash64.hash(output.bytes))
                return place + 4 == frame.count && frame.littleEndian(at: place) == check
            }
        }
        return false
    }

    private static func appendRaw(_ bytes: UnsafeRawBufferPointer, to output: ByteBuffer, isLast: Bool = false) {
        appendBlock(type: 0, size: bytes.count, to: output, isLast: isLast)
        output.append(bytes)
    }

    private static func appendBlock(type: Int, size: Int, to output: ByteBuffer, isLast: Bool = false) {
        let header = size << 3 | type << 1 | (isLast ? 1 : 0)
        output.append(UInt16(truncatingIfNeeded: header))
        output.append(UInt8(truncatingIfNeeded: header >> 16))
    }

    /// The next run of zeros that is worth a separate block.
    ///
    /// Looks at eight bytes in each 25: wherever a run of the shortest length begins, eight of its zeros are met.
    private static func zeros(in contents: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        guard let bytes = contents.baseAddress else { return nil }
        // Eight bytes are read at offsets up to this one, so none after the end.
        let last = contents.count - 8
        var place = start
        while place <= last {
            if (bytes + place).loadUnaligned(as: UInt64.self) == 0 {
                var (first, end) = (place, place + 8)
                while first > start, contents[first - 1] == 0 { first -= 1 }
                while end <= last, (bytes + end).loadUnaligned(as: UInt64.self) == 0 { end += 8 }
                while end < contents.count, contents[end] == 0 { end += 1 }
                if end - first >= minimumRunLength { return first..<end }
                place = end
            } else {
                place += minimumRunLength - 7
            }
        }
        return nil
    }
}
