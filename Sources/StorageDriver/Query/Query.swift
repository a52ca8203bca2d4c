/// The shape of a query. Its values are in ``QueryArguments``.
///
/// A query means the same as plain Swift over an array of the table's rows, with the equality and order of
/// ``Value``. Filters have two values. Rows that are equal on all sort keys come in the order of the table's key, as do
/// all rows without sort keys.
public struct Query: Hashable, Sendable {
    /// The content of each result row.
    public enum Result: Hashable, Sendable {
        /// These columns, in this order.
        case columns([Int])
        /// These terms, in this order.
        case terms([TypedTerm])
        /// One row with one integer: the number of rows. Limit and offset do not apply.
        case count
        /// One row: 1 if any row exists, otherwise 0.
        case exists
        /// One row for each group of equal keys.
        case groups(Grouping)
    }

    /// The rows in scope, by their key.
    public enum Scope: Hashable, Sendable {
        /// All rows of the table.
        case all
        /// Rows whose key begins with the first `columns` argument values.
        case key(columns: Int)
        /// Rows whose key begins with one of the rows of the argument list, each of `columns` values.
        case keys(columns: Int, list: Int)
    }

    /// The content of the result.
    public var result: Result
    /// The rows in scope.
    public var scope: Scope
    /// The condition that rows must meet; nil for all rows.
    public var filter: QueryTerm?
    /// The sort keys. Rows that are equal on all of them come in key order.
    public var order: [SortKey]
    /// A Boolean value that indicates whether the arguments' limit and offset apply.
    public var isLimited = false

    /// A query without a limit.
    public init(_ result: Result, scope: Scope = .all, filter: QueryTerm? = nil, order: [SortKey] = []) {
        self.result = result
        self.scope = scope
        self.filter = filter
        self.order = order
    }

    /// The number of values in each result row.
    public var width: Int {
        switch result {
        case .columns(let columns): columns.count
        case .terms(let terms): terms.count
        case .groups(let grouping): grouping.width
        case .count, .exists: 1
        }
    }

    /// True if evaluating a row can fail; see ``QueryTerm/canFail``.
    public var canFail: Bool {
        if filter?.canFail == true || order.contains(where: \.term.canFail) { return true }
        switch result {
        case .terms(let terms): return terms.contains(where: \.term.canFail)
        case .groups(let grouping): return grouping.inputs.contains(where: \.term.canFail)
        case .columns, .count, .exists: return false
        }
    }

    /// A Boolean value that indicates whether every row in scope must be evaluated before the first result: a row can
    /// fail, and with a limit, an order or `exists` backends would stop at different rows. Otherwise rows that can fail
    /// come in key order, each as it is computed.
    public var isComputedWhole: Bool { canFail && (isLimited || !order.isEmpty || result == .exists) }
}

/// A term with the type of its values.
public struct TypedTerm: Hashable, Sendable {
    /// The term.
    public var term: QueryTerm
    /// The type of its values.
    public var type: ColumnType

    /// A term with its type.
    public init(_ term: QueryTerm, _ type: ColumnType) {
        self.term = term
        self.type = type
    }
}

extension Query {
    /// A term to sort by.
    public struct SortKey: Hashable, Sendable {
        /// The term to sort by.
        public var term: QueryTerm
        /// The type of its values.
        public var type: ColumnType
        /// A Boolean value that indicates whether greater values come first.
        public var isDescending: Bool
        /// A Boolean value that indicates whether rows without a value come before all others.
        public var nullsFirst: Bool

        /// A sort key. Rows without a value come first if `nullsFirst` is true, by default if the order is ascending.
        public init(term: QueryTerm, type: ColumnType, isDescending: Bool, nullsFirst: Bool? = nil) {
            self.term = term
            self.type = type
            self.isDescending = isDescending
            self.nullsFirst = nullsFirst ?? !isDescending
        }

        /// True if nulls are where the order of values has them.
        package var hasUsualNulls: Bool { nullsFirst != isDescending }

        /// The order of two rows with these values in the result.
        public func order(_ left: Value, _ right: Value) -> ValueOrder {
            if left.isNull != right.isNull { return left.isNull == nullsFirst ? .before : .after }
            let order = left.order(to: right, as: type)
            return isDescending ? order.reversed : order
        }
    }

