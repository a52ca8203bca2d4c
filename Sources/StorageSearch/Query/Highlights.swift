/// Finds the words of a text that a query asks for.
struct Highlighter {
    /// A word that was found: its place in the UTF-8 of the text, and the term that asks for it.
    struct Match {
        var range: Range<Int>
        var term: Int
    }

    private let terms: [SearchTerm]
    /// The terms by their first word, which is whole or the beginning of one.
    private var whole: [[UInt8]: [Int]] = [:]
    private var prefixes: [[UInt8]: [Int]] = [:]
    /// The lengths of the beginnings.
    private var lengths: [Int] = []

    init(_ query: SearchQuery, property: String?) {
        terms = query.positiveTerms.filter { $0.property == nil || property == nil || $0.property == property }
        for (index, term) in terms.enumerated() {
            guard let first = term.elements.first else { continue }
            if first.isPrefix {
                prefixes[first.bytes, default: []].append(index)
            } else {
                whole[first.bytes, default: []].append(index)
            }
        }
        lengths = Set(prefixes.keys.map(\.count)).sorted()
    }

    /// The words that are found, in the order of the places where their terms begin.
    func matches(in text: String, _ tokens: [Token]) -> [Match] {
        var matches: [Match] = []
        for place in tokens.indices {
            let bytes = tokens[place].bytes
            for index in whole[bytes] ?? [] { add(index, at: place, tokens: tokens, text: text, to: &matches) }
            for length in lengths where length <= bytes.count {
                for index in prefixes[Array(bytes[..<length])] ?? [] {
                    add(index, at: place, tokens: tokens, text: text, to: &matches)
                }
            }
        }
        return matches
    }

    struct Token {
        var bytes: [UInt8]
        var range: Range<Int>
        /// The end of a pair's first letter, and of other words their own.
        var firstEnd: Int
    }

    /// The words of a text. Their places in the array are their positions.
    static func tokens(of text: String) -> [Token] {
        var tokens: [Token] = []
        Analyzer.words.forEachWord(of: text) { word in
            tokens.append(Token(bytes: Array(word.bytes), range: word.start..<word.end, firstEnd: word.end))
            // A pair begins with the letter before it, which ends where its second begins; that is where the next begins.
            if word.kind != .word, tokens.count > 1, tokens[tokens.count - 2].range.upperBound > word.start {
                tokens[tokens.count - 2].firstEnd = word.start
            }
        }
        return tokens
    }

    private func add(
        _ index: Int, at place: Int, tokens: [Token], text: String, to matches: inout [Match]
    ) {
        var found: [Match] = []
        for element in terms[index].elements {
            let at = place + element.offset
            guard at < tokens.count else { return }
            let token = tokens[at]
            guard element.isPrefix ? token.bytes.starts(with: element.bytes) : token.bytes == element.bytes else {
                return
            }
            // One letter of a script without spaces is found as the beginning of a pair.
            let end = element.isPrefix ? token.firstEnd : token.range.upperBound
            found.append(Match(range: token.range.lowerBound..<end, term: index))
        }
        matches += found
    }

    /// Ranges that ascend and neither overlap nor touch.
    static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}

extension SearchQuery {
    /// The places of a text that the query asks for, ascending, which neither overlap nor touch.
    ///
    /// - Parameter property: The property that has the text, so that words asked for in another are left alone.
    public func highlights(in text: String, property: String? = nil) -> [Range<String.Index>] {
        let matches = Highlighter(self, property: property).matches(in: text, Highlighter.tokens(of: text))
        return Highlighter.joined(matches.map(\.range)).map { text.range($0) }
    }
}

extension String {
    /// The range of a range in UTF-8.
    func range(_ range: Range<Int>) -> Range<String.Index> {
        let start = utf8.index(startIndex, offsetBy: range.lowerBound)
        return start..<utf8.index(start, offsetBy: range.count)
    }
}
