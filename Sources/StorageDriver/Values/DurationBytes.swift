/// Durations as 16 bytes that sort as durations do: the number of attoseconds, the highest byte first, with the sign
/// bit inverted. Every `Duration` has such bytes, and all 16 bytes are a `Duration`.
package enum DurationBytes {
    package static let count = 16
    private static let unit: Int128 = 1_000_000_000_000_000_000

    @inlinable
    package static func bytes(_ attoseconds: Int128) -> [UInt8] {
        withUnsafeBytes(of: (attoseconds ^ .min).bigEndian) { Array($0) }
    }

    @inlinable
    package static func attoseconds(_ bytes: UnsafeRawBufferPointer) -> Int128? {
        bytes.count == 16 ? Int128(bigEndian: bytes.loadUnaligned(as: Int128.self)) ^ .min : nil
    }

    package static func attoseconds(_ bytes: [UInt8]) -> Int128? { bytes.withUnsafeBytes { attoseconds($0) } }

    /// The seconds as a decimal number, with as many digits as needed.
    package static func text(_ attoseconds: Int128) -> String {
        let (whole, rest) = attoseconds.magnitude.quotientAndRemainder(dividingBy: UInt128(unit))
        var fraction = String(rest)
        fraction = String(repeating: "0", count: 18 - fraction.utf8.count) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        return (attoseconds < 0 ? "-" : "") + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// The attoseconds of seconds as a decimal number; nil if the text is not a number, has more than 18 decimal
    /// places, or exceeds the range of `Duration`.
    package static func attoseconds(_ text: String) -> Int128? {
        guard let (floor, isExact) = floor(text), isExact else { return nil }
        return floor
    }

    /// The attoseconds of `Duration`'s JSON: the upper and the lower half of their number.
    static func attoseconds(json text: String) -> Int128? {
        var text = text
        return text.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            guard json.enterArray(), json.hasNext(isFirst: true) == true, let high = json.readSigned(),
                json.hasNext(isFirst: false) == true, let low = json.readUnsigned(),
                json.hasNext(isFirst: false) == false,
                json.isAtEnd
            else { return nil }
            return Int128(high) << 64 | Int128(low)
        }
    }

    /// The greatest number of attoseconds that is not above the seconds of a decimal number, and whether it is equal;
    /// nil if the text is not a number or exceeds the range of `Duration`.
    package static func floor(_ text: String) -> (attoseconds: Int128, isExact: Bool)? {
        guard let plain = DecimalText.plain(text), plain != "NaN" else { return nil }
        let isNegative = plain.hasPrefix("-")
        let parts = plain.drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        guard let first = parts.first, let whole = Int128(first) else { return nil }
        let digits = parts.count > 1 ? parts[1] : ""
        let kept = String(digits.prefix(18)) + String(repeating: "0", count: max(18 - digits.utf8.count, 0))
        let isExact = digits.utf8.count <= 18
        guard let fraction = Int128(kept) else { return nil }
        let (seconds, overflow) = whole.multipliedReportingOverflow(by: isNegative ? -unit : unit)
        let (sum, carry) = seconds.addingReportingOverflow(isNegative ? -fraction : fraction)
        guard !overflow, !carry else { return nil }
        guard !isExact, isNegative else { return (sum, isExact) }
        let (below, borrow) = sum.subtractingReportingOverflow(1)
        return borrow ? nil : (below, false)
    }
}

/// A sum of durations, exact whatever the order of its terms. It has two halves, each large enough for 2^63 terms.
struct DurationSum {
    private var low: Int128 = 0
    private var high: Int128 = 0

    mutating func add(_ attoseconds: Int128) {
        low &+= Int128(UInt64(truncatingIfNeeded: attoseconds))
        high &+= attoseconds >> 64
    }

    /// The sum; nil if it exceeds the range of `Duration`.
    var value: Int128? {
        let (shifted, overflow) = (high &+ low >> 64).multipliedReportingOverflow(by: 1 << 64)
        return overflow ? nil : shifted + low & Int128(UInt64.max)
    }

    /// The sum in seconds, rounded.
    var seconds: Double { (Double(high) * 0x1p64 + Double(low)) / 1e18 }
}
