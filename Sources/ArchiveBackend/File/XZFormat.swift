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

    /// Bytes of a stored stream before its contents, and in all beside them; for contents of exactly 1024 bytes.
    static let storedBeginning = 12 + 12 + 3
    static let storedOverhead = storedBeginning + 1 + 4 + 12 + 12

    /// Appends a stream whose contents stand in it uncompressed. They are 1024 bytes, so that no padding is needed.
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
