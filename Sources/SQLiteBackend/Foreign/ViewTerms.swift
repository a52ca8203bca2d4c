internal import StorageDriver

/// The functions that compute the columns of a view, by its declaration: `count` of `count(*) AS albums`.
///
/// Reads the terms of the first SELECT alone. A column that is not found by its name has no function.
struct ViewTerms {
    private var functions: [String: String] = [:]

    /// - Parameter sql: the view's declaration.
    init(_ sql: String) {
        let tokens = Self.tokens(sql)
        guard let start = tokens.firstIndex(where: { $0.isWord("SELECT") }) else { return }
        var term: [Token] = []
        var depth = 0
        for token in tokens[(start + 1)...] {
            if token.text == "(" { depth += 1 }
            if token.text == ")" { depth -= 1 }
            let isEnd = depth < 0 || depth == 0 && (token.isWord("FROM") || token.isWord("UNION") || token.text == ";")
            if isEnd { break }
            if depth == 0, token.text == "," {
                add(term)
                term.removeAll()
            } else {
                term.append(token)
            }
        }
        add(term)
    }

    /// The type of all values of a column that a function of SQLite computes; nil for another column.
    func type(of column: String) -> ColumnType? { functions[column.lowercased()].flatMap { Self.types[$0] } }

    private static let types: [String: ColumnType] = [
        "count": .int64, "length": .int64, "instr": .int64, "unicode": .int64, "row_number": .int64, "rank": .int64,
        "dense_rank": .int64, "avg": .double, "total": .double, "julianday": .double,
    ]

    /// True for a function whose values are numbers, if it has any.
    func isNumber(_ column: String) -> Bool {
        functions[column.lowercased()].map { ["sum", "abs", "round"].contains($0) } ?? false
    }

    /// Registers a term that is one call of a function, by its name after AS, or by its text.
    private mutating func add(_ term: [Token]) {
        var (call, name) = (term, term.map(\.text).joined())
        if let last = term.last, term.count > 1, last.isName, term[term.count - 2].text != "." {
            name = last.text
            call = Array(term.dropLast(term[term.count - 2].isWord("AS") ? 2 : 1))
        }
        guard let first = call.first, first.isName, call.count > 2, call[1].text == "(", let end = Self.end(of: call)
        else { return }
        let window = Array(call.dropFirst(end + 1))
        let isWhole = window.isEmpty || window.count == 2 || Self.end(of: window) == window.count - 1
        guard isWhole, window.first?.isWord("OVER") ?? true else { return }
        functions[name.lowercased()] = first.text.lowercased()
    }

    /// The index of the parenthesis that ends the arguments of a call; nil for a call without an end.
    private static func end(of call: [Token]) -> Int? {
        var depth = 0
        return call.indices.first { place in
            if call[place].text == "(" { depth += 1 }
            if call[place].text == ")" { depth -= 1 }
            return place > 0 && depth == 0
        }
    }

    // MARK: Tokens

    private struct Token {
        let text: String
        /// True for a word, and for a name in quotes.
        let isName: Bool
        var isQuoted = false

        func isWord(_ word: String) -> Bool { isName && !isQuoted && text.uppercased() == word }
    }

    private static func tokens(_ sql: String) -> [Token] {
        var tokens: [Token] = []
        var rest = Array(sql.unicodeScalars)[...]
        func isPart(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar == "$" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || scalar.value > 0x7F
        }
        func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
            String(String.UnicodeScalarView(scalars))
        }
        while let first = rest.first {
            if let close = closing[first] {
                let inner = rest.dropFirst().prefix { $0 != close }
                rest = rest.dropFirst(inner.count + 2)
                tokens.append(Token(text: text(inner), isName: first != "'", isQuoted: true))
            } else if rest.starts(with: "--".unicodeScalars) {
                rest = rest.drop { $0 != "\n" }
            } else if rest.starts(with: "/*".unicodeScalars) {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { rest.removeFirst() }
                rest = rest.dropFirst(2)
            } else if isPart(first) {
                let word = rest.prefix(while: isPart)
                rest = rest.dropFirst(word.count)
                tokens.append(Token(text: text(word), isName: true))
            } else {
                rest.removeFirst()
                if !first.properties.isWhitespace { tokens.append(Token(text: String(first), isName: false)) }
            }
        }
        return tokens
    }

    private static let closing: [Unicode.Scalar: Unicode.Scalar] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]
}
