import Foundation
import StorageAPI

/// Why a text is no JSON, and where.
struct JSONProblem: Error {
    let message: String
    /// The byte of the text at which it shows.
    let offset: Int
}

/// Reads one JSON value from bytes, as strictly as RFC 8259 asks: UTF-8, no value beyond the grammar, and no name twice in
/// one object, since one of the two would be lost.
struct JSONParser {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var depth = 0
    /// Texts with escapes are put together here.
    private var scratch: [UInt8] = []

    /// How many values there were.
    private var count = 0

    /// Deeper text than any record is, before it outgrows the stack.
    private static let deepest = 256
    /// More values than any record has, before small ones take a multiple of their text's memory.
    private static let mostValues = 1 << 22

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The value that the bytes are, with white space around it.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONProblem) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.problem("There is text after the value.") }
        return value
    }

    private func problem(_ message: String) -> JSONProblem { JSONProblem(message: message, offset: position) }

    // MARK: Values

    private mutating func value() throws(JSONProblem) -> JSONValue {
        guard let byte = peek() else { throw problem("The text ends where a value should be.") }
        count += 1
        guard count <= Self.mostValues else {
            throw problem(
                "There are more than \(Self.mostValues.grouped) values in one (the limit of an import); cut it into records."
            )
        }
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw problem("There is no value here.")
        }
    }

    private mutating func object() throws(JSONProblem) -> JSONValue {
        try descend()
        defer { depth -= 1 }
        var members: [JSONValue.Member] = []
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            guard peek() == UInt8(ascii: "\"") else { throw problem("There is no name of a member here.") }
            let name = try string()
            guard take(UInt8(ascii: ":")) else { throw problem("There is no colon after a member's name.") }
            members.append(JSONValue.Member(name: name, value: try value()))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw problem("There is neither a comma nor the object's end.") }
        if let name = Self.repeated(members) { throw problem("The name \"\(name)\" is there twice in one object.") }
        return .object(members)
    }

    /// Names are compared by their bytes, as the store compares them.
    private static func repeated(_ members: [JSONValue.Member]) -> String? {
        guard members.count > 16 else {
            for (index, member) in members.enumerated() {
                for other in members[..<index] where other.name.isSame(as: member.name) {
                    return member.name
                }
            }
            return nil
        }
        var names: Set<[UInt8]> = []
        return members.first { !names.insert(Array($0.name.utf8)).inserted }?.name
    }

    private mutating func array() throws(JSONProblem) -> JSONValue {
        try descend()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw problem("There is neither a comma nor the array's end.") }
        return .array(elements)
    }

    private mutating func descend() throws(JSONProblem) {
        depth += 1
        guard depth <= Self.deepest else { throw problem("The value is deeper than \(Self.deepest) levels.") }
        position += 1
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
        let count = word.utf8CodeUnitCount
        let isThere =
            position + count <= bytes.count
            && word.withUTF8Buffer { $0.elementsEqual(bytes[position..<position + count]) }
        guard isThere else { throw problem("There is no value here.") }
        position += count
        return value
    }

    private mutating func number() throws(JSONProblem) -> String {
        let start = position
        _ = takeExactly(UInt8(ascii: "-"))
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[position - whole] != UInt8(ascii: "0") else {
            throw problem("This is no number as JSON has them.")
        }
        if takeExactly(UInt8(ascii: ".")), digits() == 0 { throw problem("There are no digits after the point.") }
        if takeExactly(UInt8(ascii: "e")) || takeExactly(UInt8(ascii: "E")) {
            if !takeExactly(UInt8(ascii: "+")) { _ = takeExactly(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw problem("There are no digits in the exponent.") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() -> Int {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position - start
    }

    // MARK: Texts

    private mutating func string() throws(JSONProblem) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let text = try decoded(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                position += 1
                return text
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case 0..<0x20: throw problem("A control character stands in a text; write it as an escape.")
            default: position += 1
            }
        }
        throw problem("A text does not end.")
    }

    private func decoded(_ text: UnsafeRawBufferPointer) throws(JSONProblem) -> String {
        // `init(validating:as:)` does the same, but is generic where it runs. What had to be repaired has other bytes.
        var string = String(decoding: text, as: UTF8.self)
        let isWhole = string.withUTF8 { decoded in
            guard decoded.count == text.count else { return false }
            guard let left = decoded.baseAddress, let right = text.baseAddress else { return true }
            return memcmp(left, right, text.count) == 0
        }
        guard isWhole else { throw problem("A text is not UTF-8.") }
        return string
    }

    private mutating func escapedString(from start: Int) throws(JSONProblem) -> String {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                let result = scratch.withUnsafeBytes { text in
                    Result { () throws(JSONProblem) in try decoded(text) }
                }
                position += 1
                return try result.get()
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw problem("A control character stands in a text; write it as an escape.")
            default:
                scratch.append(byte)
                position += 1
            }
        }
        throw problem("A text does not end.")
    }

    private mutating func escape() throws(JSONProblem) {
        guard position + 1 < bytes.count else { throw problem("A text does not end.") }
        let byte = bytes[position + 1]
        position += 2
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(byte)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"): try unicodeEscape()
        default: throw problem("An escape is none that JSON has.")
        }
    }

    private mutating func unicodeEscape() throws(JSONProblem) {
        var value = try hexadecimal()
        if value & 0xFC00 == 0xD800 {
            guard takeExactly(UInt8(ascii: "\\")), takeExactly(UInt8(ascii: "u")) else {
                throw problem("The first half of a surrogate pair stands alone.")
            }
            let second = try hexadecimal()
            guard second & 0xFC00 == 0xDC00 else { throw problem("The first half of a surrogate pair stands alone.") }
            value = 0x10000 + (value & 0x3FF) << 10 + (second & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw problem("The second half of a surrogate pair stands alone.")
        }
        scratch.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
    }

    private mutating func hexadecimal() throws(JSONProblem) -> UInt32 {
        var value: UInt32 = 0
        guard position + 4 <= bytes.count else { throw problem("A text does not end.") }
        for byte in bytes[position..<position + 4] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw problem("\\u is not followed by four hexadecimal digits.")
            }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
    }

    private mutating func peek() -> UInt8? {
        skipSpace()
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        return takeExactly(byte)
    }

    private mutating func takeExactly(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}

extension UInt8 {
    /// Whether the byte is white space in JSON.
    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
