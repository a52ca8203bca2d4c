import StorageDriver

/// A token of a query's text, with its position.
struct TextToken: Equatable {
    enum Kind: Equatable {
        /// A word that may be a keyword, or a name.
        case word(String)
        /// A name in backticks, which is never a keyword.
        case name(String)
        /// The digits of a number, also of one with a fraction or an exponent, written without the exponent.
        case number(String)
        case fraction(String)
        case string(String)
        case symbol(String)
        case end
    }

    let kind: Kind
    /// In Unicode scalars from the text's start.
    let offset: Int
    /// The token as written.
    let text: String
}

/// Splits a query's text into tokens.
struct TextLexer {
    private let text: [Unicode.Scalar]
    private var place = 0

    init(_ text: String) { self.text = Array(text.unicodeScalars) }

    static func tokens(_ text: String) throws(StorageError) -> [TextToken] {
        var lexer = TextLexer(text)
        var tokens: [TextToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func next() throws(StorageError) -> TextToken {
        while place < text.count, text[place].properties.isWhitespace { place += 1 }
        let start = place
        guard place < text.count else { return TextToken(kind: .end, offset: start, text: "") }
        let kind = try kind(of: text[place])
        return TextToken(kind: kind, offset: start, text: String(String.UnicodeScalarView(text[start..<place])))
    }

    private mutating func kind(of first: Unicode.Scalar) throws(StorageError) -> TextToken.Kind {
        if Self.isDigit(first) { return try number() }
        if Self.isLetter(first) { return .word(take { Self.isLetter($0) || Self.isDigit($0) }) }
        if first == "\"" || first == "'" { return .string(try quoted(first)) }
        if first == "`" { return .name(try quoted(first)) }
        for symbol in Self.symbols where text[place...].starts(with: symbol.unicodeScalars) {
            place += symbol.unicodeScalars.count
            return .symbol(symbol)
        }
        throw error("\"\(first)\" means nothing here", at: place)
    }

    // The longer ones first.
    private static let symbols = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "=", "<", ">", "!", "+", "-", "*", "/", "%", "(", ")",
        "{",
        "}", "[", "]", ",", ".", "?", "@",
    ]

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = place
        while place < text.count, condition(text[place]) { place += 1 }
        return String(String.UnicodeScalarView(text[start..<place]))
    }

    private mutating func number() throws(StorageError) -> TextToken.Kind {
        let start = place
        var digits = take(while: Self.isDigit)
        var isWhole = true
        if place + 1 < text.count, text[place] == ".", Self.isDigit(text[place + 1]) {
            isWhole = false
            place += 1
            digits += "." + take(while: Self.isDigit)
        }
        if place < text.count, text[place] == "e" || text[place] == "E" {
            isWhole = false
            digits += take { $0 == "e" || $0 == "E" }
            digits += take { $0 == "-" || $0 == "+" } + take(while: Self.isDigit)
        }
        // No number of any type has so many digits.
        guard digits.count <= 1000, let plain = DecimalText.plain(digits) else {
            throw error("\(digits.prefix(80)) is not a number that a query can have", at: start)
        }
        return isWhole ? .number(plain) : .fraction(plain)
    }

    private mutating func quoted(_ mark: Unicode.Scalar) throws(StorageError) -> String {
        let start = place
        var content = String.UnicodeScalarView()
        place += 1
        while place < text.count {
            let scalar = text[place]
            place += 1
            if scalar == mark { return String(content) }
            content.append(scalar == "\\" ? try escaped() : scalar)
        }
        throw error("the \(mark) is not closed", at: start)
    }

    private mutating func escaped() throws(StorageError) -> Unicode.Scalar {
        guard place < text.count else { throw error("a backslash ends the text", at: place - 1) }
        let scalar = text[place]
        place += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "0": return "\0"
        case "\\", "\"", "'", "`": return scalar
        default: throw error("\\\(scalar) is not an escape; a backslash itself is \\\\", at: place - 2)
        }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic
    }

    private func error(_ problem: String, at offset: Int) -> StorageError {
        TextLocation(text: String(String.UnicodeScalarView(text)), offset: offset, word: "").error(problem)
    }
}
