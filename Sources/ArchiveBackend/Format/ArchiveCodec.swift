internal import CArchive
package import StorageDriver

/// The compression of a store file, by the system's libarchive.
public enum ArchiveCodec: String, Sendable, CaseIterable {
    /// Zstandard: fast, and small enough. The default.
    case zstd
    /// A plain tar.
    case none

    /// The levels of the codec, from fast to small; nil if it has no levels. Higher zstd levels need more memory to
    /// read than a reader of this format allows.
    package var levels: ClosedRange<Int>? {
        switch self {
        case .zstd: 1...19
        case .none: nil
        }
    }

    var defaultLevel: Int { self == .zstd ? 3 : 0 }

    /// The level for contents that no level makes much smaller; nil if all levels decompress equally fast. zstd's
    /// negative levels do not entropy-code literals.
    var denseLevel: Int? { self == .zstd ? -1 : nil }

    /// A rewritten file stays for long, so it is worth more time: zstd's level 6 takes 4 % less space than 3 for
    /// records that are mostly random bytes.
    var defaultRewritingLevel: Int { self == .zstd ? 6 : defaultLevel }

    /// The number in trailers. Builds before 0.1 wrote 2 for xz.
    var number: UInt8 { self == .zstd ? 1 : 0 }

    /// The codec of a file that begins with these bytes. Anything but zstd can only be a plain tar.
    init(fileBeginningWith bytes: UnsafeRawBufferPointer) {
        self = bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) ? .zstd : .none
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
        self == .zstd ? archive_read_support_filter_zstd(archive) : ARCHIVE_OK
    }

    func addFilter(_ archive: OpaquePointer?) -> Int32 {
        self == .zstd ? archive_write_add_filter_zstd(archive) : ARCHIVE_OK
    }
}
