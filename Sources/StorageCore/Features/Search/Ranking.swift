import StorageDriver

/// Finds the records of a selection that is ordered by relevance. The order of other terms is the engine's, and the order by relevance
/// is made in memory.
struct Ranking {
    let indexes: any SearchIndexes
    let reading: RecordReader

    private var handle: ModelHandle { reading.handle }
    private var model: ModelTables { reading.model }
    private var session: any StorageSession { reading.session }

    /// The records, as ``TextSearch/ranked(_:of:among:areAllVisible:in:change:)`` returns them.
    func hits(
        of selection: Selection, among keys: KeyList?, areAllVisible: Bool, change: QueryChange
    ) throws(StorageError) -> [SearchHit] {
        if let problem = selection.problem { throw problem.at(model: handle.name) }
        try handle.checkPage(selection.limit, selection.offset)
        guard selection.order.first?.isRelevance(of: model) == true,
            !selection.order.dropFirst().contains(where: { $0.isRelevance(of: model) })
        else {
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
        return try lowering.hits(search, best: count, by: indexes)
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

extension SearchIndexes {
    package func condition(
        _ search: SearchText, at path: PropertyPath, in place: QueryLowering.Place, of query: inout QueryLowering
    ) throws(StorageError) -> QueryTerm {
        try query.matches(path, search, in: place, by: self)
    }

    package func ranked(
        _ selection: Selection, of handle: ModelHandle, among keys: KeyList?, areAllVisible: Bool,
        in session: any StorageSession, change: QueryChange
    ) throws(StorageError) -> [SearchHit] {
        try Ranking(indexes: self, reading: RecordReader(handle: handle, session: session))
            .hits(of: selection, among: keys, areAllVisible: areAllVisible, change: change)
    }
}

extension RecordReader {
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
}
