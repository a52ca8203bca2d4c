import StorageDriver

// Models as records without types and back, by the rows that both write and read.
extension ModelRows {
    /// The models that records are.
    ///
    /// - Throws: `invalidValue`, `typeMismatch` or `limitExceeded`, with the index of the record.
    func models(_ records: [DynamicRecord]) throws(StorageError) -> [Model] { try converted(records) }

    /// Models as records. A nil key is null.
    ///
    /// - Throws: `invalidValue` or `limitExceeded`, with the index of the model.
    func records(_ models: [Model]) throws(StorageError) -> [DynamicRecord] { try converted(models) }

    private func converted<From: Storable, To: Storable>(_ values: [From]) throws(StorageError) -> [To] {
        let graph = GraphWriter(handle.tables, limits: limits)
        var results: [To] = []
        results.reserveCapacity(values.count)
        let context = RowContext(model: handle.tables, table: handle.tables.root)
        while results.count < values.count {
            let start = results.count
            do throws(StorageError) {
                if handle.tables.hasChildren {
                    results += try graphs(values, from: start, graph)
                } else {
                    let row = try write(values[start], graph)
                    var reader = RowReader(
                        row, from: 0, to: handle.tables.root.columns.count, context: .passUnretained(context))
                    results.append(try To(reading: &reader))
                    try reader.finish()
                    if graph.isFull { graph.removeAll() }
                }
            } catch {
                let element = error.element ?? firstBad(values[start...].prefix(Self.most), as: To.self) ?? 0
                throw error.with { $0.element = start + element }
            }
        }
        withExtendedLifetime(context) {}
        return results
    }

    /// Which of the values cannot be read back, since several of them are read at once.
    private func firstBad<From: Storable, To: Storable>(_ values: ArraySlice<From>, as _: To.Type) -> Int? {
        guard values.count > 1 else { return nil }
        for (index, value) in values.enumerated() {
            do throws(StorageError) { _ = try converted([value]) as [To] } catch { return index }
        }
        return nil
    }

    /// The row of a value, valid until the graph takes another one.
    private func write<From: Storable>(_ value: From, _ graph: GraphWriter) throws(StorageError) -> UnsafePointer<Cell>
    {
        if handle.tables.hasChildren {
            var key = graph.beginRootKey()
            value.writeKey(into: &key)
            try graph.endKey(key)
        }
        var row = graph.beginRoot()
        value.write(into: &row)
        try graph.endUnstored(row)
        return UnsafePointer(graph.buffers[0].row(graph.buffers[0].count - 1))
    }

    /// How many graphs are read at once.
    private static var most: Int { 256 }

    /// The next values, as many as have different keys: owned rows belong to the record of their key.
    private func graphs<From: Storable, To: Storable>(
        _ values: [From], from start: Int, _ graph: GraphWriter
    ) throws(StorageError) -> [To] {
        graph.removeAll()
        var keys: Set<[Value]> = []
        var index = start
        while index < values.count, index < start + Self.most {
            do throws(StorageError) {
                _ = try write(values[index], graph)
            } catch {
                throw error.with { $0.element = index - start }
            }
            let key = graph.lastKey
            let isAlone = key.contains { $0.isNull }
            if index > start, isAlone || keys.contains(key) {
                graph.removeLast()
                break
            }
            keys.insert(key)
            index += 1
            if isAlone { break }
        }
        let tables = handle.tables
        let buffers = zip(tables.tables, graph.buffers).map { table, rows in
            let buffer = BufferedRows(width: table.columns.count)
            for row in 0..<rows.count { buffer.add(UnsafePointer(rows.row(row))) }
            return buffer
        }
        let orders = zip(tables.tables, buffers).map { table, rows in
            rows.indices(sortedBy: table.form == .root ? table.keyCells : Array(0..<tables.rootKeyCount))
        }
        let session = RowsSession(tables.tables.map(\.schema), buffers, orders: orders)
        return try Reading(handle: handle, session: session)
            .decode(To.self, buffers[0], of: tables.root, isKeyOrder: false)
    }
}
