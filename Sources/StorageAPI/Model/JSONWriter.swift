/// Writes the JSON text of a stored array.
///
/// Numbers are written as the shortest text that reads back to the same bits; what JSON cannot say (NaN, infinities)
/// is a string; U+0000 to U+001F are escaped, so the text never holds a NUL.
public struct JSONWriter: Sendable {
    /// The text so far, well-formed UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// Why the array cannot be stored, if an element said so.
    private(set) var failure: String?

    init() {}

    mutating func fail(_ element: String) {
        failure = TextForm.refusal(of: element)
    }

    /// Appends text that is JSON already.
    mutating func append(_ json: String) {
        bytes.append(contentsOf: json.utf8)
    }

    mutating func append(_ number: Double) {
        if number.isFinite {
            // -0.0 equals 0.0, and equal arrays have equal text.
            append(number == 0 ? "0.0" : number.description)
        } else {
            append(number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        }
    }

    mutating func appendString(_ string: String) {
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
    fileprivate static func isEscaped(_ byte: UInt8) -> Bool {
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

    mutating func appendArray<E>(_ elements: [E], _ each: (E, inout JSONWriter) -> Void) {
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

extension RowWriter {
    /// Writes strings as the JSON text that a ``JSONWriter`` makes of them, straight to its place. Writes nothing and
    /// returns false where a character must be escaped or the text is larger than a value may be.
    mutating func putJSON(_ strings: [String]) -> Bool {
        // A bracket, and each string with its quotes and what follows it: a comma or the other bracket.
        let size = strings.isEmpty ? 2 : strings.reduce(1) { $0 + $1.utf8.count + 3 }
        guard size <= arena.pointee.limit else { return false }
        let text = arena.pointee.allocate(size)
        text.storeBytes(of: UInt8(ascii: "["), as: UInt8.self)
        var end = text + 1
        for string in strings {
            // As many bytes as were counted: a string's contiguous storage is its UTF-8.
            let isPlain = string.utf8.withContiguousStorageIfAvailable { bytes in
                guard !bytes.contains(where: JSONWriter.isEscaped) else { return false }
                end.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
                if let start = bytes.baseAddress { (end + 1).copyMemory(from: start, byteCount: bytes.count) }
                end += bytes.count + 3
                (end - 2).storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
                (end - 1).storeBytes(of: UInt8(ascii: ","), as: UInt8.self)
                return true
            }
            guard isPlain == true else { return false }
        }
        (text + size - 1).storeBytes(of: UInt8(ascii: "]"), as: UInt8.self)
        put(Cell(bits: UInt64(UInt(bitPattern: text)), length: UInt32(truncatingIfNeeded: size), tag: .text))
        return true
    }
}
