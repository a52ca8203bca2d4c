/// How a backend goes about a query, in the same words for every backend.
public struct QueryExplanation: Hashable, Sendable, CustomStringConvertible {
    /// How rows are found.
    public enum Access: Hashable, Sendable {
        /// By their key, or its beginning.
        case key
        /// By the index on a property.
        case index(String)
        /// By looking at all rows.
        case scan
    }

    /// The table whose rows are asked for.
    public var table: String
    /// How its rows are found.
    public var access: Access
    /// An estimate of the rows that are looked at: those that the access leaves.
    public var rowsExamined: Int
    /// Whether the rows come in another order than they are wanted, and are sorted.
    public var sorts: Bool
    /// The statement, where the engine has a language of its own.
    public var statement: String?

    /// How a query is gone about.
    public init(
        table: String, access: Access, rowsExamined: Int, sorts: Bool, statement: String? = nil
    ) {
        self.table = table
        self.access = access
        self.rowsExamined = rowsExamined
        self.sorts = sorts
        self.statement = statement
    }

    /// `Person: by the index on name, about 12 rows examined, sorted`, and the statement on a second line.
    public var description: String {
        let way =
            switch access {
            case .key: "by key"
            case .index(let property): "by the index on \(property)"
            case .scan: "all rows"
            }
        let rows = "about \(rowsExamined) \(rowsExamined == 1 ? "row" : "rows") examined"
        return "\(table): \(way), \(rows)" + (sorts ? ", sorted" : "") + (statement.map { "\n" + $0 } ?? "")
    }
}

/// A session that tells how it goes about a query. Apart from ``StorageSession`` because no query needs it: a backend
/// without it can do all else.
public protocol QueryExplaining: StorageSession {
    /// How the rows of the query would be found. Costs counting the rows that the access leaves, at most.
    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation
}

extension QueryPlan {
    /// Whether rows of this query come in another order than that of the key.
    public var sorts: Bool {
        switch query.result {
        case .columns, .terms: !query.order.isEmpty
        case .groups(let grouping): !grouping.keys.isEmpty
        case .count, .exists: false
        }
    }

    /// The plan that counts the rows which the conditions on one column leave; on all rows in scope where it is nil.
    public func counting(by column: Int?) -> QueryPlan {
        let terms = query.filter.map { $0.conjuncts.filter { term in column.map(term.restricts) ?? false } } ?? []
        let filter = terms.isEmpty ? nil : QueryTerm.and(terms)
        return QueryPlan(
            id: nil, query: Query(.count, scope: query.scope, filter: filter), table: table, tables: tables)
    }
}

extension QueryTerm {
    /// The conditions that all have to hold and that may be looked at before all others.
    public var conjuncts: [QueryTerm] {
        guard case .and(let terms) = self else { return canFail ? [] : [self] }
        return Array(terms.prefix { !$0.canFail })
    }

    /// Whether the condition is one on a column's value against given values, which an index on the column can serve.
    public func restricts(_ column: Int) -> Bool {
        switch self {
        case .comparison(.notEqual, _, _, _): false
        case .comparison(_, .column(column), .argument, _), .comparison(_, .argument, .column(column), _): true
        case .isIn(.column(column), _, _), .isNull(.column(column)): true
        case .text(.hasPrefix, .column(column), .argument): true
        default: false
        }
    }
}

extension QueryEvaluation {
    /// What ``rows()`` does: it finds rows by their key where the scope or an equality says which, by an index where a
    /// condition is on its column and the tables have it, and looks at all otherwise.
    public func explanation() -> QueryExplanation {
        let access = access
        let examined = access.prefixes.reduce(0) { count, prefix in
            tables.rows(of: plan.table, keyPrefix: prefix).reduce(count) { count, _ in count + 1 }
        }
        return QueryExplanation(
            table: plan.table.name, access: access.way, rowsExamined: examined, sorts: plan.sorts || access.isSorted)
    }
}
