/// Reads a query. Looks at each scalar a bounded number of times.
struct QueryParser {
    private enum Part {
        case term(SearchTerm)
        case exclusion(SearchTerm)
        /// The word OR, which is an operator between two terms.
        case or
    }

    private let scalars: [Unicode.Scalar]
    private let properties: Set<String>?
    private let lastQuote: Int
    private var at = 0

    init(_ text: String, properties: Set<String>?) {
        scalars = Array(text.unicodeScalars)
        self.properties = properties
        lastQuote = scalars.lastIndex(of: "\"") ?? -1
    }

    mutating func parse() -> (clauses: [[SearchTerm]], exclusions: [SearchTerm]) {
        var parts: [Part] = []
        while let part = next() { if let part = part.part { parts.append(part) } }
        var clauses: [[SearchTerm]] = []
        var exclusions: [SearchTerm] = []
        var seen: Set<SearchTerm> = []
        // The terms of the last clause, of which there may be thousands.
        var alternatives: Set<SearchTerm> = []
        var isAlternative = false
        for (index, part) in parts.enumerated() {
            switch part {
            case .term(let term):
                if isAlternative, !clauses.isEmpty {
                    if alternatives.insert(term).inserted { clauses[clauses.count - 1].append(term) }
                } else {
                    clauses.append([term])
                    alternatives = [term]
                }
                isAlternative = false
            case .exclusion(let term):
                if seen.insert(term).inserted { exclusions.append(term) }
            case .or:
                if index > 0, index + 1 < parts.count, case .term = parts[index - 1], case .term = parts[index + 1] {
                    isAlternative = true
                } else if let word = SearchTerm("OR", property: nil, isPrefix: false) {
                    clauses.append([word])
                }
            }
        }
        var kept: Set<[SearchTerm]> = []
        return (clauses.filter { kept.insert($0).inserted }, exclusions)
    }

    /// The next part, which is nil for text without words; nil at the end.
    private mutating func next() -> (part: Part?, Void)? {
        while at < scalars.count, scalars[at].properties.isWhitespace { at += 1 }
        guard at < scalars.count else { return nil }
        let isExcluded = scalars[at] == "-" && at + 1 < scalars.count && !scalars[at + 1].properties.isWhitespace
        if isExcluded { at += 1 }
        let property = property()
        if scalars[at] == "\"", at < lastQuote {
            let start = at + 1
            at = start
            while scalars[at] != "\"" { at += 1 }
            let phrase = string(start..<at)
            at += 1
            let isPrefix = at < scalars.count && scalars[at] == "*"
            if isPrefix { at += 1 }
            return (part(SearchTerm(phrase, property: property, isPrefix: isPrefix), isExcluded), ())
        }
        let start = at
        while at < scalars.count, !scalars[at].properties.isWhitespace, scalars[at] != "\"" || at == start { at += 1 }
        let word = string(start..<at)
        if word == "OR", !isExcluded, property == nil { return (.or, ()) }
        let term = SearchTerm(word, property: property, isPrefix: scalars[at - 1] == "*")
        return (part(term, isExcluded), ())
    }

    private func part(_ term: SearchTerm?, _ isExcluded: Bool) -> Part? {
        term.map { isExcluded ? .exclusion($0) : .term($0) }
    }

    private func string(_ range: Range<Int>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[range])
        return text
    }

    /// Takes a property and its colon, where a word or a phrase follows.
    private mutating func property() -> String? {
        var end = at
        while end < scalars.count, Self.isIdentifier(scalars[end], first: end == at) { end += 1 }
        guard end > at, end + 1 < scalars.count, scalars[end] == ":", !scalars[end + 1].properties.isWhitespace else {
            return nil
        }
        let name = string(at..<end)
        guard properties?.contains(name) ?? true else { return nil }
        at = end + 1
        return name
    }

    private static func isIdentifier(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case "0"..."9", ".": !first
        default: !scalar.isASCII && scalar.properties.isAlphabetic
        }
    }
}
