import StorageAPI
import StorageDriver
import StorageJSON

/// A proposal for the next word of a condition.
struct Completion: Encodable, Sendable {
    struct Word: Encodable, Sendable, Equatable {
        let text: String
        /// A description for people.
        let note: String
    }

    /// The part of the text that a word replaces, in UTF-16 units, as a browser counts.
    var start: Int
    var end: Int
    var words: [Word] = []

    /// The property whose values may follow, and the beginning of one.
    struct Wanted {
        let path: String
        let type: ColumnType
        let prefix: String
    }

    private(set) var wanted: Wanted?

    private enum CodingKeys: CodingKey {
        case start, end, words
    }

    /// - Parameter text: the text before the cursor.
    init(after text: String, _ schema: RecordSchema, _ schemas: [RecordSchema]) {
        let scan = ConditionScan(text)
        end = text.utf16.count
        start = end - scan.last.utf16.count
        let models = Models(schemas: schemas)
        var scopes = [schema]
        var value: (path: String, type: ColumnType)?
        var expected = Expected.name
        for (place, token) in scan.tokens.enumerated() {
            switch token.lowercased() {
            case "(":
                // The names inside are properties of the records named before: any pens ( … ).
                let owner = place > 0 ? models.owned(scan.tokens[place - 1], by: scopes.last ?? schema) : nil
                scopes.append(owner ?? scopes.last ?? schema)
                expected = .name
            case ")":
                if scopes.count > 1 { scopes.removeLast() }
                expected = .connective
            case "and", "or", "not", "&&", "||", "!", "any", "all", "none", "some", "where": expected = .name
            case "==", "=", "!=", "<", ">", "<=", ">=", "<>", "in", "{", ",", "beginswith", "endswith", "contains",
                "like",
                "[c]", "[d]", "[cd]":
                expected = .value
            case "matches": (value, expected) = (nil, .value)
            case "is": expected = .null
            default:
                if expected == .name, let property = models.property(token, of: scopes.last ?? schema) {
                    value = property.isColumn ? (token, property.columnType) : nil
                    expected =
                        property.isColumn
                        ? .comparison(property.columnType, isSearched: property.searchWeight != nil) : .connective
                } else {
                    expected = .connective
                }
            }
        }
        let typed = scan.last
        switch expected {
        case .name:
            words = models.names(typed, of: scopes.last ?? schema)
            // A search is of whole records.
            if scopes.count == 1, !SearchedTexts(schema).isEmpty {
                words += Self.starting(["matches"], with: typed, "search")
            }
            words += Self.starting(["any", "not", "none", "all"], with: typed, "condition")
        case .comparison(let type, let isSearched):
            words = Self.starting(Self.comparisons(type) + (isSearched ? ["matches"] : []), with: typed, "")
        case .value:
            guard let value else { break }
            let prefix = typed.first.map { "\"'".contains($0) } == true ? String(typed.dropFirst()) : typed
            if value.type == .string { wanted = Wanted(path: value.path, type: value.type, prefix: prefix) }
            if value.type == .bool { words = Self.starting(["true", "false"], with: typed, "") }
        case .null: words = Self.starting(["nil", "not nil"], with: typed, "")
        case .connective: words = Self.starting(["and", "or"], with: typed, "")
        }
        words = Array(words.prefix(12))
    }

    /// The words that stand for values of a store.
    mutating func add(values: [(text: String, count: Int)]) {
        words += values.filter { Value.text($0.text).fitsAddress }.map {
            Word(text: Value.text($0.text).literal(.string) + " ", note: $0.count.grouped)
        }
    }

    private enum Expected: Equatable {
        case name, value, null, connective
        case comparison(ColumnType, isSearched: Bool)
    }

    private static func starting(_ words: [String], with typed: String, _ note: String) -> [Word] {
        words.filter { $0.hasPrefix(typed.lowercased()) && $0 != typed }.map { Word(text: $0 + " ", note: note) }
    }

    private static func comparisons(_ type: ColumnType) -> [String] {
        switch type {
        case .string, .url: ["==", "contains[c]", "beginswith", "!=", "like", "endswith", "in {", "<", ">", "is nil"]
        case .bool: ["== true", "== false", "is nil"]
        case .array: ["contains", "is nil"]
        default: ["==", "!=", "<", "<=", ">", ">=", "in {", "between {", "is nil"]
        }
    }
}

/// The names of properties, and of the properties that they lead to.
private struct Models {
    let schemas: [RecordSchema]

    /// The property that a path names.
    func property(_ path: String, of schema: RecordSchema) -> RecordSchema.Property? {
        var schema = schema
        var found: RecordSchema.Property?
        for name in path.split(separator: ".") {
            let name = name.filter { $0 != "`" }
            guard let property = schema.property(name) else { return nil }
            found = property
            guard let next = next(property) else { continue }
            schema = next
        }
        return found
    }

    /// The schema of the records that a path names, if they are owned or referred to.
    func owned(_ path: String, by schema: RecordSchema) -> RecordSchema? { property(path, of: schema).flatMap(next) }

    private func next(_ property: RecordSchema.Property) -> RecordSchema? {
        switch property.kind {
        case .child(let child), .children(let child):
            guard let reference = child.properties.first?.reference, reference.isElement else { return child }
            return schemas.first { $0.name == reference.model }
        case .column: return property.reference.flatMap { reference in schemas.first { $0.name == reference.model } }
        case .ancestor: return nil
        }
    }

    /// The names that begin with the typed text after its last point.
    func names(_ typed: String, of schema: RecordSchema) -> [Completion.Word] {
        let parts = typed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let (way, last) = (parts.dropLast().joined(separator: "."), parts.last ?? "")
        guard let schema = way.isEmpty ? schema : owned(way, by: schema) else { return [] }
        let prefix = way.isEmpty ? "" : way + "."
        return schema.properties.filter { $0.name.lowercased().hasPrefix(last.lowercased()) && $0.name != last }.map {
            Completion.Word(text: prefix + $0.name.shownQueryName + " ", note: $0.typeText)
        }
    }
}

/// The words of a condition up to the cursor.
private struct ConditionScan {
    private(set) var tokens: [String] = []
    /// The unfinished word or text at the end.
    private(set) var last = ""

    init(_ text: String) {
        var word = ""
        var quote: Character?
        func isWord(_ character: Character) -> Bool {
            character.isLetter || character.isNumber || "_.`".contains(character)
        }
        for character in text {
            if let mark = quote {
                word.append(character)
                if character == mark {
                    quote = nil
                    tokens.append(word)
                    word = ""
                }
                continue
            }
            let continues = word.isEmpty || isWord(character) == word.last.map(isWord)
            if character.isWhitespace || !continues || "(){},".contains(character) || "\"'".contains(character) {
                if !word.isEmpty { tokens.append(word) }
                word = ""
            }
            if "\"'".contains(character) { quote = character }
            if "(){},".contains(character) {
                tokens.append(String(character))
            } else if !character.isWhitespace {
                word.append(character)
            }
        }
        last = word
    }
}
