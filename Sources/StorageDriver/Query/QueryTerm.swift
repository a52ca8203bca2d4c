/// A term of a filter, a sort key or a result, as backends see it. Columns are indices into the table, and values are
/// indices into the arguments.
///
/// A term with a null operand is null, unless its case says otherwise. If a term can fail (``canFail``), operands are
/// evaluated from left to right, and only until the result is decided, as Swift's `&&`, `||` and `?:` do.
public indirect enum QueryTerm: Hashable, Sendable {
    /// A column of the row in scope.
    case column(Int)
    /// An argument value, never null.
    case argument(Int)
    /// No value.
    case null
    /// A condition that is always true, or never.
    case constant(Bool)
    /// A term of the first row along the edge; null without such a row. That row is in scope in the inner term.
    case related(Join, QueryTerm)
    /// The number of rows along the edge for which the inner term is true. Each is in scope in the inner term.
    case relatedCount(Join, QueryTerm)
    /// An aggregate of the rows along the edge for which the condition is true. Each is in scope in the aggregate's term
    /// and in the condition.
    case relatedAggregate(Join, Query.Aggregate, QueryTerm)
    /// A computation on numbers of the given type, or texts that are joined; see ``Arithmetic``.
    case arithmetic(Arithmetic, QueryTerm, QueryTerm, ColumnType)
    /// The folded text; see ``TextFolding``.
    case folded(QueryTerm, TextFolding)
    /// The number of elements in an array, or of bytes in a blob; see ``ArrayElements``.
    case elementCount(QueryTerm)
    /// The distance between two vectors; see ``VectorMetric``.
    case distance(VectorMetric, QueryTerm, QueryTerm)
    /// A part of a date in a time zone; see ``DatePart``.
    case datePart(DatePart, QueryTerm, DateZone)
    /// The second term's value if the condition is true, otherwise the third's.
    case choice(QueryTerm, QueryTerm, QueryTerm)

    // Conditions, which are never null.

    /// A comparison by the order of the type. Equality holds between nulls; an ordered comparison with null is false.
    case comparison(Comparison, QueryTerm, QueryTerm, ColumnType)
    /// True if the term equals one of an argument list's values.
    case isIn(QueryTerm, list: Int, ColumnType)
    /// True if columns of the row in scope together equal one of an argument list's rows: a reference to one of several
    /// keys. False where one of the columns is null.
    case isAmong([Int], list: Int)
    /// True if the term is null.
    case isNull(QueryTerm)
    /// A test of text by UTF-8 bytes; false for null. With a folding, the pattern is already folded.
    case text(TextTest, QueryTerm, QueryTerm)
    /// True if an array contains the given element (as JSON text), or a blob the given byte; false for null.
    case hasElement(QueryTerm, QueryTerm)
    /// True if all terms are true.
    case and([QueryTerm])
    /// True if at least one term is true.
    case or([QueryTerm])
    /// True if the term is false.
    case not(QueryTerm)
    /// A test over the rows along the edge. Each is in scope in the inner term.
    case quantified(Quantifier, Join, QueryTerm)
}

/// The comparison of two values, in the total order of their type.
public enum Comparison: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// A test of a text by a pattern.
public enum TextTest: String, Hashable, Sendable {
    case hasPrefix, hasSuffix, contains
    /// A pattern in which `*` matches any characters, `?` matches one Unicode scalar, and `\` makes the next character
    /// plain.
    case like
}

/// The number of rows along an edge for which a condition must hold. `all` and `none` hold if the edge leads to no rows.
public enum Quantifier: Hashable, Sendable {
    case any, all, none
}

/// The rows of a table that belong to the row in scope: rows that it owns, that it refers to, or that refer to it.
///
/// A row belongs to the row in scope if its ``inner`` columns equal that row's ``outer`` values. The inner columns begin
/// with leading ones of the table's key, or are the columns of an index. So an engine finds the rows by key or by index
/// and never scans the table. Rows come in the order of their key. Here null equals no value.
public struct Join: Hashable, Sendable {
    /// The table of the rows, an index into ``QueryPlan/tables``.
    public var table: Int
    /// Columns of the rows.
    public var inner: [Int]
    /// The columns that they equal, of the row in scope or, with a ``link``, of its rows; nil means the number 0.
    public var outer: [Int?]
    /// Rows between the row in scope and the rows of the edge: the referring rows, if they are owned by the rows that
    /// the edge leads to. A row of the edge that several of them name belongs to the row in scope once.
    public var link: Link?

