internal import StorageAPI

/// Turns a query's shape into SQL. Values never become text: they are the statement's parameters.
struct QueryCompiler {
    private let plan: QueryPlan
    /// How many aliases of tables are taken.
    private var aliases = 1
    /// Parameters after the arguments, lists, limit and offset: the ends of prefixes, by the argument's index.
    private(set) var prefixEnds: [Int] = []
    private let valueCount: Int
    private let listCount: Int

    /// - Parameter arguments: the numbers of values and of lists, which belong to the shape.
    init(_ plan: QueryPlan, values: Int, lists: Int) {
        self.plan = plan
        valueCount = values
        listCount = lists
    }

    mutating func select() -> String {
        var conditions = scope()
        if let filter = plan.query.filter { conditions.append(condition(filter, Place(plan.table, 0))) }
        let rows =
            "FROM \(plan.table.name.quotedName) AS t0" + (conditions.isEmpty ? "" : " WHERE ")
            + conditions.joined(separator: " AND ")
        switch plan.query.result {
        case .count: return "SELECT count(*) " + rows
        case .exists: return "SELECT EXISTS (SELECT 1 \(rows))"
        case .columns(let columns):
            let names = columns.map { "t0." + plan.table.columns[$0].sql }
            return "SELECT \(names.joined(separator: ", ")) " + rows + order() + limit()
        }
    }

    // MARK: Parameters

    private func parameter(value index: Int) -> String { "?\(index + 1)" }
    private func parameter(list index: Int) -> String { "?\(valueCount + index + 1)" }
    var limitParameter: Int { valueCount + listCount + 1 }
    var firstPrefixEnd: Int { limitParameter + 2 }

    private mutating func parameter(endOfPrefix index: Int) -> String {
        prefixEnds.append(index)
        return "?\(firstPrefixEnd + prefixEnds.count - 1)"
    }

    // MARK: Clauses

    private func scope() -> [String] {
        let key = plan.table.key.map { "t0." + plan.table.columns[$0].sql }
        switch plan.query.scope {
        case .all: return []
        case .key(let columns): return (0..<columns).map { key[$0] + " = " + parameter(value: $0) }
        case .keys(1, let list): return [key[0] + " IN (SELECT c0 FROM storage_list(\(parameter(list: list))))"]
        case .keys(let columns, let list):
            let names = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
            let keys = key.prefix(columns).joined(separator: ", ")
            return ["(\(keys)) IN (SELECT \(names) FROM storage_list(\(parameter(list: list))))"]
        }
    }

    private mutating func order() -> String {
        var terms: [String] = []
        for key in plan.query.order {
            terms.append(ordered(value(key.term, Place(plan.table, 0)), key.type) + (key.isDescending ? " DESC" : ""))
        }
        terms += plan.table.key.map { "t0." + plan.table.columns[$0].sql }
        return " ORDER BY " + terms.joined(separator: ", ")
    }

    private func limit() -> String {
        plan.query.isLimited ? " LIMIT ?\(limitParameter) OFFSET ?\(limitParameter + 1)" : ""
    }

    // MARK: Terms

    /// The table whose row is in scope, under its alias.
    private struct Place {
        let table: TableSchema
        let alias: Int

        init(_ table: TableSchema, _ alias: Int) {
            self.table = table
            self.alias = alias
        }

        func column(_ index: Int) -> String { "t\(alias)." + table.columns[index].sql }
    }

