/// A fixed-point sum: exact, so that it does not depend on the order of its terms.
///
/// Digits may temporarily exceed the base: carrying is postponed, since a digit can hold 2^31 terms.
struct FixedPointSum {
    private let base: Int64
    /// The lowest first.
    private var digits: [Int64]
    private var pending = 0

    init(base: Int64, digits count: Int) {
        self.base = base
        digits = Array(repeating: 0, count: count)
    }

    /// Adds digits, the lowest first, each smaller than the base.
    mutating func add(_ term: some Sequence<Int64>, at place: Int, isNegative: Bool) {
        for (index, digit) in term.enumerated() where digits.indices.contains(place + index) {
            digits[place + index] += isNegative ? -digit : digit
        }
        pending += 1
        if pending == 1 << 30 { carry() }
    }

    private mutating func carry() {
        var carried: Int64 = 0
        for index in digits.indices {
            let (quotient, remainder) = (digits[index] + carried).quotientAndRemainder(dividingBy: base)
            carried = remainder < 0 ? quotient - 1 : quotient
            digits[index] = remainder < 0 ? remainder + base : remainder
        }
        // The carry out of the last digit is the sign of a negative sum.
        if let last = digits.indices.last { digits[last] += carried * base }
        pending = 0
    }

    /// The sum's sign, and its digits from the lowest, each within the base.
    func magnitude() -> (isNegative: Bool, digits: [Int64]) {
        var sum = self
        sum.carry()
        guard let last = sum.digits.last, last < 0 else { return (false, sum.digits) }
        sum.digits = sum.digits.map { -$0 }
        sum.carry()
        return (true, sum.digits)
    }
}

/// The sum of Doubles, rounded once at the end. Infinities and NaN give the results of IEEE 754, in any order.
struct DoubleSum {
    // From the least bit of a Double, 2^-1074, to beyond the greatest, enough for 2^64 terms.
    private var finite = FixedPointSum(base: 1 << 32, digits: 70)
    private var special = 0.0

    private static let minimumExponent = -1074

    mutating func add(_ value: Double) {
        guard value.isFinite else {
            special += value
            return
        }
        guard value != 0 else { return }
        let exponent = max(Int(value.exponent), -1022) - 52
        let place = exponent - Self.minimumExponent
        let mantissa =
            UInt128(value.magnitude / Double(sign: .plus, exponent: exponent, significand: 1)) << (place % 32)
        let digits = (0..<3).lazy.map { Int64(truncatingIfNeeded: (mantissa >> (32 * $0)) & 0xFFFF_FFFF) }
        finite.add(digits, at: place / 32, isNegative: value < 0)
    }

    var value: Double {
        if !special.isFinite { return special }
        let (isNegative, digits) = finite.magnitude()
        let result = Self.rounded(digits)
        return isNegative ? -result : result
    }

    /// Rounds to the nearest Double, and halfway to the even one.
    private static func rounded(_ digits: [Int64]) -> Double {
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        let length = top * 32 + 64 - digits[top].leadingZeroBitCount
        let excess = max(length - 53, 0)
        func bits(_ digit: Int) -> UInt128 { digit < digits.count ? UInt128(UInt64(bitPattern: digits[digit])) : 0 }
        let low = excess / 32
        let window = bits(low) | bits(low + 1) << 32 | bits(low + 2) << 64
        var mantissa = UInt64(truncatingIfNeeded: (window >> (excess % 32)) & ((1 << 53) - 1))
        if excess > 0 {
            let half = excess - 1
            let isHalf = bits(half / 32) >> (half % 32) & 1 == 1
            let below = bits(half / 32) & ((1 << (half % 32)) - 1) != 0 || digits[..<(half / 32)].contains { $0 != 0 }
            if isHalf, below || mantissa & 1 == 1 { mantissa += 1 }
        }
        return Double(sign: .plus, exponent: excess + minimumExponent, significand: Double(mantissa))
    }
}

