import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// W14: records that expire, in the conditions that reach an engine and in what it records.
    static let expiry: [Mutant] = [
        Mutant("expired-is-there", breaking: [.w14], "A query of a model does not see to what has expired.") {
            $0.query = { question in
                guard question.table.isRoot, case .and(let terms) = question.query.filter,
                    let first = terms.first, question.isExpiry(first)
                else { return }
                question.query.filter = .and(Array(terms.dropFirst()))
            }
        },
        Mutant("expired-owner-is-there", breaking: [.w14], "What an expired record owns is there.") {
            $0.query = { question in
                guard !question.table.isRoot, case .and(let terms) = question.query.filter,
                    case .quantified(.any, _, let first)? = terms.first, question.isExpiry(first)
                else { return }
                question.query.filter = .and(Array(terms.dropFirst()))
            }
        },
        Mutant(
            "expired-is-there-along-edges", breaking: [.w14], "A condition that leads to an expired record finds it."
        ) {
            $0.rewrite { term, question in
                switch term {
                case .related(let edge, .choice(let condition, let term, .null)) where question.isExpiry(condition):
                    return .related(edge, term)
                case .quantified(let quantifier, let edge, .and(let terms))
                where edge.table > 0 && terms.first.map(question.isExpiry) == true:
                    return .quantified(quantifier, edge, .and(Array(terms.dropFirst())))
                case .relatedCount(let edge, .and(let terms)) where terms.first.map(question.isExpiry) == true:
                    return .relatedCount(edge, .and(Array(terms.dropFirst())))
                default: return term
                }
            }
        },
        Mutant(
            "there-at-its-time", breaking: [.w14], "A record is there for a read at the very time at which it expires."
        ) {
            $0.rewrite { term, question in
                guard question.isExpiry(term), case .or(let terms) = term,
                    case .comparison(.greater, let left, let right, .date) = terms[1]
                else { return term }
                return .or([terms[0], .comparison(.greaterOrEqual, left, right, .date)])
            }
        },
        Mutant("nil-expires", breaking: [.w14], "A record without a time is gone.") {
            $0.rewrite { term, question in
                guard question.isExpiry(term), case .or(let terms) = term else { return term }
                return terms[1]
            }
        },
        Mutant("expired-is-not-found", breaking: [.w14], "What has expired is not found when it is to be removed.") {
            $0.query = { question in
                guard question.isRemoval else { return }
                question.query.filter = .constant(false)
            }
        },
        Mutant(
            "expired-is-found-in-part", breaking: [.w14], "Of what has expired ten records are found, and no others."
        ) {
            $0.query = { question in
                if question.isRemoval { question.arguments.limit = question.arguments.limit.map { min($0, 10) } }
                if question.isRemoval { question.arguments.offset = 1 }
            }
        },
        Mutant("later-is-found", breaking: [.w14], "More than what has expired is found when that is to be removed.") {
            $0.query = { question in
                guard question.isRemoval, case .comparison(_, let left, let right, _) = question.query.filter else {
                    return
                }
                question.query.filter = .or([.comparison(.lessOrEqual, left, right, .date), .isNull(left)])
            }
        },
        Mutant("expiry-not-recorded", breaking: [.w14], "That a column is a time of expiry is not recorded.") {
            $0.change = { change throws(StorageError) in
                guard case .create(var table) = change else { return [change] }
                for index in table.columns.indices { table.columns[index].isExpiry = false }
                return [.create(table)]
            }
        },
    ]
}

extension Question {
    /// Returns whether a term is the condition that a record has not expired.
    fileprivate func isExpiry(_ term: QueryTerm) -> Bool {
        guard case .or(let terms) = term, terms.count == 2, case .isNull(let column) = terms[0] else { return false }
        guard case .comparison(let comparison, let left, .argument, .date) = terms[1] else { return false }
        return left == column && (comparison == .greater || comparison == .greaterOrEqual)
    }

    /// True if it selects expired records in order to remove them.
    fileprivate var isRemoval: Bool {
        guard case .comparison(.lessOrEqual, .column(let column), .argument(0), .date) = query.filter else {
            return false
        }
        return table.columns[column].isExpiry && query.isLimited
    }
}
