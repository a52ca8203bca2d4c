import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// Comma-separated values as RFC 4180 has them, or in another dialect, with a header.
///
/// What looks like a number, `true` or `false` is taken for one until its column says otherwise; its text is kept. An empty
/// field is nil, and one of two quotes an empty text.
struct CSVSource: RecordSource {
    let reader: CSVReader
    /// The distinct names of the columns.
    let header: [String]
    /// The places of columns without a name. Only their values are members of a record.
    let unnamed: Set<Int>
    /// The names that the header does not have as they are.
    let given: [String]
    private let encoding: InputEncoding

    /// Reads up to the header, which is the first line that is not blank. A line that declares the delimiter may precede it.
    ///
    /// - Throws: if there is no header.
    init(_ input: InputBuffer, dialect: CSVDialect, encoding: InputEncoding) throws {
        let reader = CSVReader(input, dialect)
        (self.reader, self.encoding) = (reader, encoding)
        var fields: [CSVReader.Field] = []
        var record = try reader.next(&fields)
        if let record, CSVDialect.declaredDelimiter(of: reader.bytes(of: record)) != nil { fields.removeAll() }
        while record != nil, fields.allSatisfy(\.isMissing) {
            fields.removeAll()
            record = try reader.next(&fields)
        }
        guard let record else { throw ToolError("\(input.name) is empty; there is no header.") }
        let texts = fields.compactMap { Self.text($0, of: reader) }
        guard record.isWellFormed, texts.count == fields.count else {
            let problem = record.isWellFormed ? Self.wrongEncoding(encoding) : Self.wrongQuotes
            throw ToolError(
                "\(input.name), line \(record.line): the header is no line of comma-separated values. \(problem)")
        }
        header = Self.distinct(texts)
        unnamed = Set(texts.indices.filter { texts[$0].isEmpty })
        given = zip(texts, header).enumerated().compactMap { place, names in
            StoredName(names.0) == StoredName(names.1) ? nil : "column \(place + 1) is \(names.1)"
        }
    }

    /// The names of the columns. One without a name gets the number of its place, and a repeated name gets a number.
    private static func distinct(_ names: [String]) -> [String] {
        var taken = Set(names.map { StoredName($0) })
        var (seen, numbers) = (Set<StoredName>(), [StoredName: Int]())
        return names.enumerated().map { place, name in
            if !name.isEmpty, seen.insert(StoredName(name)).inserted { return name }
            let stem = StoredName(name.isEmpty ? "column\(place + 1)" : name)
            var number = numbers[stem] ?? 1
            var found = stem
            while !taken.insert(found).inserted {
                number += 1
                found = StoredName("\(stem)_\(number)")
            }
            numbers[stem] = number
            return found.text
        }
    }

    var fraction: Double { reader.fraction }

    mutating func next() throws -> InputRecord? {
        var fields: [CSVReader.Field] = []
        guard let record = try next(&fields) else { return nil }
        return self.record(record, fields[...])
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
            guard header.count > 1, fields.count == first + 1, fields[first].isMissing else { return record }
            fields.removeSubrange(first...)
        }
        return nil
    }

    /// A record with its members, or what is wrong with it.
    func record(_ record: CSVReader.Record, _ fields: ArraySlice<CSVReader.Field>) -> InputRecord {
        let content = members(record, fields).mapError { BadRecord(line: record.line, message: $0.message) }
        return InputRecord(line: record.line, bytes: reader.bytes(of: record), key: nil, content: content)
    }

    private struct Problem: Error {
        let message: String
    }

    private func members(
        _ record: CSVReader.Record, _ fields: ArraySlice<CSVReader.Field>
    ) -> Result<[JSONValue.Member], Problem> {
        guard record.isWellFormed else { return .failure(Problem(message: Self.wrongQuotes)) }
        guard fields.count == header.count else {
            let count = "There \(fields.count == 1 ? "is" : "are") \(fields.count.counted("field"))"
            return .failure(Problem(message: "\(count), and the header has \(header.count)."))
        }
        var members: [JSONValue.Member] = []
        for (place, field) in fields.enumerated() where !(field.isMissing && unnamed.contains(place)) {
            guard let text = Self.text(field, of: reader) else {
                return .failure(Problem(message: Self.wrongEncoding(encoding)))
            }
            members.append(.init(name: header[place], value: Field(text: text, isQuoted: field.isQuoted).value))
        }
        return .success(members)
    }

    private static let wrongQuotes =
        "A quoted field does not end as it should; --quote none reads quotation marks as characters."

    private static func wrongEncoding(_ encoding: InputEncoding) -> String {
        encoding == .utf8
            ? "A text is not UTF-8; --encoding names another, like windows-1252."
            : "A text is not \(encoding.rawValue)."
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

    /// The text of a field, in which two marks stand for one; nil if its bytes are no text.
    private static func text(_ field: CSVReader.Field, of reader: CSVReader) -> String? {
        guard let text = String(validating: reader.bytes(of: field), as: UTF8.self) else { return nil }
        return field.hasEscapes ? text.replacing("\"\"", with: "\"") : text
    }
}