    /// Rows of a table whose columns equal columns of the row in scope.
    public struct Link: Hashable, Sendable {
        /// An index into ``QueryPlan/tables``.
        public var table: Int
        /// Columns of the rows.
        public var inner: [Int]
        /// The columns of the row in scope that they equal.
        public var outer: [Int]

        package init(table: Int, inner: [Int], outer: [Int]) {
            self.table = table
            self.inner = inner
            self.outer = outer
        }
    }

    package init(table: Int, inner: [Int], outer: [Int?], link: Link? = nil) {
        self.table = table
        self.inner = inner
        self.outer = outer
        self.link = link
    }
}

extension QueryTerm {
    /// A Boolean value that indicates whether evaluating the term can fail: it computes with numbers, and may overflow
    /// or divide by zero. A query with such a term evaluates every row in its scope, whatever its limit, so that all
    /// backends fail alike; see ``Query/isComputedWhole``.
    public var canFail: Bool {
        switch self {
        case .arithmetic(_, let left, let right, .string): left.canFail || right.canFail
        case .arithmetic: true
        case .column, .argument, .null, .constant, .isAmong: false
        case .related(_, let term), .relatedCount(_, let term), .folded(let term, _), .elementCount(let term),
            .datePart(_, let term, _), .isIn(let term, _, _), .isNull(let term), .not(let term),
            .quantified(_, _, let term):
            term.canFail
        case .comparison(_, let left, let right, _), .text(_, let left, let right), .hasElement(let left, let right),
            .distance(_, let left, let right):
            left.canFail || right.canFail
        case .relatedAggregate(_, let aggregate, let condition): condition.canFail || aggregate.canFail
        case .choice(let condition, let first, let second): condition.canFail || first.canFail || second.canFail
        case .and(let terms), .or(let terms): terms.contains(where: \.canFail)
        }
    }
}

extension QueryTerm {
    /// The term with other terms in place of its operands, and of the terms that it evaluates along an edge.
    package func replacingOperands(_ other: (QueryTerm) -> QueryTerm) -> QueryTerm {
        switch self {
        case .column, .argument, .null, .constant, .isAmong: return self
        case .related(let edge, let term): return .related(edge, other(term))
        case .relatedCount(let edge, let term): return .relatedCount(edge, other(term))
        case .relatedAggregate(let edge, var aggregate, let condition):
            aggregate.term = aggregate.term.map { TypedTerm(other($0.term), $0.type) }
            return .relatedAggregate(edge, aggregate, other(condition))
        case .arithmetic(let operation, let left, let right, let type):
            return .arithmetic(operation, other(left), other(right), type)
        case .folded(let term, let folding): return .folded(other(term), folding)
        case .elementCount(let term): return .elementCount(other(term))
        case .distance(let metric, let left, let right): return .distance(metric, other(left), other(right))
        case .datePart(let part, let term, let zone): return .datePart(part, other(term), zone)
        case .choice(let condition, let first, let second):
            return .choice(other(condition), other(first), other(second))
        case .comparison(let comparison, let left, let right, let type):
            return .comparison(comparison, other(left), other(right), type)
        case .isIn(let term, let list, let type): return .isIn(other(term), list: list, type)
        case .isNull(let term): return .isNull(other(term))
        case .text(let test, let text, let pattern): return .text(test, other(text), other(pattern))
        case .hasElement(let array, let element): return .hasElement(other(array), other(element))
        case .and(let terms): return .and(terms.map(other))
        case .or(let terms): return .or(terms.map(other))
        case .not(let term): return .not(other(term))
        case .quantified(let quantifier, let edge, let term): return .quantified(quantifier, edge, other(term))
        }
    }
}

extension Query.Aggregate {
    /// A Boolean value that indicates whether computing it can fail: its term can, or a sum of integers, decimals or
    /// durations overflows.
    public var canFail: Bool {
        if term?.term.canFail == true { return true }
        guard function == .sum, let computing = term?.type.row.computing else { return false }
        switch computing {
        case .double, .float: return false
        case .integer, .decimal, .duration: return true
        }
    }
}
