import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// Q1, Q5 and Q7: groups, distinct tuples, and where nil stands.
    static let grouping: [Mutant] = [
        groups("having-ignored", breaking: [.q1], "Conditions on groups are ignored.") { $0.filter = nil },
        groups("group-order-ignored", breaking: [.q1], "The order of groups is ignored.") { $0.order = [] },
        groups("group-order-reversed", breaking: [.q1], "Groups come in the reverse of the asked order.") { grouping in
            for index in grouping.order.indices { grouping.order[index].isDescending.toggle() }
        },
        Mutant("group-limit-ignored", breaking: [.q1], "The limit of groups is ignored.") {
            $0.query = { $0.arguments.groupLimit = nil }
        },
        Mutant("group-offset-ignored", breaking: [.q1], "The offset of groups is ignored.") {
            $0.query = { $0.arguments.groupOffset = 0 }
        },
        Mutant("rows-of-groups-not-limited", breaking: [.q7], "The select's limit does not choose what is grouped.") {
            $0.query = { question in
                guard case .groups = question.query.result else { return }
                question.arguments.limit = nil
                question.arguments.offset = 0
            }
        },
        Mutant("nil-group-dropped", breaking: [.q7], "Records without a key are in no group.") {
            $0.rows = { rows, question in
                guard case .groups(let grouping) = question.query.result, !grouping.keys.isEmpty else { return rows }
                return rows.filter { !$0[0].isNull }
            }
        },
        groups("second-group-key-ignored", breaking: [.q7], "The last of several keys makes no group.") { grouping in
            guard grouping.keys.count > 1 else { return }
            grouping.keys[grouping.keys.count - 1].term = .null
        },
        groups("groups-of-columns-alone", breaking: [.q1, .q7], "What is computed makes no group.") { grouping in
            for index in grouping.keys.indices {
                if case .column = grouping.keys[index].term { continue }
                grouping.keys[index].term = .null
            }
        },
        Mutant("nan-is-no-value", breaking: [.v4, .q7], "Aggregates ignore NaN.") {
            $0.query = { question in
                question.groups { grouping, question in
                    for index in grouping.aggregates.indices {
                        guard let term = grouping.aggregates[index].term, term.type == .double else { continue }
                        let nan = question.argument(.double(.nan))
                        let isNaN = QueryTerm.comparison(.equal, term.term, nan, .double)
                        grouping.aggregates[index].term = TypedTerm(.choice(isNaN, .null, term.term), .double)
                    }
                }
            }
        },
        groups("distinct-ignoring-case", breaking: [.v4, .q1], "\"a\" and \"A\" are one distinct value.") { grouping in
            for index in grouping.keys.indices where grouping.keys[index].type == .string {
                grouping.keys[index].term = .folded(grouping.keys[index].term, .case)
            }
        },
        Mutant("distinct-keeps-doubles", breaking: [.q1, .v4], "Equal tuples are all kept.") {
            $0.query = { question in
                guard case .groups(let grouping) = question.query.result, grouping.aggregates.isEmpty else { return }
                question.query.result = .terms(grouping.keys)
                question.query.order = grouping.fullOrder.map { key in
                    guard case .column(let index) = key.term else { return key }
                    var key = key
                    key.term = grouping.keys[index].term
                    return key
                }
            }
        },
        groups("minimum-is-maximum", breaking: [.q7], "min gives the greatest value.") { grouping in
            for index in grouping.aggregates.indices where grouping.aggregates[index].function == .min {
                grouping.aggregates[index].function = .max
            }
        },
        Mutant("averages-are-whole", breaking: [.q7], "An average has no fraction.") {
            $0.rows = { rows, question in
                guard case .groups(let grouping) = question.query.result else { return rows }
                return rows.map { row in
                    row.enumerated().map { index, value in
                        let place = index - grouping.keys.count
                        guard place >= 0, grouping.aggregates[place].function == .average,
                            case .double(let number) = value
                        else { return value }
                        return .double(number.rounded(.down))
                    }
                }
            }
        },
        Mutant("nil-placement-ignored", breaking: [.q5], "nil stands where it stands without being asked for.") {
            $0.order { order, _ in for index in order.indices { order[index].nullsFirst = !order[index].isDescending } }
        },
        Mutant("nil-placement-swapped", breaking: [.q5], "nil stands at the other end.") {
            $0.order { order, _ in for index in order.indices { order[index].nullsFirst.toggle() } }
        },
        Mutant("orders-through-children-ignored", breaking: [.q1, .q3], "Sort keys of children are ignored.") {
            $0.order { order, _ in
                order.removeAll { if case .related = $0.term { true } else { false } }
            }
        },
        Mutant("chosen-children-are-nil", breaking: [.c6], "What is chosen of a child is nil.") {
            $0.query = { question in
                guard case .terms(let terms) = question.query.result else { return }
                question.query.result = .terms(
                    terms.map { term in
                        if case .related = term.term { TypedTerm(.null, term.type) } else { term }
                    })
            }
        },
    ]

    private static func groups(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (inout Query.Grouping) -> Void
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) {
            $0.query = { question in question.groups { grouping, _ in change(&grouping) } }
        }
    }
}
