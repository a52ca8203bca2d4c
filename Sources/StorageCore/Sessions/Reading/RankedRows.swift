import StorageDriver

// Records in the order of their relevance. Engines don't know it: the search index gives the keys, and the rows are put into
// their order in memory.
extension RecordReader {
    /// The rows of a selection, in its order, with the given columns of the model's table.
    ///
    /// - Parameters:
    ///   - keys: the keys of the rows in scope; nil for all rows.
    ///   - isShown: whether all rows are a part of the result.
    ///   - change: changes the lowered query, such as its filter. The selection then has no page.
    package func rows(
        _ selection: Selection, _ columns: [Int], among keys: KeyList? = nil, isShown: Bool = true,
        change: QueryChange = { _, _ in }
    ) throws(StorageError) -> Cursor {
        guard let hits = try ranked(selection, among: keys, areAllVisible: true, change: change) else {
            let (plan, arguments) = try handle.plan(
                selection, .columns(columns), among: keys, in: session, change: change)
            return try session.rows(plan, arguments, isShown: isShown)
        }
        var (buffer, order) = try rows(of: hits, columns, isShown: isShown)
        if order.count < hits.count, let hits = try ranked(selection, among: keys, change: change) {
            (buffer, order) = try rows(of: hits, columns, isShown: isShown)
        }
        if isShown { session.showToObserver { $0.add(order) } }
        return buffer.cursor(order)
    }

    /// The records of a selection that is ordered by relevance, in its order and with their relevance; nil for any other
    /// selection.
    package func hits<M: Storable>(
        _: M.Type, _ selection: Selection
    ) throws(StorageError) -> [(record: M, relevance: Double)]? {
        guard let hits = try ranked(selection) else { return nil }
        session.showToObserver { $0.add(hits) }
        return zip(try find(M.self, keys: hits.map(\.key)), hits).compactMap { record, hit in
            record.map { ($0, hit.relevance) }
        }
    }

    /// The rows of hits, and the indices of the rows that no layer hides, in the order of the hits.
    private func rows(
        of hits: [SearchHit], _ columns: [Int], isShown: Bool
    ) throws(StorageError) -> (rows: BufferedRows, order: [Int]) {
        let key = model.root.schema.key
        let all = columns + key
        let buffer = BufferedRows(width: all.count)
        var places: [[Value]: Int] = [:]
        for part in KeyList(width: key.count, hits.lazy.map(\.key)).parts(of: Self.partOfRecords) {
            let (plan, arguments) = try handle.plan(Selection(), .columns(all), among: part, in: session)
            var cursor = try session.rows(plan, arguments, isShown: isShown)
            while try cursor.next() {
                places[key.indices.map { cursor.cells[columns.count + $0].value }] = buffer.count
                buffer.add(cursor.cells)
            }
        }
        return (buffer, hits.compactMap { places[$0.key] })
    }

    /// The records of a selection that is ordered by relevance, in its order; nil for any other selection.
    ///
    /// - Parameters:
    ///   - keys: the keys of the records in scope; nil for all records.
    ///   - areAllVisible: True to assume that no layer hides a record, where that saves a query. The caller looks.
    ///   - change: changes the lowered query. The selection then has no page.
    /// - Throws: `invalidQuery` if relevance is not the first order, or no condition searches the records.
    func ranked(
        _ selection: Selection, among keys: KeyList? = nil, areAllVisible: Bool = false,
        change: QueryChange = { _, _ in }
    ) throws(StorageError) -> [SearchHit]? {
        guard let place = selection.order.firstIndex(where: { $0.isRelevance(of: model) }) else { return nil }
        if let problem = selection.problem { throw problem.at(model: handle.name) }
        try handle.checkPage(selection.limit, selection.offset)
        guard place == 0, !selection.order.dropFirst().contains(where: { $0.isRelevance(of: model) }) else {
            throw StorageError(.invalidQuery, "Relevance is the first order of a query, or none.", model: handle.name)
        }
        let searches = try QueryLowering(handle, in: session).ownSearches(of: selection)
        guard !searches.isEmpty else {
            throw StorageError(
                .invalidQuery,
                "Relevance is that of a search of the record itself, which is not negated; add a matches condition.",
                model: handle.name)
        }
        let hits: [SearchHit]
        if selection.order.count == 1, selection.order[0].isDescending, searches.count == 1,
            let condition = searches[0].condition, let limit = selection.limit, keys == nil
        {
            let (end, isBeyond) = selection.offset.addingReportingOverflow(limit)
            let wanted = isBeyond ? .max : end
            let others = selection.without(condition: condition)
            // A hidden record of an earlier page would move this one.
            let isFirst = selection.offset == 0 && others.isEverything
            hits =
                areAllVisible && isFirst
                ? try self.hits(searches[0], best: wanted) : try best(wanted, of: searches[0], meeting: others)
        } else {
            hits = try sorted(selection, searches, among: keys, change: change)
        }
        return Array(hits.dropFirst(selection.offset).prefix(selection.limit ?? .max))
    }

    /// The first records by relevance. Asks for more and more of the best until enough of them meet the other conditions.
    private func best(
        _ wanted: Int, of search: Selection.Search, meeting others: Selection
    ) throws(StorageError) -> [SearchHit] {
        guard wanted > 0 else { return [] }
        var count = others.isEverything ? wanted : min(wanted, 1 << 20) * 4
        while true {
            let best = try hits(search, best: count)
            let list = KeyList(width: model.rootKeyCount, best.lazy.map(\.key))
            let chosen = try Set(self.keys(others, among: list))
            let hits = best.filter { chosen.contains($0.key) }
            if hits.count >= wanted || best.count < count { return hits }
            count = count > 1 << 40 ? count : count * 4
        }
    }

    /// All records, sorted in memory by the sum of their relevances; records of equal relevance stay in the order of
    /// the engine.
    private func sorted(
        _ selection: Selection, _ searches: [Selection.Search], among keys: KeyList?, change: QueryChange
    ) throws(StorageError) -> [SearchHit] {
        var relevances: [[Value]: Double] = [:]
        for search in searches {
            for hit in try hits(search, best: nil) { relevances[hit.key, default: 0] += hit.relevance }
        }
        var rest = selection.withoutPage
        let isDescending = rest.order.removeFirst().isDescending
        let hits = try self.keys(rest, among: keys, change: change)
            .map { SearchHit(key: $0, relevance: relevances[$0] ?? 0) }
        return hits.enumerated().sorted { left, right in
            if left.element.relevance == right.element.relevance { return left.offset < right.offset }
            return (left.element.relevance > right.element.relevance) == isDescending
        }.map(\.element)
    }

    private func hits(_ search: Selection.Search, best count: Int?) throws(StorageError) -> [SearchHit] {
        var lowering = QueryLowering(handle, in: session)
        return try lowering.hits(search, best: count)
    }

    /// The keys of a selection's records. The rows of the result determine the observer's digest.
    private func keys(
        _ selection: Selection, among keys: KeyList?, change: QueryChange = { _, _ in }
    ) throws(StorageError) -> [[Value]] {
        let (plan, arguments) = try handle.plan(
            selection, .columns(model.root.schema.key), among: keys, in: session, change: change)
        return try session.rows(plan, arguments, isShown: false).rows(width: model.rootKeyCount)
    }
}
