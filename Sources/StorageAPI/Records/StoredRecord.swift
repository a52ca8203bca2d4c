package import StorageDriver

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
                let value = try row.readValue(column.type, column.check)
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
        var key = Key(columns: row.context.takeUnretainedValue().model.keyColumns, values: [])
        for column in key.columns {
            key.values.append(try row.readValue(column.type, ColumnCheck(column)))
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
    /// The next cell in its dynamic form.
    ///
    /// - Throws: `typeMismatch` for what its column cannot hold, and for text that is not UTF-8, which the dynamic form
    ///   would repair.
    fileprivate mutating func readValue(_ type: ColumnType, _ check: ColumnCheck) throws(StorageError) -> Value {
        let cell = try next()
        guard check.problem(cell) == nil else {
            throw context.takeUnretainedValue().mismatch(
                at: index - 1, of: cells, wanted: type.description, because: nil)
        }
        return cell.value
    }
}
