internal import StorageDriver

/// Turns a query's shape into SQL. Values never become text: they are the statement's parameters.
struct QueryCompiler {
    /// A part of a query has no form in SQL that means exactly the same.
    struct NoForm: Error {}

    let plan: QueryPlan
    let names: Names
    private(set) var parameters: [Parameter] = []
    /// The conditions that ``candidates(isScan:)`` leaves to the program, of those that come before any that can fail.
    private(set) var untested: [QueryTerm] = []
    /// How many aliases of tables are used.
    var aliases = 1
    /// What conditions mean.
    var bound = Bound.exact
    /// Where the values of the test that is compiled are not known to be the program's.
    var doubts: [String] = []

    /// Each parameter has one type in PostgreSQL, so one argument may become several.
    enum Parameter: Hashable {
        case value(Int, ColumnType)
        case prefixEnd(Int)
        case like(Int), regularExpression(Int)
        case list(Int, column: Int, ColumnType)
        /// What an element of an array is, if it is a number, and if it is an array.
        case elementNumber(Int), elementCount(Int)
        case limit, offset, groupLimit, groupOffset
    }

    init(_ plan: QueryPlan, _ names: Names) {
        self.plan = plan
        self.names = names
    }

    mutating func number(_ parameter: Parameter) -> Int {
        if let place = parameters.firstIndex(of: parameter) { return place + 1 }
        parameters.append(parameter)
        return parameters.count
    }

    /// The statement of the whole query.
    mutating func select() throws(NoForm) -> String {
        // PostgreSQL evaluates in an order of its own, and fails in other cases than the contract says.
        if plan.query.canFail { throw NoForm() }
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
            for term in terms { outputs.append(output(try value(term.term, root, term.type), term.type)) }
            return "SELECT " + outputs.joined(separator: ", ") + rows + (try order()) + limit()
        case .groups(let grouping): return try groups(grouping, rows)
        }
    }

    /// The statement of the rows that may match, with all columns, in key order: those in scope for which every condition
    /// holds that has a form and comes before any that can fail.
    ///
    /// - Parameter isScan: whether no condition has a form.
    mutating func candidates(isScan: Bool = false) -> String {
        let outputs = plan.table.columns.indices.map(root.output)
        let conditions = isScan ? [] : candidateConditions()
        return "SELECT " + Self.mark + outputs.joined(separator: ", ") + from(conditions) + keyOrder()
    }

    /// What shows people who look at the server that its rows are not the query's yet.
    private static let mark = "/* tested further by the store */ "

    /// The conditions of ``candidates()``.
    private mutating func candidateConditions() -> [String] {
        var conditions = scope()
        for term in plan.query.filter?.conjuncts ?? [] {
            if let condition = attempt(term, .exact) {
                conditions.append(condition)
                continue
            }
            // What has no exact form in SQL is tested on the rows that come, of which a bound leaves fewer.
            untested.append(term)
            if let bound = attempt(term, .above) { conditions.append(bound) }
        }
        return conditions
    }

    /// A condition on the query's rows; nil, and nothing is changed, where it has no form.
    private mutating func attempt(_ term: QueryTerm, _ bound: Bound) -> String? {
        var attempt = self
        attempt.bound = bound
        guard let condition = try? attempt.condition(term, root) else { return nil }
        self = attempt
        self.bound = .exact
        return condition
    }

    var root: Place { Place(plan.table, 0, names) }

    /// Whether the rows are of a table that other software made. Its text is not escaped, and that of the store's own is.
    var isForeign: Bool { plan.table.isForeign }

    /// What a result has for an expression.
    private func output(_ expression: String, _ type: ColumnType) -> String {
        type.output(isForeign ? type.cast(expression) : expression)
    }

    // MARK: Clauses

    /// Which rows of which table.
    private mutating func rows() throws(NoForm) -> String {
        var conditions = scope()
        if let filter = plan.query.filter { conditions.append(try condition(filter, root)) }
        return from(conditions)
    }

    private func from(_ conditions: [String]) -> String {
        " FROM \(root.table)" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    }

    private mutating func scope() -> [String] {
        let key = plan.table.key
        switch plan.query.scope {
        case .all: return []
        case .key(let columns):
            return key.prefix(columns).enumerated().map { place, column in
                let type = plan.table.columns[column].type
                return root.equality(column, type, number(.value(place, type)))
            }
        case .keys(let columns, let list):
            let types = key.prefix(columns).map { plan.table.columns[$0].type }
            let lists = types.enumerated().map { $1.list(number(.list(list, column: $0, $1))) }
            if columns == 1 { return [root.isIn(key[0], lists[0])] }
            let columns = key.prefix(columns).map(root.column).joined(separator: ", ")
            return ["(\(columns)) IN (SELECT * FROM unnest(\(lists.joined(separator: ", "))))"]
        }
    }

    private func keyOrder() -> String { " ORDER BY " + plan.table.key.map(root.column).joined(separator: ", ") }

    private mutating func order() throws(NoForm) -> String {
        var terms: [String] = []
        for key in plan.query.order { terms.append(try sortTerm(key, root)) }
        terms += plan.table.key.map(root.column)
        return " ORDER BY " + terms.joined(separator: ", ")
    }

    private mutating func sortTerm(_ key: Query.SortKey, _ place: Place) throws(NoForm) -> String {
        let direction = (key.isDescending ? " DESC" : "") + (key.nullsFirst ? " NULLS FIRST" : " NULLS LAST")
        let value = try value(key.term, place, key.type)
        // The index has the beginning.
        guard case .column(let column) = key.term, let beginning = place.beginning(column) else {
            return value + direction
        }
        return beginning + direction + ", " + value + direction
    }

    private mutating func limit() -> String {
        guard plan.query.isLimited else { return "" }
        return " LIMIT $\(number(.limit))::bigint OFFSET $\(number(.offset))::bigint"
    }

    // MARK: Groups

    private mutating func groups(_ grouping: Query.Grouping, _ rows: String) throws(NoForm) -> String {
        var inputs: [String] = []
        for (index, input) in grouping.inputs.enumerated() {
            inputs.append("\(try value(input.term, root, input.type)) AS i\(index)")
        }
        // A limit chooses the rows that are grouped.
        let page = plan.query.isLimited ? try order() + limit() : ""
        let source = "SELECT " + (inputs.isEmpty ? "1" : inputs.joined(separator: ", ")) + rows + page
        let keys = grouping.keys.indices.map { "i\($0)" }
        var results = keys.map { "\($0) AS c\($0.dropFirst())" }
        for (index, aggregate) in grouping.aggregates.enumerated(offset: keys.count) {
            results.append("\(try self.aggregate(aggregate, of: "i\(index)")) AS c\(index)")
        }
        let inner =
            "SELECT " + results.joined(separator: ", ") + " FROM (\(source)) AS s"
            + (keys.isEmpty ? "" : " GROUP BY " + keys.joined(separator: ", "))
        let types = grouping.keys.map(\.type) + grouping.aggregates.map(\.type)
        let place = Place(results: types)
        let outputs = types.enumerated().map { output("g.c\($0)", $1) }.joined(separator: ", ")
        var sql = "SELECT \(outputs) FROM (\(inner)) AS g"
        if let filter = grouping.filter { sql += " WHERE " + (try condition(filter, place)) }
        var order: [String] = []
        for key in grouping.fullOrder { order.append(try sortTerm(key, place)) }
        if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
        guard grouping.isLimited else { return sql }
        return sql + " LIMIT $\(number(.groupLimit))::bigint OFFSET $\(number(.groupOffset))::bigint"
    }

    func aggregate(_ aggregate: Query.Aggregate, of input: String) throws(NoForm) -> String {
        let type = aggregate.term?.type ?? .int64
        switch aggregate.function {
        case .count: return "count(*)"
        case .min where type == .bool: return "bool_and(\(input))"
        case .max where type == .bool: return "bool_or(\(input))"
        // PostgreSQL has no least one of these before version 18.
        case .min where type.storage == .blob: return Self.first(input, "")
        case .max where type.storage == .blob: return Self.first(input, " DESC")
        case .min: return "min(\(input))"
        case .max: return "max(\(input))"
        case .average where type.storage == .integer && type != .bool:
            return "(sum(\(input))::float8 / nullif(count(\(input)), 0))"
        // A sum beyond the type is the error 22003 of this cast.
        case .sum where type.storage == .integer && type != .bool:
            return "coalesce(sum(\(input)), 0)::\(type.sum == .uint64 ? "numeric" : "bigint")"
        // Sums of others are rounded at each step.
        case .sum, .average: throw NoForm()
        }
    }

    private static func first(_ input: String, _ direction: String) -> String {
        "(array_agg(\(input) ORDER BY \(input)\(direction)) FILTER (WHERE \(input) IS NOT NULL))[1]"
    }
}

