/// The type of a blob, by its first bytes. A type that could run a script is never among them: such a blob has no type.
struct BlobType: Equatable, Sendable {
    /// The type for a person.
    let name: String
    let mediaType: String
    let fileExtension: String
    /// True if a page shows it.
    var isPicture: Bool { mediaType.hasPrefix("image/") }

    static let unknown = BlobType("Bytes", "application/octet-stream", suffix: "bin")

    private init(_ name: String, _ mediaType: String, suffix fileExtension: String) {
        (self.name, self.mediaType, self.fileExtension) = (name, mediaType, fileExtension)
    }

    /// The type of the bytes; ``unknown`` for all that are not known.
    init(of bytes: [UInt8]) {
        let found = Self.known.first { entry in
            entry.signs.allSatisfy { bytes.dropFirst($0.offset).starts(with: $0.bytes.utf8) }
        }
        self = found?.type ?? Self.binary(bytes) ?? .unknown
    }

    private struct Sign {
        let offset: Int
        let bytes: String

        init(_ bytes: String, at offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }
    }

    /// The types whose first bytes are ASCII.
    private static let known: [(signs: [Sign], type: BlobType)] = [
        ([Sign("PNG\r\n\u{1A}\n", at: 1)], BlobType("PNG", "image/png", suffix: "png")),
        ([Sign("GIF87a")], BlobType("GIF", "image/gif", suffix: "gif")),
        ([Sign("GIF89a")], BlobType("GIF", "image/gif", suffix: "gif")),
        ([Sign("RIFF"), Sign("WEBP", at: 8)], BlobType("WebP", "image/webp", suffix: "webp")),
        ([Sign("RIFF"), Sign("WAVE", at: 8)], BlobType("WAV", "audio/wav", suffix: "wav")),
        ([Sign("ftypavif", at: 4)], BlobType("AVIF", "image/avif", suffix: "avif")),
        ([Sign("ftyp", at: 4)], BlobType("MP4", "video/mp4", suffix: "mp4")),
        ([Sign("BM"), Sign("\0\0\0\0", at: 6)], BlobType("BMP", "image/bmp", suffix: "bmp")),
        ([Sign("%PDF-")], BlobType("PDF", "application/pdf", suffix: "pdf")),
        ([Sign("PK\u{3}\u{4}")], BlobType("ZIP", "application/zip", suffix: "zip")),
        ([Sign("OggS")], BlobType("Ogg", "application/ogg", suffix: "ogg")),
        ([Sign("ID3")], BlobType("MP3", "audio/mpeg", suffix: "mp3")),
        ([Sign("SQLite format 3\0")], BlobType("SQLite", "application/vnd.sqlite3", suffix: "db")),
    ]

    private static func binary(_ bytes: [UInt8]) -> BlobType? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return BlobType("JPEG", "image/jpeg", suffix: "jpg") }
        if bytes.starts(with: [0x1F, 0x8B]) { return BlobType("Gzip", "application/gzip", suffix: "gz") }
        return nil
    }
}
