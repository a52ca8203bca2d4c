import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// Comma-separated values as RFC 4180 has them, or with another delimiter, with a header.
///
/// What looks like a number, `true` or `false` is taken for one until its column says otherwise; its text is kept. An empty
/// field is nil, and one of two quotes an empty text.
struct CSVSource: RecordSource {
    let reader: CSVReader
    private(set) var header: [String] = []

    /// - Throws: if there is no header, or if two columns have one name.
    init(_ input: InputBuffer, delimiter: UInt8) throws {
        reader = CSVReader(input, delimiter: delimiter)
        var places: [CSVReader.Field] = []
        guard let first = try reader.next(&places) else {
            throw ToolError("\(input.name) is empty; there is no header.")
        }
        let line = first.line
        guard case .success(let fields) = fields(reader.bytes(of: first)) else {
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

    var fraction: Double { reader.fraction }

    mutating func next() throws -> InputRecord? {
        var places: [CSVReader.Field] = []
        guard let record = try next(&places) else { return nil }
        return self.record(record)
    }

    /// The next record and where its fields are, which are appended.
    ///
    /// - Parameter staysInChunk: nil also where the next record is not buffered whole.
    mutating func next(
        _ fields: inout [CSVReader.Field], staysInChunk: Bool = false
    ) throws -> CSVReader.Record? {
        let first = fields.count
        while let record = try reader.next(&fields, staysInChunk: staysInChunk) {
            // A line without anything is no record, unless the records have one column.
            guard header.count > 1, Self.content(of: reader.bytes(of: record)).isEmpty else { return record }
            fields.removeSubrange(first...)
        }
        return nil
    }

    /// A record with its members, or what is wrong with it.
    func record(_ record: CSVReader.Record) -> InputRecord {
        let bytes = reader.bytes(of: record)
        return InputRecord(line: record.line, bytes: bytes, key: nil, content: members(bytes, line: record.line))
    }

    private func members(_ bytes: UnsafeRawBufferPointer, line: Int) -> Result<[JSONValue.Member], BadRecord> {
        switch fields(bytes) {
        case .failure(let problem): return .failure(BadRecord(line: line, message: problem.message))
        case .success(let fields):
            guard fields.count == header.count else {
                return .failure(
                    BadRecord(
                        line: line,
                        message:
                            "There \(fields.count == 1 ? "is" : "are") \(fields.count.counted("field")), and the header has "
                            + "\(header.count)."))
            }
            return .success(zip(header, fields).map { JSONValue.Member(name: $0, value: $1.value) })
        }
    }

    // MARK: Fields

    struct Field {
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
                guard let quoted = Self.quotedField(content, position + 1, reader.delimiter) else {
                    return .failure(JSONProblem("A quoted field does not end as it should.", at: position))
                }
                field = quoted
            } else {
                let end = content[position...].firstIndex(of: reader.delimiter) ?? content.count
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
