/// Writes numbers and bytes as the index stores them.
///
/// A number is written in groups of seven bits, the lowest first; all but the last have the highest bit set.
struct ByteWriter {
    var bytes: [UInt8] = []

    @inline(__always)
    mutating func number(_ value: Int) {
        var rest = UInt(bitPattern: value)
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func numbers(_ values: [Int]) {
        number(values.count)
        for value in values { number(value) }
    }

    /// Numbers that ascend, as differences.
    mutating func ascending(_ values: some Collection<Int>) {
        number(values.count)
        var last = 0
        for value in values {
            number(value - last)
            last = value
        }
    }

    mutating func data(_ data: [UInt8]) {
        number(data.count)
        bytes += data
    }
}

/// Reads what ``ByteWriter`` has written, within the bounds of a range.
struct ByteReader {
    let bytes: [UInt8]
    private(set) var at: Int
    let end: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = 0
        end = bytes.count
    }

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        at = min(range.lowerBound, bytes.count)
        end = min(range.upperBound, bytes.count)
    }

    var isAtEnd: Bool { at >= end }

    static let greatest = 1 << 56

    /// A number, which has at most eight groups, so that sums of two never overflow.
    @inline(__always)
    mutating func number() throws(SearchFailure) -> Int {
        guard at < end else { throw .corrupt("A number is cut off.") }
        let first = bytes[at]
        at += 1
        return first < 128 ? Int(first) : try rest(Int(first & 127))
    }

    @inline(never)
    private mutating func rest(_ first: Int) throws(SearchFailure) -> Int {
        try reading { reader throws(SearchFailure) in try reader.rest(first) }
    }

    /// Skips numbers.
    mutating func skip(_ count: Int) throws(SearchFailure) {
        try reading { reader throws(SearchFailure) in try reader.skip(count) }
    }

    private mutating func reading<Result>(
        _ body: (inout PointerReader) throws(SearchFailure) -> Result
    ) throws(SearchFailure) -> Result {
        let range = at..<end
        let (result, place) = try bytes.withUnsafeBufferPointer { bytes throws(SearchFailure) in
            var reader = PointerReader(bytes, range)
            return (try body(&reader), reader.at)
        }
        at = place
        return result
    }

    /// A number of things that take a byte each at least.
    mutating func count() throws(SearchFailure) -> Int {
        let value = try number()
        guard value <= end - at else { throw .corrupt("A list is longer than its row.") }
        return value
    }

    mutating func numbers() throws(SearchFailure) -> [Int] {
        var values: [Int] = []
        for _ in 0..<(try count()) { values.append(try number()) }
        return values
    }

    mutating func ascending() throws(SearchFailure) -> [Int] {
        var values: [Int] = []
        var last = 0
        for _ in 0..<(try count()) {
            let next = last + (try number())
            guard next <= Self.greatest, values.isEmpty || next > last else { throw .corrupt("Numbers do not ascend.") }
            values.append(next)
            last = next
        }
        return values
    }

    /// The range of so many bytes, which are skipped.
    mutating func range(_ count: Int) throws(SearchFailure) -> Range<Int> {
        guard count <= end - at else { throw .corrupt("Bytes are cut off.") }
        defer { at += count }
        return at..<(at + count)
    }

    mutating func data() throws(SearchFailure) -> [UInt8] {
        let count = try number()
        return Array(bytes[try range(count)])
    }

    /// Reads a term that shares its beginning with the one before.
    mutating func term(after term: inout [UInt8]) throws(SearchFailure) {
        try key(after: &term)
        guard term.count <= SegmentFormat.maximumTermLength else { throw .corrupt("A term is too long.") }
    }

    /// Reads a key that shares its beginning with the one before.
    mutating func key(after key: inout [UInt8]) throws(SearchFailure) {
        let shared = try number()
        let count = try number()
        guard shared <= key.count else { throw .corrupt("Bytes share more than there is.") }
        let rest = try range(count)
        key.removeSubrange(shared...)
        key += bytes[rest]
    }
}

extension ByteWriter {
    mutating func term(_ term: ArraySlice<UInt8>, after last: [UInt8]) {
        let most = min(term.count, last.count)
        var shared = 0
        while shared < most, term[term.startIndex + shared] == last[shared] { shared += 1 }
        number(shared)
        number(term.count - shared)
        bytes += term[(term.startIndex + shared)...]
    }
}
