internal import StorageDriver

// Conditions: expressions that are true exactly where the term is true; otherwise they are 0 or null.
extension QueryCompiler {
    mutating func condition(_ term: QueryTerm, _ place: Place) -> String {
        switch term {
        case .constant(let constant): return constant ? "1" : "0"
        case .and(let terms) where term.canFail: return stepwise(terms, place, decidedBy: " IS NOT TRUE", as: "0")
        case .or(let terms) where term.canFail: return stepwise(terms, place, decidedBy: "", as: "1")
        case .and(let terms): return chain(terms, "AND", ifEmpty: "1", place)
        case .or(let terms): return chain(terms, "OR", ifEmpty: "0", place)
        case .not(let term): return "(\(condition(term, place)) IS NOT TRUE)"
        case .isNull(let term): return "(\(value(term, place)) IS NULL)"
        case .isIn(let term, let list, _):
            return "(\(value(term, place)) IN (SELECT c0 FROM storage_list(?\(parameters.list(list)))))"
        case .comparison(let comparison, let left, let right, let type):
            return compare(comparison, left, right, type, place)
        case .text(let test, let text, let pattern): return textTest(test, text, pattern, place)
        case .hasElement(let array, let element):
            return "storage_has_element(\(value(array, place)), \(value(element, place)))"
        case .quantified(let quantifier, let ownership, let term):
            return quantified(quantifier, ownership, term, place)
        case .column, .argument, .null, .child, .childCount, .arithmetic, .folded, .elementCount, .distance,
            .choice:
            return "(\(value(term, place)) = 1)"
        }
    }

    /// SQLite's parser has a small stack, which grows with what precedes a parenthesis, so the deepest term comes first
    /// (`QueryTerm.nestingCost` relies on it). It also limits how deep an expression nests, and a chain nests to one side;
    /// halves keep it flat.
    private mutating func chain(_ terms: [QueryTerm], _ word: String, ifEmpty: String, _ place: Place) -> String {
        guard let deepest = terms.indices.max(by: { terms[$0].nestingCost < terms[$1].nestingCost }) else {
            return ifEmpty
        }
        let first = condition(terms[deepest], place)
        guard terms.count > 1 else { return first }
        var rest: [String] = []
        for index in terms.indices where index != deepest { rest.append(condition(terms[index], place)) }
        return "(\(first) \(word) \(halves(rest[...], word)))"
    }

    private func halves(_ parts: ArraySlice<String>, _ word: String) -> String {
        if parts.count == 1 { return parts[parts.startIndex] }
        let middle = parts.startIndex + parts.count / 2
        return "(\(halves(parts[..<middle], word)) \(word) \(halves(parts[middle...], word)))"
    }

    /// A chain that is evaluated only until it is decided. SQLite promises that for CASE, but not for AND and OR.
    private mutating func stepwise(
        _ terms: [QueryTerm], _ place: Place, decidedBy test: String, as outcome: String
    ) -> String {
        var steps = "CASE"
        for term in terms { steps += " WHEN \(condition(term, place))\(test) THEN \(outcome)" }
        return steps + " ELSE \(outcome == "0" ? "1" : "0") END"
    }

    private mutating func compare(
        _ comparison: Comparison, _ left: QueryTerm, _ right: QueryTerm, _ type: ColumnType, _ place: Place
    ) -> String {
        let left = value(left, place)
        let right = value(right, place)
        switch comparison {
        case .equal: return "(\(left) IS \(right))"
        case .notEqual: return "(\(left) IS NOT \(right))"
        case .less: return "(\(ordered(left, type)) < \(right))"
        case .lessOrEqual: return "(\(ordered(left, type)) <= \(right))"
        case .greater: return "(\(ordered(left, type)) > \(right))"
        case .greaterOrEqual: return "(\(ordered(left, type)) >= \(right))"
        }
    }

