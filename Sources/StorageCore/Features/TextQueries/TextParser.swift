import StorageDriver

/// Reads the text form of queries; <doc:Queries> has the grammar.
///
/// Names become paths that are looked up when the query meets a schema, and values stay values. No part of the text
/// reaches an engine.
package struct TextParser {
    let text: String
    private let tokens: [TextToken]
    private var next = 0
    var arguments: ArraySlice<ArgumentNode>
    /// The number of conditions on children around the current position.
    var scope = 0
    private var depth = 0

    /// The names that stand for something else than properties; empty where names are properties.
    private var columns: [StoredName: QueryNode] = [:]

    private init(_ text: String, _ arguments: [ArgumentNode]) throws(StorageError) {
        self.text = text
        self.arguments = arguments[...]
        tokens = try TextLexer.tokens(text)
    }

    static func condition(_ text: String, _ arguments: [ArgumentNode]) throws(StorageError) -> QueryNode {
        var parser = try TextParser(text, arguments)
        let node = try parser.disjunction()
        try parser.finish()
        return node
    }

    /// A condition on columns of a result, by their names.
    package static func condition(_ text: String, of columns: [StoredName: QueryNode]) throws(StorageError) -> QueryNode
    {
        var parser = try TextParser(text, [])
        parser.columns = columns
        let node = try parser.disjunction()
        try parser.finish()
        return node
    }

    static func order(_ text: String, _ arguments: [ArgumentNode] = []) throws(StorageError) -> [OrderingTerm] {
        var parser = try TextParser(text, arguments)
        var order = [try parser.sortOrder()]
        while parser.take(",") { order.append(try parser.sortOrder()) }
        try parser.finish()
        return order
    }

    /// A property, or an expression of some.
    package static func term(_ text: String) throws(StorageError) -> QueryNode {
        var parser = try TextParser(text, [])
        let place = parser.place
        let node = QueryNode.placed(try parser.sum(), place)
        try parser.finish()
        return node
    }

    package static func assignments(_ text: String) throws(StorageError) -> [Assignment] {
        var parser = try TextParser(text, [])
        var assignments = [try parser.assignment()]
        while parser.take(",") { assignments.append(try parser.assignment()) }
        try parser.finish()
        return assignments
    }

    private mutating func assignment() throws(StorageError) -> Assignment {
        guard case .word(let name) = token.kind else { throw error("the name of a property is expected") }
        let start = place
        advance()
        guard take("=") || take("==") else { throw error("= is expected") }
        let place = place
        return Assignment(property: .name(name), content: .computed(.placed(try sum(), place)), place: start)
    }

    private func finish() throws(StorageError) {
        guard token.kind == .end else { throw error("\(token.text) is not expected") }
        guard arguments.isEmpty else {
            throw error("\(arguments.count) more arguments are given than there are question marks")
        }
    }

    // MARK: Tokens

    var token: TextToken { tokens[min(next, tokens.count - 1)] }
    var place: TextLocation { TextLocation(text: text, offset: token.offset, word: token.text) }

    mutating func advance() { next += 1 }

    /// True if a text, or a question mark for one, follows the token.
    var isFollowedByText: Bool {
        guard next + 1 < tokens.count else { return false }
        if case .string = tokens[next + 1].kind { return true }
        return tokens[next + 1].kind == .symbol("?")
    }

    mutating func take(_ symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    /// Takes a keyword, in any case.
    mutating func take(word: String) -> Bool {
        guard case .word(let text) = token.kind, text.lowercased() == word else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(StorageError) {
        guard take(symbol) else { throw error("\(symbol) is expected") }
    }

    func error(_ problem: String) -> StorageError { place.error(problem) }

    /// Runs a part of the parser one level deeper.
    mutating func nested<T>(_ body: (inout TextParser) throws(StorageError) -> T) throws(StorageError) -> T {
        depth += 1
        defer { depth -= 1 }
        guard depth <= QueryLimits.levels else { throw QueryLimits.tooDeep }
        return try body(&self)
    }

    // MARK: Conditions

    mutating func disjunction() throws(StorageError) -> QueryNode {
        var parts = [try conjunction()]
        while take("||") || take(word: "or") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(StorageError) -> QueryNode {
        var parts = [try negation()]
        while take("&&") || take(word: "and") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(StorageError) -> QueryNode {
        guard take("!") || take(word: "not") else { return try test() }
        return .not(try nested { (parser) throws(StorageError) in try parser.negation() })
    }

    private mutating func sortOrder() throws(StorageError) -> OrderingTerm {
        let place = place
        let node = QueryNode.placed(try sum(), place)
        let isDescending = take(word: "desc") || take(word: "descending")
        if !isDescending { _ = take(word: "asc") || take(word: "ascending") }
        guard take(word: "nils") || take(word: "nulls") else {
            return OrderingTerm(node: node, isDescending: isDescending)
        }
        let isFirst = take(word: "first")
        guard isFirst || take(word: "last") else { throw error("first or last is expected") }
        return OrderingTerm(node: node, isDescending: isDescending, nullsFirst: isFirst)
    }

    // MARK: Values

    mutating func sum() throws(StorageError) -> QueryNode {
        var node = try product()
        for _ in 0...QueryLimits.levels {
            if take("+") {
                node = .arithmetic(.add, node, try product())
            } else if take("-") {
                node = .arithmetic(.subtract, node, try product())
            } else {
                return node
            }
        }
        throw QueryLimits.tooDeep
    }

    private mutating func product() throws(StorageError) -> QueryNode {
        var node = try factor()
        for _ in 0...QueryLimits.levels {
            if take("*") {
                node = .arithmetic(.multiply, node, try factor())
            } else if take("/") {
                node = .arithmetic(.divide, node, try factor())
            } else if take("%") {
                node = .arithmetic(.remainder, node, try factor())
            } else {
                return node
            }
        }
        throw QueryLimits.tooDeep
    }

    private mutating func factor() throws(StorageError) -> QueryNode {
        guard take("-") else { return try primary() }
        switch try nested({ (parser) throws(StorageError) in try parser.factor() }) {
        case .value(.double(let value)): return .value(.double(-value))
        case .value(let value):
            guard let integer = value.wide else { throw error("a minus stands in front of a number") }
            return Self.integer("\(-integer)")
        case .number(let digits):
            return .number(digits.hasPrefix("-") ? String(digits.dropFirst()) : digits == "NaN" ? digits : "-" + digits)
        case let node: return .arithmetic(.subtract, .value(.int(0)), node)
        }
    }

    /// A whole number, of any size.
    private static func integer(_ digits: String) -> QueryNode {
        if let value = Int64(digits) { return .value(.int(value)) }
        return UInt64(digits).map { .value(.unsigned($0)) } ?? .number(digits)
    }

    private mutating func primary() throws(StorageError) -> QueryNode {
        let token = token
        switch token.kind {
        case .number(let digits):
            advance()
            return Self.integer(digits)
        case .fraction(let digits):
            advance()
            return .number(digits)
        case .string(let text):
            advance()
            return .value(.text(text))
        case .symbol("?"): return try argument()
        case .symbol("("):
            advance()
            let node = try nested { (parser) throws(StorageError) in try parser.disjunction() }
            try expect(")")
            return node
        case .word(let word):
            if let constant = Self.constants[word.lowercased()] {
                advance()
                return .value(constant)
            }
            if word.lowercased() == "count", let count = try count() { return count }
            if word.lowercased() == "distance", let distance = try distance() { return distance }
            if let part = DatePart(rawValue: word.lowercased()), let node = try datePart(part) { return node }
            return try counted(path())
        case .name: return try counted(path())
        case .symbol, .end: throw error("a value or a property's name is expected")
        }
    }

    private static let constants: [String: Value] = [
        "true": .int(1), "yes": .int(1), "false": .int(0), "no": .int(0), "nil": .null, "null": .null,
    ]

    private mutating func argument() throws(StorageError) -> QueryNode {
        guard case .node(let node)? = arguments.first else {
            throw error(arguments.isEmpty ? "no argument is given for the ?" : "the argument is an array; write in ?")
        }
        arguments.removeFirst()
        advance()
        return node
    }

    /// `count(pens)` and `count(pens where price > 9)`; nil where count is a property's name.
    private mutating func count() throws(StorageError) -> QueryNode? {
        let start = next
        advance()
        guard take("(") else {
            next = start
            return nil
        }
        let path = try path()
        var node = QueryNode.count(.property(path))
        if take(word: "where") {
            node = .childCount(path, try inside { (parser) throws(StorageError) in try parser.disjunction() })
        }
        try expect(")")
        return node
    }

    /// `distance(embedding, ?, cosine)`; nil where distance is a property's name.
    private mutating func distance() throws(StorageError) -> QueryNode? {
        let start = next
        advance()
        guard take("(") else {
            next = start
            return nil
        }
        let left = try nested { (parser) throws(StorageError) in try parser.sum() }
        try expect(",")
        let right = try nested { (parser) throws(StorageError) in try parser.sum() }
        try expect(",")
        let isCosine = take(word: "cosine")
        guard isCosine || take(word: "euclidean") else { throw error("cosine or euclidean is expected") }
        try expect(")")
        return .distance(isCosine ? .cosine : .euclidean, left, right)
    }

    /// `month(date)` in UTC, and `month(date, "Europe/Berlin")`; nil where it is a property's name.
    private mutating func datePart(_ part: DatePart) throws(StorageError) -> QueryNode? {
        let start = next
        advance()
        guard take("(") else {
            next = start
            return nil
        }
        let node = try nested { (parser) throws(StorageError) in try parser.sum() }
        var zone = DateZone.offset(0)
        if take(",") {
            guard case .string(let name) = token.kind else {
                throw error("a time zone is expected, like \"Europe/Berlin\"")
            }
            guard let named = DateZone(identifier: name) else { throw error("no time zone is known as \(name)") }
            zone = named
            advance()
        }
        try expect(")")
        return .datePart(part, node, zone)
    }

    /// Runs a part of the parser in the scope of children.
    mutating func inside<T>(_ body: (inout TextParser) throws(StorageError) -> T) throws(StorageError) -> T {
        scope += 1
        defer { scope -= 1 }
        return try nested(body)
    }

    /// A path, or the count at its end: `pens.@count`.
    private mutating func counted(_ path: PropertyPath) throws(StorageError) -> QueryNode {
        if !columns.isEmpty {
            let name = path.names.map(\.text).joined(separator: ".")
            if let column = columns[StoredName(name)] { return column }
            let known = columns.keys.map(\.text).sorted()
            let hint = SpellingSuggestion.hint(name, among: known)
            throw error("groups have no \(name)\(hint); they have \(known.joined(separator: ", "))")
        }
        guard take("@") else { return .property(path) }
        guard take(word: "count") else { throw error("@count is expected") }
        return .count(.property(path))
    }

    mutating func path() throws(StorageError) -> PropertyPath {
        var path = PropertyPath(scope: scope)
        repeat {
            if token.kind == .symbol("@") { break }
            path.names.append(PropertyPath.Name(text: try name(), place: place(before: 1)))
        } while take(".")
        return path
    }

    private func place(before count: Int) -> TextLocation {
        let token = tokens[max(next - count, 0)]
        return TextLocation(text: text, offset: token.offset, word: token.text)
    }

    private mutating func name() throws(StorageError) -> String {
        switch token.kind {
        case .word(let text), .name(let text):
            advance()
            return text
        default: throw error("a property's name is expected")
        }
    }
}
