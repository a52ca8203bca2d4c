extension QueryPlan {
    /// The query with its conditions on related rows as lists of keys, for a backend that evaluates queries in Swift:
    /// `author.name == "A"` becomes `author IN (…)`, and `books.count > 2` becomes `id IN (…)`. So each
    /// condition takes one query of the related rows, instead of one for each row.
    ///
    /// A condition stays as it is where looking at each row's related rows costs less: another condition finds few rows,
    /// a limit may soon be met, or there are many more related rows than rows. Conditions through rows between stay too.
    ///
    /// - Parameters:
    ///   - arguments: the query's; gets the lists.
    ///   - rowCount: the number of rows in a table.
    ///   - rows: runs a query on the same rows, with further conditions on related rows.
    public func choosingRelated(
        _ arguments: inout QueryArguments, rowCount: (TableSchema) -> Int,
        rows: (QueryPlan, QueryArguments) throws(StorageError) -> Cursor
    ) throws(StorageError) -> QueryPlan {
        guard choosesRelated, let filter = query.filter else { return self }
        return try withoutActuallyEscaping(rowCount) { rowCount throws(StorageError) in
            try withoutActuallyEscaping(rows) { rows throws(StorageError) in
                var choices = RelatedChoices(plan: self, arguments: arguments, rowCount: rowCount, rows: rows)
                var chosen = query
                chosen.filter = try choices.chosen(filter)
                arguments = choices.arguments
                return QueryPlan(id: nil, query: chosen, table: table, tables: tables)
            }
        }
    }

    /// True if a few rows in key order may suffice.
    package var endsEarly: Bool { query.isLimited || query.result == .exists }
}

extension QueryTerm {
    /// True if a part of the condition can be a list of keys.
    fileprivate var hasRelated: Bool {
        switch self {
        case .and(let terms), .or(let terms): terms.contains(where: \.hasRelated)
        case .not(let term): term.hasRelated
        case .quantified, .comparison(_, .relatedCount, .argument, _), .comparison(_, .related, .argument, _),
            .isIn(.related, _, _), .text(_, .related, .argument):
            true
        default: false
        }
    }

    /// For a test of a value of a related row: the edge, and the test in that row. Only tests that are false for null, so
    /// it is false without a row.
    package var throughReference: (edge: Join, test: QueryTerm)? {
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

    /// True if it names the values that it is true for, as few rows have them.
    package var isEquality: Bool {
        switch self {
        case .comparison(.equal, _, _, _), .isIn, .isAmong: true
        default: false
        }
    }

    /// Returns whether one of the conditions names values of the key's first column, or of one with an index.
    fileprivate func findsFew(of table: TableSchema) -> Bool {
        conjuncts.contains { term in
            switch term {
            case .comparison(.equal, .column(let column), .argument, _), .isIn(.column(let column), _, _):
                table.key.first == column || table.indexedColumns.contains(column)
            case .isAmong(let columns, _): columns.first.map(table.indexedColumns.contains) ?? false
            default: false
            }
        }
    }
}

extension Query {
    /// Returns whether it pays to begin with the related rows that meet a condition: they can be found without failing,
    /// and no other condition finds few rows.
    func choosesRelated(in table: TableSchema) -> Bool {
        guard case .all = scope, let filter, filter.hasRelated else { return false }
        return !canFail && !filter.findsFew(of: table)
    }
}

/// Puts lists of keys in the place of conditions on related rows.
private struct RelatedChoices {
    let plan: QueryPlan
    var arguments: QueryArguments
    let rowCount: (TableSchema) -> Int
    let rows: (QueryPlan, QueryArguments) throws(StorageError) -> Cursor

    /// The number of related rows for each row that cost less to scan than to look up one of them.
    private static let maximumRelated = 32

