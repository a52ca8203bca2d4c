import StorageDriver

extension RowWriter {
    /// Writes a record's fields to the columns of the row, and its owned records to separate rows.
    mutating func write(_ record: DynamicRecord) {
        let positions = graph.takeUnretainedValue().fieldPositions(of: table)
        do throws(StorageError) {
            if table == 0 { try positions.fields.check(record) }
            try positions.find(record.fields)
            for index in positions.fields.columns.indices { try write(column: index, of: record, positions) }
            // Owned records may be in the same table, and have fields in another order.
            let fields = positions.relations
            for index in positions.fields.relations.indices {
                try write(positions.fields.relations[index], fields[index].map { record.fields[$0].content })
            }
        } catch {
            refuse(error)
        }
    }

    /// Writes the key of a record alone.
    mutating func writeKey(of record: DynamicRecord) {
        let positions = graph.takeUnretainedValue().fieldPositions(of: 0)
        do throws(StorageError) {
            try positions.fields.check(record)
            try positions.find(record.fields)
            for column in positions.keyColumns { try write(column: column, of: record, positions) }
        } catch {
            refuse(error)
        }
    }

    // MARK: Columns

    private mutating func write(
        column index: Int, of record: DynamicRecord, _ positions: FieldPositions
    ) throws(StorageError) {
        let column = positions.fields.columns[index]
        switch column.content {
        case .presence(let relation):
            let field = relation.flatMap { positions.relations[$0] }
            if field == nil, !column.isRequired { return put(Cell.null) }
            var isPresent = false
            if let field, case .children(.some) = record.fields[field].content { isPresent = true }
            put(Cell.int(isPresent ? 1 : 0))
        case .value:
            put(try column.stored(positions.columns[index].map { record.fields[$0].content }))
        }
    }

    /// Writes a value, whose bytes are copied, as the next cell.
    private mutating func put(_ value: Value) {
        switch value {
        case .null: put(Cell.null)
        case .int(let value): put(Cell.int(value))
        case .unsigned(let value): put(Cell.unsigned(value))
        case .double(let value): put(Cell.double(value))
        case .text(let text): text.encode(into: &self)
        case .blob(let bytes): bytes.withUnsafeBytes { put($0, as: .blob) }
        }
    }

    // MARK: Owned records

    private mutating func write(
        _ relation: RecordFields.Relation, _ content: DynamicRecord.Content?
    ) throws(StorageError) {
        if content == nil, let write = relation.writeDefault {
            return writeDefault(self.relation, at: relation.presence, write)
        }
        switch content {
        case .child(let child?) where !relation.isMany:
            try relation.check(child)
            writeChildren(CollectionOfOne(child))
        case .children(let children?) where relation.isMany:
            for child in children { try relation.check(child) }
            writeChildren(children, apart: relation.isOfReferences ? ListPositions.step(ofCount: children.count) : 1)
        case nil, .child(nil), .children(nil):
            try relation.checkMissing(content)
            writeChildren(EmptyCollection<DynamicRecord>())
        case .value, .child, .children:
            throw relation.invalid("holds \(relation.isMany ? "owned records" : "one owned record")")
        }
    }

    // MARK: Failures

    private func refuse(_ error: StorageError) {
        let graph = graph.takeUnretainedValue()
        let path = graph.model.tables[table].schema.path.dropFirst()
        graph.fail(
            error.with { state in
                state.property = state.property.map { (path + [$0]).joined(separator: ".") }
            }, cell: next, of: self)
    }
}

extension RecordFields {
    /// Checks that a root record is of this model.
    fileprivate func check(_ record: DynamicRecord) throws(StorageError) {
        guard record.storedModel == model else {
            throw StorageError(
                .invalidValue,
                "The record is of \(record.model), and the call writes \(model); write one model a call.",
                model: model)
        }
    }
}

extension RecordFields.Column {
    /// Returns the stored value of a field; nil if the record has no such field.
    fileprivate func stored(_ content: DynamicRecord.Content?) throws(StorageError) -> Value {
        guard let content else { return try checked(initial?.value() ?? .null) }
        guard case .value(let value, let type) = content else {
            throw invalid("holds a value of \(self.type), and no owned records")
        }
        guard type != self.type else { return try checked(value) }
        guard ValueConversion.exists(from: type, to: self.type) else {
            throw invalid("is \(self.type), and the record's field is \(type)")
        }
        guard let converted = ValueConversion.convert(value, to: self.type) else {
            throw invalid("is \(self.type), which \(value) is not")
        }
        return try checked(converted)
    }

    private func checked(_ value: Value) throws(StorageError) -> Value {
        if value.isNull, isRequired { throw invalid("is required, and the record has no value for it") }
        guard let stored = value.stored(as: type) else { throw invalid("is \(type), which \(value) is not") }
        return stored
    }

    private func invalid(_ problem: String) -> StorageError {
        StorageError(.invalidValue, "\(name) \(problem). Correct the record.", property: name.text)
    }
}

extension RecordFields.Relation {
    fileprivate func check(_ child: DynamicRecord) throws(StorageError) {
        guard models.contains(child.storedModel) else {
            throw invalid("holds records of \(models.map(\.text).joined(separator: " or ")), and not of \(child.model)")
        }
    }

    /// A record may omit an array, which then is empty, or nil if the property is optional.
    fileprivate func checkMissing(_ content: DynamicRecord.Content?) throws(StorageError) {
        guard isOptional || content == nil && isMany else {
            throw invalid("is required, and the record has \(isMany ? "nil" : "nothing") for it")
        }
    }

    fileprivate func invalid(_ problem: String) -> StorageError {
        StorageError(.invalidValue, "\(name) \(problem). Correct the record.", property: name.text)
    }
}
