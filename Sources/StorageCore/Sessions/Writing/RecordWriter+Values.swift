import StorageDriver

extension RecordWriter {
    /// The values that models have in cells of their root rows, which are not stored.
    ///
    /// - Parameter values: gets the values of the models before the first that cannot be stored.
    func values<M: Storable>(
        of models: [M], _ cells: [Int], into values: inout [[Value]]
    ) throws(StorageError) {
        let graph = GraphWriter(model, limits: limits)
        // A key may be nil yet.
        let noKey = [Value](repeating: .int(0), count: model.rootKeyCount)
        graph.keys = KeyList(width: noKey.count, repeatElement(noKey, count: models.count)).cells
        var rows = RowCollector(graph, replaces: false)
        while values.count < models.count {
            let first = values.count
            var failure: StorageError?
            do throws(StorageError) {
                _ = try M.write(models, from: first, into: &rows)
            } catch {
                failure = error.with { $0.element = first + rows.count }
                _ = rows.takeBackUnfinished()
            }
            for index in 0..<rows.count {
                let row = graph.buffers[0].row(index)
                values.append(cells.map { row[$0].value })
            }
            if let failure { throw failure }
            rows.removeAll()
        }
    }
}
