import StorageAPI
import StorageDriver

/// The columns of `--columns`: properties, or terms such as those of a condition, each perhaps with a title.
struct SelectColumns: Sendable {
    struct Term: Sendable {
        let text: String
        let title: String
    }

    let terms: [Term]

    /// - Parameter text: terms, joined by commas: `name, AlbumId.Title, price * 2 as double`.
    init(_ text: String) {
        terms = Self.parts(text).map { part in
            // A name is the last word behind an as, unless that is a property's name itself.
            let words = part.split(separator: " ").map(String.init)
            guard words.count > 2, words[words.count - 2].lowercased() == "as", let title = words.last else {
                return Term(text: part, title: part)
            }
            let term = words.dropLast(2).joined(separator: " ")
            return Term(text: term, title: title.trimmingQuotes)
        }
    }

    /// The parts between commas that no brackets and quotes enclose.
    static func parts(_ text: String) -> [String] {
        var (parts, depth, quote) = ([""], 0, Character?.none)
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if ["\"", "'", "`"].contains(character) {
                quote = character
            } else if ["(", "[", "{"].contains(character) {
                depth += 1
            } else if [")", "]", "}"].contains(character) {
                depth -= 1
            }
            if character == ",", depth == 0, quote == nil {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The properties that the terms are; nil if one of them is computed, of another record, or the relevance.
    ///
    /// - Throws: for a single word that is no property.
    func properties(of schema: RecordSchema) throws(ToolError) -> [RecordSchema.Property]? {
        var found: [RecordSchema.Property] = []
        for term in terms {
            guard let property = schema.properties.first(where: { $0.storedName == StoredName(term.text) }) else {
                if term.text.lowercased() != "relevance",
                    term.text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
                {
                    throw schema.lacks(term.text)
                }
                return nil
            }
            guard property.storedName == StoredName(term.title) else { return nil }
            found.append(property)
        }
        return found
    }

    /// Computes the terms of the records, and passes on the columns and then each record.
    func forEach(
        _ records: Select<DynamicRecord, Store.Session>, begin: ([RecordSchema.Property]) -> Void,
        _ body: ([DynamicRecord.Field]) throws -> Void
    ) throws {
        var failure: (any Error)?
        var columns: [RecordSchema.Property] = []
        func show(_ types: [ColumnType], _ values: [Value]) -> Bool {
            if columns.isEmpty {
                columns = zip(terms, types).map { .init(name: $0.title, kind: .column($1), isOptional: true) }
                begin(columns)
            }
            let fields = zip(columns, zip(values, types)).map {
                DynamicRecord.Field(name: $0.name, content: .value($1.0, $1.1))
            }
            do { try body(fields) } catch { failure = error }
            return failure == nil
        }
        try records.forEach(computing: terms.map(\.text), show)
        if let failure { throw failure }
        if columns.isEmpty { begin(terms.map { .init(name: $0.title, kind: .column(.string), isOptional: true) }) }
    }
}

extension String {
    /// The text between quotes or backticks around it.
    fileprivate var trimmingQuotes: String {
        guard count > 1, let mark = first, mark == last, ["\"", "'", "`"].contains(mark) else { return self }
        return String(dropFirst().dropLast())
    }
}
