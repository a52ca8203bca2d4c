/// A record on the way of the models: what is written down here once for ``Record`` is what `@Storable` writes for a
/// type, so that records are read and written by the same code.
///
/// Which properties there are is said by the rows' table, not by ``schema``, which has none.
package struct StoredRecord: Storable {
    package var record: Record

    package init(_ record: Record) { self.record = record }

    package struct Key: Sendable {
        let columns: [ColumnSchema]
        var values: [Value]
    }

    package struct Columns: ColumnSet {
        package init(_ path: PropertyPath) {}
    }

    package static var schema: ModelSchema { ModelSchema("", []) }

    // MARK: Reading

    package init(reading row: inout RowReader) throws(StorageError) {
        let form = row.context.takeUnretainedValue().recordForm
        var fields: [Record.Field] = []
        fields.reserveCapacity(form.columns.count + form.relations.count)
        var absent: Set<Int> = []
        for column in form.columns {
            if case .presence(let relation) = column.content {
                if try !row.read(Bool.self), let relation { absent.insert(relation) }
            } else {
                let value = try row.readValue(of: column.type, isRequired: column.isRequired)
                fields.append(Record.Field(name: column.name, content: .value(value, column.type)))
            }
        }
        for (index, relation) in form.relations.enumerated() {
            let children = try row.nextChildren()
            let content: Record.Content
            if relation.isMany {
                let records = try children.all(StoredRecord.self, ownedBy: row).map(\.record)
                content = .children(absent.contains(index) ? nil : records)
            } else {
                content = .child(try children.first(StoredRecord.self, ownedBy: row)?.record)
            }
            fields.append(Record.Field(name: relation.name, content: content))
        }
        record = Record(model: form.model, fields: fields)
    }

    package static func readKey(_ row: inout RowReader) throws(StorageError) -> Key {
        let context = row.context.takeUnretainedValue()
        var key = Key(columns: context.model.keyColumns, values: [])
        for column in key.columns {
            key.values.append(try row.readValue(of: column.type, isRequired: true))
        }
        return key
    }

    package static func values(of key: Key) -> [Value] { key.values }

    // MARK: Writing

    package func write(into row: inout RowWriter) { row.write(record) }

    package func writeKey(into row: inout RowWriter) { row.writeKey(of: record) }

    package mutating func assign(_ key: Key) {
        for (column, value) in zip(key.columns, key.values) {
            let field = Record.Field(name: column.property, content: .value(value, column.type))
            if let index = record.fields.firstIndex(where: { $0.name.isSame(as: field.name) }) {
                record.fields[index] = field
            } else {
                record.fields.insert(field, at: 0)
            }
        }
    }
}

extension RowReader {
    /// The next cell in its dynamic form. What is inside text, JSON or a URL, is not looked at.
    ///
    /// - Throws: `typeMismatch` for what a column of the type cannot hold, and text that is not UTF-8, which the dynamic
    ///   form would repair.
    fileprivate mutating func readValue(of type: ColumnType, isRequired: Bool) throws(StorageError) -> Value {
        let cell = try next()
        guard type.isHeld(by: cell) || cell.isNull && !isRequired else { throw mismatch(type) }
        guard cell.tag == .text else { return cell.value }
        guard let text = String.decode(cell) else { throw mismatch(type) }
        return .text(text)
    }

    private func mismatch(_ type: ColumnType) -> StorageError {
        context.takeUnretainedValue().mismatch(at: index - 1, of: cells, wanted: type.description, because: nil)
    }
}

extension ColumnType {
    /// Whether the cell is of the type's storage class, and in its range.
    fileprivate func isHeld(by cell: Cell) -> Bool {
        switch cell.tag {
        case .int: self == .uint64 ? cell.int >= 0 : range?.contains(cell.int) == true
        case .unsigned: self == .uint64
        case .double: storage == .double
        case .text: storage == .text
        case .blob: storage == .blob && (self != .uuid || cell.length == 16)
        default: false
        }
    }
}
