import StorageAPI
import StorageDriver

extension Fault {
    /// Puts another term in the place of each term of a query, the inner ones first.
    mutating func rewrite(_ change: @escaping @Sendable (QueryTerm, inout Question) -> QueryTerm) {
        query = { question in question.rewrite(change) }
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

    /// Changes a query's order, and that of its groups.
    mutating func order(_ change: @escaping @Sendable (inout [Query.SortKey], inout Question) -> Void) {
        query = { question in
            var order = question.query.order
            change(&order, &question)
            question.query.order = order
            question.groups { grouping, question in change(&grouping.order, &question) }
        }
    }
}

extension Question {
    /// Changes the groups, where the query makes groups.
    mutating func groups(_ change: (inout Query.Grouping, inout Question) -> Void) {
        guard case .groups(var grouping) = query.result else { return }
        change(&grouping, &self)
        query.result = .groups(grouping)
    }

    fileprivate mutating func rewrite(_ change: (QueryTerm, inout Question) -> QueryTerm) {
        query.filter = query.filter?.rewritten(&self, change)
        query.order = query.order.map { $0.rewritten(&self, change) }
        if case .terms(let terms) = query.result {
            query.result = .terms(terms.map { TypedTerm($0.term.rewritten(&self, change), $0.type) })
        }
        groups { grouping, question in
            grouping.keys = grouping.keys.map { TypedTerm($0.term.rewritten(&question, change), $0.type) }
            grouping.filter = grouping.filter?.rewritten(&question, change)
            grouping.order = grouping.order.map { $0.rewritten(&question, change) }
            for index in grouping.aggregates.indices {
                guard let term = grouping.aggregates[index].term else { continue }
                grouping.aggregates[index].term = TypedTerm(term.term.rewritten(&question, change), term.type)
            }
        }
    }
}

extension Query.SortKey {
    fileprivate func rewritten(
        _ question: inout Question, _ change: (QueryTerm, inout Question) -> QueryTerm
    ) -> Query.SortKey {
        var key = self
        key.term = term.rewritten(&question, change)
        return key
    }
}

extension QueryTerm {
    func rewritten(
        _ question: inout Question, _ change: (QueryTerm, inout Question) -> QueryTerm
    ) -> QueryTerm {
        change(replacingOperands { $0.rewritten(&question, change) }, &question)
    }
}
