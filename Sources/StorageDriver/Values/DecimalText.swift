#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Decimals are stored as canonical text, so that equal values have equal text: an optional sign, digits without
/// leading zeros, and a fraction without trailing zeros. "0" has no sign. "NaN" sorts after every number.
public enum DecimalText {
    /// The canonical text of a plain decimal number; nil if the text is not one.
    public static func canonical(_ text: String) -> String? {
        guard let parts = Parts(text) else { return nil }
        if parts.isNaN { return "NaN" }
        let sign = parts.isNegative && !parts.isZero ? "-" : ""
        let whole = parts.whole.isEmpty ? "0" : String(decoding: parts.whole, as: UTF8.self)
        return sign + whole + (parts.fraction.isEmpty ? "" : "." + String(decoding: parts.fraction, as: UTF8.self))
    }

    /// The canonical text of a number that may have an exponent; nil if the text is not one, or is far beyond the range
    /// of Double.
    package static func plain(_ text: String) -> String? {
        guard let mark = text.utf8.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return canonical(text) }
        guard let exponent = Int(text[mark...].dropFirst()), exponent.magnitude <= 400,
            let parts = Parts(String(text[..<mark]))
        else { return nil }
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: Int(exponent.magnitude))
        let given = [UInt8](parts.whole + parts.fraction)
        let digits = exponent < 0 ? zeros + given : given + zeros
        // The point moves by the exponent.
        let point = exponent < 0 ? parts.whole.count : parts.whole.count + zeros.count
        let whole = String(decoding: digits[..<point], as: UTF8.self)
        let fraction = String(decoding: digits[point...], as: UTF8.self)
        return canonical((parts.isNegative ? "-" : "") + "0\(whole).\(fraction)")
    }

    /// A canonical number cut to the given numbers of significant and of fraction digits.
    package static func cut(_ text: String, significant: Int, fraction: Int) -> String {
        guard let parts = Parts(text) else { return text }
        var digits = parts.whole + parts.fraction.prefix(fraction)
        let end = digits.startIndex + digits.prefix { $0 == UInt8(ascii: "0") }.count + significant
        for index in digits.indices where index >= end { digits[index] = UInt8(ascii: "0") }
        let whole = String(decoding: digits.prefix(parts.whole.count), as: UTF8.self)
        let rest = String(decoding: digits.dropFirst(parts.whole.count), as: UTF8.self)
        return canonical((parts.isNegative ? "-" : "") + "0\(whole).\(rest)") ?? text
    }

    /// The same order of the bytes of two texts.
    package static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> ValueOrder {
        if let left = SmallDecimal(left), let right = SmallDecimal(right) { return left.order(to: right) }
        return order(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
    }

    /// The numeric order of two decimal texts. A text that is not a number sorts after NaN, by its bytes.
    public static func order(_ left: String, _ right: String) -> ValueOrder {
        if let left = SmallDecimal(left), let right = SmallDecimal(right) { return left.order(to: right) }
        guard let left = Parts(left), let right = Parts(right) else {
            return Value.text(left).order(to: .text(right))
        }
        if left.isNaN || right.isNaN { return ValueOrder(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
        let leftNegative = left.isNegative && !left.isZero
        let rightNegative = right.isNegative && !right.isZero
        if leftNegative != rightNegative { return leftNegative ? .before : .after }
        let magnitude = left.magnitudeOrder(to: right)
        return leftNegative ? magnitude.reversed : magnitude
    }

    private struct Parts {
        var isNaN = false
        var isNegative = false
        var whole: ArraySlice<UInt8> = []
        var fraction: ArraySlice<UInt8> = []

        var isZero: Bool { whole.isEmpty && fraction.isEmpty }

        init?(_ text: String) {
            if text == "NaN" {
                isNaN = true
                return
            }
            var bytes = Array(text.utf8)[...]
            if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                isNegative = sign == UInt8(ascii: "-")
                bytes = bytes.dropFirst()
            }
            let point = bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
            whole = bytes[..<point]
            fraction = bytes[point...].dropFirst()
            let isDigits = (whole + fraction).allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard isDigits, !(whole.isEmpty && fraction.isEmpty) else { return nil }
            whole = whole.drop { $0 == UInt8(ascii: "0") }
            while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        }

        func magnitudeOrder(to other: Parts) -> ValueOrder {
            if whole.count != other.whole.count { return ValueOrder(whole.count, other.whole.count) }
            let order = Value.blob(Array(whole)).order(to: .blob(Array(other.whole)))
            return order == .same ? Value.blob(Array(fraction)).order(to: .blob(Array(other.fraction))) : order
        }
    }
}

extension Decimal {
    /// The canonical text; nil for none that a Decimal has.
    package var storedText: String? { DecimalText.canonical(description) }

    /// The Decimal of a canonical text, or of a text with the same meaning; nil if a Decimal does not hold it exactly.
    package init?(storedText: String) {
        if let small = SmallDecimal(storedText) {
            let digits = Decimal(small.units.magnitude)
            self = Decimal(sign: small.units < 0 ? .minus : .plus, exponent: -small.scale, significand: digits)
            return
        }
        guard let canonical = DecimalText.canonical(storedText) else { return nil }
        if canonical == "NaN" {
            self = .nan
        } else {
            // A text with more digits than a Decimal holds was written by another program.
            guard let decimal = Decimal(string: canonical), decimal.storedText == canonical else { return nil }
            self = decimal
        }
    }
}
