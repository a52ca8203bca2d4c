import StorageConformance
import StorageDriver

extension Mutant {
    /// P1: what of a page that begins at a record is given.
    static let paging: [Mutant] = [
        pages("page-repeats-place", "A page begins with the record after which it begins.") { term, question in
            guard case .comparison(let comparison, .column(let column), let value, let type) = term,
                question.table.key.last == column
            else { return term }
            switch comparison {
            case .greater: return .comparison(.greaterOrEqual, .column(column), value, type)
            case .less: return .comparison(.lessOrEqual, .column(column), value, type)
            default: return term
            }
        },
        pages("page-skips-equal", "A page has no records that are equal to the place on the first sort term.") {
            term, _ in
            guard case .or(let terms) = term else { return term }
            return .or(
                terms.filter { if case .and(let parts) = $0, parts.first?.isEquality == true { false } else { true } })
        },
        pages("page-before-is-after", "A page before a record is the one after it, and the other way round.") {
            term, _ in
            guard case .comparison(let comparison, let left, let right, let type) = term else { return term }
            switch comparison {
            case .less: return .comparison(.greater, left, right, type)
            case .lessOrEqual: return .comparison(.greaterOrEqual, left, right, type)
            case .greater: return .comparison(.less, left, right, type)
            case .greaterOrEqual: return .comparison(.lessOrEqual, left, right, type)
            case .equal, .notEqual: return term
            }
        },
        pages("page-without-nil", "A page after a record with a value has no records without one.") { term, _ in
            guard case .or(let terms) = term else { return term }
            return .or(terms.filter { if case .isNull = $0 { false } else { true } })
        },
    ]

    /// Changes the conditions of queries for pages: they have a limit and an order, and results of their own.
    private static func pages(
        _ id: String, _ sentence: String, _ change: @escaping @Sendable (QueryTerm, Question) -> QueryTerm
    ) -> Mutant {
        Mutant(id, breaking: [.p1], sentence) {
            $0.rewrite { term, question in
                guard question.query.isLimited, case .terms = question.query.result, question.table.isRoot else {
                    return term
                }
                return change(term, question)
            }
        }
    }
}

extension QueryTerm {
    fileprivate var isEquality: Bool {
        switch self {
        case .comparison(.equal, _, _, _), .isNull: true
        default: false
        }
    }
}
