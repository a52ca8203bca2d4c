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
        /// One row with one integer: how many rows there are. Limit and offset do not apply.
        case count
        /// One row with 1 if there is any row, else 0.
        case exists
    }

    /// Which rows are looked at, by their key.
    public enum Scope: Hashable, Sendable {
        case all
        /// Those whose key begins with the first `columns` argument values.
        case key(columns: Int)
        /// Those whose key begins with one of the rows of the argument list, each of `columns` values.
        case keys(columns: Int, list: Int)
    }

    public var result: Result
    public var scope: Scope
    public var filter: QueryTerm?
    public var order: [SortKey]
    /// Whether the arguments' limit and offset are to be looked at.
    public var isLimited = false

    public init(_ result: Result, scope: Scope = .all, filter: QueryTerm? = nil, order: [SortKey] = []) {
        self.result = result
        self.scope = scope
        self.filter = filter
        self.order = order
    }

    /// A term to sort by.
    public struct SortKey: Hashable, Sendable {
        public var term: QueryTerm
        public var type: ColumnType
        public var isDescending: Bool

        public init(term: QueryTerm, type: ColumnType, isDescending: Bool) {
            self.term = term
            self.type = type
            self.isDescending = isDescending
        }
    }

    /// How many values each result row has.
    public var width: Int {
        if case .columns(let columns) = result { columns.count } else { 1 }
    }
}

/// A term of a filter or of a sort key, as backends see it: columns are indices, values are places in the arguments.
public indirect enum QueryTerm: Hashable, Sendable {
    /// A column of the row in scope.
    case column(Int)
    /// An argument value, never null.
    case argument(Int)
    /// A term of the one child row, or null where there is none.
    case child(Ownership, QueryTerm)
    /// A comparison by the order of the type. Equality holds between nulls; an ordered comparison with null is false.
    case comparison(Comparison, QueryTerm, QueryTerm, ColumnType)
    /// Whether the term equals one of an argument list's values.
    case isIn(QueryTerm, list: Int, ColumnType)
    case isNull(QueryTerm)
    /// A test of text by UTF-8 bytes; false for null.
    case text(TextTest, QueryTerm, QueryTerm)
    case and([QueryTerm])
    case or([QueryTerm])
    case not(QueryTerm)
    /// A test over the child rows, which are in scope in the inner term.
    case quantified(Quantifier, Ownership, QueryTerm)
    case constant(Bool)
}

public enum Comparison: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

public enum TextTest: Hashable, Sendable {
    case hasPrefix, hasSuffix, contains
}

public enum Quantifier: Hashable, Sendable {
    case any, all, none
}

/// How the rows of a child table belong to the row in scope.
public struct Ownership: Hashable, Sendable {
    /// The child's table, an index into ``QueryPlan/tables``.
    public var table: Int
    /// Columns of the child, the leading ones of its key first.
    public var inner: [Int]
    /// The columns of the row in scope that they equal; nil stands for the number 0.
    public var outer: [Int?]
}

/// The values of a query.
public struct QueryArguments: Sendable {
    public var values: [Value]
    public var lists: [ValueList]
    /// How many rows at most; nil for all.
    public var limit: Int?
    /// How many rows are passed over first.
    public var offset: Int

    public init(_ values: [Value] = [], lists: [ValueList] = [], limit: Int? = nil, offset: Int = 0) {
        self.values = values
        self.lists = lists
        self.limit = limit
        self.offset = offset
    }
}

/// Rows of values of one width, for `in` and for many keys. Any number of them.
public struct ValueList: Sendable {
    public var width: Int
    /// Row after row.
    public var values: [Value]

    public init(width: Int, values: [Value]) {
        self.width = width
        self.values = values
    }

    public var count: Int { values.count / max(width, 1) }

    public subscript(row: Int) -> ArraySlice<Value> { values[row * width..<(row + 1) * width] }
}

/// One shape of query on one table. A backend may prepare once for each ``id``.
public final class QueryPlan: Sendable {
    /// Small, dense and never used again for another plan of the same store: made to be an array's index. Nil for a
    /// shape that is not worth remembering.
    public let id: Int?
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
