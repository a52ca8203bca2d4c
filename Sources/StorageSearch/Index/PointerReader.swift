/// Reads the numbers of ``ByteWriter`` through a pointer, for the loops in which a search spends its time.
///
/// A reader is made and used within a closure of `withUnsafeBufferPointer`, and cannot leave it, since it is not copyable. Each
/// access is below `end`, which ``init(_:_:)`` has cut to the bytes that exist.
struct PointerReader: ~Copyable {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var at: Int
    private let end: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        self.bytes = bytes
        at = min(range.lowerBound, bytes.count)
        end = min(range.upperBound, bytes.count)
    }

    var isAtEnd: Bool { at >= end }

    /// A number, as ``ByteReader/number()`` reads it. Most have one or two bytes.
    @inline(__always)
    mutating func number() throws(SearchFailure) -> Int {
        guard at < end else { throw .corrupt("A number is cut off.") }
        let first = Int(bytes[at])
        at += 1
        if first < 128 { return first }
        if at < end, bytes[at] < 128 {
            defer { at += 1 }
            return first & 127 | Int(bytes[at]) << 7
        }
        return try rest(first & 127)
    }

    /// The rest of a number whose first byte has the bits.
    @inline(never)
    mutating func rest(_ first: Int) throws(SearchFailure) -> Int {
        var value = first
        var shift = 7
        while at < end, shift < 56 {
            let byte = bytes[at]
            at += 1
            value |= Int(byte & 127) << shift
            if byte < 128 { return value }
            shift += 7
        }
        throw .corrupt("A number is cut off or too large.")
    }

    /// Skips numbers.
    @inline(__always)
    mutating func skip(_ count: Int) throws(SearchFailure) {
        var left = count
        // Eight bytes end eight numbers at most.
        while left >= 8, at + 8 <= end {
            let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: at, as: UInt64.self)
            left -= (~word & 0x8080_8080_8080_8080).nonzeroBitCount
            at += 8
        }
        while left > 0 {
            guard at < end else { throw .corrupt("A number is cut off.") }
            if bytes[at] < 128 { left -= 1 }
            at += 1
        }
    }

    /// The range of so many bytes, which are skipped.
    @inline(__always)
    mutating func range(_ count: Int) throws(SearchFailure) -> Range<Int> {
        guard count <= end - at else { throw .corrupt("Bytes are cut off.") }
        defer { at += count }
        return at..<(at + count)
    }
}
