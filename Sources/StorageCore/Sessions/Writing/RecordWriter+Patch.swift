import StorageDriver

/// Partial updates.
extension RecordWriter {
    /// Sets properties on the records of a selection; returns the number of records.
    package func patch(_ assignments: [Assignment], _ selection: Selection) throws(StorageError) -> Int {
        // Assignments are checked before any record is read, and even if none is found. Of several
        // assignments to a column the last counts.
        var contents: [(column: Int, content: Assignment.Content)] = []
        for assignment in assignments {
            do throws(StorageError) {
                for (column, content) in try resolved(assignment) {
                    contents.removeAll { $0.column == column }
                    contents.append((column, content))
                }
            } catch {
                throw assignment.place?.placing(error) ?? error
            }
        }
        var values = ValueList(width: contents.count, values: [])
        for case (_, .value(let value)) in contents { values.values.append(value) }
        guard values.values.count == contents.count else { return try update(contents, selection) }
        let columns = contents.map(\.column)
        let count = try eachPart(of: selection) { (keys) throws(StorageError) in try patch(columns, values, of: keys) }
        if count > 0, model.hasReferences { try resolveReferences(columns, [values.values]) }
        return count
    }

    /// Sets columns of the root to one value each in the records with these keys.
    private func patch(_ columns: [Int], _ values: ValueList, of keys: KeyList) throws(StorageError) -> Int {
        guard !columns.isEmpty, keys.count > 0 else { return keys.count }
        let valueCells = ValueCells(values)
        let keyCells = keys.cells
        let batch = RowBatch(
            plan: handle.plan(setting: columns), count: keys.count, cells: UnsafePointer(keyCells.rows.cells),
            values: UnsafePointer(valueCells.rows.cells))
        return try writer.write(batch)
    }

    /// Sets columns to values computed for each record: all values are read before the first record is written, so that
    /// each is computed from the values before the call.
    private func update(
        _ contents: [(column: Int, content: Assignment.Content)], _ selection: Selection
    ) throws(StorageError) -> Int {
        let schema = model.root.schema
        var lowering = QueryLowering(handle, in: writer)
        var terms = schema.key.map { TypedTerm(.column($0), schema.columns[$0].type) }
        for (column, content) in contents {
            switch content {
            case .value(let value): terms.append(TypedTerm(try lowering.argument(value), schema.columns[column].type))
            case .parts:
                throw StorageError(
                    .invalidQuery, "Set a reference by itself, not together with computed values.", model: model.name)
            case .computed(let node): terms.append(try lowering.assigned(node, to: schema.columns[column]))
            }
        }
        let (query, arguments) = try handle.query(selection, .terms(terms), by: &lowering)
        let columns = schema.key + contents.map(\.column)
        let rows = ValueCells(width: columns.count)
        var keys = KeyList(width: schema.key.count)
        var cursor = try writer.rows(handle.plan(query, others: lowering.others), arguments)
        while try cursor.next() {
            var row: [Value] = []
            for cell in columns.indices { row.append(cursor.cells[cell].value) }
            let key = Array(row.prefix(schema.key.count))
            for (place, content) in contents.enumerated() {
                let cell = schema.key.count + place
                row[cell] = try checked(row[cell], for: schema.columns[content.column], key)
            }
            rows.add(row)
            keys.append(key)
        }
        guard rows.count > 0 else { return 0 }
        let batch = RowBatch(plan: handle.plan(updating: columns), count: rows.count, cells: rows.cells)
        do throws(StorageError) {
            let count = try writer.write(batch)
            if model.hasReferences { try resolveReferences(columns, KeyList(rows.rows)) }
            return count
        } catch {
            // The caller has named none of the records by its place.
            throw error.withoutElement
        }
    }

