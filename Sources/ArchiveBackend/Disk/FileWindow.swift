internal import StorageDriver

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads a file through one buffer, by `pread`: a mapped file would end the process if another one truncated it.
///
/// Bytes that it hands out are valid until the next call.
final class FileWindow {
    static let size = 1 << 20

    let file: OpenFile
    /// The file when it was last looked at.
    private(set) var status: FileStatus
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    private let limit: Int64
    private var start: Int64 = 0
    private var count = 0

    /// - Parameter limit: the end of the file for this reader, while a writer may append.
    init(_ file: OpenFile, upTo limit: Int64 = .max) throws(StorageError) {
        self.file = file
        self.limit = limit
        status = try file.status()
    }

    /// The end of the file at that time, or the limit that stands for it.
    var end: Int64 { min(status.size, limit) }

    deinit { buffer.deallocate() }

    /// Reads the file's status again, and discards cached bytes.
    func reload() throws(StorageError) {
        status = try file.status()
        count = 0
    }

    /// Returns a number of bytes, at most ``size``; nil if they are beyond the file's end.
    func bytes(at offset: Int64, _ wanted: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard offset >= 0, wanted >= 0, wanted <= Self.size, offset <= end, Int64(wanted) <= end - offset else {
            return nil
        }
        if offset < start || offset + Int64(wanted) > start + Int64(count) { try fill(at: offset) }
        guard Int(offset - start) + wanted <= count else { return nil }
        return UnsafeRawBufferPointer(buffer).part(Int(offset - start), wanted)
    }

    /// The buffered bytes from an offset on; unless the end is reached, at least as many as asked for.
    func run(
        at offset: Int64, upTo limit: Int64, atLeast least: Int = 1
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard limit > offset else { return nil }
        let isInside = offset >= start && offset + Int64(least) <= start + Int64(count)
        let atHand = isInside ? start + Int64(count) - offset : Int64(Self.size)
        return try bytes(at: offset, Int(min(atHand, limit - offset)))
    }

    /// The first offset of a pattern from an offset on.
    func place(of pattern: [UInt8], from start: Int64) throws(StorageError) -> Int64? {
        var place = start
        while let bytes = try run(at: place, upTo: end, atLeast: pattern.count), bytes.count >= pattern.count {
            if let hit = bytes.firstPlace(of: pattern) { return place + Int64(hit) }
            place += Int64(bytes.count - pattern.count + 1)
        }
        return nil
    }

    /// Returns whether all bytes from an offset on are zero.
    func isZero(from offset: Int64) throws(StorageError) -> Bool {
        var place = offset
        while let bytes = try run(at: place, upTo: end) {
            guard bytes.isZero else { return false }
            place += Int64(bytes.count)
        }
        return true
    }

    private func fill(at offset: Int64) throws(StorageError) {
        count = 0
        count = try file.read(
            at: offset,
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(Self.size), end - offset))]))
        start = offset
    }
}

extension UnsafeRawBufferPointer {
    /// The first offset of these bytes. The pattern has at least one byte.
    fileprivate func firstPlace(of pattern: [UInt8]) -> Int? {
        guard let start = baseAddress else { return nil }
        var place = 0
        while place + pattern.count <= count {
            // The call reads no byte after the last offset where the pattern could begin.
            guard let hit = memchr(start + place, Int32(pattern[0]), count - pattern.count + 1 - place) else {
                return nil
            }
            place = start.distance(to: UnsafeRawPointer(hit))
            if part(place, pattern.count).elementsEqual(pattern) { return place }
            place += 1
        }
        return nil
    }
}
