/// The limits of a query, the same on every backend. A query beyond one throws `limitExceeded`.
public enum QueryLimits {
    /// The nesting limit of a filter, a sort key or a result, in units of ``QueryTerm/nestingCost``: about 75 levels of `and`,
    /// `or` and `not`, seven of conditions on children, 15 of arithmetic.
    public static let nesting = 80
    /// The most values in a query. All values of one `isIn` count as one.
    public static let values = 16_000
    /// The most bytes of a `like` pattern.
    public static let patternBytes = 65_536

    /// Every level costs at least one unit, so a term that nests deeper than this need not be examined further.
    package static let levels = nesting + 20

    package static var tooDeep: StorageError {
        StorageError(.limitExceeded, "The query nests too deeply (QueryLimits.nesting); build it from fewer parts.")
    }

    package static var tooMany: StorageError {
        StorageError(.limitExceeded, "The query has more than \(values) values; use isIn for many of one property.")
    }
}

extension QueryTerm {
    /// The nesting cost: the entries of a parser's stack that the term's statement needs. The stack is small in engines
    /// with a query language: SQLite before 3.46 has 100 entries. The cost counts the parts that are open before the
    /// deepest part, if the deeper of two parts is written first.
    public var nestingCost: Int {
        switch self {
        case .column, .argument, .null, .constant: 0
        case .related(let edge, let term): (edge.link == nil ? 4 : 14) + term.nestingCost
        case .relatedCount(let edge, let term), .quantified(_, let edge, let term):
            max(10 + term.nestingCost, edge.link == nil ? 0 : 24)
        case .relatedAggregate(let edge, let aggregate, let condition):
            max(
                5 + (aggregate.term?.term.nestingCost ?? 0), 10 + condition.nestingCost, edge.link == nil ? 0 : 24)
        case .arithmetic(_, let left, let right, _), .text(_, let left, let right), .hasElement(let left, let right),
            .distance(_, let left, let right):
            5 + max(left.nestingCost, right.nestingCost)
        case .folded(let term, _), .elementCount(let term), .datePart(_, let term, _): 5 + term.nestingCost
        case .choice(let condition, let first, let second):
            6 + max(condition.nestingCost, first.nestingCost, second.nestingCost)
        case .comparison(_, let left, let right, _): max(1 + left.nestingCost, 3 + right.nestingCost)
        case .isAmong: 10
        case .isIn(let term, _, _): max(1 + term.nestingCost, 10)
        case .isNull(let term), .not(let term): 1 + term.nestingCost
        case .and(let terms), .or(let terms): canFail ? 4 + Self.greatest(terms) : Self.chain(terms)
        }
    }

    /// The term, if it is within the nesting limit.
    package func fitting() throws(StorageError) -> QueryTerm {
        guard nestingCost <= QueryLimits.nesting else { throw QueryLimits.tooDeep }
        return self
    }

    private static func greatest(_ terms: [QueryTerm]) -> Int { terms.map(\.nestingCost).max() ?? 0 }

    /// The deepest term comes first; the others follow in halves, so that a long chain is not deep.
    private static func chain(_ terms: [QueryTerm]) -> Int {
        let costs = terms.map(\.nestingCost).sorted(by: >)
        guard costs.count > 1 else { return costs.first ?? 0 }
        let halvings = Int.bitWidth - (costs.count - 2).leadingZeroBitCount
        return max(1 + costs[0], 3 + halvings * 3 + costs[1])
    }
}
