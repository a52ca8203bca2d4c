/// What a backend is asked for: a shape without values, which are in ``QueryArguments``.
///
/// The meaning is that of plain Swift over the table's rows as an array, with the equality and order of ``Value``:
/// filters are two-valued, rows that are equal on all sort keys come in the order of the table's key, and without sort
/// keys all rows do.
public struct Query: Hashable, Sendable {
    /// What each result row consists of.
    public enum Result: Hashable, Sendable {
        /// These columns, in this order.
        case columns([Int])
        /// These terms, in this order.
        case terms([TypedTerm])
        /// One row with one integer: how many rows there are. Limit and offset do not apply.
        case count
        /// One row with 1 if there is any row, else 0.
        case exists
        /// One row for each group of equal keys.
        case groups(Grouping)
    }

    /// Which rows are looked at, by their key.
    public enum Scope: Hashable, Sendable {
        /// All of the table.
        case all
        /// Those whose key begins with the first `columns` argument values.
        case key(columns: Int)
        /// Those whose key begins with one of the rows of the argument list, each of `columns` values.
        case keys(columns: Int, list: Int)
    }

    /// What is asked of the rows.
    public var result: Result
    /// Which rows are looked at.
    public var scope: Scope
    /// Which of them are kept; nil for all.
    public var filter: QueryTerm?
    /// What they are sorted by. Rows that are equal on all of it come in the order of their keys.
    public var order: [SortKey]
    /// Whether the arguments' limit and offset are to be looked at.
    public var isLimited = false

    /// A query without a limit.
    public init(_ result: Result, scope: Scope = .all, filter: QueryTerm? = nil, order: [SortKey] = []) {
        self.result = result
        self.scope = scope
        self.filter = filter
        self.order = order
    }

    /// How many values each result row has.
    public var width: Int {
        switch result {
        case .columns(let columns): columns.count
        case .terms(let terms): terms.count
        case .groups(let grouping): grouping.width
        case .count, .exists: 1
        }
    }

    /// Whether looking at a row can fail; see ``QueryTerm/canFail``.
    public var canFail: Bool {
        if filter?.canFail == true || order.contains(where: \.term.canFail) { return true }
        switch result {
        case .terms(let terms): return terms.contains(where: \.term.canFail)
        case .groups(let grouping): return grouping.inputs.contains(where: \.term.canFail)
        case .columns, .count, .exists: return false
        }
    }

    /// Whether every row in scope has to be looked at before the first is given: a row can fail, and a limit, an order
    /// or `exists` would let backends stop at different ones. Without these, rows that can fail come in key order, each
    /// as it is computed.
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
        /// Whether greater values come first.
        public var isDescending: Bool
        /// Whether rows without a value come before all others.
        public var nullsFirst: Bool

        /// A sort key. Rows without a value come first where `nullsFirst` is true, which it is for ascending ones by
        /// default.
        public init(term: QueryTerm, type: ColumnType, isDescending: Bool, nullsFirst: Bool? = nil) {
            self.term = term
            self.type = type
            self.isDescending = isDescending
            self.nullsFirst = nullsFirst ?? !isDescending
        }

        /// How two rows with these values stand to each other in the result.
        public func order(_ left: Value, _ right: Value) -> ValueOrder {
            if left.isNull != right.isNull { return left.isNull == nullsFirst ? .before : .after }
            let order = left.order(to: right, as: type)
            return isDescending ? order.reversed : order
        }
    }

    /// How rows are put together to groups. A group's row has its keys first and then its aggregates; ``filter`` and
    /// ``order`` are about that row, whose values are their columns.
    ///
    /// The query's own filter, order and limit choose the rows before they are grouped. Without keys there is one group
    /// of all rows, also where there is none.
    public struct Grouping: Hashable, Sendable {
        /// The terms whose values make a group.
        public var keys: [TypedTerm]
        /// What is made of each group's rows.
        public var aggregates: [Aggregate]
        /// Which groups are kept; nil for all.
        public var filter: QueryTerm?
        /// Groups that are equal on all of these come in the order of their keys.
        public var order: [SortKey]
        /// Whether the arguments' group limit and offset are to be looked at.
        public var isLimited = false

        package init(keys: [TypedTerm], aggregates: [Aggregate], filter: QueryTerm? = nil, order: [SortKey] = []) {
            self.keys = keys
            self.aggregates = aggregates
            self.filter = filter
            self.order = order
        }

        /// How many values a group's row has.
        public var width: Int { keys.count + aggregates.count }

        /// What is asked of each row: the keys, and then what is aggregated.
        public var inputs: [TypedTerm] { keys + aggregates.map { $0.term ?? TypedTerm(.null, .int64) } }

        /// All that decides the order of groups.
        public var fullOrder: [SortKey] {
            order + keys.enumerated().map { SortKey(term: .column($0), type: $1.type, isDescending: false) }
        }
    }

    /// A number, or value, made of a group's rows.
    public struct Aggregate: Hashable, Sendable {
        /// How the values are put together.
        public var function: AggregateFunction
        /// What is aggregated; rows where it is null are left out. Nil where rows are counted.
        public var term: TypedTerm?

        /// An aggregate of a term's values; of rows where there is no term.
        public init(_ function: AggregateFunction, of term: TypedTerm? = nil) {
            self.function = function
            self.term = term
        }
    }
}

/// How an aggregate puts the values of its term together; see ``AggregateState`` for their exact meaning.
public enum AggregateFunction: String, Hashable, Sendable {
    /// How many rows there are.
    case count
    case sum, min, max, average
}

/// The values of a query.
public struct QueryArguments: Sendable {
    /// The values that terms refer to by their place.
    public var values: [Value]
    /// The lists that terms and scopes refer to by their place.
    public var lists: [ValueList]
    /// How many rows at most; nil for all.
    public var limit: Int?
    /// How many rows are passed over first.
    public var offset: Int
    /// How many groups at most; nil for all.
    public var groupLimit: Int?
    /// How many groups are passed over first.
    public var groupOffset = 0

    /// The values of a query; without any limit by default.
    public init(_ values: [Value] = [], lists: [ValueList] = [], limit: Int? = nil, offset: Int = 0) {
        self.values = values
        self.lists = lists
        self.limit = limit
        self.offset = offset
    }
}

/// Rows of values of one width, for `in` and for many keys. Any number of them.
public struct ValueList: Sendable {
    /// How many values each row has.
    public var width: Int
    /// Row after row.
    public var values: [Value]

    /// - Parameters:
    ///   - width: how many values each row has.
    ///   - values: row after row.
    public init(width: Int, values: [Value]) {
        self.width = width
        self.values = values
    }

    /// How many rows there are.
    public var count: Int { values.count / max(width, 1) }

    /// The values of a row.
    public subscript(row: Int) -> ArraySlice<Value> { values[row * width..<(row + 1) * width] }
}

/// One shape of query on one table. A backend may prepare once for each ``id``.
public final class QueryPlan: Sendable {
    /// Small and dense: made to be an array's index. A plan that was not used for long leaves its number to another, so
    /// whoever keeps something at it compares the plan itself. Nil for a plan that is used once.
    public let id: Int?
    /// What is asked.
    public let query: Query
    /// The table whose rows are asked for.
    public let table: TableSchema
    /// All tables of the model, as ``Ownership/table`` counts them.
    public let tables: [TableSchema]

    package init(id: Int?, query: Query, table: TableSchema, tables: [TableSchema]) {
        self.id = id
        self.query = query
        self.table = table
        self.tables = tables
    }
}
