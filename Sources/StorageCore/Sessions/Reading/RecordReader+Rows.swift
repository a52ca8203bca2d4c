import StorageDriver

// The rows of a selection. Engines do not know relevance: if a selection is ordered by it, the search gives the keys, and the rows
// are put into their order in memory.
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

    /// The records of a selection that is ordered by relevance, in its order; nil for any other selection.
    ///
    /// - Parameters:
    ///   - keys: the keys of the records in scope; nil for all records.
    ///   - areAllVisible: True to assume that no layer hides a record, where that saves a query. The caller looks.
    ///   - change: changes the lowered query. The selection then has no page.
    /// - Throws: `invalidQuery` if relevance is not the first order, or no condition searches the records.
    package func ranked(
        _ selection: Selection, among keys: KeyList? = nil, areAllVisible: Bool = false,
        change: QueryChange = { _, _ in }
    ) throws(StorageError) -> [SearchHit]? {
        guard selection.order.contains(where: { $0.isRelevance(of: model) }) else { return nil }
        return try handle.directory.textSearch().ranked(
            selection, of: handle, among: keys, areAllVisible: areAllVisible, in: session, change: change)
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
}
