// Rows that an engine counts, because other software has given them no key. To count them, an engine reads all rows from the first
// one on, and cannot pass a condition into the view. So it counts only where the number is asked for.

extension QueryPlan {
    /// The tables whose rows are counted for the query, each with the index of its number.
    package var countedTables: [(table: TableSchema, number: Int)] {
        guard tables.contains(where: \.isReadOnly) else { return [] }
        let needed = NeededColumns(self)
        return tables.compactMap { table in
            guard let number = table.rowNumber else { return nil }
            let isWanted = needed.has(number, of: table) || table.name == self.table.name && dependsOnNumber
            return isWanted ? (table, number) : nil
        }
    }

    /// True if the rows in scope, or their order, depend on the number.
    private var dependsOnNumber: Bool { isKeyedByNumber && (query.scope != .all || query.isComputedWhole) }

    private var isKeyedByNumber: Bool { table.rowNumber.map { table.key == [$0] } ?? false }

    /// The sort keys of the rows, and the columns of the key by which rows are sorted that are equal on all of them.
    ///
    /// Rows that the engine counts come in the order of their numbers by themselves. To sort them, it would read all.
    package var rowOrder: (keys: [Query.SortKey], key: [Int]) {
        guard isKeyedByNumber, !query.isComputedWhole, let number = table.rowNumber else {
            return (query.order, table.key.filter { !isSortKey($0) })
        }
        guard let first = query.order.first else { return ([], []) }
        if case .column(number) = first.term, !first.isDescending { return ([], []) }
        return (query.order, countedTables.contains { $0.table.name == table.name } ? [number] : [])
    }

    /// True if rows with equal sort keys are equal in a column of the key.
    private func isSortKey(_ column: Int) -> Bool {
        query.order.contains { if case .column(column) = $0.term { true } else { false } }
    }

    /// True if the query finds one row at most, by its number.
    package var findsNumber: Bool {
        if case .key = query.scope { isKeyedByNumber && !query.isLimited } else { false }
    }
}
