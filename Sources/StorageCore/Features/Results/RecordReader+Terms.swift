import StorageDriver

extension RecordReader {
    /// Passes on the values of terms in each record of a selection, in its order. A term may be the relevance, and records are then
    /// sorted by it if the selection has no order.
    ///
    /// Holds the keys of all records if these are sorted by relevance, and otherwise one record.
    ///
    /// - Parameter body: takes the terms' types and their values, and returns whether it wants the next record.
    package func values(
        of terms: [QueryNode], _ selection: Selection, _ body: ([ColumnType], [Value]) -> Bool
    ) throws(StorageError) {
        let areRelevances = terms.map { $0.isRelevance(of: model) }
        var selection = selection
        if areRelevances.contains(true), selection.order.isEmpty {
            selection.order = [OrderingTerm(node: .relevance, isDescending: true)]
        }
        guard let hits = try ranked(selection) else {
            guard !areRelevances.contains(true) else {
                throw StorageError(
                    .invalidQuery,
                    "A column of relevance needs records in its order; leave the order out, or order by relevance.",
                    model: handle.name)
            }
            let plan = try handle.plan(terms, selection, isTyped: true, in: session)
            try checkTerms(plan)
            var cursor = try session.rows(plan.plan, plan.arguments)
            while try cursor.next() {
                guard body(plan.types, terms.indices.map { cursor.cells[$0].value }) else { return }
            }
            return
        }
        let key = model.root.schema.key
        let computed = terms.indices.filter { !areRelevances[$0] }
        var start = 0
        while start < hits.count {
            let part = hits[start..<min(start + Self.partOfRecords, hits.count)]
            start = part.endIndex
            let plan = try handle.plan(
                computed.map { terms[$0] }, Selection(), keys: KeyList(width: key.count, part.lazy.map(\.key)),
                isTyped: true, in: session)
            try checkTerms(plan)
            var types = Array(repeating: ColumnType.double, count: terms.count)
            for (place, type) in zip(computed, plan.types) { types[place] = type }
            var found: [[Value]: [Value]] = [:]
            var cursor = try session.rows(plan.plan, plan.arguments)
            while try cursor.next() {
                var values = Array(repeating: Value.null, count: terms.count)
                for (cell, place) in computed.enumerated() { values[place] = cursor.cells[key.count + cell].value }
                found[key.indices.map { cursor.cells[$0].value }] = values
            }
            for hit in part {
                guard var values = found[hit.key] else { continue }
                for place in terms.indices where areRelevances[place] { values[place] = .double(hit.relevance) }
                guard body(types, values) else { return }
            }
        }
    }

    private func checkTerms(_ plan: ResultPlan) throws(StorageError) {
        guard plan.binding.relations.isEmpty else {
            throw StorageError(
                .invalidQuery, "Owned records are no value of their record; leave them out, or print them alone.",
                model: handle.name)
        }
    }
}
