/// A JSON value as it was written: numbers as their text, so that none is rounded, and members in their order.
indirect enum JSONValue: Equatable {
    case null
    case bool(Bool)
    /// The characters of a number, which RFC 8259 allows.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Equatable {
        var name: String
        var value: JSONValue
    }

    /// What the value is, in words for a message.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// The value as JSON text without white space.
    var text: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private func append(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): text.append(contentsOf: number.utf8)
        case .string(let string): Self.append(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.append(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.append(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0x0A: text.append(contentsOf: "\\n".utf8)
            case 0x0D: text.append(contentsOf: "\\r".utf8)
            case 0x09: text.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                text.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                text.append(contentsOf: String(byte, radix: 16).utf8)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
