import StorageAPI

extension Fault {
    /// Puts another term in the place of each term of a filter, the inner ones first.
    mutating func rewrite(_ change: @escaping @Sendable (QueryTerm, inout Question) -> QueryTerm) {
        query = { question in
            guard let filter = question.query.filter else { return }
            question.query.filter = filter.rewritten(&question, change)
        }
    }

    /// An equality with a value also holds of others. An empty list: it holds of none.
    mutating func equality(_ others: @escaping @Sendable (Value) -> [Value]?) {
        rewrite { term, question in
            guard case .comparison(.equal, let left, .argument(let index), let type) = term,
                let values = others(question.arguments.values[index])
            else { return term }
            return .isIn(left, list: question.list(values), type)
        }
    }

    /// Changes a query's order.
    mutating func order(_ change: @escaping @Sendable (inout [Query.SortKey], inout Question) -> Void) {
        query = { question in
            var order = question.query.order
            change(&order, &question)
            question.query.order = order
        }
    }
}

extension QueryTerm {
    func rewritten(
        _ question: inout Question, _ change: (QueryTerm, inout Question) -> QueryTerm
    ) -> QueryTerm {
        var term = self
        switch self {
        case .and(let terms): term = .and(terms.map { $0.rewritten(&question, change) })
        case .or(let terms): term = .or(terms.map { $0.rewritten(&question, change) })
        case .not(let inner): term = .not(inner.rewritten(&question, change))
        case .quantified(let quantifier, let ownership, let inner):
            term = .quantified(quantifier, ownership, inner.rewritten(&question, change))
        default: break
        }
        return change(term, &question)
    }
}