/// The row in scope: a table's, by its alias, or a group's.
struct Place {
    private let columns: [String]
    private let beginnings: [String?]
    let types: [ColumnType]
    let table: String
    private let stored: [String]
    private let conversions: [ForeignConversion]?

    init(_ table: TableSchema, _ alias: Int, _ names: Names) {
        let stored = table.columns.map { "t\(alias)." + $0.sqlName }
        self.stored = stored
        conversions = table.isForeign ? names.conversions[table.name] : nil
        columns =
            conversions.map { zip($0, stored).map { $0.reading($1) } }
            ?? zip(table.columns, stored).map { $0.type.compared($1) }
        var beginnings: [String?] = columns.map { _ in nil }
        let indexes = table.isForeign ? [] : table.indexes
        for column in indexes.joined() where table.columns[column].type.isUnbounded {
            beginnings[column] = table.columns[column].type.beginning(self.columns[column])
        }
        self.beginnings = beginnings
        types = table.columns.map(\.type)
        self.table = "\(names.rows(of: table)) AS t\(alias)"
    }

    init(results: [ColumnType]) {
        columns = results.indices.map { "g.c\($0)" }
        beginnings = results.map { _ in nil }
        types = results
        table = ""
        (stored, conversions) = ([], nil)
    }

    func column(_ index: Int) -> String { columns[index] }

    /// What a result has for a column.
    func output(_ index: Int) -> String {
        conversions?[index].output(stored[index]) ?? types[index].output(columns[index])
    }

    /// Whether a column has the value of a parameter.
    func equality(_ index: Int, _ type: ColumnType, _ parameter: Int) -> String {
        conversions?[index].equality(stored[index], type.plainParameter(parameter))
            ?? "\(columns[index]) = \(type.parameter(parameter))"
    }

    /// Whether a column has a value of a list.
    func isIn(_ index: Int, _ list: String) -> String {
        conversions?[index].equality(stored[index], list, isList: true) ?? "\(columns[index]) = ANY (\(list))"
    }

    /// The beginning of a column's value, if that is what the column's index has.
    func beginning(_ index: Int) -> String? { beginnings[index] }
}

extension Array {
    fileprivate func enumerated(offset: Int) -> some Sequence<(Int, Element)> { zip(offset..., self) }
}
