/// Writes the JSON text of a stored array.
///
/// Numbers are written as the shortest text that reads back to the same bits; what JSON cannot say (NaN, infinities)
/// is a string; U+0000 to U+001F are escaped, so the text never holds a NUL.
public struct JSONWriter: Sendable {
    /// The text so far, well-formed UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// Why the array cannot be stored, if an element said so.
    package private(set) var failure: String?

    package init() {}

    /// Notes why the array cannot be stored.
    package mutating func fail(_ reason: String) {
        failure = reason
    }

    /// Appends text that is JSON already.
    package mutating func append(_ json: String) {
        bytes.append(contentsOf: json.utf8)
    }

    package mutating func append(_ number: Double) {
        if number.isFinite {
            // -0.0 equals 0.0, and equal arrays have equal text.
            append(number == 0 ? "0.0" : number.description)
        } else {
            append(number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        }
    }

    package mutating func appendString(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            if text.contains(where: Self.isEscaped) {
                for byte in text { appendCharacter(byte) }
            } else {
                bytes.append(contentsOf: text)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    package static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendCharacter(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20: appendEscape(byte)
        default: bytes.append(byte)
        }
    }

    package mutating func appendArray<E>(_ elements: [E], _ each: (E, inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            each(element, &self)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u00")
            append(String(byte, radix: 16))
        }
    }
}
