/// Reads the JSON text of a stored array, made by ``JSONWriter`` or by another program.
///
/// Every read returns nil on anything but what it names, and never reads beyond the text.
public struct JSONReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var depth = 0

    // Arrays nest as deep as a Swift type says; text of another program must not outgrow the stack.
    private static let deepest = 128

    /// The bytes must outlive the reader: the caller holds the cell's row.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether only white space is left.
    package var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    package mutating func readNull() -> Bool { readWord("null") }

    package mutating func readBool() -> Bool? {
        if readWord("true") { return true }
        return readWord("false") ? false : nil
    }

    /// The characters of a number.
    package mutating func readNumber() -> String? {
        skipSpace()
        let start = position
        while position < bytes.count, Self.isNumeric(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    package mutating func readDouble() -> Double? {
        if peek() == UInt8(ascii: "\"") {
            switch readString() {
            case "NaN": return .nan
            case "Infinity": return .infinity
            case "-Infinity": return -.infinity
            default: return nil
            }
        }
        return readNumber().flatMap(Double.init)
    }

    package mutating func readArray<E>(_ element: (inout JSONReader) -> E?) -> [E]? {
        readList(from: UInt8(ascii: "["), to: UInt8(ascii: "]"), element)
    }

    mutating func readList<E>(from start: UInt8, to end: UInt8, _ element: (inout JSONReader) -> E?) -> [E]? {
        guard depth < Self.deepest, readByte(start) else { return nil }
        depth += 1
        defer { depth -= 1 }
        var elements: [E] = []
        if readByte(end) { return elements }
        let first = position
        while true {
            guard let next = element(&self) else { return nil }
            // Most arrays are short and their elements of one length: one allocation for them, not one for 1, 2 and 4.
            if elements.isEmpty { elements.reserveCapacity(min((bytes.count - first) / (position - first + 1), 16)) }
            elements.append(next)
            if readByte(end) { return elements }
            guard readByte(UInt8(ascii: ",")) else { return nil }
        }
    }

    package mutating func readString() -> String? {
        guard readByte(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
                position += 1
                let string = String(decoding: text, as: UTF8.self)
                return string.utf8.count == text.count ? string : nil
            case UInt8(ascii: "\\"): return readEscapedString(from: start)
            default: position += 1
            }
        }
        return nil
    }

    /// Whether a string follows that has no control characters, which JSON must escape. Passes over it.
    mutating func readStrictString() -> Bool {
        skipSpace()
        let start = position
        return readString() != nil && bytes[start..<position].allSatisfy { $0 >= 0x20 }
    }

    private mutating func readEscapedString(from start: Int) -> String? {
        var text = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                let string = String(decoding: text, as: UTF8.self)
                return string.utf8.count == text.count ? string : nil
            case UInt8(ascii: "\\"):
                guard let scalar = readEscape() else { return nil }
                text.append(contentsOf: String(Character(scalar)).utf8)
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func readEscape() -> Unicode.Scalar? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return readUnicodeEscape()
        default: return nil
        }
    }

    private mutating func readUnicodeEscape() -> Unicode.Scalar? {
        guard let first = readHex() else { return nil }
        guard first >= 0xD800, first < 0xDC00 else { return Unicode.Scalar(first) }
        guard readExactly("\\u"), let second = readHex(), second >= 0xDC00, second < 0xE000 else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func readHex() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
        guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
        position += 4
        return UInt32(digits, radix: 16)
    }

    private mutating func readWord(_ word: StaticString) -> Bool {
        skipSpace()
        return readExactly(word)
    }

    private mutating func readExactly(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        let matches = word.withUTF8Buffer { $0.elementsEqual(bytes[position..<position + count]) }
        if matches { position += count }
        return matches
    }

    mutating func readByte(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    mutating func peek() -> UInt8? {
        skipSpace()
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: false
        }
    }
}
