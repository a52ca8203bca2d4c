/// Writes the JSON text of a stored array.
///
/// Numbers are written as the shortest text that reads back to the same bits; a value that JSON lacks (NaN, infinities)
/// is a string; U+0000 to U+001F are escaped, so the text never holds a NUL.
public struct JSONWriter: Sendable {
    /// The text so far, well-formed UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// The reason why the array cannot be stored, from one of its elements; nil if it can.
    package private(set) var failure: String?

    package init() {}

    /// Notes why the array cannot be stored.
    package mutating func fail(_ reason: String) { failure = reason }

    /// Appends text that is JSON already.
    package mutating func append(_ json: String) {
        bytes.append(contentsOf: json.utf8)
    }

    package mutating func append(_ number: Double) { append(JSONFormat.number(number)) }

    package mutating func appendString(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in JSONFormat.escape(UnsafeRawBufferPointer(text)) { bytes.append(contentsOf: $0) } }
        bytes.append(UInt8(ascii: "\""))
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
}

/// The form of numbers and text in this toolkit's JSON.
package enum JSONFormat {
    package static func number(_ number: Double) -> String {
        // -0.0 equals 0.0, and equal arrays have equal text.
        if number.isFinite { return number == 0 ? "0.0" : number.description }
        return number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\""
    }

    @inlinable @inline(__always)
    package static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Passes the text between the quotes to a closure, part by part.
    ///
    /// - Parameter escapesDelete: true to escape the control character DEL too, which JSON allows unescaped, for a terminal.
    @inlinable @inline(__always)
    package static func escape(
        _ text: UnsafeRawBufferPointer, escapesDelete: Bool = false, _ append: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        for index in 0..<text.count where isEscaped(text[index]) || escapesDelete && text[index] == 0x7F {
            append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
            appendEscape(of: text[index], append)
            start = index &+ 1
        }
        append(UnsafeRawBufferPointer(rebasing: text[start...]))
    }

    @usableFromInline
    static func appendEscape(of byte: UInt8, _ append: (UnsafeRawBufferPointer) -> Void) {
        let letter: UInt8? =
            switch byte {
            case 0x0A: UInt8(ascii: "n")
            case 0x0D: UInt8(ascii: "r")
            case 0x09: UInt8(ascii: "t")
            case 0..<0x20, 0x7F: nil
            default: byte
            }
        // On the stack, because a text may consist of such characters alone.
        let zero = UInt8(ascii: "0")
        let escape = (
            UInt8(ascii: "\\"), letter ?? UInt8(ascii: "u"), zero, zero, Hexadecimal.digit(byte >> 4),
            Hexadecimal.digit(byte)
        )
        withUnsafeBytes(of: escape) { append(UnsafeRawBufferPointer(rebasing: $0[..<(letter == nil ? 6 : 2)])) }
    }
}
