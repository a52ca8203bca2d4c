/// Bytes as digits of base 16, two for each.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The digits in lower case.
    package static func digits(of bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.flatMap { [digit($0 >> 4), digit($0)] }
    }

    /// The digit of the lower four bits, in lower case.
    package static func digit(_ bits: UInt8) -> UInt8 { digits[Int(bits & 15)] }

    /// The digits in lower case, as text.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: digits(of: bytes), as: UTF8.self)
    }

    /// The bytes of pairs of digits in lower case; nil if the text has anything else.
    package static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: text.count, by: 2) {
            guard let high = digits.firstIndex(of: text[place]), let low = digits.firstIndex(of: text[place + 1])
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// The number that at most sixteen digits of either case are; nil if the text has anything else.
    package static func number(_ digits: UnsafeRawBufferPointer) -> UInt64? {
        guard digits.count <= 16 else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): number = number << 4 | UInt64(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return number
    }
}