    /// An expression that is true exactly where the term is; elsewhere it is 0 or null.
    private mutating func condition(_ term: QueryTerm, _ place: Place) -> String {
        switch term {
        case .constant(let constant): return constant ? "1" : "0"
        case .and(let terms): return joined(deepestFirst(terms, place), "AND", ifEmpty: "1")
        case .or(let terms): return joined(deepestFirst(terms, place), "OR", ifEmpty: "0")
        case .not(let term): return condition(term, place) + " IS NOT TRUE"
        case .isNull(let term): return "(\(value(term, place)) IS NULL)"
        case .isIn(let term, let list, _):
            return "(\(value(term, place)) IN (SELECT c0 FROM storage_list(\(parameter(list: list)))))"
        case .comparison(let comparison, let left, let right, let type):
            return compare(comparison, left, right, type, place)
        case .text(let test, let text, let pattern): return textTest(test, text, pattern, place)
        case .quantified(let quantifier, let ownership, let term):
            return quantified(quantifier, ownership, term, place)
        case .column, .argument, .child: return "(\(value(term, place)) = 1)"
        }
    }

    /// SQLite's parser has a small stack, which grows with what stands before a parenthesis; so the longest part, which
    /// is the deepest, comes first.
    private mutating func deepestFirst(_ terms: [QueryTerm], _ place: Place) -> ArraySlice<String> {
        var parts: [String] = []
        for term in terms { parts.append(condition(term, place)) }
        if let longest = parts.indices.max(by: { parts[$0].utf8.count < parts[$1].utf8.count }), longest > 0 {
            parts.swapAt(0, longest)
        }
        return parts[...]
    }

    /// SQLite limits how deep an expression nests, and reads a chain as nested to one side; halves keep it flat.
    private func joined(_ parts: ArraySlice<String>, _ word: String, ifEmpty: String) -> String {
        if parts.count <= 1 { return parts.first ?? ifEmpty }
        let middle = parts.startIndex + parts.count / 2
        return
            "(\(joined(parts[..<middle], word, ifEmpty: ifEmpty)) \(word) \(joined(parts[middle...], word, ifEmpty: ifEmpty)))"
    }

    private mutating func value(_ term: QueryTerm, _ place: Place) -> String {
        switch term {
        case .column(let column): return place.column(column)
        case .argument(let index): return parameter(value: index)
        case .child(let ownership, let term):
            let child = child(ownership)
            let inner = value(term, child)
            return "(SELECT \(inner) FROM \(rows(ownership, child, of: place)) LIMIT 1)"
        default: return "(\(condition(term, place)) IS TRUE)"
        }
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

    /// Decimals are text, and compared as numbers.
    private func ordered(_ expression: String, _ type: ColumnType) -> String {
        type == .decimal ? expression + " COLLATE storage_decimal" : expression
    }

    private mutating func textTest(
        _ test: TextTest, _ text: QueryTerm, _ pattern: QueryTerm, _ place: Place
    ) -> String {
        let text = value(text, place)
        let wanted = value(pattern, place)
        // As blobs, since SQLite's text functions end at a NUL.
        let bytes = "CAST(\(text) AS BLOB)"
        let wantedBytes = "CAST(\(wanted) AS BLOB)"
        switch test {
        case .hasPrefix:
            guard case .argument(let index) = pattern else {
                return "(substr(\(bytes), 1, length(\(wantedBytes))) = \(wantedBytes))"
            }
            return "(\(text) >= \(wanted) AND \(text) < \(parameter(endOfPrefix: index)))"
        case .hasSuffix:
            // A part of an empty blob is null in SQLite, so the empty suffix is asked for by itself.
            let end = "substr(\(bytes), length(\(bytes)) - length(\(wantedBytes)) + 1) = \(wantedBytes)"
            return "((\(wanted) = '' AND \(text) IS NOT NULL) OR \(end))"
        case .contains: return "(instr(\(bytes), \(wantedBytes)) > 0)"
        }
    }

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
        return Place(plan.tables[ownership.table], aliases)
    }

    private func rows(_ ownership: Ownership, _ child: Place, of owner: Place) -> String {
        let pairs = zip(ownership.inner, ownership.outer).map { inner, outer in
            "\(child.column(inner)) = \(outer.map(owner.column) ?? "0")"
        }
        return "\(child.table.name.quotedName) AS t\(child.alias) WHERE \(pairs.joined(separator: " AND "))"
    }
}
