/// Reads the JSON text of a stored array, made by ``JSONWriter`` or by another program.
///
/// Every read returns nil on anything but the value that it names, and never reads beyond the text.
public struct JSONReader: ~Copyable {
    private var scanner: JSONScanner
    /// The offset of the array's first element.
    private var start = 0

    /// The bytes must outlive the reader: the caller holds the cell's row.
    package init(_ bytes: UnsafeRawBufferPointer) { scanner = JSONScanner(bytes) }

    /// Returns whether a text is one JSON value (RFC 8259) that nests no deeper than this reader goes.
    package static func isJSON(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = JSONScanner(UnsafeRawBufferPointer(bytes))
            return (try? scanner.passValue()) != nil && scanner.isAtEnd
        }
    }

    /// True if only white space is left.
    package var isAtEnd: Bool {
        mutating get { scanner.isAtEnd }
    }

    package mutating func readNull() -> Bool { scanner.peek() == UInt8(ascii: "n") && scanner.takeExactly("null") }

    package mutating func readBool() -> Bool? {
        switch scanner.peek() {
        case UInt8(ascii: "t"): scanner.takeExactly("true") ? true : nil
        case UInt8(ascii: "f"): scanner.takeExactly("false") ? false : nil
        default: nil
        }
    }

    /// The characters of a number.
    private mutating func readDigits() -> UnsafeRawBufferPointer? {
        _ = scanner.peek()
        return try? scanner.number()
    }

    package mutating func readSigned() -> Int64? { readDigits().flatMap { JSONScanner.integer($0) } }

    package mutating func readUnsigned() -> UInt64? { readDigits().flatMap { JSONScanner.integer($0) } }

    package mutating func readDouble() -> Double? {
        if scanner.peek() == UInt8(ascii: "\"") {
            switch readString() {
            case "NaN": return .nan
            case "Infinity": return .infinity
            case "-Infinity": return -.infinity
            default: return nil
            }
        }
        return readDigits().flatMap { Double(String(decoding: $0, as: UTF8.self)) }
    }

    package mutating func readString() -> String? {
        guard scanner.peek() == UInt8(ascii: "\""), let text = try? scanner.string() else { return nil }
        return try? scanner.decoded(text)
    }

    /// Begins to read an array; false where none begins.
    package mutating func enterArray() -> Bool {
        scanner.peek() == UInt8(ascii: "[") && (try? scanner.enter(UInt8(ascii: "["))) != nil
    }

    /// Returns whether an element of the array follows, and consumes the array's end. Nil where neither does.
    package mutating func hasNext(isFirst: Bool) -> Bool? {
        let hasNext = try? scanner.hasNext(UInt8(ascii: "]"), isFirst: isFirst)
        if isFirst { start = scanner.position }
        return hasNext
    }

    /// The estimated number of elements in the array, judged by its first one.
    package var likelyCount: Int { scanner.left(from: start) / (scanner.position - start + 1) }

    /// A number of any type.
    package mutating func readNumber() -> Value? {
        guard let digits = readDigits() else { return nil }
        if let integer: Int64 = JSONScanner.integer(digits) { return .int(integer) }
        if let integer: UInt64 = JSONScanner.integer(digits) { return .unsigned(integer) }
        return Double(String(decoding: digits, as: UTF8.self)).map(Value.double)
    }
}
