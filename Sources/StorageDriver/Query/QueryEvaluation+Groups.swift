extension QueryEvaluation {
    /// One row for each group: its keys, then its aggregates.
    func groups(_ grouping: Query.Grouping) throws(StorageError) -> [[Value]] {
        var rows: [[Value]] = []
        for (key, states) in try states(grouping) {
            var row = key
            for state in states { row.append(try state.result()) }
            if let filter = grouping.filter, !(try isTrue(filter, ofGroup: row)) { continue }
            rows.append(row)
        }
        let sorted = try sorted(rows, grouping.fullOrder) { (term, row) throws(StorageError) in
            try value(term, ofGroup: row)
        }
        guard grouping.isLimited else { return sorted }
        return Array(Self.part(of: sorted, arguments.groupOffset, arguments.groupLimit))
    }

    private func states(_ grouping: Query.Grouping) throws(StorageError) -> [[Value]: [AggregateState]] {
        var groups: [[Value]: [AggregateState]] = [:]
        let fresh = grouping.aggregates.map(AggregateState.init)
        if grouping.keys.isEmpty { groups[[]] = fresh }
        try forEach(grouping.inputs) { (row) throws(StorageError) in
            let key = Array(row.prefix(grouping.keys.count))
            var states = groups.removeValue(forKey: key) ?? fresh
            for (index, input) in row.dropFirst(key.count).enumerated() { try states[index].add(input) }
            groups[key] = states
        }
        return groups
    }

    /// Computes the inputs of each row that the filter, the order and the limit choose. Rows that cannot fail are not kept.
    private func forEach(
        _ inputs: [TypedTerm], _ body: ([Value]) throws(StorageError) -> Void
    ) throws(StorageError) {
        if plan.query.canFail {
            for row in try page(of: inputs) { try body(row) }
            return
        }
        let chosen = try chosen()
        while let row = try chosen.next() { try body(values(of: inputs, in: row)) }
    }

    /// A term over a group's row, which has no children: only columns and computations on them.
    private func value(_ term: QueryTerm, ofGroup row: [Value]) throws(StorageError) -> Value {
        try GroupEvaluation(plan, arguments, in: GroupRows(rows: [row])).value(term, row)
    }

    private func isTrue(_ term: QueryTerm, ofGroup row: [Value]) throws(StorageError) -> Bool {
        try value(term, ofGroup: row) == .int(1)
    }

    private typealias GroupEvaluation = QueryEvaluation<GroupRows>
}

/// The rows of groups as tables, for the evaluation of their filter and order.
private struct GroupRows: ValueTables {
    let rows: [[Value]]
    func rows(of _: TableSchema, keyPrefix: [Value]) -> RowStream<[Value]> { RowStream(rows) }
    func keys(of _: TableSchema, within _: ColumnBounds) -> [[Value]]? { nil }
}
