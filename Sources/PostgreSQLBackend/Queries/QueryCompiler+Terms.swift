internal import StorageDriver

// Conditions: expressions that are true exactly where the term is true; otherwise they are false or null.
extension QueryCompiler {
    mutating func condition(_ term: QueryTerm, in scope: RowScope) throws(NotExpressibleInSQL) -> String {
        if let (quantifier, edge, test) = throughReference(term), joins.scope(edge, from: scope) == nil {
            return try quantified(quantifier, edge, where: test, in: scope)
        }
        switch term {
        case .constant(let constant): return constant ? "TRUE" : "FALSE"
        case .and(let terms): return try chain(terms, " AND ", ifEmpty: "TRUE", in: scope)
        case .or(let terms): return try chain(terms, " OR ", ifEmpty: "FALSE", in: scope)
        case .not(let term): return "(\(try opposite(term, in: scope)) IS NOT TRUE)"
        case .isNull(let term):
            guard let type = type(of: term, in: scope) else { throw NotExpressibleInSQL() }
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                "(\(try compiler.value(term, in: scope, as: type)) IS NULL)"
            }
        case .isIn(let term, let list, let type):
            try requireComparable(term, nil, as: type, in: scope)
            let list = type.list(number(.list(list, column: 0, type)))
            if case .column(let column) = term { return isIn(column, list, as: type, in: scope) }
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                "(\(try compiler.value(term, in: scope, as: type)) = ANY (\(list)))"
            }
        case .isAmong(let columns, let list): return isAmong(columns, list, in: scope)
        case .comparison(let comparison, let left, let right, let type):
            try requireComparable(left, right, as: type, in: scope)
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                try compiler.compare(comparison, left, with: right, as: type, in: scope)
            }
        case .text(let test, let text, let pattern):
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                try compiler.textTest(test, text, pattern: pattern, in: scope)
            }
        case .hasElement(let array, let element): return try hasElement(array, element, in: scope)
        case .quantified(let quantifier, let edge, let term):
            return try quantified(quantifier, edge, where: term, in: scope)
        case .column, .argument, .null, .related, .relatedCount, .relatedAggregate, .arithmetic, .folded, .elementCount,
            .distance, .datePart, .choice:
            return try value(term, in: scope, as: .bool)
        }
    }

    private mutating func chain(
        _ terms: [QueryTerm], _ word: String, ifEmpty: String, in scope: RowScope
    ) throws(NotExpressibleInSQL) -> String {
        var parts: [String] = []
        for term in terms { parts.append(try condition(term, in: scope)) }
        return parts.isEmpty ? ifEmpty : "(" + parts.joined(separator: word) + ")"
    }

    private mutating func opposite(_ term: QueryTerm, in scope: RowScope) throws(NotExpressibleInSQL) -> String {
        try with(bound.opposite) { (compiler) throws(NotExpressibleInSQL) in try compiler.condition(term, in: scope) }
    }

    private func isIn(_ column: Int, _ list: String, as type: ColumnType, in scope: RowScope) -> String {
        let test = scope.isIn(column, list)
        guard let beginning = scope.beginning(column) else { return "(\(test))" }
        return "(\(beginning) = ANY (ARRAY(SELECT \(type.beginning("v")) FROM unnest(\(list)) AS v)) AND \(test))"
    }

    private mutating func isAmong(_ columns: [Int], _ list: Int, in scope: RowScope) -> String {
        let types = columns.map { scope.types[$0] }
        let lists = types.enumerated().map { $1.list(number(.list(list, column: $0, $1))) }
        var sides = (columns.map(scope.column), columns.indices.map { "v\($0)" })
        for (part, column) in columns.enumerated() {
            guard let beginning = scope.beginning(column) else { continue }
            sides.0.append(beginning)
            sides.1.append(types[part].beginning("v\(part)"))
        }
        let names = columns.indices.map { "v\($0)" }.joined(separator: ", ")
        let values =
            "SELECT \(sides.1.joined(separator: ", ")) FROM unnest(\(lists.joined(separator: ", "))) AS v(\(names))"
        return "((\(sides.0.joined(separator: ", "))) IN (\(values)))"
    }

    // MARK: Comparisons

    /// The type of a term's values; nil for an argument, which has the type of the other side.
    func type(of term: QueryTerm, in scope: RowScope) -> ColumnType? {
        switch term {
        case .column(let column): scope.types[column]
        case .argument, .null: nil
        case .related(let edge, let term): type(of: term, in: RowScope(plan.tables[edge.table], alias: 0, names))
        case .relatedCount, .elementCount, .datePart: .int64
        case .relatedAggregate(_, let aggregate, _): aggregate.type
        case .arithmetic(_, _, _, let type): type
        case .folded: .string
        case .distance: .double
        case .choice(_, let first, let second): type(of: first, in: scope) ?? type(of: second, in: scope)
        default: .bool
        }
    }

    /// PostgreSQL compares an integer with a fraction as two fractions, and so not exactly.
    private func requireComparable(
        _ left: QueryTerm, _ right: QueryTerm?, as type: ColumnType, in scope: RowScope
    ) throws(NotExpressibleInSQL) {
        for side in [self.type(of: left, in: scope), right.flatMap { self.type(of: $0, in: scope) }] {
            guard let side else { continue }
            let isSame =
                side.storage == type.storage && (side == .bool) == (type == .bool)
                && (side == .decimal) == (type == .decimal) && (side == .uuid) == (type == .uuid)
            guard isSame else { throw NotExpressibleInSQL() }
        }
    }

    private mutating func compare(
        _ comparison: Comparison, _ left: QueryTerm, with right: QueryTerm, as type: ColumnType, in scope: RowScope
    ) throws(NotExpressibleInSQL) -> String {
        let isNeverNull = left.isArgument || right.isArgument
        let beginning = right.isArgument ? beginning(of: left, in: scope) : nil
        if isForeign, comparison == .equal, case .column(let column) = left, case .argument(let index) = right {
            return scope.equality(column, type, parameter: number(.value(index, type)))
        }
        let left = try value(left, in: scope, as: type)
        let right = try value(right, in: scope, as: type)
        if let beginning, comparison != .notEqual {
            // The index has the beginnings, of which different values may have the same.
            let bound = type.beginning(right)
            let (weak, exact) = comparison.signs
            return "(\(beginning) \(weak) \(bound) AND \(left) \(exact) \(right))"
        }
        switch comparison {
        // No index serves IS NOT DISTINCT FROM, so it is used only if both sides may be null.
        case .equal: return isNeverNull ? "(\(left) = \(right))" : "(\(left) IS NOT DISTINCT FROM \(right))"
        case .notEqual: return "(\(left) IS DISTINCT FROM \(right))"
        case .less: return "(\(left) < \(right))"
        case .lessOrEqual: return "(\(left) <= \(right))"
        case .greater: return "(\(left) > \(right))"
        case .greaterOrEqual: return "(\(left) >= \(right))"
        }
    }

    private mutating func textTest(
        _ test: TextTest, _ text: QueryTerm, pattern: QueryTerm, in scope: RowScope
    ) throws(NotExpressibleInSQL) -> String {
        try requireComparable(text, pattern, as: .string, in: scope)
        let subject = try value(text, in: scope, as: .string)
        if test == .like {
            guard case .argument(let index) = pattern else { throw NotExpressibleInSQL() }
            let like = ColumnType.string.parameter(number(.like(index)))
            if isForeign { return "(\(subject) LIKE \(like))" }
            let expression = ColumnType.string.parameter(number(.regularExpression(index)))
            // The pattern's parts count scalars, and an escape is two.
            return
                "(CASE WHEN \(subject) ~ E'[\\\\x01\\\\x02]' THEN \(subject) ~ \(expression) ELSE \(subject) LIKE \(like) END)"
        }
        let wanted = try value(pattern, in: scope, as: .string)
        switch test {
        case .hasPrefix:
            guard case .argument(let index) = pattern else { return "starts_with(\(subject), \(wanted))" }
            // An index serves comparisons. No text follows the texts with some prefixes; then every text from the prefix on has
            // it.
            let end = ColumnType.string.parameter(number(.prefixEnd(index)))
            let test = "\(subject) >= \(wanted) AND (\(end) IS NULL OR \(subject) < \(end))"
            guard let beginning = beginning(of: text, in: scope) else { return "(\(test))" }
            let (from, to) = (ColumnType.string.beginning(wanted), ColumnType.string.beginning(end))
            return "(\(beginning) >= \(from) AND (\(end) IS NULL OR \(beginning) <= \(to)) AND \(test))"
        case .hasSuffix: return "(right(\(subject), length(\(wanted))) = \(wanted))"
        case .contains, .like: return "(strpos(\(subject), \(wanted)) > 0)"
        }
    }

    // MARK: Edges

    /// For a test of a value along an edge to one row at most: the same as a test of whether such a row passes, with which the
    /// server can begin. Without a row the value is nil.
    private func throughReference(_ term: QueryTerm) -> (Quantifier, Join, QueryTerm)? {
        let test: (Quantifier, Join, QueryTerm)? =
            switch term {
            case .isNull(.related(let edge, let value)): (.none, edge, .not(.isNull(value)))
            case .comparison(.notEqual, .related(let edge, let value), .argument(let index), let type):
                (.none, edge, .comparison(.equal, value, .argument(index), type))
            default: term.throughReference.map { (.any, $0.edge, $0.test) }
            }
        guard let test, test.1.link == nil, test.1.inner == plan.tables[test.1.table].key else { return nil }
        return test
    }

    private mutating func quantified(
        _ quantifier: Quantifier, _ edge: Join, where term: QueryTerm, in scope: RowScope
    ) throws(NotExpressibleInSQL) -> String {
        let (related, rows) = try rows(along: edge, from: scope)
        let condition = try quantifier == .none ? opposite(term, in: related) : condition(term, in: related)
        switch quantifier {
        case .any: return "EXISTS (SELECT 1 FROM \(rows) AND \(condition))"
        case .all: return "(NOT EXISTS (SELECT 1 FROM \(rows) AND \(condition) IS NOT TRUE))"
        case .none: return "(NOT EXISTS (SELECT 1 FROM \(rows) AND \(condition)))"
        }
    }

    /// The scope of an edge's rows, and the SQL that selects them.
    ///
    /// - Throws: `NotExpressibleInSQL` if the edge leads from a table of the store to one of other software, or back.
    private mutating func rows(along edge: Join, from scope: RowScope) throws(NotExpressibleInSQL) -> (RowScope, String)
    {
        let tables = [edge.table] + (edge.link.map { [$0.table] } ?? [])
        guard tables.allSatisfy({ plan.tables[$0].isForeign == isForeign }) else { throw NotExpressibleInSQL() }
        let related = nextScope(edge.table)
        guard let link = edge.link else {
            return (related, "\(related.table) WHERE \(equal(related, edge.inner, to: scope, columns: edge.outer))")
        }
        // By its keys, because a link may give one several times.
        let linked = nextScope(link.table)
        let names = edge.inner.map(related.column).joined(separator: ", ")
        let keys = edge.outer.map { $0.map(linked.column) ?? "0" }.joined(separator: ", ")
        let rows = "\(linked.table) WHERE \(equal(linked, link.inner, to: scope, columns: link.outer))"
        return (related, "\(related.table) WHERE (\(names)) IN (SELECT \(keys) FROM \(rows))")
    }

    mutating func nextScope(_ table: Int) -> RowScope {
        defer { aliases += 1 }
        return RowScope(plan.tables[table], alias: aliases, names)
    }

    func equal(_ scope: RowScope, _ inner: [Int], to outer: RowScope, columns: [Int?]) -> String {
        zip(inner, columns).map { column, other in
            guard let other else { return "\(scope.column(column)) = 0" }
            let test = "\(scope.column(column)) = \(outer.column(other))"
            // The index has the beginnings.
            guard let beginning = scope.beginning(column) else { return test }
            return "\(beginning) = \(scope.types[column].beginning(outer.column(other))) AND \(test)"
        }.joined(separator: " AND ")
    }

    // MARK: Values

    /// - Parameter type: the type of the term's values, which an argument does not know itself.
    mutating func value(_ term: QueryTerm, in scope: RowScope, as type: ColumnType) throws(NotExpressibleInSQL)
        -> String
    {
        switch term {
        case .column(let column): return scope.column(column)
        case .argument(let index): return type.parameter(number(.value(index, type)))
        case .null: return type.null
        case .elementCount(let array): return try elementCount(array, in: scope)
        case .folded(let text, let folding): return try folded(text, folding, in: scope)
        // SQL's arithmetic fails in other cases, or rounds differently. Texts of other software have other types.
        case .arithmetic(let operation, _, _, let type) where operation != .add || type != .string || isForeign:
            throw NotExpressibleInSQL()
        case .distance: throw NotExpressibleInSQL()
        case .datePart(let part, let date, let zone):
            // The server's time zones may be other ones than the program's, and its tables of other software have other types.
            guard case .offset(let seconds) = zone, !isForeign else { throw NotExpressibleInSQL() }
            return try with(.exact) { (compiler) throws(NotExpressibleInSQL) in
                Self.part(part, of: try compiler.value(date, in: scope, as: .date), offset: seconds)
            }
        // A value chosen by a bound isn't exact.
        default:
            return try with(.exact) { (compiler) throws(NotExpressibleInSQL) in
                try compiler.computed(term, in: scope, as: type)
            }
        }
    }

    /// A part of a date, as `DatePart` computes it. Whole seconds of the years 1 to 9999 times a second are exact.
    private static func part(_ part: DatePart, of date: String, offset: Int) -> String {
        func bounded(_ seconds: String) -> String {
            "LEAST(GREATEST(\(seconds), \(DatePart.seconds.lowerBound)), \(DatePart.seconds.upperBound))"
        }
        let local = bounded("floor(\(bounded(date))) + \(offset)")
        let field = part == .weekday ? "dow" : part.rawValue
        let value = "extract(\(field) FROM timestamp '2001-01-01' + \(local) * interval '1 second')"
        return "CASE WHEN \(date) IS NULL THEN NULL ELSE \(value)::int8\(part == .weekday ? " + 1" : "") END"
    }

    private mutating func computed(
        _ term: QueryTerm, in scope: RowScope, as type: ColumnType
    ) throws(NotExpressibleInSQL) -> String {
        switch term {
        case .related(let edge, let term):
            if let joined = joins.scope(edge, from: scope) { return try value(term, in: joined, as: type) }
            let (related, rows) = try rows(along: edge, from: scope)
            return "(SELECT \(try value(term, in: related, as: type)) FROM \(rows) LIMIT 1)"
        case .relatedCount(let edge, let term):
            let (related, rows) = try rows(along: edge, from: scope)
            return "(SELECT count(*) FROM \(rows) AND \(try condition(term, in: related)))"
        case .relatedAggregate(let edge, let aggregate, let condition):
            // A sum that overflows fails in other cases.
            guard let term = aggregate.term, aggregate.function != .sum else { throw NotExpressibleInSQL() }
            let (related, rows) = try rows(along: edge, from: scope)
            let result = try self.aggregate(aggregate, of: value(term.term, in: related, as: term.type))
            return "(SELECT \(result) FROM \(rows) AND \(try self.condition(condition, in: related)))"
        case .choice(let condition, let first, let second):
            let test = try self.condition(condition, in: scope)
            let chosen = try value(first, in: scope, as: type)
            let other = try value(second, in: scope, as: type)
            return "(CASE WHEN \(test) THEN \(chosen) ELSE \(other) END)"
        // Escaped texts that are joined are the joined text escaped.
        case .arithmetic(_, let left, let right, _):
            let first = try value(left, in: scope, as: .string)
            let second = try value(right, in: scope, as: .string)
            return "((\(first) || \(second)) COLLATE \"C\")"
        default: return "(\(try condition(term, in: scope)) IS TRUE)"
        }
    }

    private mutating func elementCount(_ array: QueryTerm, in scope: RowScope) throws(NotExpressibleInSQL) -> String {
        guard let type = type(of: array, in: scope) else { throw NotExpressibleInSQL() }
        let value = try value(array, in: scope, as: type)
        if type.storage == .blob { return "octet_length(\(value))::bigint" }
        // Text of other software may be no JSON.
        guard case .array = type, !isForeign else { throw NotExpressibleInSQL() }
        return "json_array_length(\(value)::json)::bigint"
    }
}

extension Comparison {
    /// The operator for the beginnings of two values, and that for the values.
    fileprivate var signs: (String, String) {
        switch self {
        case .equal, .notEqual: ("=", "=")
        case .less: ("<=", "<")
        case .lessOrEqual: ("<=", "<=")
        case .greater: (">=", ">")
        case .greaterOrEqual: (">=", ">=")
        }
    }
}

extension QueryTerm {
    fileprivate var isArgument: Bool { if case .argument = self { true } else { false } }
}