    /// A computed value as its column stores it.
    private func checked(_ value: Value, for column: ColumnSchema, _ key: [Value]) throws(StorageError) -> Value {
        guard let stored = value.stored(as: column.type) else {
            throw StorageError(
                .overflow, "\(value) is beyond the range of \(column.property), which is \(column.type).",
                model: model.name, key: key, property: column.property)
        }
        if stored.isNull, !column.isOptional {
            throw StorageError(
                .invalidValue,
                "\(column.property) is not Optional, and its new value is nil; exclude such records by a condition.",
                model: model.name, key: key, property: column.property)
        }
        try checkSize(stored, of: column)
        return stored
    }

    /// The columns that an assignment sets, with their contents: several of a reference whose key has several parts.
    private func resolved(_ assignment: Assignment) throws(StorageError) -> [(Int, Assignment.Content)] {
        if let reason = assignment.invalid { throw StorageError(.invalidValue, reason, model: model.name) }
        let columns = try columns(assignment.property)
        guard case .parts(let values) = assignment.content else {
            guard columns.count == 1, let column = columns.first else {
                throw StorageError(
                    .invalidQuery, "A reference to a record with a key of several parts is set to a Ref.")
            }
            return [try resolved(assignment, column)]
        }
        var parts: [(Int, Assignment.Content)] = []
        for (column, value) in zip(columns, values) {
            parts.append(
                try resolved(Assignment(property: assignment.property, content: .value(value)), column))
        }
        return parts
    }

    private func resolved(
        _ assignment: Assignment, _ index: Int
    ) throws(StorageError) -> (Int, Assignment.Content) {
        let column = model.root.schema.columns[index]
        guard !model.root.schema.key.contains(index) else {
            throw StorageError(
                .invalidQuery, "A key cannot be changed; delete the record and insert it under its new key.",
                model: model.name, property: column.property)
        }
        guard case .value(var value) = assignment.content else { return (index, assignment.content) }
        // A typed value fits its property.
        if case .name = assignment.property {
            guard let stored = value.stored(as: column.type), column.isOptional || !value.isNull else {
                throw StorageError(
                    .invalidValue, "\(column.property) is \(column.type), which \(value) is not.",
                    property: column.property)
            }
            value = stored
        }
        try checkSize(value, of: column)
        return (index, .value(value))
    }

    private func columns(_ property: Assignment.Property) throws(StorageError) -> [Int] {
        switch property {
        case .term(let node): return try model.columns(node)
        case .name(let name):
            guard let ordinal = model.root.ordinal(of: name) else {
                throw StorageError(.invalidQuery, model.root.lacks(name), model: model.name, property: name)
            }
            return try model.columns(.property(PropertyPath([ordinal])))
        }
    }

    func checkSize(_ value: Value, of column: ColumnSchema) throws(StorageError) {
        let size =
            switch value {
            case .text(let text): text.utf8.count
            case .blob(let bytes): bytes.count
            default: 0
            }
        guard size <= limits.valueBytes else {
            throw StorageError(
                .limitExceeded, "A value of \(size) bytes is larger than the limit of \(limits.valueBytes) bytes.",
                model: model.name, property: column.property)
        }
    }
}

extension QueryLowering {
    /// A term whose values a column takes: of its type, or of another type of numbers, whose values are looked at.
    mutating func assigned(_ node: QueryNode, to column: ColumnSchema) throws(StorageError) -> TypedTerm {
        if case .placed(let inner, let text) = node {
            do throws(StorageError) { return try assigned(inner, to: column) } catch { throw text.placing(error) }
        }
        if node.isPlain {
            guard let value = try node.plain(as: column.type).exact?.stored(as: column.type) else {
                throw invalid("\(column.property) is \(column.type), and is set to a value that is none.")
            }
            return TypedTerm(try argument(value), column.type)
        }
        var term = try typed(node)
        if term.type.meetsAsDecimal(column.type), column.type == .decimal {
            term = TypedTerm(try decimal((term.term, term.type)), .decimal)
        }
        let isNumber = term.type.storage == .integer && term.type != .bool
        let takes = term.type == column.type || isNumber && column.type.isNumber && column.type != .bool
        guard takes else { throw invalid("\(column.property) is \(column.type), and is set to \(term.type).") }
        return term
    }
}
