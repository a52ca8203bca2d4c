import StorageDriver

// Records in the order of their relevance. An engine knows nothing of it: the index gives the keys, and the rows are put into
// their order in memory.
extension RecordReader {
    /// The rows of a selection, in its order, with the given columns of the model's own table.
    package func rows(_ selection: Selection, _ columns: [Int]) throws(StorageError) -> Cursor {
        guard let hits = try ranked(selection, areAllVisible: true) else {
            let (plan, arguments) = try handle.plan(selection, .columns(columns), in: session)
            return try session.rows(plan, arguments)
        }
        var (buffer, order) = try rows(of: hits, columns)
        if order.count < hits.count, let hits = try ranked(selection) {
            (buffer, order) = try rows(of: hits, columns)
        }
        session.showToObserver { digest in for place in order { digest.add(Int64(place)) } }
        return buffer.cursor(order)
    }

    /// The rows of hits, and the places of those that a layer does not hide, in the order of the hits.
    private func rows(
        of hits: [SearchHit], _ columns: [Int]
    ) throws(StorageError) -> (rows: BufferedRows, order: [Int]) {
        let key = model.root.schema.key
        let all = columns + key
        let buffer = BufferedRows(width: all.count)
        var places: [[Value]: Int] = [:]
        for start in stride(from: 0, to: hits.count, by: Self.partOfRecords) {
            let part = hits[start..<min(start + Self.partOfRecords, hits.count)]
            let list = ValueList(width: key.count, values: part.flatMap(\.key))
            let (plan, arguments) = try handle.plan(Selection(), .columns(all), among: list, in: session)
            var cursor = try session.rows(plan, arguments)
            while try cursor.next() {
                places[key.indices.map { cursor.cells[columns.count + $0].value }] = buffer.count
                buffer.add(cursor.cells)
            }
        }
        return (buffer, hits.compactMap { places[$0.key] })
    }

    /// The records of a selection that is ordered by relevance, in its order; nil for any other selection.
    ///
    /// - Parameter areAllVisible: True to assume that no layer hides a record, where that saves a query. The caller looks.
    /// - Throws: `invalidQuery` if relevance is not the first order, or nothing is searched.
    package func ranked(_ selection: Selection, areAllVisible: Bool = false) throws(StorageError) -> [SearchHit]? {
        guard let place = selection.order.firstIndex(where: { $0.isRelevance(of: model) }) else { return nil }
        if let problem = selection.problem { throw problem.at(model: handle.name) }
        try handle.checkPage(selection.limit, selection.offset)
        guard place == 0, !selection.order.dropFirst().contains(where: { $0.isRelevance(of: model) }) else {
            throw StorageError(.invalidQuery, "Relevance is the first order of a query, or none.", model: handle.name)
        }
        let searches = selection.searches
        guard !searches.isEmpty else {
            throw StorageError(
                .invalidQuery, "Relevance is that of a search; add a matches condition.", model: handle.name)
        }
        let hits: [SearchHit]
        if selection.order.count == 1, selection.order[0].isDescending, searches.count == 1, let limit = selection.limit
        {
            let (end, isBeyond) = selection.offset.addingReportingOverflow(limit)
            let wanted = isBeyond ? .max : end
            // A hidden record of an earlier page would move this one.
            let isFirst = selection.offset == 0 && selection.without(searches[0]).isEverything
            hits =
                areAllVisible && isFirst
                ? try self.hits(searches[0], best: wanted) : try best(wanted, searches[0], selection)
        } else {
            hits = try sorted(selection, searches)
        }
        return Array(hits.dropFirst(selection.offset).prefix(selection.limit ?? .max))
    }

    /// The first records by relevance. Asks for more and more of the best until enough of them meet the other conditions.
    private func best(
        _ wanted: Int, _ search: Selection.Search, _ selection: Selection
    ) throws(StorageError) -> [SearchHit] {
        guard wanted > 0 else { return [] }
        let others = selection.without(search)
        var count = others.isEverything ? wanted : min(wanted, 1 << 20) * 4
        while true {
            let best = try hits(search, best: count)
            let list = ValueList(width: model.rootKeyCount, values: best.flatMap(\.key))
            let (plan, arguments) = try handle.plan(others, .columns(model.root.schema.key), among: list, in: session)
            let chosen = Set(try keys(plan, arguments))
            let hits = best.filter { chosen.contains($0.key) }
            if hits.count >= wanted || best.count < count { return hits }
            count = count > 1 << 40 ? count : count * 4
        }
    }

    /// All records, sorted in memory by the sum of their relevances; those of equal relevance stay in the order of the engine.
    private func sorted(
        _ selection: Selection, _ searches: [Selection.Search]
    ) throws(StorageError) -> [SearchHit] {
        var relevances: [[Value]: Double] = [:]
        for search in searches {
            for hit in try hits(search, best: nil) { relevances[hit.key, default: 0] += hit.relevance }
        }
        var rest = selection.withoutPage
        let isDescending = rest.order.removeFirst().isDescending
        let (plan, arguments) = try handle.plan(rest, .columns(model.root.schema.key), in: session)
        let hits = try keys(plan, arguments).map { SearchHit(key: $0, relevance: relevances[$0] ?? 0) }
        return hits.enumerated().sorted { left, right in
            if left.element.relevance == right.element.relevance { return left.offset < right.offset }
            return (left.element.relevance > right.element.relevance) == isDescending
        }.map(\.element)
    }

    private func hits(_ search: Selection.Search, best count: Int?) throws(StorageError) -> [SearchHit] {
        var lowering = QueryLowering(handle, in: session)
        return try lowering.hits(search, best: count)
    }

    private func keys(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> [[Value]] {
        try session.rows(plan, arguments).rows(width: model.rootKeyCount)
    }
}
