import StorageDriver

/// The part of a query's filter that a record's key decides, without the record.
struct KeyFilter {
    private let evaluation: QueryEvaluation<NoTables>
    private let conditions: [QueryTerm]
    private let key: [Int]
    private let width: Int

    /// Nil if other records decide as well whether a record is selected, or where it stands.
    init?(_ selection: Selection, _ handle: ModelHandle) throws(StorageError) {
        // The relevance of a record depends on all others.
        if selection.order.contains(where: { $0.isRelevance(of: handle.tables) }) { return nil }
        var lowering = QueryLowering(handle, in: nil)
        let (query, arguments) = try handle.query(selection, .count, by: &lowering)
        if lowering.leavesRecord { return nil }
        let plan = handle.plan(query)
        let root = handle.tables.root.schema
        key = root.key
        width = root.columns.count
        evaluation = QueryEvaluation(plan, arguments, in: NoTables())
        let conditions =
            switch plan.query.filter {
            case nil: [QueryTerm]()
            case .and(let terms): terms
            case let term?: [term]
            }
        self.conditions = conditions.filter { $0.usesOnly(root.key) }
    }

    /// Returns whether a record with this key may be selected.
    func mayMatch(_ key: [Value]) throws(StorageError) -> Bool {
        if conditions.isEmpty { return true }
        var row = [Value](repeating: .null, count: width)
        for (column, value) in zip(self.key, key) { row[column] = value }
        for condition in conditions where try !evaluation.isTrue(condition, row) { return false }
        return true
    }
}

/// No rows: the conditions need none.
private struct NoTables: ValueTables {
    func rows(of _: TableSchema, keyPrefix: [Value]) -> RowStream<[Value]> { RowStream([]) }
    func keys(of _: TableSchema, within _: ColumnBounds) -> [[Value]]? { nil }
}

extension QueryTerm {
    /// Returns whether these columns alone determine the term's value for each row. Terms that can fail are left to the
    /// engine.
    fileprivate func usesOnly(_ columns: [Int]) -> Bool {
        switch self {
        case .column(let column): columns.contains(column)
        case .argument, .null, .constant: true
        case .comparison(_, let left, let right, _), .text(_, let left, let right):
            left.usesOnly(columns) && right.usesOnly(columns)
        case .isAmong(let asked, _): asked.allSatisfy(columns.contains)
        case .isIn(let term, _, _), .isNull(let term), .not(let term), .folded(let term, _): term.usesOnly(columns)
        case .and(let terms), .or(let terms): terms.allSatisfy { $0.usesOnly(columns) }
        default: false
        }
    }
}
