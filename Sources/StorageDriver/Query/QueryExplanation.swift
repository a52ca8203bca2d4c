/// A description of the way in which a backend runs a query, in the same words for every backend.
public struct QueryExplanation: Hashable, Sendable, CustomStringConvertible {
    /// The ways in which rows are found.
    public enum Access: Hashable, Sendable {
        /// By their key, or its beginning.
        case key
        /// By the index on a property.
        case index(String)
        /// By examining all rows.
        case scan
    }

    /// The table whose rows the query returns.
    public var table: String
    /// The way in which its rows are found.
    public var access: Access
    /// An estimate of the rows that the access finds, each of which is examined.
    public var rowsExamined: Int
    /// A Boolean value that indicates whether the rows must be sorted.
    public var sorts: Bool
    /// The statement, if the engine has a query language.
    public var statement: String?

    /// Describes how a query is run.
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

/// A session that can explain how it runs a query. It is separate from ``StorageSession`` because it is optional.
public protocol QueryExplaining: StorageSession {
    /// Explains how the rows of the query would be found. Costs at most counting the rows that the access finds.
    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation
}

extension QueryPlan {
    /// A Boolean value that indicates whether the rows of this query are not in key order.
    public var sorts: Bool {
        switch query.result {
        case .columns, .terms: !query.order.isEmpty
        case .groups(let grouping): !grouping.keys.isEmpty
        case .count, .exists: false
        }
    }

    /// The plan that counts the rows that the conditions on one column leave, or all rows in scope if the column is
    /// nil.
    public func counting(by column: Int?) -> QueryPlan {
        let terms = query.filter.map { $0.conjuncts.filter { term in column.map(term.restricts) ?? false } } ?? []
        let filter = terms.isEmpty ? nil : QueryTerm.and(terms)
        return QueryPlan(
            id: nil, query: Query(.count, scope: query.scope, filter: filter), table: table, tables: tables)
    }
}

extension QueryTerm {
    /// The conditions that must all hold and may be evaluated before all others.
    public var conjuncts: [QueryTerm] {
        guard case .and(let terms) = self else { return canFail ? [] : [self] }
        return Array(terms.prefix { !$0.canFail })
    }

    /// Returns whether the condition compares a column with given values, so that an index on the column can serve it.
    public func restricts(_ column: Int) -> Bool {
        switch self {
        case .comparison(.notEqual, _, _, _): false
        case .comparison(_, .column(column), .argument, _), .comparison(_, .argument, .column(column), _): true
        case .isIn(.column(column), _, _), .isNull(.column(column)): true
        case .isAmong(let columns, _): columns.first == column
        case .text(.hasPrefix, .column(column), .argument): true
        default: false
        }
    }
}

extension QueryEvaluation {
    /// Explains ``rows()``: it finds rows by key if the scope, an equality or a range names keys, by an index if a condition is
    /// on an indexed column or a page is in its order, and otherwise examines all rows.
    public func explanation() throws(StorageError) -> QueryExplanation {
        let access = try access()
        var examined = 0
        while try access.rows.next() != nil { examined += 1 }
        let sorts =
            switch plan.query.result {
            case .columns, .terms: !access.isInOrder
            case .groups, .count, .exists: plan.sorts
            }
        return QueryExplanation(
            table: plan.table.name, access: access.way, rowsExamined: examined, sorts: sorts || access.sortsKeys)
    }
}
