import StorageDriver

extension RecordReader {
    /// The records of a selection with their places.
    func placed<M: Storable>(_ selection: Selection, as _: M.Type) throws(StorageError) -> PlacedRecords<M> {
        let (models, places, order) = try places(selection, among: nil, as: M.self)
        return PlacedRecords(models, places: places, order: order, keyWidth: model.rootKeyCount)
    }

    /// Returns the records of a selection that have one of the keys, in the selection's order.
    func placed<M: Storable>(
        _ selection: Selection, _ keys: [[Value]], as _: M.Type
    ) throws(StorageError) -> [PlacedRecords<M>.Record] {
        let list = KeyList(width: model.rootKeyCount, keys)
        let (models, places, order) = try places(selection, among: list, as: M.self)
        return models.enumerated().map { index, model in
            let place = Array(places[index * order.count..<(index + 1) * order.count])
            return PlacedRecords.Record(place: place, key: place.suffix(list.width), model: model)
        }
    }

    /// The records in the order of their relevance. The place of each is its number: it depends on all others.
    private func rankedPlaces<M: Storable>(
        _ selection: Selection
    ) throws(StorageError) -> (models: [M], places: [Value], order: [Query.SortKey]) {
        let buffer = BufferedRows(width: root.columns.count)
        var places: [Value] = []
        var cursor = try rows(selection, root.columns)
        while try cursor.next() {
            places.append(.int(Int64(buffer.count)))
            for cell in root.keyCells { places.append(cursor.cells[cell].value) }
            buffer.add(cursor.cells)
        }
        let key = model.root.schema.key
        let order =
            [Query.SortKey(term: .column(key[0]), type: .int64, isDescending: false)]
            + key.map {
                Query.SortKey(term: .column($0), type: model.root.schema.columns[$0].type, isDescending: false)
            }
        return (try decode(M.self, buffer, of: root, isKeyOrder: false), places, order)
    }

    private func places<M: Storable>(
        _ selection: Selection, among keys: KeyList?, as _: M.Type
    ) throws(StorageError) -> (models: [M], places: [Value], order: [Query.SortKey]) {
        let schema = model.root.schema
        if keys == nil, selection.order.contains(where: { $0.isRelevance(of: model) }) {
            return try rankedPlaces(selection)
        }
        var lowering = QueryLowering(handle, among: keys, in: session)
        let (selected, arguments) = try handle.query(selection, .columns(root.columns), by: &lowering)
        var query = selected
        if !query.order.isEmpty {
            let columns = root.columns.map { TypedTerm(.column($0), schema.columns[$0].type) }
            query.result = .terms(columns + query.order.map { TypedTerm($0.term, $0.type) })
        }
        let buffer = BufferedRows(width: root.columns.count)
        var places: [Value] = []
        // The values that give each record its place are no part of it.
        var cursor = try session.rows(
            handle.plan(query, others: lowering.others), arguments, shown: root.columns.count)
        while try cursor.next() {
            buffer.add(cursor.cells)
            for cell in root.columns.count..<root.columns.count + query.order.count {
                places.append(cursor.cells[cell].value)
            }
            for cell in root.keyCells { places.append(cursor.cells[cell].value) }
        }
        let models = try decode(M.self, buffer, of: root, isKeyOrder: query.order.isEmpty)
        let keyOrder = schema.key.map { column in
            Query.SortKey(term: .column(column), type: schema.columns[column].type, isDescending: false)
        }
        return (models, places, query.order + keyOrder)
    }
}