/// The sum of Decimals in their canonical text.
struct DecimalSum {
    // A Decimal has up to 128 digits after its point and 166 before it.
    private var finite = FixedPointSum(base: 1_000_000_000, digits: 42)
    /// The sums of decimals of up to 18 digits, in units of their last digits, by the numbers of their digits after the point.
    /// 2^63 of them do not fill 128 bits.
    private var small: [Int128] = []
    private var hasNaN = false

    private static let fractionDigits = 15

    /// Returns false if the text is not a number.
    mutating func add(_ text: String) -> Bool {
        guard let decimal = SmallDecimal(text) else { return add(large: text) }
        add(decimal)
        return true
    }

    mutating func add(_ decimal: SmallDecimal) {
        while small.count <= decimal.scale { small.append(0) }
        small[decimal.scale] &+= Int128(decimal.units)
    }

    private mutating func add(large text: String) -> Bool {
        guard let text = DecimalText.canonical(text) else { return false }
        if text == "NaN" {
            hasNaN = true
            return true
        }
        let isNegative = text.hasPrefix("-")
        let parts = text.utf8.drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
        guard let whole = parts.first else { return false }
        var digits = Array(whole)
        let fraction = parts.count > 1 ? Array(parts[1].prefix(Self.fractionDigits * 9)) : []
        digits += fraction + Array(repeating: UInt8(ascii: "0"), count: Self.fractionDigits * 9 - fraction.count)
        finite.add(Self.groups(digits), at: 0, isNegative: isNegative)
        return true
    }

    /// Digits in groups of nine, the lowest first.
    private static func groups(_ digits: [UInt8]) -> [Int64] {
        stride(from: digits.count, to: 0, by: -9).map { end in
            digits[max(end - 9, 0)..<end].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
    }

    /// The exact sum.
    var text: String {
        if hasNaN { return "NaN" }
        var whole = self
        for (scale, units) in small.enumerated() {
            let digits = Array(String(units.magnitude))
            let zeros = String(repeating: "0", count: max(scale + 1 - digits.count, 0))
            let padded = Array(zeros) + digits
            let point = padded.count - scale
            _ = whole.add(
                large: (units < 0 ? "-" : "") + String(padded[..<point]) + "." + String(padded[point...]) + "0")
        }
        return whole.largeText
    }

    private var largeText: String {
        let (isNegative, groups) = finite.magnitude()
        let digits = groups.reversed().map { group in
            let text = String(group)
            return String(repeating: "0", count: 9 - text.count) + text
        }
        let whole = digits.dropLast(Self.fractionDigits).joined()
        let text = (isNegative ? "-" : "") + whole + "." + digits.suffix(Self.fractionDigits).joined()
        return DecimalText.canonical(text) ?? "0"
    }

    /// The sum in the 38 digits that a Decimal holds, rounded once, half to even.
    var rounded: String {
        let exact = text
        let sign = exact.hasPrefix("-") ? "-" : ""
        let parts = exact.utf8.drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
        guard exact != "NaN", let whole = parts.first else { return exact }
        let fraction = parts.count > 1 ? parts[1] : parts[0].prefix(0)
        var digits = (Array(whole) + Array(fraction)).map { $0 - UInt8(ascii: "0") }
        let leading = digits.prefix { $0 == 0 }.count
        guard digits.count - leading > 38 else { return exact }
        Self.round(&digits, at: leading + 38)
        let extra = digits.count - whole.count - fraction.count
        let text = digits.map { String($0) }
        return DecimalText.canonical(
            sign + text.prefix(whole.count + extra).joined() + "." + text.dropFirst(whole.count + extra).joined())
            ?? exact
    }

    private static func round(_ digits: inout [UInt8], at end: Int) {
        let rest = digits[end...]
        let isOdd = digits[end - 1] % 2 == 1
        let isAbove = rest.first.map { $0 > 5 || $0 == 5 && (isOdd || rest.dropFirst().contains { $0 > 0 }) } ?? false
        for index in end..<digits.count { digits[index] = 0 }
        guard isAbove else { return }
        for index in (0..<end).reversed() {
            guard digits[index] == 9 else {
                digits[index] += 1
                return
            }
            digits[index] = 0
        }
        digits.insert(1, at: 0)
    }
}
