import ArchiveBackend
import CArchive
import Foundation
import StorageAPI
import StorageJSON
import TerminalOutput

extension InputFile {
    /// The contents, which can be read repeatedly from the beginning.
    func contents() throws(ToolError) -> any InputContents {
        let start = UnsafeMutableRawBufferPointer.allocate(byteCount: 6, alignment: 1)
        defer { start.deallocate() }
        let count = try read(at: 0, into: start)
        switch InputCompression(beginning: start.prefix(count)) {
        case nil: return PlainContents(self)
        case .gzip?: return try GzipContents(self)
        case let compression?: return try CompressedContents(self, compression)
        }
    }
}

/// A file's bytes as they are.
private final class PlainContents: InputContents {
    private let file: InputFile
    private(set) var position = 0

    init(_ file: InputFile) { self.file = file }

    var name: String { file.name }
    var size: Int { file.size }

    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ToolError) -> Int {
        let count = try file.read(at: position, into: bytes)
        position += count
        return count
    }
}

/// The compression of an input, as its first bytes show, not its name.
enum InputCompression: String, CaseIterable {
    case gzip, xz, zstd

    /// - Returns: nil for bytes that begin none of the formats.
    init?(beginning bytes: some Sequence<UInt8>) {
        guard let format = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) else { return nil }
        self = format
    }

    // RFC 1952, section 2.3.1 (with its one method, deflate); The .xz File Format, 2.1.1.1; RFC 8878, section 3.1.1.
    private var magic: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B, 0x08]
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
        }
    }

    private var ending: String {
        switch self {
        case .gzip: ".gz"
        case .xz: ".xz"
        case .zstd: ".zst"
        }
    }

    /// Makes a libarchive reader accept this format and no other; returns false if the system's libarchive does not
    /// support it.
    func allow(_ archive: OpaquePointer?) -> Bool {
        switch self {
        // zlib reads it.
        case .gzip: false
        case .xz: archive_read_support_filter_xz(archive) == ARCHIVE_OK
        case .zstd: archive_read_support_filter_zstd(archive) == ARCHIVE_OK
        }
    }

    /// A file's name without the extension of its compression: `cities.csv` of `cities.csv.gz`.
    static func uncompressedName(_ name: String) -> String {
        let ending = allCases.map(\.ending).first { name.lowercased().hasSuffix($0) }
        return String(name.dropLast(ending?.count ?? 0))
    }
}

/// Decompresses an xz or zstd file as it is read, by the system's libarchive with one filter and the raw format, in memory
/// that the window of the compression bounds.
final class CompressedContents: InputContents {
    private let source: CompressedSource
    private let compression: InputCompression
    private let archive: OpaquePointer?
    private var isEmpty = false

    init(_ file: InputFile, _ compression: InputCompression) throws(ToolError) {
        self.compression = compression
        source = CompressedSource(file)
        archive = archive_read_new()
        guard compression.allow(archive) else {
            throw ToolError(
                "\(file.name) is compressed by \(compression.rawValue), which this system's libarchive cannot read; "
                    + "decompress it first.")
        }
        try require(archive_read_support_format_raw(archive))
        // What is compressed may be nothing at all, which the raw format does not take.
        try require(archive_read_support_format_empty(archive))
        // libarchive calls back only inside calls that this object makes, and the source lives as long as it does.
        let context = Unmanaged.passUnretained(source).toOpaque()
        try require(archive_read_open(archive, context, nil, readCompressed, nil))
        var entry: OpaquePointer?
        let result = archive_read_next_header(archive, &entry)
        isEmpty = result == ARCHIVE_EOF
        if !isEmpty { try require(result) }
        // A header that libarchive does not take makes it read the file as if it were not compressed.
        guard archive_filter_code(archive, 0) != ARCHIVE_FILTER_NONE else { throw damage("its header is damaged") }
    }

    deinit { archive_read_free(archive) }

    var name: String { source.file.name }
    var size: Int { source.file.size }
    var position: Int { Int(archive_filter_bytes(archive, -1)) }

    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ToolError) -> Int {
        let count = isEmpty ? 0 : archive_read_data(archive, bytes.baseAddress, bytes.count)
        guard count >= 0, source.failure == nil else { throw failure() }
        if count == 0 { try checkEnd() }
        return count
    }

    /// libarchive stops where it finds no further frame, whatever follows.
    private func checkEnd() throws(ToolError) {
        let rest = source.file.size - position
        guard rest == 0 else {
            throw damage("its last \(rest.grouped) bytes are no \(compression.rawValue) data")
        }
    }

    // MARK: Problems

    private func require(_ result: Int32) throws(ToolError) {
        if result != ARCHIVE_OK { throw failure() }
    }

    private func failure() -> ToolError {
        source.failure ?? damage(archive_error_string(archive).map { String(cString: $0) } ?? "no reason given")
    }

    private func damage(_ reason: String) -> ToolError { source.damage(compression, reason) }
}

/// Hands out a compressed file's bytes, a block at a time.
final class CompressedSource {
    let file: InputFile
    /// The number of bytes that it has handed out.
    private(set) var offset = 0
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
    /// The error thrown while reading the file, which C cannot carry.
    var failure: ToolError?

    init(_ file: InputFile) { self.file = file }
    deinit { block.deallocate() }

    func next() throws(ToolError) -> UnsafeRawBufferPointer {
        let count = try file.read(at: offset, into: block)
        offset += count
        return UnsafeRawBufferPointer(rebasing: block.prefix(count))
    }

    func damage(_ compression: InputCompression, _ reason: String) -> ToolError {
        ToolError(
            "\(file.name) cannot be decompressed as \(compression.rawValue): \(reason); get the file again, or "
                + "decompress it first.")
    }
}

private let readCompressed:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int = {
        archive, context, bytes in
        guard let context, let bytes else { return -1 }
        let source = Unmanaged<CompressedSource>.fromOpaque(context).takeUnretainedValue()
        do throws(ToolError) {
            let next = try source.next()
            bytes.pointee = next.baseAddress
            return next.count
        } catch {
            source.failure = error
            return -1
        }
    }
