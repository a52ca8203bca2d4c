import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// Q1, Q5 to Q8: what of a result is given.
    static let querying: [Mutant] = [
        asks("limit-one-more", breaking: [.q1, .q6], "A limit gives one more.") { question in
            question.arguments.limit = question.arguments.limit.map { $0 &+ 1 }
        },
        asks("limit-one-less", breaking: [.q1, .q6], "A limit gives one less.") { question in
            question.arguments.limit = question.arguments.limit.map { max($0 &- 1, 0) }
        },
        Mutant(
            "query-ends-cursor", breaking: [.q8], "A query ends the cursor of the one before it over the same model."
        ) {
            $0.transaction = .oneCursorForEachTable
        },
        Mutant("long-result-in-parts", breaking: [.q8, .t3], "A result is read in parts, each from the last commit.") {
            $0.transaction = .readsInParts
        },
        asks("limit-0-is-none", breaking: [.q6], "A limit of 0 is no limit.") { question in
            if question.arguments.limit == 0 { question.arguments.limit = nil }
        },
        asks("offset-ignored", breaking: [.q1, .q6], "The offset is ignored.") { $0.arguments.offset = 0 },
        asks("offset-without-limit-ignored", breaking: [.q6], "An offset without a limit is ignored.") { question in
            if question.arguments.limit == nil { question.arguments.offset = 0 }
        },
        Mutant("owned-rows-by-scan", breaking: [.c6], "What an owner has is found by going over all owned rows.") {
            $0.query = { question in
                guard !question.table.isRoot, case .key(let columns) = question.query.scope else { return }
                let key = question.table.key.prefix(columns).enumerated().map { place, column in
                    // No access path takes it for an equality.
                    QueryTerm.not(
                        .comparison(
                            .notEqual, .column(column), .argument(place), question.table.columns[column].type))
                }
                question.query.scope = .all
                question.query.filter = .and(key + [question.query.filter ?? .constant(true)])
            }
        },
        Mutant("offset-beyond-end", breaking: [.q6], "An offset beyond the end gives the last record.") {
            $0.query = { question in
                if question.arguments.offset > 50 { question.arguments.offset = 0; question.arguments.limit = 1 }
            }
        },
        Mutant(
            "no-order-reversed", breaking: [.q5],
            "Without sort keys 20 records or more come in the reverse order of their keys."
        ) {
            $0.rows = { rows, question in
                guard question.query.order.isEmpty, question.table.isRoot, question.query.filter == nil,
                    rows.count >= 20
                else {
                    return rows
                }
                return rows.reversed()
            }
        },
        asks(
            "ties-reversed", breaking: [.q5],
            "Records that are equal on all sort keys come in the reverse order of their keys."
        ) {
            question in
            guard !question.query.order.isEmpty, question.table.isRoot else { return }
            question.query.order += question.table.key.map {
                Query.SortKey(term: .column($0), type: question.table.columns[$0].type, isDescending: true)
            }
        },
        asks("second-sort-key-ignored", breaking: [.q5, .q1], "Only the first sort key counts.") { question in
            question.query.order = Array(question.query.order.prefix(1))
        },
        asks("descending-ignored", breaking: [.q1], "Every order is ascending.") { question in
            for index in question.query.order.indices { question.query.order[index].isDescending = false }
        },
        asks("exists-of-all", breaking: [.q1], "exists ignores the filter.") { question in
            if question.query.result == .exists { question.query.filter = nil }
        },
        Mutant("count-at-least-one", breaking: [.q1, .q7], "count gives 1 where there is nothing.") {
            $0.rows = { rows, question in
                question.query.result == .count && question.query.scope == .all && rows == [[.int(0)]]
                    ? [[.int(1)]] : rows
            }
        },
        Mutant("result-cut-at-1000", breaking: [.q8, .q1], "No result has more than 1,000 records.") {
            $0.rows = { rows, _ in Array(rows.prefix(1000)) }
        },
        Mutant("result-cut-at-256", breaking: [.q8, .v1], "No result has more than 256 records.") {
            $0.rows = { rows, _ in Array(rows.prefix(256)) }
        },
        Mutant(
            "aggregate-without-nil", breaking: [.q7],
            "The least of nothing is 0, and so are the greatest and the average."
        ) {
            $0.rows = { rows, question in
                guard case .groups = question.query.result else { return rows }
                return rows.map { row in row.map { $0.isNull ? .int(0) : $0 } }
            }
        },
        Mutant("sum-too-great", breaking: [.q7], "A sum is greater by one.") { aggregate(&$0, .sum) { $0 &+ 1 } },
        Mutant("maximum-too-small", breaking: [.v4], "The greatest value is smaller by one.") {
            aggregate(&$0, .max) { $0 &- 1 }
        },
    ]

    /// Changes the integers that a function makes of groups.
    private static func aggregate(
        _ fault: inout Fault, _ function: AggregateFunction, _ change: @escaping @Sendable (Int64) -> Int64
    ) {
        fault.rows = { rows, question in
            guard case .groups(let grouping) = question.query.result else { return rows }
            return rows.map { row in
                row.enumerated().map { index, value in
                    let place = index - grouping.keys.count
                    guard place >= 0, grouping.aggregates[place].function == function, case .int(let number) = value
                    else { return value }
                    return .int(change(number))
                }
            }
        }
    }

    private static func asks(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (inout Question) -> Void
    ) -> Mutant { Mutant(id, breaking: clauses, sentence) { $0.query = change } }
}
