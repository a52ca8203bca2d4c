/// Words that a query looks for next to each other: one, or a phrase.
package struct SearchTerm: Hashable, Sendable {
    /// A word of a phrase as the index has it.
    package struct Element: Hashable, Sendable {
        package var bytes: [UInt8]
        /// The distance from the first word.
        package var offset: Int
        /// Stands for every word that begins so.
        package var isPrefix: Bool
    }

    /// The only property that is searched, or nil for all.
    package var property: String?
    package var elements: [Element]
    /// The words as they were written, for the description.
    var words: [String]
    var isPrefix: Bool

    /// The term of a text, nil where it has no words.
    init?(_ text: String, property: String?, isPrefix: Bool) {
        self.property = property
        self.isPrefix = isPrefix
        let tokens = Analyzer.words.tokens(of: text)
        guard let last = tokens.last else { return nil }
        let utf8 = Array(text.utf8)
        elements = []
        words = []
        var runStart: Int?
        for token in tokens {
            let start = runStart ?? token.range.lowerBound
            // A run is found by its pairs. A letter alone is found as the beginning of one.
            let isRun = token.isLastOfRun || token.isPair
            if !(token.isLastOfRun && runStart != nil) {
                elements.append(
                    Element(bytes: Array(token.term.utf8), offset: token.position, isPrefix: token.isLastOfRun))
            }
            runStart = isRun && !token.isLastOfRun ? start : nil
            if runStart == nil { words.append(String(decoding: utf8[start..<token.range.upperBound], as: UTF8.self)) }
        }
        if isPrefix, !last.isLastOfRun { elements[elements.count - 1].isPrefix = true }
        if last.isLastOfRun { self.isPrefix = false }
    }

    /// Returns whether the term is looked for in a property.
    func isOf(_ searched: SearchProperty) -> Bool { property == nil || property == searched.name }

    package static func == (left: SearchTerm, right: SearchTerm) -> Bool {
        left.property == right.property && left.elements == right.elements
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(property)
        hasher.combine(elements)
    }

    /// The term in the query language.
    var description: String {
        var text = words.joined(separator: " ")
        // `OR` between terms is an operator, and a word with a colon may begin with a property.
        let isPlain = words.count == 1 && text != "OR" && !text.unicodeScalars.contains(":")
        if !isPlain { text = "\"" + String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\"" })) + "\"" }
        return (property.map { $0 + ":" } ?? "") + text + (isPrefix ? "*" : "")
    }
}
