extension JSONReader {
    /// Whether a text is one JSON value (RFC 8259) that nests no deeper than this reader goes.
    package static func isJSON(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            return json.passValue() && json.isAtEnd
        }
    }

    /// Passes over a value of any kind; false where none begins.
    private mutating func passValue() -> Bool {
        switch peek() {
        case UInt8(ascii: "{"): passObject()
        case UInt8(ascii: "["): readArray { $0.passValue() ? () : nil } != nil
        case UInt8(ascii: "\""): readStrictString()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): readBool() != nil
        case UInt8(ascii: "n"): readNull()
        default: readNumber().map(Self.isNumber) ?? false
        }
    }

    private mutating func passObject() -> Bool {
        let elements: [Void]? = readList(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { json in
            json.readStrictString() && json.readByte(UInt8(ascii: ":")) && json.passValue() ? () : nil
        }
        return elements != nil
    }

    /// The grammar's number: no sign but a minus, no leading zeros, digits around a point.
    private static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        func digits() -> Int {
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }.count
            rest = rest.dropFirst(digits)
            return digits
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !startsWithZero || whole == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
