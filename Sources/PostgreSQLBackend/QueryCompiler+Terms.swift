internal import StorageDriver

// Conditions: expressions that are true exactly where the term is true; otherwise they are false or null.
extension QueryCompiler {
    mutating func condition(_ term: QueryTerm, _ place: Place) throws(NotExpressibleInSQL) -> String {
        if let (quantifier, edge, test) = throughReference(term) {
            return try quantified(quantifier, edge, test, place)
        }
        switch term {
        case .constant(let constant): return constant ? "TRUE" : "FALSE"
        case .and(let terms): return try chain(terms, " AND ", ifEmpty: "TRUE", place)
        case .or(let terms): return try chain(terms, " OR ", ifEmpty: "FALSE", place)
        case .not(let term): return "(\(try opposite(term, place)) IS NOT TRUE)"
        case .isNull(let term):
            guard let type = type(of: term, place) else { throw NotExpressibleInSQL() }
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                "(\(try compiler.value(term, place, type)) IS NULL)"
            }
        case .isIn(let term, let list, let type):
            try requireComparable(term, nil, type, place)
            let list = type.list(number(.list(list, column: 0, type)))
            if case .column(let column) = term { return isIn(column, list, type, place) }
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                "(\(try compiler.value(term, place, type)) = ANY (\(list)))"
            }
        case .isAmong(let columns, let list): return isAmong(columns, list, place)
        case .comparison(let comparison, let left, let right, let type):
            try requireComparable(left, right, type, place)
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                try compiler.compare(comparison, left, right, type, place)
            }
        case .text(let test, let text, let pattern):
            return try decided { (compiler) throws(NotExpressibleInSQL) in
                try compiler.textTest(test, text, pattern, place)
            }
        case .hasElement(let array, let element): return try hasElement(array, element, place)
        case .quantified(let quantifier, let edge, let term):
            return try quantified(quantifier, edge, term, place)
        case .column, .argument, .null, .related, .relatedCount, .relatedAggregate, .arithmetic, .folded, .elementCount,
            .distance, .choice:
            return try value(term, place, .bool)
        }
    }

    private mutating func chain(
        _ terms: [QueryTerm], _ word: String, ifEmpty: String, _ place: Place
    ) throws(NotExpressibleInSQL) -> String {
        var parts: [String] = []
        for term in terms { parts.append(try condition(term, place)) }
        return parts.isEmpty ? ifEmpty : "(" + parts.joined(separator: word) + ")"
    }

    private mutating func opposite(_ term: QueryTerm, _ place: Place) throws(NotExpressibleInSQL) -> String {
        try with(bound.opposite) { (compiler) throws(NotExpressibleInSQL) in try compiler.condition(term, place) }
    }

    private func isIn(_ column: Int, _ list: String, _ type: ColumnType, _ place: Place) -> String {
        let test = place.isIn(column, list)
        guard let beginning = place.beginning(column) else { return "(\(test))" }
        return "(\(beginning) = ANY (ARRAY(SELECT \(type.beginning("v")) FROM unnest(\(list)) AS v)) AND \(test))"
    }

    private mutating func isAmong(_ columns: [Int], _ list: Int, _ place: Place) -> String {
        let types = columns.map { place.types[$0] }
        let lists = types.enumerated().map { $1.list(number(.list(list, column: $0, $1))) }
        var sides = (columns.map(place.column), columns.indices.map { "v\($0)" })
        for (part, column) in columns.enumerated() {
            guard let beginning = place.beginning(column) else { continue }
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
    func type(of term: QueryTerm, _ place: Place) -> ColumnType? {
        switch term {
        case .column(let column): place.types[column]
        case .argument, .null: nil
        case .related(let edge, let term): type(of: term, Place(plan.tables[edge.table], 0, names))
        case .relatedCount, .elementCount: .int64
        case .relatedAggregate(_, let aggregate, _): aggregate.type
        case .arithmetic(_, _, _, let type): type
        case .folded: .string
        case .distance: .double
        case .choice(_, let first, let second): type(of: first, place) ?? type(of: second, place)
        default: .bool
        }
    }

    /// PostgreSQL compares an integer with a fraction as two fractions, and so not exactly.
    private func requireComparable(
        _ left: QueryTerm, _ right: QueryTerm?, _ type: ColumnType, _ place: Place
    ) throws(NotExpressibleInSQL) {
        for side in [self.type(of: left, place), right.flatMap { self.type(of: $0, place) }] {
            guard let side else { continue }
            let isSame =
                side.storage == type.storage && (side == .bool) == (type == .bool)
                && (side == .decimal) == (type == .decimal) && (side == .uuid) == (type == .uuid)
            guard isSame else { throw NotExpressibleInSQL() }
        }
    }

    private mutating func compare(
        _ comparison: Comparison, _ left: QueryTerm, _ right: QueryTerm, _ type: ColumnType, _ place: Place
    ) throws(NotExpressibleInSQL) -> String {
        let isNeverNull = left.isArgument || right.isArgument
        let beginning = right.isArgument ? beginning(of: left, place) : nil
        if isForeign, comparison == .equal, case .column(let column) = left, case .argument(let index) = right {
            return place.equality(column, type, number(.value(index, type)))
        }
        let left = try value(left, place, type)
        let right = try value(right, place, type)
        if let beginning, comparison != .notEqual {
            // The index has the beginnings, of which different values may have the same.
            let bound = type.beginning(right)
            let (weak, exact) = comparison.signs
            return "(\(beginning) \(weak) \(bound) AND \(left) \(exact) \(right))"
        }
        switch comparison {
        // No index serves IS NOT DISTINCT FROM, so it stands only where both sides may be null.
        case .equal: return isNeverNull ? "(\(left) = \(right))" : "(\(left) IS NOT DISTINCT FROM \(right))"
        case .notEqual: return "(\(left) IS DISTINCT FROM \(right))"
        case .less: return "(\(left) < \(right))"
        case .lessOrEqual: return "(\(left) <= \(right))"
        case .greater: return "(\(left) > \(right))"
        case .greaterOrEqual: return "(\(left) >= \(right))"
        }
    }

    /// The prefix of a column's value, if the column's index has only that.
    private func beginning(of term: QueryTerm, _ place: Place) -> String? {
        if case .column(let column) = term { place.beginning(column) } else { nil }
    }

    private mutating func textTest(
        _ test: TextTest, _ text: QueryTerm, _ pattern: QueryTerm, _ place: Place
    ) throws(NotExpressibleInSQL) -> String {
        try requireComparable(text, pattern, .string, place)
        let subject = try value(text, place, .string)
        if test == .like {
            guard case .argument(let index) = pattern else { throw NotExpressibleInSQL() }
            let like = ColumnType.string.parameter(number(.like(index)))
            if isForeign { return "(\(subject) LIKE \(like))" }
            let expression = ColumnType.string.parameter(number(.regularExpression(index)))
            // The pattern's parts count scalars, and an escape is two.
            return
                "(CASE WHEN \(subject) ~ E'[\\\\x01\\\\x02]' THEN \(subject) ~ \(expression) ELSE \(subject) LIKE \(like) END)"
        }
        let wanted = try value(pattern, place, .string)
        switch test {
        case .hasPrefix:
            guard case .argument(let index) = pattern else { return "starts_with(\(subject), \(wanted))" }
            // An index serves comparisons. Nothing is behind some prefixes, and then all that is not before has them.
            let end = ColumnType.string.parameter(number(.prefixEnd(index)))
            let test = "\(subject) >= \(wanted) AND (\(end) IS NULL OR \(subject) < \(end))"
            guard let beginning = beginning(of: text, place) else { return "(\(test))" }
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
        _ quantifier: Quantifier, _ edge: Join, _ term: QueryTerm, _ place: Place
    ) throws(NotExpressibleInSQL) -> String {
        let (related, rows) = try rows(along: edge, from: place)
        let condition = try quantifier == .none ? opposite(term, related) : condition(term, related)
        switch quantifier {
        case .any: return "EXISTS (SELECT 1 FROM \(rows) AND \(condition))"
        case .all: return "(NOT EXISTS (SELECT 1 FROM \(rows) AND \(condition) IS NOT TRUE))"
        case .none: return "(NOT EXISTS (SELECT 1 FROM \(rows) AND \(condition)))"
        }
    }

    /// The place of an edge's rows, and which these are.
    ///
    /// - Throws: `NotExpressibleInSQL` where it leads from a store's own table to one of other software, or back.
    private mutating func rows(along edge: Join, from place: Place) throws(NotExpressibleInSQL) -> (Place, String) {
        let tables = [edge.table] + (edge.link.map { [$0.table] } ?? [])
        guard tables.allSatisfy({ plan.tables[$0].isForeign == isForeign }) else { throw NotExpressibleInSQL() }
        let related = nextPlace(edge.table)
        guard let link = edge.link else {
            return (related, "\(related.table) WHERE \(equal(related, edge.inner, place, edge.outer))")
        }
        // By its keys, of which a link may give one several times.
        let linked = nextPlace(link.table)
        let names = edge.inner.map(related.column).joined(separator: ", ")
        let keys = edge.outer.map { $0.map(linked.column) ?? "0" }.joined(separator: ", ")
        let rows = "\(linked.table) WHERE \(equal(linked, link.inner, place, link.outer))"
        return (related, "\(related.table) WHERE (\(names)) IN (SELECT \(keys) FROM \(rows))")
    }

    private mutating func nextPlace(_ table: Int) -> Place {
        defer { aliases += 1 }
        return Place(plan.tables[table], aliases, names)
    }

    private func equal(_ place: Place, _ inner: [Int], _ outer: Place, _ columns: [Int?]) -> String {
        zip(inner, columns).map { column, other in
            guard let other else { return "\(place.column(column)) = 0" }
            let test = "\(place.column(column)) = \(outer.column(other))"
            // The index has the beginnings.
            guard let beginning = place.beginning(column) else { return test }
            return "\(beginning) = \(place.types[column].beginning(outer.column(other))) AND \(test)"
        }.joined(separator: " AND ")
    }

    // MARK: Values

    /// - Parameter type: the type of the term's values, which an argument does not know itself.
    mutating func value(_ term: QueryTerm, _ place: Place, _ type: ColumnType) throws(NotExpressibleInSQL) -> String {
        switch term {
        case .column(let column): return place.column(column)
        case .argument(let index): return type.parameter(number(.value(index, type)))
        case .null: return type.null
        case .elementCount(let array): return try elementCount(array, place)
        case .folded(let text, let folding): return try folded(text, folding, place)
        // They fail in other cases, or round elsewhere. Texts of other software have types of their own.
        case .arithmetic(let operation, _, _, let type) where operation != .add || type != .string || isForeign:
            throw NotExpressibleInSQL()
        case .distance: throw NotExpressibleInSQL()
        // A value that a bound of a condition has decided is none of its own.
        default:
            return try with(.exact) { (compiler) throws(NotExpressibleInSQL) in try compiler.computed(term, place, type)
            }
        }
    }

    private mutating func computed(
        _ term: QueryTerm, _ place: Place, _ type: ColumnType
    ) throws(NotExpressibleInSQL) -> String {
        switch term {
        case .related(let edge, let term):
            let (related, rows) = try rows(along: edge, from: place)
            return "(SELECT \(try value(term, related, type)) FROM \(rows) LIMIT 1)"
        case .relatedCount(let edge, let term):
            let (related, rows) = try rows(along: edge, from: place)
            return "(SELECT count(*) FROM \(rows) AND \(try condition(term, related)))"
        case .relatedAggregate(let edge, let aggregate, let condition):
            // A sum that overflows fails in other cases.
            guard let term = aggregate.term, aggregate.function != .sum else { throw NotExpressibleInSQL() }
            let (related, rows) = try rows(along: edge, from: place)
            let result = try self.aggregate(aggregate, of: value(term.term, related, term.type))
            return "(SELECT \(result) FROM \(rows) AND \(try self.condition(condition, related)))"
        case .choice(let condition, let first, let second):
            let test = try self.condition(condition, place)
            return
                "(CASE WHEN \(test) THEN \(try value(first, place, type)) ELSE \(try value(second, place, type)) END)"
        // Escaped texts that are joined are the joined text escaped.
        case .arithmetic(_, let left, let right, _):
            return "((\(try value(left, place, .string)) || \(try value(right, place, .string))) COLLATE \"C\")"
        default: return "(\(try condition(term, place)) IS TRUE)"
        }
    }

    private mutating func elementCount(_ array: QueryTerm, _ place: Place) throws(NotExpressibleInSQL) -> String {
        guard let type = type(of: array, place) else { throw NotExpressibleInSQL() }
        let value = try value(array, place, type)
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
