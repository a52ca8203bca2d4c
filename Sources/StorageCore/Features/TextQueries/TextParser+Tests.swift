import StorageDriver

// Tests: comparisons of two values, and conditions on children.
extension TextParser {
    mutating func test() throws(StorageError) -> QueryNode {
        for (word, quantifier) in Self.quantifiers where take(word: word) { return try quantified(quantifier) }
        if let search = try search() { return search }
        if take(word: "truepredicate") { return .constant(true) }
        if take(word: "falsepredicate") { return .constant(false) }
        let left = try sum()
        guard let comparison = try comparison() else {
            // A plain true or false is a condition, as it is in Swift.
            if case .value(.int(let value)) = left, value == 0 || value == 1 { return .constant(value == 1) }
            return left
        }
        return comparison(left)
    }

    /// `matches "words"`, a search of the whole record; nil where matches is a property's name.
    private mutating func search() throws(StorageError) -> QueryNode? {
        let place = place
        guard case .word(let word) = token.kind, word.lowercased() == "matches", isFollowedByText else { return nil }
        advance()
        return .placed(.matches(PropertyPath(scope: scope), try searchText()), place)
    }

    private mutating func searchText() throws(StorageError) -> SearchText {
        let place = place
        guard case .value(.text(let text)) = try sum() else { throw place.error("the words to search are expected") }
        return SearchText(text: text, isTyping: false)
    }

    private static let quantifiers: [(String, Quantifier)] = [
        ("any", .any), ("some", .any), ("all", .all), ("none", .none),
    ]

    /// `any pens.price > 9`, `any pens (price > 9 and color == "red")`, `any tags == "new"`.
    private mutating func quantified(_ quantifier: Quantifier) throws(StorageError) -> QueryNode {
        let place = place
        let path = try path()
        if take("(") {
            let condition = try inside { (parser) throws(StorageError) in try parser.disjunction() }
            try expect(")")
            return .placed(.quantified(quantifier, path, condition), place)
        }
        guard let comparison = try comparison() else {
            throw error("a comparison or a condition in parentheses is expected")
        }
        return .placed(.overPath(quantifier, path, comparison), place)
    }

    /// The rest of a comparison, as a function of its left side; nil without a comparison.
    private mutating func comparison() throws(StorageError) -> (@Sendable (QueryNode) -> QueryNode)? {
        let place = place
        if case .symbol(let symbol) = token.kind, let comparison = Self.comparisons[symbol] {
            advance()
            let folding = try folding()
            let right = try sum()
            guard folding.isEmpty || comparison == .equal || comparison == .notEqual else {
                throw place.error("only equality can ignore case and diacritics")
            }
            return { .placed(.comparison(comparison, $0, right, folding), place) }
        }
        for (word, test) in Self.tests where take(word: word) {
            let folding = try folding()
            let pattern = try sum()
            return { .placed(.text(test, $0, pattern, folding), place) }
        }
        if case .word(let word) = token.kind, word.lowercased() == "matches" {
            advance()
            let text = try searchText()
            return { node in
                var inner = node
                while case .placed(let next, _) = inner { inner = next }
                guard case .property(let path) = inner else {
                    return .placed(.invalid("matches stands behind a property, or alone."), place)
                }
                return .placed(.matches(path, text), place)
            }
        }
        if take(word: "is") {
            let isNot = take(word: "not")
            guard take(word: "nil") || take(word: "null") else { throw error("nil is expected") }
            return { .placed(isNot ? .not(.isNil($0)) : .isNil($0), place) }
        }
        if take(word: "between") { return try between(place) }
        if take(word: "in") { return try set(place) }
        guard take(word: "not") else { return nil }
        guard take(word: "in") else { throw error("in is expected") }
        let set = try set(place)
        return { .not(set($0)) }
    }

    private static let comparisons: [String: Comparison] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
        "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]

    private static let tests: [(String, TextTest)] = [
        ("beginswith", .hasPrefix), ("endswith", .hasSuffix), ("contains", .contains), ("like", .like),
    ]

    /// `[c]`, `[d]` or `[cd]` after an operator.
    private mutating func folding() throws(StorageError) -> TextFolding {
        guard take("[") else { return [] }
        guard case .word(let letters) = token.kind, letters.lowercased().allSatisfy({ $0 == "c" || $0 == "d" }) else {
            throw error("c, d or cd is expected")
        }
        advance()
        try expect("]")
        var folding: TextFolding = []
        if letters.lowercased().contains("c") { folding.insert(.case) }
        if letters.lowercased().contains("d") { folding.insert(.diacritics) }
        return folding
    }

    private mutating func between(_ place: TextLocation) throws(StorageError) -> @Sendable (QueryNode) -> QueryNode {
        let isBraced = take("{")
        let low = try sum()
        guard take(",") || !isBraced && take(word: "and") else { throw error("two bounds are expected, as in {1, 5}") }
        let high = try sum()
        if isBraced { try expect("}") }
        return {
            .placed(.and([.comparison(.greaterOrEqual, $0, low, []), .comparison(.lessOrEqual, $0, high, [])]), place)
        }
    }

    /// `{1, 2}`, `(1, 2)`, a question mark for an array, or an array property.
    private mutating func set(_ place: TextLocation) throws(StorageError) -> @Sendable (QueryNode) -> QueryNode {
        if token.kind == .symbol("?"), case .list(let set)? = arguments.first {
            arguments.removeFirst()
            advance()
            return { .placed(set($0), place) }
        }
        let close = take("{") ? "}" : take("(") ? ")" : nil
        guard let close else {
            let array = QueryNode.property(try path())
            return { .placed(.text(.contains, array, $0, []), place) }
        }
        var values: [Value] = []
        var numbers: [String] = []
        while !take(close) {
            if !values.isEmpty || !numbers.isEmpty { try expect(",") }
            let start = self.place
            switch try sum() {
            case .value(let value): values.append(value)
            case .number(let digits): numbers.append(digits)
            case .invalid(let reason, let code): throw StorageError(code, reason)
            default: throw start.error("a set holds plain values")
            }
        }
        return { [values, numbers] in .placed(.isIn($0, values, numbers: numbers), place) }
    }
}
