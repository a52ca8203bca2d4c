/// A search as a person writes it.
///
/// ```swift
/// let query = SearchQuery("swift \"storage engine\" data* -toy title:guide")
/// ```
///
/// | written | finds texts with |
/// |---|---|
/// | `swift storage` | both words, anywhere |
/// | `"storage engine"` | the words next to each other |
/// | `data*` | a word that begins so; after a phrase, its last word |
/// | `-toy`, `-"toy box"` | none of these |
/// | `cat OR dog` | one or the other; `a cat OR dog` has `a` and one of the two |
/// | `title:guide` | the word in one property |
///
/// Any text is a query. What cannot be read as an operator is words: a quotation mark without a second, an `OR` that has no two
/// terms beside it, a colon after what names no property. A word that the analyzer divides, such as `real-time`, is a phrase.
/// A query without anything that it asks for, only with exclusions, finds nothing.
public struct SearchQuery: Hashable, Sendable, CustomStringConvertible {
    /// The required terms: one of each clause.
    package var clauses: [[SearchTerm]]
    /// The excluded terms.
    package var exclusions: [SearchTerm]

    /// The query of a text.
    ///
    /// - Parameters:
    ///   - text: The text that a person has written.
    ///   - properties: The names that may stand before a colon. With nil, any identifier may.
    public init(_ text: String, properties: [String]? = nil) {
        var parser = QueryParser(text, properties: properties.map(Set.init))
        (clauses, exclusions) = parser.parse()
    }

    /// The query of a text that is still being typed: its last word stands for all that begin so.
    public init(typing text: String, properties: [String]? = nil) {
        self.init(text, properties: properties)
        guard let last = text.unicodeScalars.last, !last.properties.isWhitespace, last != "\"", last != "*" else {
            return
        }
        self.init(text + "*", properties: properties)
    }

    /// A Boolean value that indicates whether the query can find nothing.
    public var isEmpty: Bool { clauses.isEmpty }

    /// The query in a normal form, of which the same query can be made.
    public var description: String {
        let positive = clauses.map { $0.map(\.description).joined(separator: " OR ") }
        return (positive + exclusions.map { "-" + $0.description }).joined(separator: " ")
    }

    /// All that the query asks for, each once, in its order.
    package var positiveTerms: [SearchTerm] {
        var seen: Set<SearchTerm> = []
        return clauses.joined().filter { seen.insert($0).inserted }
    }
}

extension SearchQuery {
    /// The query in one property alone. A term of another property finds nothing.
    package func restricted(to property: String) -> SearchQuery {
        func restricted(_ term: SearchTerm) -> SearchTerm? {
            guard term.property == nil || term.property == property else { return nil }
            var term = term
            term.property = property
            return term
        }
        var query = self
        query.clauses = clauses.map { $0.compactMap(restricted) }
        query.exclusions = exclusions.compactMap(restricted)
        if query.clauses.contains(where: \.isEmpty) { query.clauses = [] }
        return query
    }
}
