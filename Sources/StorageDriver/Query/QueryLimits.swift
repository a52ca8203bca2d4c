/// How large a query may be, the same for every backend: what is beyond is `limitExceeded`.
public enum QueryLimits {
    /// How deep a filter, a sort key or a result nests, by ``QueryTerm/room``: about 75 levels of `and`, `or` and `not`, seven
    /// of conditions on children, 15 of arithmetic.
    public static let room = 80
    /// How many values stand in a query. The values of one `isIn` are a single one, whatever their number.
    public static let values = 16_000
    /// Bytes of a `like` pattern.
    public static let patternBytes = 65_536

    /// Every level takes some room, so what nests deeper than this needs not be looked at further.
    package static let levels = room + 20

    package static var tooDeep: StorageError {
        StorageError(.limitExceeded, "The query nests too deep (QueryLimits.room); build it from fewer parts.")
    }

    package static var tooMany: StorageError {
        StorageError(.limitExceeded, "The query has more than \(values) values; use isIn for many of one property.")
    }
}

extension QueryTerm {
    /// What the term takes of a parser's stack, which is what engines with a language of their own have little of: an
    /// older SQLite has 100 places. It counts what stands open in front of the deepest part, when of two parts the
    /// deeper is written first.
    public var room: Int {
        switch self {
        case .column, .argument, .null, .constant: 0
        case .child(_, let term): 4 + term.room
        case .childCount(_, let term), .quantified(_, _, let term): 10 + term.room
        case .arithmetic(_, let left, let right, _), .text(_, let left, let right), .hasElement(let left, let right),
            .distance(_, let left, let right):
            5 + max(left.room, right.room)
        case .folded(let term, _), .elementCount(let term): 5 + term.room
        case .choice(let condition, let first, let second): 6 + max(condition.room, first.room, second.room)
        case .comparison(_, let left, let right, _): max(1 + left.room, 3 + right.room)
        case .isIn(let term, _, _): max(1 + term.room, 10)
        case .isNull(let term), .not(let term): 1 + term.room
        case .and(let terms), .or(let terms): canFail ? 4 + Self.greatest(terms) : Self.chain(terms)
        }
    }

    /// The term, if it takes no more room than there is.
    package func fitting() throws(StorageError) -> QueryTerm {
        guard room <= QueryLimits.room else { throw QueryLimits.tooDeep }
        return self
    }

    private static func greatest(_ terms: [QueryTerm]) -> Int { terms.map(\.room).max() ?? 0 }

    /// The deepest term stands first; the others follow in halves, so that a long chain is not deep.
    private static func chain(_ terms: [QueryTerm]) -> Int {
        let rooms = terms.map(\.room).sorted(by: >)
        guard rooms.count > 1 else { return rooms.first ?? 0 }
        let halvings = Int.bitWidth - (rooms.count - 2).leadingZeroBitCount
        return max(1 + rooms[0], 3 + halvings * 3 + rooms[1])
    }
}
