internal import StorageDriver

// Conditions without an exact form in SQL: a bound leaves fewer rows for the program, which tests them all.
extension QueryCompiler {
    /// The accuracy of an expression for a condition.
    enum Bound {
        /// It is true exactly where the condition is.
        case exact
        /// It is true at least where the condition is.
        case above
        /// It is true at most where the condition is.
        case below

        var opposite: Bound {
            switch self {
            case .exact: .exact
            case .above: .below
            case .below: .above
            }
        }
    }

    /// Compiles with another meaning of conditions.
    mutating func with<T>(
        _ bound: Bound, _ body: (inout QueryCompiler) throws(NotExpressibleInSQL) -> T
    ) throws(NotExpressibleInSQL) -> T {
        let outer = self.bound
        self.bound = bound
        defer { self.bound = outer }
        return try body(&self)
    }

    /// Compiles a test of values. Where one of them is in doubt, the bound decides.
    mutating func decided(_ body: (inout QueryCompiler) throws(NotExpressibleInSQL) -> String)
        throws(NotExpressibleInSQL) -> String
    {
        let outer = doubts
        doubts = []
        defer { doubts = outer }
        let test = try body(&self)
        if doubts.isEmpty { return test }
        return
            "(CASE WHEN \(doubts.joined(separator: " OR ")) THEN \(bound == .above ? "TRUE" : "FALSE") ELSE \(test) END)"
    }

    /// Folded text. The server folds ASCII text exactly in the order of C, whose letters are the ASCII letters; all other text
    /// is in doubt.
    mutating func folded(_ term: QueryTerm, _ folding: TextFolding, in scope: RowScope) throws(NotExpressibleInSQL)
        -> String
    {
        guard bound != .exact else { throw NotExpressibleInSQL() }
        let text = try value(term, in: scope, as: .string)
        doubts.append("octet_length(\(text)) > length(\(text))")
        return folding.contains(.case) ? "lower(\(text) COLLATE \"C\")" : text
    }

    // MARK: Elements

    mutating func hasElement(_ array: QueryTerm, _ element: QueryTerm, in scope: RowScope) throws(NotExpressibleInSQL)
        -> String
    {
        guard case .argument(let index) = element, let type = type(of: array, in: scope) else {
            throw NotExpressibleInSQL()
        }
        let value = try value(array, in: scope, as: type)
        if type == .data {
            let byte = ColumnType.int64.parameter(number(.value(index, .int64)))
            return
                "(\(byte) BETWEEN 0 AND 255 AND position(set_byte(E'\\\\x00', 0, (\(byte) & 255)::integer) IN \(value)) > 0)"
        }
        // Text of other software may be no JSON.
        guard case .array(let element) = type, bound != .exact, !isForeign else { throw NotExpressibleInSQL() }
        let wanted = type.parameter(number(.value(index, type)))
        let json = "(\(value))::json"
        let isArray = "json_typeof(\(json)) = 'array'"
        let rows = "FROM json_array_elements(\(json)) AS e(v)"
        if bound == .above {
            let test = mayEqual(wanted, argument: index, element: element)
            return "(CASE WHEN \(isArray) THEN EXISTS (SELECT 1 \(rows) WHERE \(test)) ELSE \(json) IS NOT NULL END)"
        }
        // The same text is the same element. The server finds no element in an array that it can read and the program cannot.
        guard case .array = element else {
            let isRead = "json_typeof(v) NOT IN ('object', 'array') AND strpos(v::text, E'\\\\u') = 0"
            let test = "SELECT bool_or(v::text = \(wanted)) AND bool_and(\(isRead)) \(rows)"
            return "(CASE WHEN \(isArray) THEN (\(test)) ELSE FALSE END)"
        }
        throw NotExpressibleInSQL()
    }

    /// Returns the condition that an element `v` may equal the wanted one. Other programs write numbers in other digits, texts
    /// with other escapes, and arrays with white space. Equal numbers are the same double, and only numbers that are too long
    /// for one are in doubt.
    private mutating func mayEqual(_ wanted: String, argument index: Int, element: ColumnType) -> String {
        if case .array = element {
            let count = ColumnType.int64.parameter(number(.elementCount(index)))
            return
                "CASE WHEN json_typeof(v) = 'array' THEN json_array_length(v) = \(count) ELSE v::text = \(wanted) END"
        }
        let double = ColumnType.double.parameter(number(.elementNumber(index)))
        let isDouble = "length(v::text) <= 100 AND v::text ~ '^[-+.0-9]+([eE][-+]?[0-9]{1,2})?$'"
        return """
            CASE json_typeof(v) WHEN 'number' THEN CASE WHEN \(isDouble) THEN v::text::float8 = \(double) ELSE TRUE END \
            WHEN 'string' THEN v::text = \(wanted) OR strpos(v::text, E'\\\\') > 0 ELSE v::text = \(wanted) END
            """
    }
}
