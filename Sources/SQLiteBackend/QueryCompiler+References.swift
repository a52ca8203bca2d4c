internal import StorageDriver

// Conditions on referenced records. If few records meet a condition, SQLite should find these first, and then the rows by
// the reference's index. It does so for `author IN (SELECT id FROM Author WHERE …)`, but not for a subquery for
// each row, nor for a join without statistics.
extension QueryCompiler {
    /// A part of the filter as a choice of records that the row refers to; nil where a subquery for each row is better,
    /// or must be.
    mutating func chosenReferences(_ term: QueryTerm) -> String? {
        guard plan.choosesRelated, let (edge, test) = term.throughReference, term.isEquality || !plan.endsEarly,
            isToKey(edge)
        else { return nil }
        return choice(edge, test, place: Place(plan.table, alias: 0, conversions: conversions))
    }

    /// Returns whether the edge leads to one record, by its whole key. Another program's tables may compare otherwise.
    func isToKey(_ edge: Join) -> Bool {
        let target = plan.tables[edge.table]
        return edge.link == nil && edge.inner == target.key && !edge.outer.contains(nil) && !target.isForeign
            && !plan.table.isForeign
    }

    private mutating func choice(_ edge: Join, _ test: QueryTerm, place: Place) -> String {
        let related = self.related(edge)
        let condition: String
        if let (next, test) = test.throughReference, isToKey(next) {
            condition = choice(next, test, place: related)
        } else {
            condition = self.condition(test, related)
        }
        let names = edge.outer.compactMap(\.self).map(place.column).joined(separator: ", ")
        let keys = edge.inner.map(related.column).joined(separator: ", ")
        return "((\(names)) IN (SELECT \(keys) FROM \(related.table) WHERE \(condition)))"
    }
}
