import StorageDriver

/// Reads models through a session: runs queries and loads graphs.
package struct RecordReader {
    package let handle: ModelHandle
    package let session: any StorageSession
    /// The cells of root rows to read: all of the model's, or chosen ones.
    package let root: TableBinding

    package init(handle: ModelHandle, session: any StorageSession, root: TableBinding? = nil) {
        self.handle = handle
        self.session = session
        self.root = root ?? handle.tables.root
    }

    package var model: ModelTables { handle.tables }

    // MARK: Models

    /// Calls the body with the rows of a key, at most one.
    package func find(_ key: [Value], _ body: (inout RowCursor) throws(StorageError) -> Void) throws(StorageError) {
        let arguments = QueryArguments(key)
        let context: RowContext
        if let plain = handle.plainRows {
            context = plain
        } else {
            context = rootContext()
            attachChildren(to: context, .key(columns: model.rootKeyCount), arguments)
        }
        var rows = RowCursor(try session.rows(handle.rowOfKey, arguments), context)
        try body(&rows)
    }

    /// The records with the keys, in the order of these; nil for a key that no record has.
    package func find<M: Storable>(_: M.Type, keys: [[Value]]) throws(StorageError) -> [M?] {
        guard !keys.isEmpty else { return [] }
        let list = KeyList(width: model.rootKeyCount, keys)
        guard list.list.values.count == keys.count * list.width else {
            throw StorageError(
                .configuration, "values(of:) does not give one value for each key property; make them agree.",
                model: handle.name)
        }
        let buffer = try session.rows(handle.plan(rowsOf: 0, list.scope), list.scopeArguments)
            .buffered(width: root.columns.count)
        let models = try decode(M.self, buffer, of: root, isKeyOrder: true)
        var places: [[Value]: Int] = [:]
        for row in models.indices { places[root.keyCells.map { buffer.cell($0, of: row).value }] = row }
        return keys.map { key in places[key].map { models[$0] } }
    }

    package func all<M: Storable>(_: M.Type, _ selection: Selection) throws(StorageError) -> [M] {
        var models: [M] = []
        try all(selection, into: &models)
        return models
    }

    /// Appends the models that are selected.
    func all<M: Storable>(_ selection: Selection, into models: inout [M]) throws(StorageError) {
        if let rows = try singlePass(selection) {
            var rows = rows
            try M.read(&rows, limit: .max, into: &models)
        } else {
            var cursor = try rows(selection, root.columns)
            _ = try read(&cursor, limit: .max, isKeyOrder: selection.order.isEmpty, into: &models)
        }
    }

    /// The number of records whose children are queried by key at a time.
    package static var partOfRecords: Int { 256 }

    /// Passes the records to the closures, as rows to decode or as decoded parts, until one returns false.
    package func loop<M: Storable>(
        _ selection: Selection, rows: (inout RowCursor) throws(StorageError) -> Void, models: ([M]) -> Bool
    ) throws(StorageError) {
        if let inStep = try singlePass(selection) {
            var inStep = inStep
            return try rows(&inStep)
        }
        var cursor = try self.rows(selection, root.columns)
        var part: [M] = []
        var hasMore = true
        repeat {
            part.removeAll(keepingCapacity: true)
            hasMore = try read(
                &cursor, limit: Self.partOfRecords, isKeyOrder: selection.order.isEmpty, into: &part)
        } while models(part) && hasMore
    }

    /// Rows that decode in one pass: a model without children, or all records in key order together with their
    /// children. Nil if the rows must be read before their children can be queried.
    package func singlePass(_ selection: Selection) throws(StorageError) -> RowCursor? {
        guard root.relations.isEmpty || selection.isEverything else { return nil }
        let context = rootContext()
        attachChildren(to: context, .all, QueryArguments())
        if selection.isEverything, root === model.root {
            return RowCursor(try session.rows(handle.plan(rowsOf: 0, .all), QueryArguments()), context)
        }
        return RowCursor(try rows(selection, root.columns), context)
    }

    /// Reads up to `limit` rows, fewer where they are large, then their children by the rows' keys, and decodes in key order.
    ///
    /// - Returns: false if the cursor has no more.
    package func read<M: Storable>(
        _ cursor: inout Cursor, limit: Int, isKeyOrder: Bool, into models: inout [M]
    ) throws(StorageError) -> Bool {
        let buffer = BufferedRows(width: root.columns.count)
        let hasMore = try buffer.addPart(of: &cursor, limit: limit)
        models += try decode(M.self, buffer, of: root, isKeyOrder: isKeyOrder)
        return hasMore
    }

    /// Decodes rows of a table with their children, which are read by the keys of the rows' roots.
    ///
    /// - Parameter read: the rows of the children's tables that are read already.
    package func decode<M: Storable>(
        _: M.Type, _ buffer: BufferedRows, of table: TableBinding, isKeyOrder: Bool, read: [Int: BufferedRows] = [:]
    ) throws(StorageError) -> [M] {
        guard buffer.count > 0 else { return [] }
        let order = isKeyOrder ? Array(0..<buffer.count) : buffer.indices(sortedBy: table.orderCells)
        var rows = withChildren(buffer, order, of: table, read: read)
        var sorted: [M] = []
        sorted.reserveCapacity(buffer.count)
        try M.read(&rows, limit: .max, into: &sorted)
        if isKeyOrder { return sorted }
        return places(of: order).map { sorted[$0] }
    }

    /// For each row its position in the order.
    package func places(of order: [Int]) -> [Int] {
        var places = Array(repeating: 0, count: order.count)
        for (place, row) in order.enumerated() { places[row] = place }
        return places
    }

    /// Rows in an order, with their children, which are queried by the keys of the rows' roots.
    package func withChildren(
        _ buffer: BufferedRows, _ order: [Int], of table: TableBinding, read: [Int: BufferedRows] = [:]
    ) -> RowCursor {
        let context = RowContext(model: model, table: table)
        var keys = KeyList(width: model.rootKeyCount)
        if table.relations.contains(where: { read[$0.target] == nil }) {
            for row in order { keys.append(table.keyCells, of: buffer.row(row)) }
        }
        attachChildren(to: context, keys.scope, keys.scopeArguments, read: read)
        return RowCursor(buffer.cursor(order), context)
    }

    private func rootContext() -> RowContext { RowContext(model: model, table: root) }

    /// Attaches the children's rows to a table's context and the contexts below it. The queries run when a row needs them.
    func attachChildren(
        to context: RowContext, _ scope: Query.Scope, _ arguments: QueryArguments, read: [Int: BufferedRows] = [:]
    ) {
        var known: [Int: ChildRows] = [:]
        for (table, rows) in read {
            known[table] = ChildRows(RowContext(model: model, table: model.tables[table])) { () throws(StorageError) in
                rows.cursor(Array(0..<rows.count))
            }
        }
        attachChildren(to: context, scope, arguments, known: &known)
        for children in known.values { context.own(children) }
        if handle.directory.isAskingServer.load(ordering: .relaxed), scope != .all {
            prefetch(known.keys.filter { read[$0] == nil }, scope, arguments: arguments)
        }
    }

    /// Tells a session that waits for a server which tables' rows are read next.
    private func prefetch(_ tables: [Int], _ scope: Query.Scope, arguments: QueryArguments) {
        session.forwardPrefetch(tables.map { QueryRequest(plan: handle.plan(rowsOf: $0, scope), arguments: arguments) })
    }

    private func attachChildren(
        to context: RowContext, _ scope: Query.Scope, _ arguments: QueryArguments, known: inout [Int: ChildRows]
    ) {
        for relation in context.table.relations {
            if let children = known[relation.target] {
                context.add(children)
                continue
            }
            let below = RowContext(model: model, table: model.tables[relation.target])
            let children = ChildRows(below) { [handle, session] () throws(StorageError) in
                try session.rows(handle.plan(rowsOf: relation.target, scope), arguments)
            }
            known[relation.target] = children
            context.add(children)
            attachChildren(to: below, scope, arguments, known: &known)
        }
    }

    // MARK: Keys and numbers

    package func keys<M: Storable>(_: M.Type, _ selection: Selection) throws(StorageError) -> [M.Key] {
        var cursor = try rows(selection, model.root.schema.key)
        let context = RowContext(model: model, table: model.keyRows)
        var keys: [M.Key] = []
        while try cursor.next() {
            var row = RowReader(cursor.cells, from: 0, to: model.rootKeyCount, context: .passUnretained(context))
            keys.append(try M.readKey(&row))
        }
        return keys
    }

    /// The keys of a selection as values, for a write that follows.
    func keyValues(_ selection: Selection) throws(StorageError) -> KeyList {
        try rows(selection, model.root.schema.key).keys(width: model.rootKeyCount)
    }

    package func count(_ selection: Selection, in table: TableBinding? = nil) throws(StorageError) -> Int {
        var unordered = selection
        unordered.order = []
        let (plan, arguments) = try handle.plan(unordered, .count, table: table, in: session)
        let count = Int(try integer(plan, arguments))
        return min(max(count - selection.offset, 0), selection.limit ?? .max)
    }

    package func exists(_ selection: Selection) throws(StorageError) -> Bool {
        guard selection.limit == nil, selection.offset == 0 else { return try count(selection) > 0 }
        var unordered = selection
        unordered.order = []
        let (plan, arguments) = try handle.plan(unordered, .exists, in: session)
        return try integer(plan, arguments) != 0
    }

    private func integer(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Int64 {
        var cursor = try session.rows(plan, arguments)
        guard try cursor.next(), cursor.cells[0].tag == .int else {
            throw StorageError(.corrupt, "The backend gave no number.", model: handle.name)
        }
        return cursor.cells[0].int
    }

    package func explain(_ selection: Selection) throws(StorageError) -> QueryExplanation {
        var selection = selection
        // The engine's part of the query: relevance orders its results.
        selection.order.removeAll { $0.isRelevance(of: model) }
        let (plan, arguments) = try handle.plan(selection, .columns(root.columns), in: session)
        return try session.explained(plan, arguments)
    }
}
