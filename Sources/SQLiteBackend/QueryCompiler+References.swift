internal import StorageDriver

// Conditions on what a row refers to. For a condition that few records meet, SQLite should begin with these and go to the
// rows by the reference's index. It does so for `author IN (SELECT id FROM Author WHERE …)`, but not for a subquery for
// each row, nor for a join without statistics.
extension QueryCompiler {
    /// A part of the filter as a choice of records that the row refers to; nil where a subquery for each row is better,
    /// or must be.
    mutating func chosenReferences(_ term: QueryTerm) -> String? {
        guard case .all = plan.query.scope, !plan.query.canFail, let (edge, test) = term.throughReference,
            term.isEquality || !endsEarly, !hasNarrowCondition, isToKey(edge)
        else { return nil }
        return choice(edge, test, Place(plan.table, 0, conversions))
    }

    /// Rows in the order of the key may meet the limit soon.
    private var endsEarly: Bool { plan.query.isLimited || plan.query.result == .exists }

    /// Whether another part of the filter finds few rows by itself.
    private var hasNarrowCondition: Bool {
        guard case .and(let terms)? = plan.query.filter else { return false }
        let indexed = Set(plan.table.indexedColumns + plan.table.key.prefix(1))
        return terms.contains { term in
            switch term {
            case .comparison(.equal, .column(let column), .argument, _), .isIn(.column(let column), _, _):
                indexed.contains(column)
            default: false
            }
        }
    }

    /// Whether the edge leads to one record, by its whole key. Another program's tables may compare otherwise.
    private func isToKey(_ edge: Edge) -> Bool {
        let target = plan.tables[edge.table]
        return edge.link == nil && edge.inner == target.key && !edge.outer.contains(nil) && !target.isForeign
            && !plan.table.isForeign
    }

    private mutating func choice(_ edge: Edge, _ test: QueryTerm, _ place: Place) -> String {
        let related = self.related(edge)
        let condition: String
        if let (next, test) = test.throughReference, isToKey(next) {
            condition = choice(next, test, related)
        } else {
            condition = self.condition(test, related)
        }
        let names = edge.outer.compactMap(\.self).map(place.column).joined(separator: ", ")
        let keys = edge.inner.map(related.column).joined(separator: ", ")
        return "((\(names)) IN (SELECT \(keys) FROM \(related.table) WHERE \(condition)))"
    }
}

extension QueryTerm {
    /// For a test of a value of a related row: the edge, and the test in that row. Only tests that are false for null: so
    /// it is false where there is no row.
    fileprivate var throughReference: (Edge, QueryTerm)? {
        switch self {
        case .comparison(let comparison, .related(let edge, let value), .argument(let index), let type)
        where comparison != .notEqual:
            (edge, .comparison(comparison, value, .argument(index), type))
        case .isIn(.related(let edge, let value), let list, let type): (edge, .isIn(value, list: list, type))
        case .text(let test, .related(let edge, let text), .argument(let index)):
            (edge, .text(test, text, .argument(index)))
        default: nil
        }
    }

    fileprivate var isEquality: Bool {
        switch self {
        case .comparison(.equal, _, _, _), .isIn: true
        default: false
        }
    }
}
