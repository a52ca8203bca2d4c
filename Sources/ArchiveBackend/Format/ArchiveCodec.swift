internal import CArchive
package import StorageDriver

/// The compression of a store file, by the system's libarchive.
public enum ArchiveCodec: String, Sendable, CaseIterable {
    /// Zstandard: fast, and small enough. The default.
    case zstd
    /// LZMA2: the smallest files; commits and compaction are 10 to 50 times slower.
    case xz
    /// A plain tar.
    case none

    /// The levels of the codec, from fast to small; nil if it has none. Higher zstd levels need more memory to read
    /// than a reader of this format allows.
    package var levels: ClosedRange<Int>? {
        switch self {
        case .zstd: 1...19
        case .xz: 0...9
        case .none: nil
        }
    }

    var defaultLevel: Int {
        switch self {
        case .zstd: 3
        case .xz: 6
        case .none: 0
        }
    }

    /// The level for contents that no level makes much smaller; nil if all levels decompress equally fast. zstd's
    /// negative levels do not entropy-code literals.
    var denseLevel: Int? { self == .zstd ? -1 : nil }

    /// A rewritten file stays for long, so it is worth more time: zstd's level 6 takes 4 % less space than 3 for
    /// records that are mostly random bytes.
    var defaultRewritingLevel: Int { self == .zstd ? 6 : defaultLevel }

    /// The number in trailers.
    var number: UInt8 {
        switch self {
        case .none: 0
        case .zstd: 1
        case .xz: 2
        }
    }

    /// The codec of a file that begins with these bytes. Anything but zstd and xz can only be a plain tar.
    init(fileBeginningWith bytes: UnsafeRawBufferPointer) {
        if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            self = .zstd
        } else if bytes.starts(with: XZFormat.streamMagic) {
            self = .xz
        } else {
            self = .none
        }
    }

    /// Throws `unsupported` if this system's libarchive was built without the codec.
    package func requireSupport() throws(StorageError) {
        guard !isSupported else { return }
        let accepted = Self.allCases.filter(\.isSupported).map(\.rawValue).joined(separator: ", ")
        throw StorageError(
            .unsupported,
            "This system's libarchive lacks \(rawValue); use one of \(accepted), or install a libarchive that has it.")
    }

    // Without the library libarchive would run the program of that name, and answers ARCHIVE_WARN.
    private var isSupported: Bool {
        let reader = archive_read_new()
        let writer = archive_write_new()
        defer {
            archive_read_free(reader)
            archive_write_free(writer)
        }
        return allowReading(reader) == ARCHIVE_OK && addFilter(writer) == ARCHIVE_OK
    }

    /// Lets a libarchive reader take this codec and no other.
    func allowReading(_ archive: OpaquePointer?) -> Int32 {
        switch self {
        case .zstd: archive_read_support_filter_zstd(archive)
        case .xz: archive_read_support_filter_xz(archive)
        case .none: ARCHIVE_OK
        }
    }

    func addFilter(_ archive: OpaquePointer?) -> Int32 {
        switch self {
        case .zstd: archive_write_add_filter_zstd(archive)
        case .xz: archive_write_add_filter_xz(archive)
        case .none: ARCHIVE_OK
        }
    }
}
