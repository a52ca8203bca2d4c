package import StorageDriver

/// Groups of records without types, whose terms are text: for the tool.
package struct TextGroups: Sendable {
    /// The aggregates of a group.
    package enum Term: Sendable {
        /// The number of records in the group.
        case count
        case sum(String)
        case average(String)
        case min(String)
        case max(String)
    }

    /// The terms by which records are grouped; none for one group of all.
    package var keys: [String]
    package var outputs: [Term]
    /// The condition that kept groups meet, on the columns of the result, by the names that they have here.
    package var having: (condition: String, names: [StoredName: Int])?
    /// The result columns by which the groups are sorted: the keys first, then the outputs.
    package var order: [(column: Int, isDescending: Bool)] = []
    package var limit: Int?
    package var offset = 0

    package init(keys: [String], outputs: [Term]) { (self.keys, self.outputs) = (keys, outputs) }

    func selection(_ rows: Selection) throws(StorageError) -> GroupSelection {
        var groups = GroupSelection(rows: rows)
        for key in keys { groups.keys.append(try TextParser.term(key)) }
        groups.outputs = keys.indices.map { .groupKey($0) }
        for output in outputs { groups.outputs.append(try Self.node(output)) }
        for (column, isDescending) in order where groups.outputs.indices.contains(column) {
            groups.order.append(OrderingTerm(node: groups.outputs[column], isDescending: isDescending))
        }
        if let having {
            let columns = having.names.filter { groups.outputs.indices.contains($0.value) }
            groups.conditions.add(
                try TextParser.condition(having.condition, of: columns.mapValues { groups.outputs[$0] }))
        }
        (groups.limit, groups.offset) = (limit, offset)
        return groups
    }

    private static func node(_ output: Term) throws(StorageError) -> QueryNode {
        switch output {
        case .count: .aggregate(.count, nil)
        case .sum(let term): .aggregate(.sum, try TextParser.term(term))
        case .average(let term): .aggregate(.average, try TextParser.term(term))
        case .min(let term): .aggregate(.min, try TextParser.term(term))
        case .max(let term): .aggregate(.max, try TextParser.term(term))
        }
    }
}

extension Select where Model == DynamicRecord, Source == Store {
    /// The keys and outputs of each group of the query's records, with their types.
    ///
    /// - Throws: `invalidQuery` for a text that is no term; `overflow`; errors of every query.
    package nonisolated(nonsending) func groups(
        _ groups: TextGroups
    ) async throws(StorageError) -> (types: [ColumnType], rows: [[Value]]) {
        let wanted = try groups.selection(selection)
        return try await run { (reading) throws(StorageError) in
            let plan = try reading.handle.plan(wanted, in: reading.session)
            var cursor = try reading.rows(plan)
            let cells = plan.outputs ?? Array(plan.types.indices)
            var rows: [[Value]] = []
            while try cursor.next() { rows.append(cells.map { cursor.cells[$0].value }) }
            return (plan.types, rows)
        }
    }
}
