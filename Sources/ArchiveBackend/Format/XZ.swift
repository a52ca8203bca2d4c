internal import StorageDriver

/// The parts of the xz format that a store file needs besides libarchive: walking over streams without decompressing,
/// and streams of stored bytes for trailers.
///
/// Source: The .xz File Format 1.2.1, <https://tukaani.org/xz/xz-file-format.txt>, and the LZMA2 chunks of XZ Embedded.
enum XZFormat {
    static let streamMagic: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    private static let footerMagic: [UInt8] = [0x59, 0x5A]
    /// Stream flags: the check is CRC-32.
    private static let storedFlags: [UInt8] = [0x00, 0x01]
    /// One filter, LZMA2 with a dictionary of 4 KiB.
    private static let storedBlockHeader: [UInt8] = [0x02, 0x00, 0x21, 0x01, 0x00, 0x00, 0x00, 0x00]

    /// The bytes of a stored stream before its contents, and all its bytes except the contents, which have exactly 1024
    /// bytes.
    static let storedBeginning = 12 + 12 + 3
    static let storedOverhead = storedBeginning + 1 + 4 + 12 + 12

    /// Appends a stream with uncompressed contents of 1024 bytes, which need no padding.
    static func appendStored(_ contents: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append(streamMagic)
        appendChecked(storedFlags, to: buffer)
        appendChecked(storedBlockHeader, to: buffer)
        // A chunk that resets the dictionary and is not compressed, then the end of chunks.
        buffer.append([0x01])
        buffer.append(UInt16(truncatingIfNeeded: contents.count - 1).byteSwapped)
        buffer.append(contents)
        buffer.append([0x00])
        buffer.append(CyclicRedundancyCheck.crc32(contents))
        // One record: 1044 bytes unpadded (header, chunks, check) and 1024 of contents, as 7-bit groups.
        appendChecked([0x00, 0x01, 0x94, 0x08, 0x80, 0x08, 0x00, 0x00], to: buffer)
        let backward: [UInt8] = [0x02, 0x00, 0x00, 0x00] + storedFlags
        buffer.append(backward.withUnsafeBytes { CyclicRedundancyCheck.crc32($0) })
        buffer.append(backward + footerMagic)
    }

    private static func appendChecked(_ bytes: [UInt8], to buffer: ByteBuffer) {
        buffer.append(bytes)
        buffer.append(bytes.withUnsafeBytes { CyclicRedundancyCheck.crc32($0) })
    }
}

/// Walks over an xz stream: header, blocks of LZMA2 chunks, index, footer.
struct XZWalk {
    let window: FileWindow
    var place: Int64

    // Bytes of each kind of check (The .xz File Format, 2.1.1.2).
    private static let checkSizes: [Int64] = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64]

    mutating func endOfStream() throws(StorageError) -> Int64? {
        guard let header = try window.bytes(at: place, 12), header.starts(with: XZFormat.streamMagic),
            header[6] == 0, (1..<16).contains(header[7])
        else { return nil }
        let checkSize = Self.checkSizes[Int(header[7])]
        place += 12
        while let size = try window.bytes(at: place, 1)?[0] {
            if size == 0 { return try endOfIndexAndFooter() }
            guard try skipBlock(headerSize: (Int(size) + 1) * 4, checkSize) else { return nil }
        }
        return nil
    }

    private mutating func skipBlock(headerSize: Int, _ checkSize: Int64) throws(StorageError) -> Bool {
        guard let header = try window.bytes(at: place, headerSize), Self.isAllowed(header) else { return false }
        let start = place
        place += Int64(headerSize)
        guard try skipChunks() else { return false }
        pad(from: start)
        place += checkSize
        return true
    }

    /// One filter, LZMA2, with a dictionary that a reader grants.
    private static func isAllowed(_ header: UnsafeRawBufferPointer) -> Bool {
        let flags = header[1]
        guard flags & 0b0011_1111 == 0 else { return false }
        var rest = header.dropFirst(2)
        for bit in [0b0100_0000, 0b1000_0000] as [UInt8] where flags & bit != 0 {
            guard let last = rest.firstIndex(where: { $0 < 0x80 }) else { return false }
            rest = rest[(last + 1)...]
        }
        guard rest.starts(with: [0x21, 0x01]), let bits = rest.dropFirst(2).first, bits < 40 else { return false }
        return (UInt64(2) | UInt64(bits & 1)) << (UInt64(bits / 2) + 11) <= StoreFormat.largestXZDictionary
    }

    private mutating func skipChunks() throws(StorageError) -> Bool {
        while let control = try window.bytes(at: place, 1)?[0] {
            if control == 0 {
                place += 1
                return true
            }
            guard control <= 2 || control >= 0x80, let header = try window.bytes(at: place, control <= 2 ? 3 : 5) else {
                return false
            }
            // The last two bytes are the stored length less one; new properties take another byte.
            let length = Int64(header[header.count - 2]) << 8 | Int64(header[header.count - 1])
            place += Int64(header.count) + length + 1 + (control >= 0xC0 ? 1 : 0)
        }
        return false
    }

    private mutating func endOfIndexAndFooter() throws(StorageError) -> Int64? {
        let start = place
        place += 1
        guard let records = try number() else { return nil }
        for _ in 0..<records {
            guard try number() != nil, try number() != nil else { return nil }
        }
        pad(from: start)
        return place + 4 + 12
    }

    /// A number in groups of seven bits, the lowest first.
    private mutating func number() throws(StorageError) -> UInt64? {
        var number: UInt64 = 0
        for group in 0..<9 {
            guard let byte = try window.bytes(at: place, 1)?[0] else { return nil }
            place += 1
            number |= UInt64(byte & 0x7F) << (7 * UInt64(group))
            if byte < 0x80 { return number }
        }
        return nil
    }

    private mutating func pad(from start: Int64) { place = start + (place - start + 3) & ~3 }
}
