/// A JSON value as it was written: numbers as their text, so that none is rounded, and members in their order.
enum JSONValue: Equatable {
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
        case .string(let string): JSONText.append(string, to: &text)
        case .array(let elements):
            JSONText.append(elements, "[", "]", to: &text) { $0.append(to: &$1) }
        case .object(let members):
            JSONText.append(members, "{", "}", to: &text) { member, text in
                JSONText.append(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.append(to: &text)
            }
        }
    }
}

extension JSONValue {
    /// An object with members in the order in which they are written.
    static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }
}