    /// The grouping of rows. A group's row has its keys first and then its aggregates. The columns of ``filter`` and
    /// ``order`` are the values of that row.
    ///
    /// The query's filter, order and limit apply to the rows before they are grouped. Without keys all rows are one
    /// group, even if there are none.
    public struct Grouping: Hashable, Sendable {
        /// The terms whose values make a group.
        public var keys: [TypedTerm]
        /// The aggregates of each group's rows.
        public var aggregates: [Aggregate]
        /// The condition that groups must meet; nil for all groups.
        public var filter: QueryTerm?
        /// Groups that are equal on all of these come in the order of their keys.
        public var order: [SortKey]
        /// True if the arguments' group limit and offset apply.
        public var isLimited = false

        package init(keys: [TypedTerm], aggregates: [Aggregate], filter: QueryTerm? = nil, order: [SortKey] = []) {
            self.keys = keys
            self.aggregates = aggregates
            self.filter = filter
            self.order = order
        }

        /// The number of values in a group's row.
        public var width: Int { keys.count + aggregates.count }

        /// The terms that are computed for each row: the keys, then the terms to aggregate.
        public var inputs: [TypedTerm] { keys + aggregates.map { $0.term ?? TypedTerm(.null, .int64) } }

        /// The complete order of groups.
        public var fullOrder: [SortKey] {
            order + keys.enumerated().map { SortKey(term: .column($0), type: $1.type, isDescending: false) }
        }
    }

    /// A value that is computed from a group's rows.
    public struct Aggregate: Hashable, Sendable {
        /// The function of the aggregate.
        public var function: AggregateFunction
        /// The term to aggregate; rows where it is null are ignored. Nil if rows are counted.
        public var term: TypedTerm?

        /// An aggregate of a term's values, or of rows without a term.
        public init(_ function: AggregateFunction, of term: TypedTerm? = nil) {
            self.function = function
            self.term = term
        }
    }
}

/// The function of an aggregate; see ``AggregateState`` for the exact meaning.
public enum AggregateFunction: String, Hashable, Sendable {
    /// The number of rows.
    case count
    case sum, min, max, average
}

/// The values of a query.
public struct QueryArguments: Sendable {
    /// The values, to which terms refer by index.
    public var values: [Value]
    /// The lists, to which terms and scopes refer by index.
    public var lists: [ValueList]
    /// The maximum number of rows; nil for all.
    public var limit: Int?
    /// The number of rows to skip first.
    public var offset: Int
    /// The maximum number of groups; nil for all.
    public var groupLimit: Int?
    /// The number of groups to skip first.
    public var groupOffset = 0

    /// The values of a query, by default without a limit.
    public init(_ values: [Value] = [], lists: [ValueList] = [], limit: Int? = nil, offset: Int = 0) {
        self.values = values
        self.lists = lists
        self.limit = limit
        self.offset = offset
    }
}

/// Rows of values of one width, for `in` and for many keys. Any number of them.
public struct ValueList: Sendable {
    /// The number of values in each row.
    public var width: Int
    /// Row after row.
    public var values: [Value]

    /// - Parameters:
    ///   - width: the number of values in each row.
    ///   - values: row after row.
    public init(width: Int, values: [Value]) {
        self.width = width
        self.values = values
    }

    /// The number of rows.
    public var count: Int { values.count / max(width, 1) }

    /// The values of a row.
    public subscript(row: Int) -> ArraySlice<Value> { values[row * width..<(row + 1) * width] }
}

/// One shape of query on one table. A backend may prepare once for each ``id``.
public final class QueryPlan: Sendable {
    /// A small, dense number for use as an array index. The number of a plan that was not used for long passes to
    /// another plan, so compare the plan (`===`) before you use anything kept under its number. Nil for a plan that is
    /// used once.
    public let id: Int?
    /// The shape of the query.
    public let query: Query
    /// The table whose rows the query returns.
    public let table: TableSchema
    /// The tables that the query touches, of whatever model, in the order that ``Join/table`` uses: first the tables of
    /// the table's model, then the tables to which its edges lead.
    public let tables: [TableSchema]
    /// True if the query may begin with the related rows that its conditions choose; see
    /// ``choosingRelated(_:rowCount:rows:)``.
    package let choosesRelated: Bool

    package init(id: Int?, query: Query, table: TableSchema, tables: [TableSchema]) {
        choosesRelated = query.choosesRelated(in: table)
        self.id = id
        self.query = query
        self.table = table
        self.tables = tables
    }
}
