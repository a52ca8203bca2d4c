/// The values of JSON numbers, of their bytes.
package enum NumberBytes {
    /// The digits of a number as an integer, and how many of them follow the point; nil for one with an exponent, and for more
    /// than 18 characters.
    package static func decimal(_ number: UnsafeRawBufferPointer) -> (digits: Int64, scale: Int)? {
        let isNegative = number.first == UInt8(ascii: "-")
        guard number.count <= 18 else { return nil }
        var value: Int64 = 0
        var point = number.count - 1
        for index in (isNegative ? 1 : 0)..<number.count {
            let digit = number[index] &- UInt8(ascii: "0")
            if digit < 10 {
                value = value &* 10 &+ Int64(digit)
            } else if number[index] == UInt8(ascii: ".") {
                point = index
            } else {
                return nil
            }
        }
        return (isNegative ? -value : value, number.count - 1 - point)
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    ]

    /// The finite number that is nearest to the digits; nil if none exists.
    package static func double(_ number: UnsafeRawBufferPointer) -> Double? {
        // Both are exact, so their quotient is the nearest number.
        if let (digits, scale) = decimal(number), digits.magnitude <= 1 << 53 {
            return digits == 0 && number.first == UInt8(ascii: "-") ? -0.0 : Double(digits) / powersOfTen[scale]
        }
        guard let value = Double(String(decoding: number, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    /// The form of a text that may be a number.
    package enum Form {
        /// Digits, perhaps with a minus, without needless zeros.
        case integer
        /// The same with a point and so many digits in all.
        case fraction(digits: Int)
        /// A text whose form takes a parser to find.
        case other
    }

    /// The form of the bytes.
    package static func form(_ bytes: UnsafeRawBufferPointer) -> Form {
        var index = bytes.first == UInt8(ascii: "-") ? 1 : 0
        let start = index
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
        let whole = index - start
        guard whole == 1 || whole > 1 && bytes[start] != UInt8(ascii: "0") else { return .other }
        if index == bytes.count { return .integer }
        guard bytes[index] == UInt8(ascii: ".") else { return .other }
        let point = index
        index += 1
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
        guard index == bytes.count, index - point > 1 else { return .other }
        return .fraction(digits: whole + index - point - 1)
    }
}
