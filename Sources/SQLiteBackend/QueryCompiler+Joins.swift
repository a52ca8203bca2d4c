internal import StorageDriver

// Records that sort others. A join gives each row's record once for the order, the conditions of a page and its results, in a
// third of the time of subqueries. If a condition leaves out rows without a record, SQLite may begin with an index of the records.
extension QueryCompiler {
    /// A reference to one record, from the row with an alias.
    struct Reference: Hashable {
        let alias: Int
        let edge: Join
    }

    /// The records that the query's rows are joined with.
    struct Joins {
        fileprivate(set) var sql = ""
        /// SQLite joins at most 64 tables.
        fileprivate var hasRoom: Bool { places.count < 32 }
        private var places: [Reference: Place] = [:]

        /// The record at the end of an edge; nil if no row is joined with it.
        func place(_ edge: Join, from place: Place) -> Place? {
            places.isEmpty ? nil : places[Reference(alias: place.alias, edge: edge)]
        }

        fileprivate mutating func add(_ related: Place, along edge: Join, from place: Place, where condition: String) {
            places[Reference(alias: place.alias, edge: edge)] = related
            sql += " LEFT JOIN \(related.table) ON \(condition)"
        }
    }

    /// Joins the rows with the records by which they are sorted.
    mutating func joinOrder() {
        for key in plan.query.order { join(key.term, from: root) }
    }

    private mutating func join(_ term: QueryTerm, from place: Place) {
        switch term {
        case .arithmetic(_, let left, let right, _):
            join(left, from: place)
            join(right, from: place)
        case .folded(let term, _), .datePart(_, let term, _): join(term, from: place)
        // A join with several records would repeat the row.
        case .related(let edge, let term) where isToKey(edge):
            if let related = joins.place(edge, from: place) { return join(term, from: related) }
            guard joins.hasRoom else { return }
            let related = related(edge)
            joins.add(
                related, along: edge, from: place,
                where: equal(related, inner: edge.inner, outer: place, columns: edge.outer))
            join(term, from: related)
        default: break
        }
    }
}
