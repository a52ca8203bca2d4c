internal import StorageDriver

/// Turns a query's shape into SQL. Values never become text: they are the statement's parameters.
struct QueryCompiler {
    /// A part of a query has no form in SQL that means exactly the same.
    struct NotExpressibleInSQL: Error {}

    let plan: QueryPlan
    let names: Names
    private var numbers = DistinctList<Parameter>()
    /// The conditions before the first that can fail which ``candidates(_:isScan:)`` leaves to the program.
    private(set) var untested: [QueryTerm] = []
    /// The number of table aliases used.
    var aliases = 1
    /// The records that sort the rows.
    var joins = Joins()
    /// The accuracy of the conditions being compiled.
    var bound = Bound.exact
    /// The SQL conditions under which the values of the compiled test may differ from the program's.
    var doubts: [String] = []
    /// True if the statement fails when a sum by ``sliced(_:of:)`` is not exact.
    private(set) var isSliced = false

    /// Each parameter has one type in PostgreSQL, so one argument may become several.
    enum Parameter: Hashable {
        case value(Int, ColumnType)
        case prefixEnd(Int)
        case like(Int), regularExpression(Int)
        case list(Int, column: Int, ColumnType)
        /// An element of an array, as a number or as an array.
        case elementNumber(Int), elementCount(Int)
        case limit, offset, groupLimit, groupOffset
    }

    init(_ plan: QueryPlan, _ names: Names) {
        self.plan = plan
        self.names = names
    }

    var parameters: [Parameter] { numbers.elements }

    mutating func number(_ parameter: Parameter) -> Int { numbers.index(of: parameter) + 1 }

    /// The statement of the whole query.
    mutating func select() throws(NotExpressibleInSQL) -> String {
        // PostgreSQL chooses the order of evaluation, and fails in other cases than the contract says.
        if plan.query.canFail { throw NotExpressibleInSQL() }
        switch plan.query.result {
        case .columns, .terms: joinOrder()
        case .count, .exists, .groups: break
        }
        let rows = try rows()
        switch plan.query.result {
        case .count: return "SELECT count(*)" + rows
        case .exists: return "SELECT EXISTS (SELECT 1\(rows))"
        case .columns(let columns):
            let outputs = columns.map(root.output)
            return "SELECT " + (outputs.isEmpty ? "1" : outputs.joined(separator: ", ")) + rows + (try order())
                + limit()
        case .terms(let terms):
            var outputs: [String] = []
            for term in terms { outputs.append(output(try value(term.term, in: root, as: term.type), term.type)) }
            return "SELECT " + outputs.joined(separator: ", ") + rows + (try order()) + limit()
        case .groups(let grouping): return try groups(grouping, rows)
        }
    }

    /// The statement of the rows that may match, in key order: the rows in scope that meet every condition with a form before
    /// the first condition that can fail.
    ///
    /// - Parameters:
    ///   - columns: the columns that the program reads.
    ///   - isScan: whether no condition has a form.
    mutating func candidates(_ columns: [Int], isScan: Bool = false) -> String {
        let outputs = columns.isEmpty ? "1" : columns.map(root.output).joined(separator: ", ")
        let conditions = isScan ? [] : candidateConditions()
        return "SELECT " + Self.mark + outputs + from(conditions) + keyOrder()
    }

    /// A comment in the statement, which shows administrators that its rows are not the query's result yet.
    private static let mark = "/* tested further by the store */ "

    /// The conditions of ``candidates()``.
    private mutating func candidateConditions() -> [String] {
        var conditions = scopeConditions()
        for term in plan.query.filter?.conjuncts ?? [] {
            if let condition = attempt(term, .exact) {
                conditions.append(condition)
                continue
            }
            // A condition without an exact form in SQL is tested on the returned rows, and a bound reduces their number.
            untested.append(term)
            if let bound = attempt(term, .above) { conditions.append(bound) }
        }
        return conditions
    }

    /// A condition on the query's rows; nil, without any change, if it has no form.
    private mutating func attempt(_ term: QueryTerm, _ bound: Bound) -> String? {
        let (count, aliases, doubts) = (parameters.count, aliases, doubts)
        let scope = root
        if let condition = try? with(
            bound, { (compiler) throws(NotExpressibleInSQL) in try compiler.condition(term, in: scope) })
        {
            return condition
        }
        numbers.removeAll(after: count)
        (self.aliases, self.doubts) = (aliases, doubts)
        return nil
    }

    var root: RowScope { RowScope(plan.table, alias: 0, names) }

    /// True if the rows are of a table that other software made. Text in such a table is not escaped, unlike text in the
    /// store's tables.
    var isForeign: Bool { plan.table.isForeign }

    /// Returns the SQL of a result's expression.
    private func output(_ expression: String, _ type: ColumnType) -> String {
        type.output(isForeign ? type.cast(expression) : expression)
    }

    // MARK: Clauses

    /// Returns the SQL that selects rows of a table.
    private mutating func rows(where more: [String] = []) throws(NotExpressibleInSQL) -> String {
        var conditions = scopeConditions()
        if let filter = plan.query.filter { conditions.append(try condition(filter, in: root)) }
        return from(conditions + more)
    }

    private func from(_ conditions: [String]) -> String {
        let rows = " FROM \(root.table)\(joins.sql)"
        return conditions.isEmpty ? rows : rows + " WHERE " + conditions.joined(separator: " AND ")
    }

