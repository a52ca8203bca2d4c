/// A row that gives the values of its columns: an array of them, or what a backend packs its rows in.
public protocol ValueRow {
    subscript(_ column: Int) -> Value { get }
}

extension [Value]: ValueRow {}

/// The tables of a backend that keeps rows in memory, as ``QueryEvaluation`` looks at them.
public protocol ValueTables {
    associatedtype Row: ValueRow = [Value]
    associatedtype Rows: Sequence<Row>
    /// The rows whose key begins with the given values, in key order. Each row has all columns of the table.
    func rows(of table: TableSchema, keyPrefix: [Value]) -> Rows
}

/// The reference meaning of queries, over rows of values. A backend without a query engine of its own uses it as it is.
public struct QueryEvaluation<Tables: ValueTables> {
    private let tables: Tables
    private let plan: QueryPlan
    private let arguments: QueryArguments
    private let sets: [Set<Value>]

    public init(_ plan: QueryPlan, _ arguments: QueryArguments, in tables: Tables) {
        self.plan = plan
        self.arguments = arguments
        self.tables = tables
        sets = arguments.lists.map { $0.width == 1 ? Set($0.values) : [] }
    }

    /// The result rows. Costs a pass over the rows in scope, and sorting where there are sort keys.
    public func rows() -> [[Value]] {
        let matches = candidates().filter(isMatch)
        switch plan.query.result {
        case .count: return [[.int(Int64(matches.count))]]
        case .exists: return [[.int(matches.isEmpty ? 0 : 1)]]
        case .columns(let columns):
            let page = sorted(matches).dropFirst(arguments.offset).prefix(arguments.limit ?? .max)
            return page.map { row in columns.map { row[$0] } }
        }
    }

    /// Whether the query's filter holds for the row.
    public func isMatch(_ row: Tables.Row) -> Bool { plan.query.filter.map { isTrue($0, row) } ?? true }

    private func candidates() -> [Tables.Row] {
        switch plan.query.scope {
        case .all: return Array(tables.rows(of: plan.table, keyPrefix: []))
        case .key(let columns):
            return Array(tables.rows(of: plan.table, keyPrefix: Array(arguments.values.prefix(columns))))
        case .keys(_, let list):
            let keys = arguments.lists[list]
            let sorted = Set((0..<keys.count).map { Array(keys[$0]) }).sorted { Self.order($0, $1) == .before }
            return sorted.flatMap { Array(tables.rows(of: plan.table, keyPrefix: $0)) }
        }
    }

    /// The order of two keys.
    static func order(_ left: [Value], _ right: [Value]) -> ValueOrder {
        for (left, right) in zip(left, right) {
            let order = left.order(to: right)
            if order != .same { return order }
        }
        return .same
    }

    private func sorted(_ rows: [Tables.Row]) -> [Tables.Row] {
        guard !plan.query.order.isEmpty else { return rows }
        let keyed = rows.enumerated().map { index, row in
            (index: index, row: row, key: plan.query.order.map { value($0.term, row) })
        }
        // Rows come in key order, so their index decides between rows that are equal on all sort keys.
        let ordered = keyed.sorted { left, right in
            for (sort, pair) in zip(plan.query.order, zip(left.key, right.key)) {
                let order = pair.0.order(to: pair.1, as: sort.type)
                if order != .same { return (order == .before) != sort.isDescending }
            }
            return left.index < right.index
        }
        return ordered.map(\.row)
    }

    // MARK: Terms

    /// Whether the term holds for the row.
    public func isTrue(_ term: QueryTerm, _ row: Tables.Row) -> Bool {
        switch term {
        case .constant(let constant): return constant
        case .and(let terms): return terms.allSatisfy { isTrue($0, row) }
        case .or(let terms): return terms.contains { isTrue($0, row) }
        case .not(let term): return !isTrue(term, row)
        case .isNull(let term): return value(term, row).isNull
        case .isIn(let term, let list, _): return sets[list].contains(value(term, row))
        case .comparison(let comparison, let left, let right, let type):
            return Self.holds(comparison, value(left, row), value(right, row), type)
        case .text(let test, let text, let pattern): return Self.holds(test, value(text, row), value(pattern, row))
        case .quantified(let quantifier, let ownership, let term):
            let owned = children(ownership, of: row)
            switch quantifier {
            case .any: return owned.contains { isTrue(term, $0) }
            case .all: return owned.allSatisfy { isTrue(term, $0) }
            case .none: return !owned.contains { isTrue(term, $0) }
            }
        case .column, .argument, .child: return value(term, row) == .int(1)
        }
    }

    /// The term's value for the row.
    public func value(_ term: QueryTerm, _ row: Tables.Row) -> Value {
        switch term {
        case .column(let column): row[column]
        case .argument(let index): arguments.values[index]
        case .child(let ownership, let term):
            children(ownership, of: row).first.map { value(term, $0) } ?? .null
        default: .int(isTrue(term, row) ? 1 : 0)
        }
    }

    private func children(_ ownership: Ownership, of row: Tables.Row) -> [Tables.Row] {
        let table = plan.tables[ownership.table]
        let wanted = ownership.outer.map { $0.map { row[$0] } ?? .int(0) }
        let prefix = zip(ownership.inner, table.key).prefix { $0 == $1 }.count
        let rest = zip(ownership.inner, wanted).dropFirst(prefix)
        return tables.rows(of: table, keyPrefix: Array(wanted.prefix(prefix)))
            .filter { child in rest.allSatisfy { child[$0] == $1 } }
    }

    private static func holds(
        _ comparison: Comparison, _ left: Value, _ right: Value, _ type: ColumnType
    ) -> Bool {
        let order = left.order(to: right, as: type)
        if comparison == .equal { return order == .same }
        if comparison == .notEqual { return order != .same }
        if left.isNull || right.isNull { return false }
        switch comparison {
        case .less: return order == .before
        case .lessOrEqual: return order != .after
        case .greater: return order == .after
        default: return order != .before
        }
    }

    private static func holds(_ test: TextTest, _ text: Value, _ pattern: Value) -> Bool {
        guard case .text(let text) = text, case .text(let pattern) = pattern else { return false }
        let bytes = Array(text.utf8)
        let wanted = Array(pattern.utf8)
        switch test {
        case .hasPrefix: return bytes.starts(with: wanted)
        case .hasSuffix: return bytes.reversed().starts(with: wanted.reversed())
        case .contains: return bytes.contains(wanted)
        }
    }
}
