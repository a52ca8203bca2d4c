import StorageAPI
import StorageDriver

/// The columns of `--columns`: properties, or terms such as those of a condition, each perhaps with a title.
struct SelectColumns: Sendable {
    struct Term: Sendable {
        let text: String
        let title: String
    }

    let terms: [Term]

    private init(terms: [Term]) { self.terms = terms }

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

    /// The properties that the terms are; nil if one of them is computed, or of another record.
    ///
    /// - Throws: for a single word that is no property.
    func properties(of schema: RecordSchema) throws(ToolError) -> [RecordSchema.Property]? {
        var found: [RecordSchema.Property] = []
        for term in terms {
            guard let property = schema.properties.first(where: { $0.storedName == StoredName(term.text) }) else {
                if Self.isRelevance(term, schema) { return nil }
                if term.text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) { throw schema.lacks(term.text) }
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

extension SelectColumns {
    /// True if a term is the relevance of a search.
    func hasRelevance(_ schema: RecordSchema) -> Bool { terms.contains { Self.isRelevance($0, schema) } }

    private static func isRelevance(_ term: Term, _ schema: RecordSchema) -> Bool {
        term.text.lowercased() == "relevance"
            && !schema.properties.contains { $0.storedName == StoredName(term.text) }
    }

    /// Computes the terms of records that a search has found, in their order: one query for each.
    func computed(
        of hits: [(record: DynamicRecord, relevance: Double)], schema: RecordSchema,
        in snapshot: borrowing Store.Snapshot
    ) throws -> (columns: [RecordSchema.Property], records: [DynamicRecord]) {
        let keys = schema.keyProperties.map { "`\($0.name.replacing("`", with: "``"))` == ?" }
        let others = SelectColumns(terms: terms.filter { !Self.isRelevance($0, schema) })
        var computed: [StoredName: RecordSchema.Property] = [:]
        var records: [DynamicRecord] = []
        for (record, relevance) in hits {
            let key = schema.keyProperties.map { record.value($0.name) ?? .null }
            let one = snapshot.records(schema.name).where(text: keys.joined(separator: " and "), arguments: key)
            var found: [DynamicRecord.Field] = []
            if !others.terms.isEmpty {
                try others.forEach(one) {
                    for column in $0 { computed[column.storedName] = column }
                } _: {
                    found = $0
                }
            }
            let fields = terms.map { term in
                Self.isRelevance(term, schema)
                    ? DynamicRecord.Field(name: term.title, content: .value(.double(relevance), .double))
                    : DynamicRecord.Field(name: term.title, content: found.content(term.title, near: 0))
            }
            records.append(DynamicRecord(model: record.model, fields: fields))
        }
        let columns = terms.map { term in
            let other =
                computed[StoredName(term.title)]
                ?? RecordSchema.Property(name: term.title, kind: .column(.string), isOptional: true)
            return Self.isRelevance(term, schema)
                ? RecordSchema.Property(name: term.title, kind: .column(.double), isOptional: true) : other
        }
        return (columns, records)
    }
}

extension String {
    /// The text between quotes or backticks around it.
    fileprivate var trimmingQuotes: String {
        guard count > 1, let mark = first, mark == last, ["\"", "'", "`"].contains(mark) else { return self }
        return String(dropFirst().dropLast())
    }
}
