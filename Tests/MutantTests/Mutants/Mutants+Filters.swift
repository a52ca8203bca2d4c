import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// Q2 to Q4: which records a filter chooses.
    static let filtering: [Mutant] = [
        terms("not-equal-drops-nil", breaking: [.q2], "x != 5 is false where x is nil.") { term in
            guard case .comparison(.notEqual, let left, .argument, _) = term else { return term }
            return .and([term, .not(.isNull(left))])
        },
        terms("not-drops-nil", breaking: [.q2, .q9], "The negation of a comparison is false where it met nil.") {
            term in
            guard case .not(.comparison(_, let left, _, _)) = term else { return term }
            return .and([term, .not(.isNull(left))])
        },
        terms("less-takes-nil", breaking: [.q2], "x < 5 is true where x is nil.") { term in
            guard case .comparison(.less, let left, .argument, _) = term else { return term }
            return .or([term, .isNull(left)])
        },
        terms("nil-equals-nothing", breaking: [.q2], "Two properties that are nil are not equal.") { term in
            guard case .comparison(.equal, let left, let right, _) = term, !right.isArgument else { return term }
            return .and([term, .not(.isNull(left)), .not(.isNull(right))])
        },
        Mutant("is-nil-is-false", breaking: [.q2], "isNil of a text holds of nothing.") {
            $0.rewrite { term, question in
                guard case .isNull(.column(let column)) = term, question.table.columns[column].type == .string else {
                    return term
                }
                return .constant(false)
            }
        },
        terms("at-most-is-less", breaking: [.q3, .q9, .k3], "<= is <.") { term in
            guard case .comparison(.lessOrEqual, let left, let right, let type) = term else { return term }
            return .comparison(.less, left, right, type)
        },
        terms("at-least-is-greater", breaking: [.q3, .q9, .k3], ">= is >.") { term in
            guard case .comparison(.greaterOrEqual, let left, let right, let type) = term else { return term }
            return .comparison(.greater, left, right, type)
        },
        terms("greater-is-at-least", breaking: [.q3, .v4], "> of Doubles is >=.") { term in
            guard case .comparison(.greater, let left, let right, let type) = term, type == .double else { return term }
            return .comparison(.greaterOrEqual, left, right, type)
        },
        terms("or-is-first", breaking: [.q3], "Of || only the first part counts.") { term in
            guard case .or(let terms) = term, let first = terms.first else { return term }
            return first
        },
        terms("and-is-last", breaking: [.q3], "Of && only the last part counts.") { term in
            guard case .and(let terms) = term, let last = terms.last else { return term }
            return last
        },
        terms("not-not", breaking: [.q3, .q2], "! in front of several conditions is ignored.") { term in
            guard case .not(let inner) = term else { return term }
            switch inner {
            case .and, .or: return inner
            default: return term
            }
        },
        terms(
            "conditions-cut-at-1000", breaking: [.e4, .q3], "Of more than 1,000 joined conditions the last 1,000 count."
        ) {
            term in
            switch term {
            case .and(let terms): .and(Array(terms.suffix(1000)))
            case .or(let terms): .or(Array(terms.suffix(1000)))
            default: term
            }
        },
        Mutant("quote-ends-operand", breaking: [.q1, .e2], "An operand ends at its first quote.") {
            $0.rewrite { term, question in
                guard case .comparison(let comparison, let left, .argument(let index), let type) = term,
                    case .text(let text) = question.arguments.values[index], text.contains("'")
                else { return term }
                return .comparison(comparison, left, question.argument(.text(String(text.prefix { $0 != "'" }))), type)
            }
        },
        terms("contains-at-start", breaking: [.q3], "contains looks at the beginning only.") { term in
            guard case .text(.contains, let text, let pattern) = term else { return term }
            return .text(.hasPrefix, text, pattern)
        },
        terms("prefix-anywhere", breaking: [.q3], "hasPrefix looks anywhere.") { term in
            guard case .text(.hasPrefix, let text, let pattern) = term else { return term }
            return .text(.contains, text, pattern)
        },
        terms("suffix-anywhere", breaking: [.q3], "hasSuffix looks anywhere.") { term in
            guard case .text(.hasSuffix, let text, let pattern) = term else { return term }
            return .text(.contains, text, pattern)
        },
        Mutant(
            "text-ignores-case", breaking: [.q3], "contains, hasPrefix and hasSuffix ignore the case of ASCII letters."
        ) {
            $0.rewrite { term, question in
                guard case .text(let test, let text, .argument(let index)) = term,
                    case .text(let pattern) = question.arguments.values[index]
                else { return term }
                let lower = question.argument(.text(pattern.lowercased()))
                let upper = question.argument(.text(pattern.uppercased()))
                return .or([term, .text(test, text, lower), .text(test, text, upper)])
            }
        },
        Mutant("empty-pattern-matches-nothing", breaking: [.q3], "\"\" is contained in nothing.") {
            $0.rewrite { term, question in
                guard case .text(_, _, .argument(let index)) = term,
                    question.arguments.values[index] == .text("")
                else { return term }
                return .constant(false)
            }
        },
        wildcard("percent-is-wildcard", "%"), wildcard("underscore-is-wildcard", "_"),
        wildcard("star-is-wildcard", "*"),
        wildcard("question-mark-is-wildcard", "?"),
        Mutant("in-capped-at-999", breaking: [.q4], "`in` looks at 999 values.") {
            $0.query = { question in
                for index in question.arguments.lists.indices where question.arguments.lists[index].width == 1 {
                    question.arguments.lists[index].values = Array(question.arguments.lists[index].values.prefix(999))
                }
            }
        },
        Mutant("in-capped-at-32766", breaking: [.q4], "`in` looks at 32,766 values.") {
            $0.query = { question in
                for index in question.arguments.lists.indices where question.arguments.lists[index].width == 1 {
                    question.arguments.lists[index].values = Array(
                        question.arguments.lists[index].values.prefix(32_766))
                }
            }
        },
        Mutant("in-nothing-is-everything", breaking: [.q4], "`in` of no values holds of every record.") {
            $0.rewrite { term, question in
                guard case .isIn(_, let list, _) = term, question.arguments.lists[list].count == 0 else { return term }
                return .constant(true)
            }
        },
        Mutant("in-first-only", breaking: [.q4, .q3, .q9, .k3], "`in` looks at the first value.") {
            $0.rewrite { term, question in
                guard case .isIn(_, let list, _) = term else { return term }
                question.arguments.lists[list].values = Array(question.arguments.lists[list].values.prefix(1))
                return term
            }
        },
        Mutant(
            "one-record-for-each-value", breaking: [.q4, .w12],
            "Of the records that have one value of a list `in` finds the first."
        ) {
            $0.rows = { rows, question in
                // Where there is a list for each of several columns, the first one.
                var filter = question.query.filter
                if case .and(let terms)? = filter { filter = terms.first }
                guard case .isIn(.column(let column), _, _)? = filter,
                    case .columns(let columns) = question.query.result,
                    question.table.columns[column].reference == nil, let place = columns.firstIndex(of: column)
                else { return rows }
                var known: Set<Value> = []
                return rows.filter { known.insert($0[place]).inserted }
            }
        },
        terms("all-of-nothing-is-false", breaking: [.q3], "all is false where there are no children.") { term in
            guard case .quantified(.all, let edge, _) = term else { return term }
            return .and([term, .quantified(.any, edge, .constant(true))])
        },
        terms("none-is-not-all", breaking: [.q3], "none is true where some child does not meet the condition.") {
            term in
            guard case .quantified(.none, let edge, let inner) = term else { return term }
            return .not(.quantified(.all, edge, inner))
        },
        terms("any-is-all", breaking: [.q3], "any asks that all children meet the condition.") { term in
            guard case .quantified(.any, let edge, let inner) = term else { return term }
            return .quantified(.all, edge, inner)
        },
        terms(
            "absent-child-drops-row", breaking: [.q3, .q2],
            "A record without its Optional child meets no condition on it."
        ) {
            term in
            switch term {
            case .isNull(.related): return .constant(false)
            case .comparison(.notEqual, .related(let way, let inner), let right, let type):
                let child = QueryTerm.related(way, inner)
                return .and([.comparison(.notEqual, child, right, type), .not(.isNull(child))])
            default: return term
            }
        },
    ]

    private static func terms(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (QueryTerm) -> QueryTerm
    ) -> Mutant { Mutant(id, breaking: clauses, sentence) { $0.rewrite { term, _ in change(term) } } }

    /// A character that stands for any text.
    private static func wildcard(_ id: String, _ character: Character) -> Mutant {
        Mutant(id, breaking: [.q4], "\(character) in a pattern stands for any text.") {
            $0.rewrite { term, question in
                guard case .text(let test, let text, .argument(let index)) = term,
                    case .text(let pattern) = question.arguments.values[index], pattern.contains(character)
                else { return term }
                let parts = pattern.split(separator: character).map { question.argument(.text(String($0))) }
                return .or([term, .and(parts.map { .text(parts.count == 1 ? .contains : test, text, $0) })])
            }
        }
    }
}

extension QueryTerm {
    fileprivate var isArgument: Bool {
        if case .argument = self { true } else { false }
    }
}
