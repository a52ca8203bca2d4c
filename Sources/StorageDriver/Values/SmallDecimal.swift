/// A decimal of up to 18 digits as an integer: 12.5 is 125 tenths. Most decimals are. They are compared, added and checked by it in
/// a small part of the time that their texts take.
package struct SmallDecimal {
    /// The number in units of the last digit.
    package let units: Int64
    /// The number of digits after the point, from 0 to 18.
    package let scale: Int

    private static let maximumDigits = 18

    /// The decimal of a canonical text; nil for any other text, and for one with more digits.
    package init?(_ text: String) {
        var text = text
        guard let decimal = text.withUTF8({ SmallDecimal(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = decimal
    }

    /// The same of the bytes of a text.
    package init?(_ text: UnsafeRawBufferPointer) {
        // A sign and a point stand beside the digits.
        guard !text.isEmpty, text.count <= Self.maximumDigits + 2 else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        var (units, digits, point) = (Int64(0), 0, Int?.none)
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            if byte == UInt8(ascii: "."), point == nil {
                point = digits
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            // The loop sees 20 digits at most, and wraps before it is refused.
            units = units &* 10 &+ Int64(digit)
            digits += 1
            if digits == 1, digit == 0, text.count > digits + (isNegative ? 1 : 0),
                text[isNegative ? 2 : 1] != UInt8(ascii: ".")
            {
                return nil
            }
        }
        let scale = digits - (point ?? digits)
        guard digits > 0, digits <= Self.maximumDigits, point != 0, point == nil || scale > 0,
            point == nil || text[text.count - 1] != UInt8(ascii: "0"), units != 0 || !isNegative
        else { return nil }
        self.units = isNegative ? -units : units
        self.scale = scale
    }

    /// The numeric order of two decimals.
    package func order(to other: SmallDecimal) -> ValueOrder {
        if scale == other.scale { return ValueOrder(units, other.units) }
        // 10^36 at most.
        let shared = max(scale, other.scale)
        return ValueOrder(
            Int128(units) * Self.power(shared - scale), Int128(other.units) * Self.power(shared - other.scale))
    }

    private static func power(_ exponent: Int) -> Int128 {
        var power: Int128 = 1
        for _ in 0..<exponent { power &*= 10 }
        return power
    }
}
