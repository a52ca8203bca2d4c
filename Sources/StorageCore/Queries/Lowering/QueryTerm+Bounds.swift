import StorageDriver

extension QueryTerm {
    /// The alternatives with a bound that follows from them, if they have the form `a > x || (a == x && …)` of a
    /// condition for the records after a given one. With the bound an engine reads a range of the index of `a`, and not
    /// the whole table.
    ///
    /// - Parameter arguments: the query's arguments so far, which include the bound's arguments.
    static func alternatives(_ terms: [QueryTerm], _ arguments: QueryArguments) -> QueryTerm {
        let whole = QueryTerm.or(terms)
        guard terms.count > 1, terms.count <= 8 else { return whole }
        for (index, term) in terms.enumerated() {
            guard case .comparison(let comparison, .column(let column), .argument(let argument), let type) = term,
                let bound = comparison.withEqual
            else { continue }
            let others = terms[..<index] + terms[(index + 1)...]
            let areEqual = others.allSatisfy {
                // A term that can fail is evaluated first if it comes first, for every row.
                $0.conjuncts.prefix { !$0.canFail }.contains {
                    guard case .comparison(.equal, .column(column), .argument(let other), type) = $0 else {
                        return false
                    }
                    return arguments.values[other] == arguments.values[argument]
                }
            }
            if areEqual { return .and([.comparison(bound, .column(column), .argument(argument), type), whole]) }
        }
        return whole
    }

    /// The terms that all are true where this is.
    private var conjuncts: [QueryTerm] {
        if case .and(let terms) = self { terms.flatMap(\.conjuncts) } else { [self] }
    }
}

extension Comparison {
    /// The comparison that is also true for equal values; nil if this is no order.
    fileprivate var withEqual: Comparison? {
        switch self {
        case .less, .lessOrEqual: .lessOrEqual
        case .greater, .greaterOrEqual: .greaterOrEqual
        case .equal, .notEqual: nil
        }
    }
}
