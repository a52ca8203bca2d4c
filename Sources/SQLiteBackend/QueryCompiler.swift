internal import StorageDriver

/// Turns a query's shape into SQL. Values never become text: they are the statement's parameters.
struct QueryCompiler {
    let plan: QueryPlan
    /// The number of table aliases used.
    var aliases = 1
    /// The records that sort the rows.
    var joins = Joins()
    /// Parameters after all others: the ends of prefixes, by the argument's index.
    private(set) var prefixEnds: [Int] = []
    let parameters: Parameters
    let conversions: TableConversions

    /// The statement's parameters: the arguments' values and lists, then the limits, then the prefixes' ends.
    struct Parameters {
        let values: Int
        let lists: Int

        init(_ arguments: QueryArguments) {
            values = arguments.values.count
            lists = arguments.lists.count
        }

        func value(_ index: Int) -> Int { index + 1 }
        func list(_ index: Int) -> Int { values + index + 1 }
        /// The rows' limit, with the offset after it.
        var limit: Int { values + lists + 1 }
        /// The groups' limit, with the offset after it.
        var groupLimit: Int { limit + 2 }
        func prefixEnd(_ index: Int) -> Int { limit + 4 + index }
    }

    /// - Parameter arguments: only the numbers of their values and lists matter, which belong to the shape.
    /// - Parameter conversions: the representations of the plan's tables that other software created.
    init(_ plan: QueryPlan, _ arguments: QueryArguments, conversions: TableConversions) {
        self.plan = plan
        self.conversions = conversions
        parameters = Parameters(arguments)
    }

    mutating func select() -> String {
        switch plan.query.result {
        case .columns, .terms: joinOrder()
        case .count, .exists, .groups: break
        }
        let rows = rows()
        switch plan.query.result {
        case .count: return "SELECT count(*)" + rows
        // If evaluating a row can fail, every row is evaluated.
        case .exists where plan.query.canFail: return "SELECT count(*) > 0" + rows
        case .exists: return "SELECT EXISTS (SELECT 1\(rows))"
        case .columns(let columns):
            return "SELECT " + columns.map(root.column).joined(separator: ", ") + rows + order() + limit()
        case .terms(let terms): return "SELECT " + outputs(terms).joined(separator: ", ") + rows + order() + limit()
        case .groups(let grouping): return groups(grouping, rows)
        }
    }

    /// The columns that the plan gives, of its rows in any order.
    mutating func columns(_ columns: [Int]) -> String {
        "SELECT " + columns.map(root.column).joined(separator: ", ") + rows()
    }

    var root: Place { Place(plan.table, alias: 0, conversions: conversions) }

    mutating func parameter(endOfPrefix index: Int) -> String {
        prefixEnds.append(index)
        return "?\(parameters.prefixEnd(prefixEnds.count - 1))"
    }

    // MARK: Clauses

    /// Returns the SQL that selects rows of a table.
    private mutating func rows() -> String {
        let keys = listedKeys
        let conditions = conditions(keys)
        return " FROM \(keys.map(list) ?? "")\(root.table)\(joins.sql)"
            + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    }

    mutating func conditions(_ keys: ListedKeys?) -> [String] {
        (keys.map(equalities) ?? []) + scope(keys) + filter(keys)
    }

    private func scope(_ listed: ListedKeys?) -> [String] {
        let key = plan.table.key.map(root.column)
        switch plan.query.scope {
        case .all: return []
        case .keys where listed?.isScope == true: return []
        case .key(let columns): return (0..<columns).map { key[$0] + " = ?\(parameters.value($0))" }
        case .keys(1, let list): return [key[0] + " IN (SELECT c0 FROM storage_list(?\(parameters.list(list))))"]
        case .keys(let columns, let list):
            let names = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
            let keys = key.prefix(columns).joined(separator: ", ")
            return ["(\(keys)) IN (SELECT \(names) FROM storage_list(?\(parameters.list(list))))"]
        }
    }

