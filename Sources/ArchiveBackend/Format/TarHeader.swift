/// The ustar header of an entry (POSIX.1-2024, pax, "ustar Interchange Format").
///
/// A store has one kind of entry: a regular file, mode 0644, of user and group 0. A reader takes exactly the bytes that
/// ``append(to:)`` writes and refuses all others: links, devices, folders, sparse files, extended headers.
struct TarHeader: Equatable {
    static let size = 512
    /// The entry that holds a trailer, with codecs whose frames cannot be skipped.
    static let trailerName = ".karch"

    var name: String
    /// Bytes of contents.
    var size: Int
    /// Seconds since 1970.
    var modified: Int64

    /// Bytes of an entry with so many bytes of contents.
    static func entrySize(_ size: Int) -> Int { Self.size + (size + 511) & ~511 }

    /// All bytes that do not depend on the entry. The bytes of the checksum are spaces, as its computation requires.
    private static let template: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: size)
        let fields: [(Int, String)] = [
            (100, "0000644"), (108, "0000000"), (116, "0000000"), (148, "        0"), (257, "ustar"), (263, "00"),
            (329, "0000000"), (337, "0000000"),
        ]
        for (place, text) in fields { bytes.replaceSubrange(place..<place + text.utf8.count, with: text.utf8) }
        return bytes
    }()
    private static let templateSum = template.reduce(0) { $0 + UInt64($1) }

    func append(to buffer: ByteBuffer) {
        let start = buffer.count
        buffer.append(Self.template)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.mutableBytes[start...])
        var sum = Self.templateSum
        var name = name
        name.withUTF8 { name in
            for (index, byte) in name.prefix(StoreFormat.maximumNameLength).enumerated() {
                bytes[index] = byte
                sum += UInt64(byte)
            }
        }
        sum += Self.putOctal(UInt64(clamping: size), at: 124, digits: 11, in: bytes)
        sum += Self.putOctal(UInt64(clamping: modified), at: 136, digits: 11, in: bytes)
        _ = Self.putOctal(sum, at: 148, digits: 6, in: bytes)
        bytes[154] = 0
    }

    /// Writes the number's digits, and returns their sum.
    private static func putOctal(
        _ number: UInt64, at place: Int, digits: Int, in bytes: UnsafeMutableRawBufferPointer
    ) -> UInt64 {
        var (rest, sum) = (number, 0 as UInt64)
        for index in (place..<place + digits).reversed() {
            bytes[index] = UInt8(ascii: "0") + UInt8(rest & 7)
            sum += UInt64(bytes[index])
            rest >>= 3
        }
        return sum
    }
}

extension TarHeader {
    /// Reads a header from ``size`` bytes. Nil unless a store writes the same bytes for it.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size, let size = Self.octal(bytes.part(124, 11)),
            let modified = Self.octal(bytes.part(136, 11)), size <= StoreFormat.largestEntry
        else { return nil }
        let name = bytes.part(0, StoreFormat.maximumNameLength).prefix { $0 != 0 }
        guard EntryName.isValid(name) || name.elementsEqual(Self.trailerName.utf8) else { return nil }
        self.init(name: String(decoding: name, as: UTF8.self), size: size, modified: Int64(modified))
        let written = ByteBuffer(capacity: Self.size)
        append(to: written)
        guard written.bytes.hasSameBytes(as: bytes) else { return nil }
    }

    private static func octal(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var number = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { return nil }
            number = number << 3 | Int(byte & 7)
        }
        return number
    }
}
