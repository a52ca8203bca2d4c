internal import StorageDriver

// Records that sort others. The server runs a subquery for each row, but joins all rows at once. If a condition leaves out rows
// without a record, it may also begin with an index of the records.
extension QueryCompiler {
    /// A reference to one record, from the row with an alias.
    struct Reference: Hashable {
        let alias: Int
        let edge: Join
    }

    /// The records that the query's rows are joined with.
    struct Joins {
        fileprivate(set) var sql = ""
        private var scopes: [Reference: RowScope] = [:]

        /// The record at the end of an edge; nil if no row is joined with it.
        func scope(_ edge: Join, from scope: RowScope) -> RowScope? {
            scopes.isEmpty ? nil : scopes[Reference(alias: scope.alias, edge: edge)]
        }

        fileprivate mutating func add(
            _ related: RowScope, along edge: Join, from scope: RowScope, where condition: String
        ) {
            scopes[Reference(alias: scope.alias, edge: edge)] = related
            sql += " LEFT JOIN \(related.table) ON \(condition)"
        }
    }

    /// Joins the rows with the records by which they are sorted.
    mutating func joinOrder() {
        for key in plan.query.order { join(key.term, from: root) }
    }

    private mutating func join(_ term: QueryTerm, from scope: RowScope) {
        switch term {
        case .arithmetic(_, let left, let right, _):
            join(left, from: scope)
            join(right, from: scope)
        case .related(let edge, let term) where isToKey(edge):
            if let related = joins.scope(edge, from: scope) { return join(term, from: related) }
            let related = nextScope(edge.table)
            joins.add(
                related, along: edge, from: scope,
                where: equal(related, edge.inner, to: scope, columns: edge.outer))
            join(term, from: related)
        default: break
        }
    }

    /// Returns whether the edge leads to one record at most. Tables of other software may inherit rows with a key twice.
    private func isToKey(_ edge: Join) -> Bool {
        let target = plan.tables[edge.table]
        return edge.link == nil && edge.inner == target.key && !target.isForeign && !isForeign
    }

    /// Returns whether rows in the order of the term may come from an index. From an index of joined records they do only if a
    /// condition leaves out rows without a record.
    func mayFollowIndex(_ term: QueryTerm) -> Bool {
        guard case .related = term else { return true }
        return plan.query.filter?.conjuncts.contains {
            if case .comparison(let comparison, term, .argument, _) = $0 { comparison != .notEqual } else { false }
        } ?? false
    }

    /// The prefix of a value, if the index of its column has only that.
    func beginning(of term: QueryTerm, in scope: RowScope) -> String? {
        switch term {
        case .column(let column): scope.beginning(column)
        case .related(let edge, let term): joins.scope(edge, from: scope).flatMap { beginning(of: term, in: $0) }
        default: nil
        }
    }
}
