internal import CArchive
internal import StorageDriver

/// Decompresses the frames of one commit, a block at a time, by libarchive with one filter and the raw format: the tar in
/// it is read by ``EntryParser``, which takes less than libarchive would.
final class FrameReader {
    private let source: FrameSource
    private let archive: OpaquePointer?
    /// The contents where libarchive was not needed for them.
    private let stored: ByteBuffer?
    private var isHandedOut = false

    /// - Parameter scratch: memory that may be used until the next reader is made.
    init(
        _ codec: ArchiveCodec, window: FileWindow, range: Range<Int64>, scratch: ByteBuffer
    ) throws(StorageError) {
        source = FrameSource(window, range)
        var stored: ByteBuffer?
        if codec == .zstd, range.count <= 2 * StoredFrame.largestContents,
            let frame = try window.bytes(at: range.lowerBound, range.count)
        {
            scratch.removeAll()
            if StoredFrame.read(frame, to: scratch) { stored = scratch }
        }
        self.stored = stored
        guard codec != .none, stored == nil else {
            archive = nil
            return
        }
        archive = archive_read_new()
        try begin(codec.allowReading(archive))
    }

    /// Decompresses a file that an earlier build has compressed with xz.
    init(xzFile window: FileWindow, upTo end: Int64) throws(StorageError) {
        (source, stored) = (FrameSource(window, 0..<end), nil)
        archive = archive_read_new()
        // Without the library it would run the program of that name.
        guard archive_read_support_filter_xz(archive) == ARCHIVE_OK else {
            throw StorageError(.unsupported, "This system's libarchive lacks xz; install a libarchive that has it.")
        }
        try begin(ARCHIVE_OK)
    }

    private func begin(_ isAllowed: Int32) throws(StorageError) {
        try require(isAllowed)
        try require(archive_read_support_format_raw(archive))
        // libarchive calls back only inside calls that this object makes, and the source lives as long as it does.
        let context = Unmanaged.passUnretained(source).toOpaque()
        try require(archive_read_open(archive, context, nil, readFrames, nil))
        var entry: OpaquePointer?
        try require(archive_read_next_header(archive, &entry))
    }

    deinit { archive_read_free(archive) }

    /// The next bytes of the contents, valid until the next call, or nil at the end.
    func next() throws(StorageError) -> UnsafeRawBufferPointer? {
        guard let archive else { return try nextAsItStands() }
        var bytes: UnsafeRawPointer?
        var count = 0
        var offset: Int64 = 0
        let result = archive_read_data_block(archive, &bytes, &count, &offset)
        if result == ARCHIVE_EOF { return nil }
        try require(result)
        return UnsafeRawBufferPointer(start: bytes, count: count)
    }

    private func nextAsItStands() throws(StorageError) -> UnsafeRawBufferPointer? {
        guard let stored else { return try source.next() }
        defer { isHandedOut = true }
        return isHandedOut ? nil : stored.bytes
    }

    private func require(_ result: Int32) throws(StorageError) {
        if result == ARCHIVE_OK { return }
        if let failure = source.failure { throw failure }
        throw StorageError(.corrupt, "its frame cannot be decompressed: \(LibarchiveError.text(archive))")
    }
}

/// Hands a commit's bytes to libarchive.
private final class FrameSource {
    private let window: FileWindow
    private var rest: Range<Int64>
    /// The error thrown while reading the file, which C cannot carry.
    var failure: StorageError?

    init(_ window: FileWindow, _ range: Range<Int64>) {
        self.window = window
        rest = range
    }

    func next() throws(StorageError) -> UnsafeRawBufferPointer? {
        guard let bytes = try window.run(at: rest.lowerBound, upTo: rest.upperBound) else { return nil }
        rest = (rest.lowerBound + Int64(bytes.count))..<rest.upperBound
        return bytes
    }
}

private let readFrames:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int = {
        archive, context, bytes in
        guard let context, let bytes else { return -1 }
        let source = Unmanaged<FrameSource>.fromOpaque(context).takeUnretainedValue()
        do throws(StorageError) {
            let next = try source.next()
            bytes.pointee = next?.baseAddress
            return next?.count ?? 0
        } catch {
            source.failure = error
            return -1
        }
    }

/// Reads libarchive's description of its last failure.
enum LibarchiveError {
    static func text(_ archive: OpaquePointer?) -> String {
        archive_error_string(archive).map { String(cString: $0) } ?? "no reason given"
    }
}
