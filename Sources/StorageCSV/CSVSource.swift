package import StorageAPI
import StorageDriver
package import StorageJSON

/// The ways out that messages about a text name: options of the tool, or of a call.
package struct CSVAdvice: Sendable {
    private let quotes: String
    private let encoding: String

    /// - Parameters:
    ///   - quotes: the option that reads quotation marks as characters.
    ///   - encoding: the option that names another encoding.
    package init(quotes: String, encoding: String) { (self.quotes, self.encoding) = (quotes, encoding) }

    var wrongQuotes: String {
        "A quoted field does not end as it should; \(quotes) reads quotation marks as characters."
    }

    func wrongEncoding(_ known: Store.TextEncoding) -> String {
        known == .utf8
            ? "A text is not UTF-8; \(encoding) names another, like windows-1252." : "A text is not \(known.rawValue)."
    }
}

/// Comma-separated values as RFC 4180 has them, or in another dialect, with a header.
///
/// A text that looks like a number, `true` or `false` is taken for one until its column says otherwise; its text is kept. An empty
/// field is nil, and one of two quotes an empty text.
package struct CSVSource: RecordSource {
    package let reader: CSVReader
    /// The distinct names of the columns.
    package let header: [String]
    /// The places of columns without a name. Only their values are members of a record.
    package let unnamed: Set<Int>
    /// The names that the header does not have as they are.
    package let given: [String]
    private let encoding: Store.TextEncoding
    private let advice: CSVAdvice

    /// Reads up to the header, which is the first line that is not blank. A line that declares the delimiter may precede it.
    ///
    /// - Throws: if no line is a header.
    package init(_ input: InputBuffer, dialect: CSVDialect, encoding: Store.TextEncoding, advice: CSVAdvice) throws {
        let reader = CSVReader(input, dialect)
        (self.reader, self.encoding, self.advice) = (reader, encoding, advice)
        var fields: [CSVReader.Field] = []
        var record = try reader.next(&fields)
        if let record, CSVDialect.declaredDelimiter(of: reader.bytes(of: record)) != nil { fields.removeAll() }
        while record != nil, fields.allSatisfy(\.isMissing) {
            fields.removeAll()
            record = try reader.next(&fields)
        }
        guard let record else { throw InputProblem("\(input.name) is empty and has no header.") }
        let texts = fields.compactMap { Self.text($0, of: reader) }
        guard record.isWellFormed, texts.count == fields.count else {
            let problem = record.isWellFormed ? advice.wrongEncoding(encoding) : advice.wrongQuotes
            throw InputProblem(
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

    package var fraction: Double { reader.fraction }

    package mutating func next() throws -> InputRecord? {
        var fields: [CSVReader.Field] = []
        guard let record = try next(&fields) else { return nil }
        return self.record(record, fields[...])
    }

    /// The next record and where its fields are, which are appended.
    ///
    /// - Parameter staysInChunk: nil also where the next record is not buffered whole.
    package mutating func next(
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

    /// A record with its members, or the reason why it cannot be read.
    package func record(_ record: CSVReader.Record, _ fields: ArraySlice<CSVReader.Field>) -> InputRecord {
        let content = members(record, fields).mapError { BadRecord(line: record.line, message: $0.message) }
        return InputRecord(line: record.line, bytes: reader.bytes(of: record), key: nil, content: content)
    }

    private struct Problem: Error {
        let message: String
    }

    private func members(
        _ record: CSVReader.Record, _ fields: ArraySlice<CSVReader.Field>
    ) -> Result<[JSONValue.Member], Problem> {
        guard record.isWellFormed else { return .failure(Problem(message: advice.wrongQuotes)) }
        guard fields.count == header.count else {
            let count = "There \(fields.count == 1 ? "is" : "are") \(fields.count) field\(fields.count == 1 ? "" : "s")"
            return .failure(Problem(message: "\(count), and the header has \(header.count)."))
        }
        var members: [JSONValue.Member] = []
        for (place, field) in fields.enumerated() where !(field.isMissing && unnamed.contains(place)) {
            guard let text = Self.text(field, of: reader) else {
                return .failure(Problem(message: advice.wrongEncoding(encoding)))
            }
            members.append(.init(name: header[place], value: Field(text: text, isQuoted: field.isQuoted).value))
        }
        return .success(members)
    }

    // MARK: Fields

    package struct Field {
        package var text: String
        package var isQuoted: Bool

        package init(text: String, isQuoted: Bool) { (self.text, self.isQuoted) = (text, isQuoted) }

        package var value: JSONValue {
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
