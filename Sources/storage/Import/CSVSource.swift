import StorageAPI
import StorageDriver
import StorageJSON

/// Comma-separated values as RFC 4180 has them, or with another delimiter, with a header.
///
/// What looks like a number, `true` or `false` is taken for one until its column says otherwise; its text is kept. An empty
/// field is nil, and one of two quotes an empty text.
struct CSVSource: RecordSource {
    private let input: InputBuffer
    private let delimiter: UInt8
    private var header: [String] = []
    private var consumed = 0

    /// - Throws: if there is no header, or if two columns have one name.
    init(_ input: InputBuffer, delimiter: UInt8) throws {
        self.input = input
        self.delimiter = delimiter
        let line = input.line
        guard let bytes = try frame() else { throw ToolError("\(input.name) is empty; there is no header.") }
        guard case .success(let fields) = fields(bytes) else {
            throw ToolError("\(input.name), line \(line): the header is no line of comma-separated values.")
        }
        header = fields.map(\.text)
        var names: Set<[UInt8]> = []
        for name in header where name.isEmpty || !names.insert(Array(name.utf8)).inserted {
            throw ToolError(
                "\(input.name), line \(line): the header has "
                    + (name.isEmpty ? "a column without a name." : "the name \(name) twice."))
        }
    }

    var fraction: Double { input.fraction }

    mutating func next() throws -> InputRecord? {
        while let bytes = try frame() {
            // A line without anything is no record, unless the records have one column.
            if Self.content(of: bytes).isEmpty, header.count > 1 { continue }
            return InputRecord(line: input.line, bytes: bytes, key: nil, content: members(bytes))
        }
        return nil
    }

    private mutating func frame() throws -> UnsafeRawBufferPointer? {
        input.consume(consumed)
        consumed = 0
        guard try input.peek() != nil else { return nil }
        var scanner = CSVScanner()
        consumed = try input.length(&scanner) ?? input.available.count
        return UnsafeRawBufferPointer(rebasing: input.available.prefix(consumed))
    }

    private func members(_ bytes: UnsafeRawBufferPointer) -> Result<[JSONValue.Member], BadRecord> {
        switch fields(bytes) {
        case .failure(let problem): return .failure(BadRecord(line: input.line, message: problem.message))
        case .success(let fields):
            guard fields.count == header.count else {
                return .failure(
                    BadRecord(
                        line: input.line,
                        message: "There are \(fields.count) fields, and the header has \(header.count)."))
            }
            return .success(zip(header, fields).map { JSONValue.Member(name: $0, value: $1.value) })
        }
    }

    // MARK: Fields

    private struct Field {
        var text: String
        var isQuoted: Bool

        var value: JSONValue {
            if text.isEmpty { return isQuoted ? .string("") : .null }
            if text == "true" || text == "false" { return .bool(text == "true") }
            return Self.isNumber(text) ? .number(text) : .string(text)
        }

        private static func isNumber(_ text: String) -> Bool {
            guard let first = text.utf8.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10 else {
                return false
            }
            var text = text
            let value = text.withUTF8 { try? JSONParser.parse(UnsafeRawBufferPointer($0)) }
            return value == .number(text)
        }
    }

    /// The bytes without the end of the line.
    private static func content(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = bytes.count
        if count > 0, bytes[count - 1] == 0x0A { count -= 1 }
        if count > 0, bytes[count - 1] == 0x0D { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
    }

    private func fields(_ bytes: UnsafeRawBufferPointer) -> Result<[Field], JSONProblem> {
        let content = Self.content(of: bytes)
        var fields: [Field] = []
        var position = 0
        while true {
            let field: (text: [UInt8], isQuoted: Bool, end: Int)
            if position < content.count, content[position] == UInt8(ascii: "\"") {
                guard let quoted = Self.quotedField(content, position + 1, delimiter) else {
                    return .failure(JSONProblem("A quoted field does not end as it should.", at: position))
                }
                field = quoted
            } else {
                let end = content[position...].firstIndex(of: delimiter) ?? content.count
                field = (Array(content[position..<end]), false, end)
            }
            guard let text = String(validating: field.text, as: UTF8.self) else {
                return .failure(JSONProblem("A text is not UTF-8.", at: position))
            }
            fields.append(Field(text: text, isQuoted: field.isQuoted))
            guard field.end < content.count else { return .success(fields) }
            position = field.end + 1
        }
    }

    /// A field after its opening quote, up to the comma or the end; two quotes mean one.
    private static func quotedField(
        _ content: UnsafeRawBufferPointer, _ start: Int, _ delimiter: UInt8
    ) -> (text: [UInt8], isQuoted: Bool, end: Int)? {
        var text: [UInt8] = []
        var position = start
        while position < content.count {
            if content[position] != UInt8(ascii: "\"") {
                text.append(content[position])
                position += 1
            } else if position + 1 < content.count, content[position + 1] == UInt8(ascii: "\"") {
                text.append(UInt8(ascii: "\""))
                position += 2
            } else {
                let end = position + 1
                return end == content.count || content[end] == delimiter ? (text, true, end) : nil
            }
        }
        return nil
    }
}

/// The end of a record of comma-separated values: a newline that no quotes enclose.
struct CSVScanner: FrameScanner {
    private var isQuoted = false

    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == 0x0A, !isQuoted { return index + 1 }
        }
        return nil
    }
}
