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
    /// A term of the single child row; null if there is none.
    case child(Ownership, QueryTerm)
    /// The number of child rows for which the inner term is true. The child row is in scope in the inner term.
    case childCount(Ownership, QueryTerm)
    /// A computation on numbers of the given type; see ``Arithmetic``.
    case arithmetic(Arithmetic, QueryTerm, QueryTerm, ColumnType)
    /// The folded text; see ``TextFolding``.
    case folded(QueryTerm, TextFolding)
    /// How many elements an array has, or how many bytes a blob; see ``ArrayElements``.
    case elementCount(QueryTerm)
    /// How far two vectors are from each other; see ``VectorMetric``.
    case distance(VectorMetric, QueryTerm, QueryTerm)
    /// The second term's value if the condition is true, otherwise the third's.
    case choice(QueryTerm, QueryTerm, QueryTerm)

    // Conditions, which are never null.

    /// A comparison by the order of the type. Equality holds between nulls; an ordered comparison with null is false.
    case comparison(Comparison, QueryTerm, QueryTerm, ColumnType)
    /// Whether the term equals one of an argument list's values.
    case isIn(QueryTerm, list: Int, ColumnType)
    /// Whether the term is null.
    case isNull(QueryTerm)
    /// A test of text by UTF-8 bytes; false for null. With a folding, the pattern is already folded.
    case text(TextTest, QueryTerm, QueryTerm)
    /// Whether an array contains the given element (as JSON text), or a blob the given byte; false for null.
    case hasElement(QueryTerm, QueryTerm)
    /// Whether all are true.
    case and([QueryTerm])
    /// Whether one is true.
    case or([QueryTerm])
    /// Whether it is false.
    case not(QueryTerm)
    /// A test over the child rows. The child row is in scope in the inner term.
    case quantified(Quantifier, Ownership, QueryTerm)
}

/// How two values are compared, in the total order of their type.
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

/// For how many of a record's children a condition must hold. `all` and `none` hold if there are no children.
public enum Quantifier: Hashable, Sendable {
    case any, all, none
}

/// How the rows of a child table belong to the row in scope.
public struct Ownership: Hashable, Sendable {
    /// The child's table, an index into ``QueryPlan/tables``.
    public var table: Int
    /// Columns of the child, the leading ones of its key first.
    public var inner: [Int]
    /// The columns of the row in scope that they equal; nil means the number 0.
    public var outer: [Int?]

    package init(table: Int, inner: [Int], outer: [Int?]) {
        self.table = table
        self.inner = inner
        self.outer = outer
    }
}

extension QueryTerm {
    /// Whether the term is a condition: true or false, never null.
    public var isCondition: Bool {
        switch self {
        case .column, .argument, .null, .child, .childCount, .arithmetic, .folded, .elementCount, .distance, .choice:
            false
        default: true
        }
    }

    /// Whether evaluating the term can fail: it computes with numbers, and may overflow or divide by zero. A query with
    /// such a term evaluates every row in its scope, whatever its limit, so that all backends fail alike; see
    /// ``Query/isComputedWhole``.
    public var canFail: Bool {
        switch self {
        case .arithmetic: true
        case .column, .argument, .null, .constant: false
        case .child(_, let term), .childCount(_, let term), .folded(let term, _), .elementCount(let term),
            .isIn(let term, _, _), .isNull(let term), .not(let term), .quantified(_, _, let term):
            term.canFail
        case .comparison(_, let left, let right, _), .text(_, let left, let right), .hasElement(let left, let right),
            .distance(_, let left, let right):
            left.canFail || right.canFail
        case .choice(let condition, let first, let second): condition.canFail || first.canFail || second.canFail
        case .and(let terms), .or(let terms): terms.contains(where: \.canFail)
        }
    }
}
