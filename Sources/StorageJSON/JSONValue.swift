import StorageAPI
package import StorageDriver

/// A JSON value as it was written: numbers as their text, so that none is rounded, and members in their order.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The characters of a number, which RFC 8259 allows.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Equatable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    /// The kind of the value, in words for a message.
    package var kind: String {
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
    package var text: String {
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
            JSONText.append(elements, open: "[", close: "]", to: &text) { $0.append(to: &$1) }
        case .object(let members):
            JSONText.append(members, open: "{", close: "}", to: &text) { member, text in
                JSONText.append(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.append(to: &text)
            }
        }
    }
}

extension Collection<JSONValue.Member> {
    /// The value of the first member of a name.
    func value(of name: String) -> JSONValue? {
        let name = StoredName(name)
        return first { StoredName($0.name) == name }?.value
    }
}

extension JSONValue {
    /// An object with members in the order in which they are written.
    package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }
}

/// Reads one JSON value from bytes, as strictly as RFC 8259 asks: UTF-8, no value beyond the grammar, and no name twice in
/// one object, since one of the two would be lost.
package struct JSONParser {
    private var scanner: JSONScanner
    /// The number of values.
    private var count = 0

    /// Deeper text than any record is, before it outgrows the stack.
    private static let maximumDepth = 256
    /// More values than any record has, before small ones take a multiple of their text's memory.
    private static let maximumValues = 1 << 22

    private init(_ bytes: UnsafeRawBufferPointer) { scanner = JSONScanner(bytes, deepest: Self.maximumDepth) }

    /// The value that the bytes are, with white space around it.
    package static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONProblem) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value()
        guard parser.scanner.isAtEnd else { throw parser.scanner.problem("There is text after the value.") }
        return value
    }

    private mutating func value() throws(JSONProblem) -> JSONValue {
        count += 1
        guard count <= Self.maximumValues else {
            throw scanner.problem(
                "There are more than 4,194,304 values in one (the limit of an import); cut it into records."
            )
        }
        switch scanner.peek() {
        case UInt8(ascii: "{")?: return try object()
        case UInt8(ascii: "[")?: return try array()
        case UInt8(ascii: "\"")?: return .string(try scanner.decoded(try scanner.string()))
        case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
            return .number(String(decoding: try scanner.number(), as: UTF8.self))
        default:
            if scanner.takeExactly("true") { return .bool(true) }
            if scanner.takeExactly("false") { return .bool(false) }
            if scanner.takeExactly("null") { return .null }
            throw scanner.noValue()
        }
    }

    private mutating func object() throws(JSONProblem) -> JSONValue {
        var members: [JSONValue.Member] = []
        try scanner.enter(UInt8(ascii: "{"))
        while try scanner.hasNext(UInt8(ascii: "}"), isFirst: members.isEmpty) {
            let name = try scanner.decoded(try scanner.name())
            members.append(JSONValue.Member(name: name, value: try value()))
        }
        if let name = Self.repeated(members) {
            throw scanner.problem("The name \"\(name)\" is there twice in one object.")
        }
        return .object(members)
    }

    private static func repeated(_ members: [JSONValue.Member]) -> String? {
        guard members.count > 16 else {
            for (index, member) in members.enumerated() where members[..<index].value(of: member.name) != nil {
                return member.name
            }
            return nil
        }
        var names: Set<StoredName> = []
        return members.first { !names.insert(StoredName($0.name)).inserted }?.name
    }

    private mutating func array() throws(JSONProblem) -> JSONValue {
        var elements: [JSONValue] = []
        try scanner.enter(UInt8(ascii: "["))
        while try scanner.hasNext(UInt8(ascii: "]"), isFirst: elements.isEmpty) { elements.append(try value()) }
        return .array(elements)
    }
}
