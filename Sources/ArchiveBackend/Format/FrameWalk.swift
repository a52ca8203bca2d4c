internal import StorageDriver

/// Finds where frames end without decompressing them, and refuses frames that need too much memory to decompress.
///
/// It never reads the contents of a frame, so no stored data can pass for a part of the format.
extension ArchiveCodec {
    /// The length of the frame at an offset; nil if no complete frame begins at the offset. A frame of a plain tar is
    /// one entry.
    func frameLength(at start: Int64, in window: FileWindow) throws(StorageError) -> Int64? {
        let end: Int64?
        switch self {
        case .zstd: end = try ZstdWalk.end(ofFrameAt: start, in: window)
        case .none: end = try Self.entryEnd(at: start, in: window)
        }
        guard let end, end <= window.end else { return nil }
        return end - start
    }

    private static func entryEnd(at start: Int64, in window: FileWindow) throws(StorageError) -> Int64? {
        guard let bytes = try window.bytes(at: start, TarHeader.size), let header = TarHeader(bytes),
            header.name != TarHeader.trailerName
        else { return nil }
        return start + Int64(TarHeader.entrySize(header.size))
    }
}

/// Walks over a zstd frame (RFC 8878, section 3.1.1).
private enum ZstdWalk {
    private static let maximumBlockLength = 128 << 10

    static func end(ofFrameAt start: Int64, in window: FileWindow) throws(StorageError) -> Int64? {
        guard var place = try endOfHeader(at: start, in: window) else { return nil }
        while let bytes = try window.bytes(at: place, 3) {
            let header = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
            let (isLast, type, size) = (header & 1 == 1, header >> 1 & 3, header >> 3)
            guard type != 3, size <= maximumBlockLength else { return nil }
            // A repeated byte is stored once, whatever the size.
            place += 3 + Int64(type == 1 ? 1 : size)
            // The check of the contents follows the last block.
            if isLast { return place + 4 }
        }
        return nil
    }

    /// Only frames with a check of their contents and without a dictionary.
    private static func endOfHeader(at start: Int64, in window: FileWindow) throws(StorageError) -> Int64? {
        guard let beginning = try window.bytes(at: start, 6), beginning.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else {
            return nil
        }
        let descriptor = beginning[4]
        guard descriptor & 0b0000_1111 == 0b0000_0100 else { return nil }
        let isSingleSegment = descriptor & 0b0010_0000 != 0
        let sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let length = 5 + (isSingleSegment ? 0 : 1) + sizeLength
        guard let header = try window.bytes(at: start, length) else { return nil }
        let needed = isSingleSegment ? contentSize(header.part(5, sizeLength)) : windowSize(header[5])
        return needed <= StoreFormat.largestZstdWindow ? start + Int64(length) : nil
    }

    private static func windowSize(_ descriptor: UInt8) -> UInt64 {
        let base = UInt64(1) << (10 + UInt64(descriptor >> 3))
        return base + base / 8 * UInt64(descriptor & 7)
    }

    private static func contentSize(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let number = bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return bytes.count == 2 ? number + 256 : number
    }
}
