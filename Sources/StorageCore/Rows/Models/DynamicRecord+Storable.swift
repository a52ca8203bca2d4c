public import StorageDriver

// The counterpart of the code that `@Storable` generates for a type, so that records are read and written by the same code.
// The rows' table, not `schema`, defines the properties.
extension DynamicRecord: Storable {
    public typealias Key = [Value]

    /// No property: a condition is text.
    public struct Columns: ColumnSet {
        public let _propertyPath: PropertyPath
        public init(_ path: PropertyPath) { _propertyPath = path }
    }

    /// Names no model: each record does.
    public static var schema: ModelSchema { ModelSchema("", []) }

    public var _recordedModel: String? { model }

    // MARK: Reading

    public init(reading row: inout RowReader) throws(StorageError) {
        let layout = row.context.takeUnretainedValue().recordFields
        var fields: [DynamicRecord.Field] = []
        fields.reserveCapacity(layout.columns.count + layout.relations.count)
        var absent: Set<Int> = []
        var unknown: Set<Int> = []
        for column in layout.columns {
            if case .presence(let relation) = column.content {
                // A removed one has no value in records that were stored since.
                let isThere = try column.isRequired ? row.read(Bool.self) : row.read(Bool?.self)
                guard let relation, isThere != true else { continue }
                if isThere == nil { unknown.insert(relation) } else { absent.insert(relation) }
            } else {
                let value = try row.readValue(column.type, column.check)
                fields.append(DynamicRecord.Field(name: column.name.text, content: .value(value, column.type)))
            }
        }
        for (index, relation) in layout.relations.enumerated() {
            let children = try row.nextChildren()
            let content: DynamicRecord.Content
            if relation.isMany {
                let records = try children.all(DynamicRecord.self, ownedBy: row)
                // Neither nil nor empty: the record has no such field.
                if records.isEmpty, unknown.contains(index) { continue }
                content = .children(absent.contains(index) ? nil : records)
            } else {
                content = .child(try children.first(DynamicRecord.self, ownedBy: row))
            }
            fields.append(DynamicRecord.Field(name: relation.name.text, content: content))
        }
        self.init(model: layout.model.text, fields: fields)
    }

    public static func readKey(_ row: inout RowReader) throws(StorageError) -> [Value] {
        var key: [Value] = []
        for column in row.context.takeUnretainedValue().model.keyColumns {
            key.append(try row.readValue(column.type, ColumnCheck(column)))
        }
        return key
    }

    public static func values(of key: [Value]) -> [Value] { key }

    // MARK: Writing

    public func write(into row: inout RowWriter) { row.write(self) }

    public func writeKey(into row: inout RowWriter) { row.writeKey(of: self) }

    public mutating func _assign(from row: inout RowReader) throws(StorageError) {
        for column in row.context.takeUnretainedValue().model.keyColumns {
            let value = try row.readValue(column.type, ColumnCheck(column))
            let field = Field(name: column.property, content: .value(value, column.type))
            if let index = fields.firstIndex(where: { $0.storedName == field.storedName }) {
                fields[index] = field
            } else {
                fields.insert(field, at: 0)
            }
        }
    }
}

extension RowReader {
    /// The next cell as a `Value`.
    ///
    /// - Throws: `typeMismatch` for a value that does not fit its column, and for text that is not UTF-8, which
    ///   `Value` would repair.
    fileprivate mutating func readValue(_ type: ColumnType, _ check: ColumnCheck) throws(StorageError) -> Value {
        let cell = try next()
        guard check.problem(cell) == nil else {
            throw context.takeUnretainedValue().mismatch(
                at: index - 1, of: cells, wanted: type.description, because: nil)
        }
        return cell.value
    }
}
