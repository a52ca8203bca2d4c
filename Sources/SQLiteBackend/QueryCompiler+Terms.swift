internal import StorageDriver

// Conditions: expressions that are true exactly where the term is true; otherwise they are 0 or null.
extension QueryCompiler {
    mutating func condition(_ term: QueryTerm, _ place: Place) -> String {
        switch term {
        case .constant(let constant): return constant ? "1" : "0"
        case .and(let terms) where term.canFail: return stepwise(terms, place, decidedBy: " IS NOT TRUE", as: "0")
        case .or(let terms) where term.canFail: return stepwise(terms, place, decidedBy: "", as: "1")
        case .and(let terms): return chain(terms, word: "AND", ifEmpty: "1", place: place)
        case .or(let terms): return chain(terms, word: "OR", ifEmpty: "0", place: place)
        case .not(let term): return "(\(condition(term, place)) IS NOT TRUE)"
        case .isNull(let term): return "(\(value(term, place)) IS NULL)"
        case .isIn(let term, let list, _):
            return "(\(value(term, place)) IN (SELECT c0 FROM storage_list(?\(parameters.list(list)))))"
        case .isAmong(let columns, let list):
            let values = columns.map(place.column).joined(separator: ", ")
            let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
            return "((\(values)) IN (SELECT \(names) FROM storage_list(?\(parameters.list(list)))))"
        case .comparison(let comparison, let left, let right, let type):
            return compare(comparison, left: left, right: right, type: type, place: place)
        case .text(let test, let text, let pattern): return textTest(test, of: text, pattern: pattern, place: place)
        case .hasElement(let array, let element):
            return "storage_has_element(\(value(array, place)), \(value(element, place)))"
        case .quantified(let quantifier, let edge, let term):
            return quantified(quantifier, edge, term: term, place: place)
        case .column, .argument, .null, .related, .relatedCount, .relatedAggregate, .arithmetic, .folded, .elementCount,
            .distance, .datePart, .choice:
            return "(\(value(term, place)) = 1)"
        }
    }

    /// SQLite's parser has a small stack, which grows with the terms before a parenthesis, so the deepest term comes
    /// first (`QueryTerm.nestingCost` relies on it). It also limits how deep an expression nests, and a chain nests to
    /// one side; halves keep it flat.
    private mutating func chain(_ terms: [QueryTerm], word: String, ifEmpty: String, place: Place) -> String {
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
        _ comparison: Comparison, left: QueryTerm, right: QueryTerm, type: ColumnType, place: Place
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
        _ test: TextTest, of text: QueryTerm, pattern: QueryTerm, place: Place
    ) -> String {
        let wanted = value(pattern, place)
        if case .folded(let text, let folding) = text {
            let codes = "\(SQLFunctions.code(test)), \(folding.rawValue)"
            return "storage_folded_text(\(codes), \(value(text, place)), \(wanted))"
        }
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
            // A part of an empty blob is null in SQLite, so the empty suffix is a separate case.
            let end = "substr(\(bytes), length(\(bytes)) - length(\(wantedBytes)) + 1) = \(wantedBytes)"
            return "((\(wanted) = '' AND \(text) IS NOT NULL) OR \(end))"
        case .contains, .like: return "(instr(\(bytes), \(wantedBytes)) > 0)"
        }
    }

    // MARK: Edges

    private mutating func quantified(
        _ quantifier: Quantifier, _ edge: Join, term: QueryTerm, place: Place
    ) -> String {
        let related = related(edge)
        let rows = "SELECT 1 FROM " + rows(along: edge, related, from: place)
        let condition = condition(term, related)
        switch quantifier {
        case .any: return "EXISTS (\(rows) AND \(condition))"
        case .all: return "NOT EXISTS (\(rows) AND \(condition) IS NOT TRUE)"
        case .none: return "NOT EXISTS (\(rows) AND \(condition))"
        }
    }

    /// The place of the edge's rows. Its link has the alias before.
    mutating func related(_ edge: Join) -> Place {
        if edge.link != nil { aliases += 1 }
        defer { aliases += 1 }
        return Place(plan.tables[edge.table], alias: aliases, conversions: conversions)
    }

    private func rows(along edge: Join, _ related: Place, from place: Place) -> String {
        guard let link = edge.link else {
            return "\(related.table) WHERE \(equal(related, inner: edge.inner, outer: place, columns: edge.outer))"
        }
        // By its keys, of which a link may give one several times.
        let linked = Place(plan.tables[link.table], alias: related.alias - 1, conversions: conversions)
        let names = edge.inner.map(related.column).joined(separator: ", ")
        let keys = edge.outer.map { $0.map(linked.column) ?? "0" }.joined(separator: ", ")
        return "\(related.table) WHERE (\(names)) IN (SELECT \(keys) FROM \(linked.table)"
            + " WHERE \(equal(linked, inner: link.inner, outer: place, columns: link.outer)))"
    }

    func equal(_ place: Place, inner: [Int], outer: Place, columns: [Int?]) -> String {
        zip(inner, columns).map { "\(place.column($0)) = \($1.map(outer.column) ?? "0")" }.joined(separator: " AND ")
    }

    // MARK: Values

    mutating func value(_ term: QueryTerm, _ place: Place) -> String {
        switch term {
        case .column(let column): return place.column(column)
        case .argument(let index): return "?\(parameters.value(index))"
        case .null: return "NULL"
        case .related(let edge, let term):
            if let joined = joins.place(edge, from: place) { return value(term, joined) }
            let related = related(edge)
            return "(SELECT \(value(term, related)) FROM \(rows(along: edge, related, from: place)) LIMIT 1)"
        case .relatedCount(let edge, let term):
            let related = related(edge)
            return "(SELECT count(*) FROM \(rows(along: edge, related, from: place)) AND \(condition(term, related)))"
        case .relatedAggregate(let edge, let aggregate, let condition):
            let related = related(edge)
            let result = self.aggregate(aggregate, of: aggregate.term.map { value($0.term, related) } ?? "NULL")
            let test = self.condition(condition, related)
            return "(SELECT \(result) FROM \(rows(along: edge, related, from: place)) AND \(test))"
        case .arithmetic(.add, let left, let right, .string): return "(\(value(left, place)) || \(value(right, place)))"
        case .arithmetic(let operation, let left, let right, let type):
            let codes = "\(SQLFunctions.code(operation)), \(SQLFunctions.code(type))"
            return "storage_compute(\(codes), \(value(left, place)), \(value(right, place)))"
        case .folded(let text, let folding): return "storage_fold(\(folding.rawValue), \(value(text, place)))"
        case .elementCount(let array): return "storage_element_count(\(value(array, place)))"
        case .distance(let metric, let left, let right):
            return "storage_distance(\(SQLFunctions.code(metric)), \(value(left, place)), \(value(right, place)))"
        case .datePart(let part, let term, let zone):
            let zone =
                switch zone {
                case .offset(let seconds): "\(seconds)"
                case .named(let name): name.quotedText
                }
            return "storage_date_part(\(SQLFunctions.code(part)), \(value(term, place)), \(zone))"
        case .choice(let condition, let first, let second):
            let test = self.condition(condition, place)
            return "(CASE WHEN \(test) THEN \(value(first, place)) ELSE \(value(second, place)) END)"
        default: return "(\(condition(term, place)) IS TRUE)"
        }
    }
}
