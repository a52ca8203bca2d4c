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

    func append(to buffer: ByteBuffer) {
        let start = buffer.count
        buffer.appendZeros(Self.size)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.mutableBytes[start...])
        Self.put(name.utf8, at: 0, in: bytes)
        Self.put("0000644\0000000000\0000000000\0".utf8, at: 100, in: bytes)
        Self.putOctal(UInt64(clamping: size), at: 124, digits: 11, in: bytes)
        Self.putOctal(UInt64(clamping: modified), at: 136, digits: 11, in: bytes)
        Self.put("        0".utf8, at: 148, in: bytes)
        Self.put("ustar\u{0}00".utf8, at: 257, in: bytes)
        Self.put("0000000\0000000000\0".utf8, at: 329, in: bytes)
        // The check is the sum of all bytes, its own place taken as spaces.
        let sum = bytes.reduce(0) { $0 + UInt64($1) }
        Self.putOctal(sum, at: 148, digits: 6, in: bytes)
        bytes[154] = 0
    }

    private static func put(_ text: some Sequence<UInt8>, at place: Int, in bytes: UnsafeMutableRawBufferPointer) {
        for (index, byte) in text.prefix(bytes.count - place).enumerated() { bytes[place + index] = byte }
    }

    private static func putOctal(_ number: UInt64, at place: Int, digits: Int, in bytes: UnsafeMutableRawBufferPointer)
    {
        var rest = number
        for index in (0..<digits).reversed() {
            bytes[place + index] = UInt8(ascii: "0") + UInt8(rest & 7)
            rest >>= 3
        }
    }
}

extension TarHeader {
    /// Reads a header from ``size`` bytes. Nil unless they are what a store writes for it.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size, let size = Self.octal(bytes.part(124, 11)),
            let modified = Self.octal(bytes.part(136, 11)), size <= StoreFormat.largestEntry
        else { return nil }
        let name = bytes.part(0, StoreFormat.longestName).prefix { $0 != 0 }
        guard EntryName.isValid(name) || name.elementsEqual(Self.trailerName.utf8) else { return nil }
        self.init(name: String(decoding: name, as: UTF8.self), size: size, modified: Int64(modified))
        let written = ByteBuffer(capacity: Self.size)
        append(to: written)
        guard written.bytes.elementsEqual(bytes) else { return nil }
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