    /// Decimals are text, but compared as numbers.
    func ordered(_ expression: String, _ type: ColumnType) -> String {
        type == .decimal ? expression + " COLLATE storage_decimal" : expression
    }

    private mutating func textTest(
        _ test: TextTest, _ text: QueryTerm, _ pattern: QueryTerm, _ place: Place
    ) -> String {
        let wanted = value(pattern, place)
        guard case .column = text, case .argument(let index) = pattern, test != .like else {
            return "storage_text(\(SQLFunctions.code(test)), \(value(text, place)), \(wanted))"
        }
        let text = value(text, place)
        // As blobs, since SQLite's text functions end at a NUL.
        let bytes = "CAST(\(text) AS BLOB)"
        let wantedBytes = "CAST(\(wanted) AS BLOB)"
        switch test {
        case .hasPrefix: return "(\(text) >= \(wanted) AND \(text) < \(parameter(endOfPrefix: index)))"
        case .hasSuffix:
            // A part of an empty blob is null in SQLite, so the empty suffix is a case of its own.
            let end = "substr(\(bytes), length(\(bytes)) - length(\(wantedBytes)) + 1) = \(wantedBytes)"
            return "((\(wanted) = '' AND \(text) IS NOT NULL) OR \(end))"
        case .contains, .like: return "(instr(\(bytes), \(wantedBytes)) > 0)"
        }
    }

    // MARK: Children

    private mutating func quantified(
        _ quantifier: Quantifier, _ ownership: Ownership, _ term: QueryTerm, _ place: Place
    ) -> String {
        let child = child(ownership)
        let rows = "SELECT 1 FROM " + rows(ownership, child, of: place)
        let condition = condition(term, child)
        switch quantifier {
        case .any: return "EXISTS (\(rows) AND \(condition))"
        case .all: return "NOT EXISTS (\(rows) AND \(condition) IS NOT TRUE)"
        case .none: return "NOT EXISTS (\(rows) AND \(condition))"
        }
    }

    private mutating func child(_ ownership: Ownership) -> Place {
        defer { aliases += 1 }
        return Place(plan.tables[ownership.table], aliases, conversions)
    }

    private func rows(_ ownership: Ownership, _ child: Place, of owner: Place) -> String {
        let pairs = zip(ownership.inner, ownership.outer).map { inner, outer in
            "\(child.column(inner)) = \(outer.map(owner.column) ?? "0")"
        }
        return "\(child.table) WHERE \(pairs.joined(separator: " AND "))"
    }

    // MARK: Values

    mutating func value(_ term: QueryTerm, _ place: Place) -> String {
        switch term {
        case .column(let column): return place.column(column)
        case .argument(let index): return "?\(parameters.value(index))"
        case .null: return "NULL"
        case .child(let ownership, let term):
            let child = child(ownership)
            return "(SELECT \(value(term, child)) FROM \(rows(ownership, child, of: place)) LIMIT 1)"
        case .childCount(let ownership, let term):
            let child = child(ownership)
            return "(SELECT count(*) FROM \(rows(ownership, child, of: place)) AND \(condition(term, child)))"
        case .arithmetic(let operation, let left, let right, let type):
            let codes = "\(SQLFunctions.code(operation)), \(SQLFunctions.code(type))"
            return "storage_compute(\(codes), \(value(left, place)), \(value(right, place)))"
        case .folded(let text, let folding): return "storage_fold(\(folding.rawValue), \(value(text, place)))"
        case .elementCount(let array): return "storage_element_count(\(value(array, place)))"
        case .distance(let metric, let left, let right):
            return "storage_distance(\(SQLFunctions.code(metric)), \(value(left, place)), \(value(right, place)))"
        case .choice(let condition, let first, let second):
            let test = self.condition(condition, place)
            return "(CASE WHEN \(test) THEN \(value(first, place)) ELSE \(value(second, place)) END)"
        default: return "(\(condition(term, place)) IS TRUE)"
        }
    }
}