    private mutating func scopeConditions() -> [String] {
        let key = plan.table.key
        switch plan.query.scope {
        case .all: return []
        case .key(let columns):
            return key.prefix(columns).enumerated().map { index, column in
                let type = plan.table.columns[column].type
                return root.equality(column, type, parameter: number(.value(index, type)))
            }
        case .keys(let columns, let list):
            let types = key.prefix(columns).map { plan.table.columns[$0].type }
            let lists = types.enumerated().map { $1.list(number(.list(list, column: $0, $1))) }
            if columns == 1 { return [root.isIn(key[0], lists[0])] }
            let columns = key.prefix(columns).map(root.column).joined(separator: ", ")
            return ["(\(columns)) IN (SELECT * FROM unnest(\(lists.joined(separator: ", "))))"]
        }
    }

    /// Rows that the server counts come in the order of their numbers.
    private func keyOrder() -> String {
        let key = plan.table.key.filter { $0 != plan.table.rowNumber }
        return key.isEmpty ? "" : " ORDER BY " + key.map(root.column).joined(separator: ", ")
    }

    private mutating func order() throws(NotExpressibleInSQL) -> String {
        var terms: [String] = []
        let order = plan.rowOrder
        for key in order.keys { terms.append(try sortTerm(key, in: root)) }
        terms += order.key.map(root.column)
        return terms.isEmpty ? "" : " ORDER BY " + terms.joined(separator: ", ")
    }

    private mutating func sortTerm(_ key: Query.SortKey, in scope: RowScope) throws(NotExpressibleInSQL) -> String {
        let value = try value(key.term, in: scope, as: key.type)
        // A primary key's index has no NULLS FIRST, as a store's other indexes have. With it, the server would sort all rows.
        var direction = key.isDescending ? " DESC" : ""
        if case .column(let column) = key.term, scope.isInKey(column) { return value + direction }
        direction += key.nullsFirst ? " NULLS FIRST" : " NULLS LAST"
        // The index has the beginning.
        guard let beginning = beginning(of: key.term, in: scope), mayFollowIndex(key.term) else {
            return value + direction
        }
        return beginning + direction + ", " + value + direction
    }

    private mutating func limit() -> String {
        guard plan.query.isLimited else { return plan.findsNumber ? " LIMIT 1" : "" }
        return " LIMIT $\(number(.limit))::bigint OFFSET $\(number(.offset))::bigint"
    }

    // MARK: Groups

    private mutating func groups(_ grouping: Query.Grouping, _ rows: String) throws(NotExpressibleInSQL) -> String {
        let ends = try ends(grouping)
        let inner = if let ends { ends } else { try grouped(grouping, rows) }
        let types = grouping.keys.map(\.type) + grouping.aggregates.map(\.type)
        let scope = RowScope(results: types)
        let outputs = types.enumerated().map { output("g.c\($0)", $1) }.joined(separator: ", ")
        var sql = "SELECT \(outputs) FROM (\(inner)) AS g"
        if let filter = grouping.filter { sql += " WHERE " + (try condition(filter, in: scope)) }
        var order: [String] = []
        for key in grouping.fullOrder { order.append(try sortTerm(key, in: scope)) }
        if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
        guard grouping.isLimited else { return sql }
        return sql + " LIMIT $\(number(.groupLimit))::bigint OFFSET $\(number(.groupOffset))::bigint"
    }

    /// A row for each group: its keys, then its aggregates.
    private mutating func grouped(_ grouping: Query.Grouping, _ rows: String) throws(NotExpressibleInSQL) -> String {
        var inputs: [String] = []
        for (index, input) in grouping.inputs.enumerated() {
            inputs.append("\(try value(input.term, in: root, as: input.type)) AS i\(index)")
        }
        // A limit chooses the rows that are grouped.
        let page = plan.query.isLimited ? try order() + limit() : ""
        let source = "SELECT " + (inputs.isEmpty ? "1" : inputs.joined(separator: ", ")) + rows + page
        let keys = grouping.keys.indices.map { "i\($0)" }
        var results = keys.map { "\($0) AS c\($0.dropFirst())" }
        for (index, aggregate) in grouping.aggregates.enumerated(offset: keys.count) {
            results.append("\(try groupAggregate(aggregate, of: "i\(index)")) AS c\(index)")
        }
        return "SELECT " + results.joined(separator: ", ") + " FROM (\(source)) AS s"
            + (keys.isEmpty ? "" : " GROUP BY " + keys.joined(separator: ", "))
    }

    private mutating func groupAggregate(_ aggregate: Query.Aggregate, of input: String) throws(NotExpressibleInSQL)
        -> String
    {
        guard aggregate.isOfDoubles, !isForeign else { return try self.aggregate(aggregate, of: input) }
        isSliced = true
        return Self.sliced(aggregate, of: input)
    }

    /// The row of the least and greatest values of columns among all rows, each as the first in the order of an index, because
    /// the server's aggregates would read all values. Nil for any other grouping.
    private mutating func ends(_ grouping: Query.Grouping) throws(NotExpressibleInSQL) -> String? {
        guard grouping.keys.isEmpty, !plan.query.isLimited, !grouping.aggregates.isEmpty, !isForeign else { return nil }
        var ends: [String] = []
        for (index, aggregate) in grouping.aggregates.enumerated() {
            guard aggregate.isEnd, let term = aggregate.term, case .column(let column) = term.term,
                root.beginning(column) != nil || term.type.storage == .blob
            else { return nil }
            let isGreatest = aggregate.function == .max
            let rows = try rows(where: ["\(root.beginning(column) ?? root.column(column)) IS NOT NULL"])
            let order = try sortTerm(
                Query.SortKey(term: term.term, type: term.type, isDescending: isGreatest), in: root)
            ends.append("(SELECT \(root.column(column))\(rows) ORDER BY \(order) LIMIT 1) AS c\(index)")
        }
        return "SELECT " + ends.joined(separator: ", ")
    }
}

extension Array {
    fileprivate func enumerated(offset: Int) -> some Sequence<(Int, Element)> { zip(offset..., self) }
}
