import StorageDriver

/// Where a page begins.
enum PageStart {
    case first
    case after(Store.PageToken)
    case before(Store.PageToken)
    case afterKey([Value])
}

extension RecordReader {
    /// Reads a page, and one record more, which says whether another page follows.
    func page<M: Storable>(
        _: M.Type, _ selection: Selection, start: PageStart, size: Int
    ) throws(StorageError) -> Store.Page<M> {
        guard size > 0, size < .max else { throw invalid("A page has at least one record; give a greater size.") }
        guard selection.limit == nil, selection.offset == 0 else {
            throw invalid("A page has a size of its own; remove the query's limit and offset.")
        }
        if selection.order.contains(where: { $0.isRelevance(of: model) }) {
            throw invalid("Relevance depends on all records, and no page can begin at it; use limit and offset.")
        }
        // A token knows the order by its arguments and tables, so the order comes before the conditions.
        var (terms, conditions) = (Selection(), selection)
        (terms.order, terms.problem, conditions.order) = (selection.order, selection.problem, [])
        var lowering = QueryLowering(handle, in: session)
        let (ordered, values) = try handle.query(terms, .columns(root.columns), by: &lowering)
        let order = PageOrder(ordered.order, values, others: lowering.others, of: model)
        let (place, isIncluded, isBackward) = try position(start, order) { (key) throws(StorageError) in
            try self.place(ofKey: key, order, values, others: lowering.others)
        }
        var whole = try handle.query(conditions, .columns(root.columns), by: &lowering)
        whole.0.order = ordered.order
        let keys = isBackward ? order.keys.map(\.reversed) : order.keys
        let rows = BufferedRows(width: root.columns.count)
        var places: [[Value]] = []
        for part in order.parts(after: place, by: keys, isIncluded: isIncluded) where places.count <= size {
            var (query, arguments) = whole
            if let range = part(&arguments) {
                query.filter = try (query.filter.map { .and([$0, range]) } ?? range).fitting()
            }
            // Engines sort equal records by their key, upwards.
            query.order = isBackward ? keys : query.order
            query.result = .terms(outputs(order))
            query.isLimited = true
            arguments.limit = size + 1 - places.count
            // An observer sees the values of the sort terms too, since the page's tokens have them.
            var cursor = try session.rows(handle.plan(query, others: lowering.others), arguments)
            while try cursor.next() {
                // The last record only says that another page follows.
                if places.count < size { rows.add(cursor.cells) }
                let sorted = root.columns.count..<root.columns.count + order.count
                places.append(sorted.map { cursor.cells[$0].value } + root.keyCells.map { cursor.cells[$0].value })
            }
        }
        let hasMore = places.count > size
        var models = try decode(M.self, rows, of: root, isKeyOrder: false)
        if hasMore { places.removeLast() }
        if isBackward {
            models.reverse()
            places.reverse()
        }
        // A page without records leaves the position as it is.
        let given = place.map { Store.PageToken(order: order.digest, place: $0, isAfter: isIncluded == isBackward) }
        let next = places.last.map { Store.PageToken(order: order.digest, place: $0, isAfter: true) } ?? given
        let previous = places.first.map { Store.PageToken(order: order.digest, place: $0, isAfter: false) } ?? given
        return Store.Page(
            records: models, next: hasMore || isBackward ? next : nil,
            previous: isBackward ? (hasMore ? previous : nil) : place.flatMap { _ in previous })
    }

    /// The model's columns, and then the sort terms.
    private func outputs(_ order: PageOrder) -> [TypedTerm] {
        root.columns.map { TypedTerm(.column($0), model.root.schema.columns[$0].type) }
            + order.keys.prefix(order.count).map { TypedTerm($0.term, $0.type) }
    }

    /// The place where a page begins, and whether the record at it is part of the page.
    private func position(
        _ start: PageStart, _ order: PageOrder, ofKey: ([Value]) throws(StorageError) -> [Value]
    ) throws(StorageError) -> (place: [Value]?, isIncluded: Bool, isBackward: Bool) {
        switch start {
        case .first: return (nil, false, false)
        case .after(let token): return (try place(of: token, order), !token.isAfter, false)
        case .before(let token): return (try place(of: token, order), token.isAfter, true)
        case .afterKey(let key): return (try ofKey(key), false, false)
        }
    }

    private func place(of token: Store.PageToken, _ order: PageOrder) throws(StorageError) -> [Value] {
        do throws(StorageError) { return try order.place(of: token) } catch { throw error.at(model: handle.name) }
    }

    /// The stored values of the sort terms of a record, and its key.
    private func place(
        ofKey key: [Value], _ order: PageOrder, _ arguments: QueryArguments, others: [TableSchema]
    ) throws(StorageError) -> [Value] {
        var arguments = arguments
        let schema = model.root.schema
        let conditions = zip(schema.key, key).map { column, value in
            arguments.values.append(value)
            return QueryTerm.comparison(
                .equal, .column(column), .argument(arguments.values.count - 1), schema.columns[column].type)
        }
        var query = Query(.terms(order.keys.map { TypedTerm($0.term, $0.type) }))
        query.filter = .and(conditions)
        query.isLimited = true
        arguments.limit = 1
        var cursor = try session.rows(handle.plan(query, others: others), arguments)
        guard try cursor.next() else {
            throw StorageError(
                .notFound, "The record after which the page begins is not stored; continue after a page's token.",
                model: handle.name, key: key)
        }
        return (0..<order.count).map { cursor.cells[$0].value } + key
    }

    private func invalid(_ message: String) -> StorageError {
        StorageError(.invalidQuery, message, model: handle.name)
    }
}
