import CArchive

/// How an input is compressed, which its first bytes tell and not its name.
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

    /// Lets a libarchive reader take this format and no other; false where the system's has no code for it.
    func allow(_ archive: OpaquePointer?) -> Bool {
        switch self {
        case .gzip: archive_read_support_filter_gzip(archive) == ARCHIVE_OK
        case .xz: archive_read_support_filter_xz(archive) == ARCHIVE_OK
        case .zstd: archive_read_support_filter_zstd(archive) == ARCHIVE_OK
        }
    }

    /// A file's name without the ending that tells of its compression: `cities.csv` of `cities.csv.gz`.
    static func uncompressedName(_ name: String) -> String {
        let ending = allCases.map(\.ending).first { name.lowercased().hasSuffix($0) }
        return String(name.dropLast(ending?.count ?? 0))
    }
}