    /// The filter's conditions. A condition before another that can fail is repeated separately, so that an index can
    /// serve it.
    private mutating func filter(_ listed: ListedKeys?) -> [String] {
        guard let filter = plan.query.filter, listed?.term != filter else { return [] }
        var conditions: [String] = []
        if case .and(let terms) = filter, filter.canFail {
            for term in terms.prefix(while: { !$0.canFail }) { conditions.append(condition(term, root)) }
        }
        guard case .and(let terms) = filter, !filter.canFail else {
            return conditions + [chosenReferences(filter) ?? condition(filter, root)]
        }
        var others: [QueryTerm] = []
        for term in terms where term != listed?.term {
            if let chosen = chosenReferences(term) { conditions.append(chosen) } else { others.append(term) }
        }
        return others.isEmpty ? conditions : conditions + [condition(.and(others), root)]
    }

    mutating func outputs(_ terms: [TypedTerm]) -> [String] {
        var outputs: [String] = []
        for term in terms { outputs.append(value(term.term, root)) }
        return outputs
    }

    mutating func order() -> String {
        var terms: [String] = []
        // A plus keeps SQLite from reading rows in this order, and so from stopping at the limit.
        let mark = plan.query.isComputedWhole ? "+" : ""
        let order = plan.rowOrder
        for key in order.keys { terms.append(mark + sortTerm(key, root)) }
        terms += order.key.map { mark + root.column($0) }
        return terms.isEmpty ? "" : " ORDER BY " + terms.joined(separator: ", ")
    }

    private mutating func sortTerm(_ key: Query.SortKey, _ place: Place) -> String {
        let term = ordered(value(key.term, place), key.type) + (key.isDescending ? " DESC" : "")
        guard key.nullsFirst == key.isDescending else { return term }
        return term + (key.nullsFirst ? " NULLS FIRST" : " NULLS LAST")
    }

    func limit() -> String {
        if plan.findsNumber { return " LIMIT 1" }
        return plan.query.isLimited ? " LIMIT ?\(parameters.limit) OFFSET ?\(parameters.limit + 1)" : ""
    }

    // MARK: Groups

    private mutating func groups(_ grouping: Query.Grouping, _ rows: String) -> String {
        var inputs = outputs(grouping.inputs)
        var source = rows
        // A plus keeps SQLite from reading groups, or the least value, in an index's order, and so from stopping early.
        if plan.query.canFail { inputs = inputs.map { "+(\($0))" } }
        if plan.query.isLimited {
            // The limit chooses the rows that are grouped.
            let named = inputs.enumerated().map { "\($1) AS c\($0)" }.joined(separator: ", ")
            source = " FROM (SELECT \(named.isEmpty ? "1" : named)\(rows)\(order())\(limit()))"
            inputs = inputs.indices.map { "c\($0)" }
        }
        let keys = Array(inputs.prefix(grouping.keys.count))
        let aggregates = zip(grouping.aggregates, inputs.dropFirst(keys.count)).map { aggregate($0, of: $1) }
        let place = Place(results: keys + aggregates)
        var sql = "SELECT " + (keys + aggregates).joined(separator: ", ") + source
        if !keys.isEmpty { sql += " GROUP BY " + keys.joined(separator: ", ") }
        if let filter = grouping.filter { sql += " HAVING " + condition(filter, place) }
        let order = grouping.fullOrder.map { sortTerm($0, place) }
        if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
        return grouping.isLimited ? sql + " LIMIT ?\(parameters.groupLimit) OFFSET ?\(parameters.groupLimit + 1)" : sql
    }

    func aggregate(_ aggregate: Query.Aggregate, of input: String) -> String {
        let type = aggregate.term?.type ?? .int64
        switch aggregate.function {
        case .count: return "count(*)"
        case .min: return "min(\(ordered(input, type)))"
        case .max: return "max(\(ordered(input, type)))"
        case .average: return "storage_average(\(SQLFunctions.code(type)), \(input))"
        case .sum:
            let zero = type.row.sum.ofNothing.sql
            return "coalesce(storage_sum(\(SQLFunctions.code(type)), \(input)), \(zero))"
        }
    }
}

/// The row in scope: a table's, by its alias, or a group's.
struct Place {
    private let names: [String]
    /// The number of the table's alias.
    let alias: Int
    let table: String

    init(_ table: TableSchema, alias: Int, conversions: TableConversions) {
        self.alias = alias
        names = table.columns.indices.map { conversions.reading("t\(alias)." + table.columns[$0].sql, $0, of: table) }
        self.table = "\(conversions.rows(of: table)) AS t\(alias)"
    }

    init(results: [String]) {
        names = results
        alias = 0
        table = ""
    }

    func column(_ index: Int) -> String { names[index] }
}
