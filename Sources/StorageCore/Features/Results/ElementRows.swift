import StorageDriver

extension RecordReader {
    /// The rows of a result, as ``ResultPlan/outputs`` has their cells.
    package func rows(_ result: ResultPlan) throws(StorageError) -> Cursor {
        guard let elements = result.elements else { return try session.rows(result.plan, result.arguments) }
        let rows = ElementRows(self, elements, cursor: try session.rows(result.plan, result.arguments))
        let plan = QueryPlan(
            id: result.plan.id, query: Query(.groups(elements.grouping)), table: model.root.schema,
            tables: [model.root.schema])
        return try QueryEvaluation(
            plan, elements.arguments,
            in: ElementTables(stream: RowStream { () throws(StorageError) in try rows.next() })
        ).cursor()
    }
}

/// The terms of a record, and of one element of its array.
private struct ElementRow: ValueRow {
    let record: [Value]
    let element: [Value]

    subscript(_ column: Int) -> Value { column.isMultiple(of: 2) ? record[column / 2] : element[column / 2] }
}

/// The rows of all elements as a table, for the evaluation that makes groups.
private struct ElementTables: ValueTables {
    let stream: RowStream<ElementRow>

    func rows(of _: TableSchema, keyPrefix _: [Value]) -> RowStream<ElementRow> { stream }
    func keys(of _: TableSchema, within _: ColumnBounds) -> [[Value]]? { nil }
}

/// Reads records and the elements of their arrays, some records at a time.
private final class ElementRows {
    private let reading: RecordReader
    private let plan: ElementPlan
    private let keyCount: Int
    private var cursor: Cursor
    private var hasMore = true
    private var rows: [ElementRow] = []
    private var place = 0

    init(_ reading: RecordReader, _ plan: ElementPlan, cursor: consuming Cursor) {
        (self.reading, self.plan) = (reading, plan)
        self.cursor = cursor
        keyCount = reading.model.rootKeyCount
    }

    func next() throws(StorageError) -> ElementRow? {
        while place == rows.count {
            guard hasMore else { return nil }
            rows.removeAll(keepingCapacity: true)
            place = 0
            try readPart()
        }
        defer { place += 1 }
        return rows[place]
    }

    private func readPart() throws(StorageError) {
        let buffer = BufferedRows(width: keyCount + plan.groups.record.count)
        hasMore = try buffer.addPart(of: &cursor, limit: RecordReader.partOfRecords)
        guard buffer.count > 0 else { return }
        let elements = try plan.table.map { (table) throws(StorageError) in try self.elements(of: buffer, in: table) }
        for row in 0..<buffer.count {
            let key = (0..<keyCount).map { buffer.cell($0, of: row).value }
            let record = plan.groups.record.indices.map { buffer.cell(keyCount + $0, of: row).value }
            let own = if let elements { elements[key] ?? [] } else { try values(record, key) }
            for element in own { rows.append(ElementRow(record: record, element: element)) }
        }
    }

    /// The elements of an array of values, which is the last term of the record.
    private func values(_ record: [Value], _ key: [Value]) throws(StorageError) -> [[Value]] {
        guard let array = record.last, !array.isNull, let type = plan.groups.elementTypes.first else { return [] }
        guard case .text(let text) = array, let values = ArrayElements.values(text, of: type) else {
            throw StorageError(
                .typeMismatch, "A stored value is no array of \(type). Correct it, or leave the record out.",
                model: reading.model.name, key: key
            ).with { $0.storedValue = array }
        }
        return values.map { Array(repeating: $0, count: plan.groups.element.count) }
    }

    /// The terms of the rows of an array, by the keys of the records.
    private func elements(
        of records: BufferedRows, in table: TableBinding
    ) throws(StorageError) -> [[Value]: [[Value]]] {
        var keys = KeyList(width: keyCount)
        for row in 0..<records.count { keys.append(Array(0..<keyCount), of: records.row(row)) }
        let (plan, arguments) = try reading.handle.plan(
            elementsOf: self.plan.groups, keys, table: table, in: reading.session)
        var cursor = try reading.session.rows(plan, arguments)
        var found: [[Value]: [[Value]]] = [:]
        while try cursor.next() {
            let key = (0..<keyCount).map { cursor.cells[$0].value }
            found[key, default: []].append(
                self.plan.groups.element.indices.map { cursor.cells[keyCount + $0].value })
        }
        return found
    }
}

extension ModelHandle {
    /// The plan for the terms of the elements of some records, after the keys of these.
    fileprivate func plan(
        elementsOf groups: ElementGroups, _ keys: KeyList, table: TableBinding, in session: any StorageSession
    ) throws(StorageError) -> (QueryPlan, QueryArguments) {
        var lowering = QueryLowering(self, table: table, among: keys, in: session)
        var terms = table.columns.prefix(tables.rootKeyCount).map {
            TypedTerm(.column($0), table.schema.columns[$0].type)
        }
        for node in groups.element { terms.append(try lowering.element(node, of: groups.array)) }
        var query = Query(.terms(terms), scope: lowering.scope)
        if table.form == .node {
            // A table of a type that owns itself has the elements of the elements too.
            let parent = QueryTerm.column(table.columns[table.prefixCount - 1])
            query.filter = .comparison(.equal, parent, try lowering.argument(.int(0)), .int64)
        }
        return (plan(query, table: table.index, others: lowering.others), lowering.arguments)
    }
}