    mutating func chosen(_ term: QueryTerm) throws(StorageError) -> QueryTerm {
        switch term {
        case .and(let terms): return .and(try chosen(terms))
        case .or(let terms): return .or(try chosen(terms))
        case .not(let term): return .not(try chosen(term))
        case .comparison(.notEqual, .related(let edge, let value), let other, let type):
            return .not(try chosen(.comparison(.equal, .related(edge, value), other, type)))
        case .comparison(let comparison, .relatedCount(let edge, let test), .argument(let index), let type):
            let wanted = arguments.values[index]
            return try choice(edge, test, looksAtAll: true) { count in
                comparison.holds(.int(Int64(count)), wanted, as: type)
            } ?? term
        case .quantified(.any, let edge, let test): return try choice(edge, test) { $0 > 0 } ?? term
        case .quantified(.none, let edge, let test): return try choice(edge, test) { $0 == 0 } ?? term
        case .quantified(.all, let edge, let test): return try choice(edge, .not(test)) { $0 == 0 } ?? term
        default:
            guard let (edge, test) = term.throughReference, edge.inner == plan.tables[edge.table].key else {
                return term
            }
            return try choice(edge, test) { $0 > 0 } ?? term
        }
    }

    private mutating func chosen(_ terms: [QueryTerm]) throws(StorageError) -> [QueryTerm] {
        var chosen: [QueryTerm] = []
        for term in terms { chosen.append(try self.chosen(term)) }
        return chosen
    }

    /// The rows for which the number of related rows that pass the test is right; nil if they are to be looked up.
    ///
    /// - Parameter looksAtAll: whether looking them up would come to all of them.
    private mutating func choice(
        _ edge: Join, _ test: QueryTerm, looksAtAll: Bool = false, where isRight: (Int) -> Bool
    ) throws(StorageError) -> QueryTerm? {
        let outer = edge.outer.compactMap(\.self)
        guard edge.link == nil, let first = outer.first, outer.count == edge.inner.count,
            pays(edge, test, looksAtAll: looksAtAll)
        else { return nil }
        // Rows without any related row are in no list.
        let isInverted = isRight(0)
        let keys = try counts(edge, test).values { isRight($0) != isInverted }
        let list = arguments.lists.count
        arguments.lists.append(ValueList(width: outer.count, values: keys))
        let isIn =
            outer.count == 1
            ? QueryTerm.isIn(.column(first), list: list, plan.table.columns[first].type) : .isAmong(outer, list: list)
        return isInverted ? .not(isIn) : isIn
    }

    private func pays(_ edge: Join, _ test: QueryTerm, looksAtAll: Bool) -> Bool {
        if plan.endsEarly, !test.conjuncts.contains(where: \.isEquality) { return false }
        if looksAtAll { return true }
        let related = plan.tables[edge.table]
        return test.findsFew(of: related) || rowCount(related) / Self.maximumRelated <= rowCount(plan.table)
    }

    /// Returns the number of rows that pass the test for each value of the edge's columns.
    private func counts(_ edge: Join, _ test: QueryTerm) throws(StorageError) -> ValueCounts {
        let query = Query(.columns(edge.inner), filter: test == .constant(true) ? nil : test)
        let plan = QueryPlan(id: nil, query: query, table: plan.tables[edge.table], tables: plan.tables)
        var rows = try rows(plan, QueryArguments(arguments.values, lists: arguments.lists))
        var counts = ValueCounts()
        while try rows.next() { counts.add(rows.cells, edge.inner.count) }
        return counts
    }
}

/// The number of occurrences of each value, except null.
private struct ValueCounts {
    private var numbers: [Int64: Int] = [:]
    private var others: [[Value]: Int] = [:]

    mutating func add(_ cells: UnsafePointer<Cell>, _ width: Int) {
        if width == 1, cells[0].tag == .int {
            numbers[cells[0].int, default: 0] += 1
        } else if !(0..<width).contains(where: { cells[$0].isNull }) {
            others[(0..<width).map { cells[$0].value }, default: 0] += 1
        }
    }

    /// The values whose count is wanted, row after row.
    func values(where isWanted: (Int) -> Bool) -> [Value] {
        numbers.compactMap { isWanted($1) ? .int($0) : nil } + others.flatMap { isWanted($1) ? $0 : [] }
    }
}
