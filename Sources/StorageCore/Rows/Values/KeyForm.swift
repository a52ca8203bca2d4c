import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The key of a model as values, without a store.
package enum KeyForm<Model: Storable> {
    /// The key's properties.
    static var properties: [Property] { Model.schema.keyProperties }

    /// The types of the key's parts.
    static var types: [ColumnType] { properties.compactMap(\.columnType) }

    /// The key of these values, one for each part.
    ///
    /// - Throws: `typeMismatch` or `configuration` if they are not a key.
    package static func key(_ values: [Value]) throws(StorageError) -> Model.Key {
        let cells = ValueCells(ValueList(width: values.count, values: values))
        let context = RowContext(keyOf: Model.self)
        guard values.count == context.table.columns.count, cells.count == 1 else {
            throw StorageError(
                .typeMismatch, "A key of \(context.modelName) has \(context.table.columns.count) parts.",
                model: context.modelName)
        }
        var row = RowReader(cells.cells, from: 0, to: values.count, context: .passUnretained(context))
        let key = try Model.readKey(&row)
        withExtendedLifetime((cells, context)) {}
        return key
    }
}

extension ModelSchema {
    /// The properties marked as key, or else the one called `id`.
    package var keyProperties: [Property] {
        let marked = properties.filter { $0.traits.contains(.key) }
        return marked.isEmpty ? properties.filter { $0.name == "id" } : marked
    }
}

extension Property {
    /// The type of the property's one column; nil if it has none, or several.
    package var columnType: ColumnType? {
        switch kind {
        case .column(let type): type
        case .reference(let model):
            model.schema.keyProperties.count == 1 ? model.schema.keyProperties[0].columnType : nil
        case .one, .many, .references, .refused: nil
        }
    }
}

extension RowContext {
    /// The context of rows that consist of a model's key, which no store has prepared.
    convenience init<M: Storable>(keyOf _: M.Type) {
        let schema = M.schema
        let columns = KeyForm<M>.properties.map {
            ColumnSchema(name: $0.storedName, property: $0.storedName, type: $0.columnType ?? .int64)
        }
        let table = TableBinding(
            index: 0,
            schema: TableSchema(
                name: schema.name, path: [schema.name], columns: columns, key: Array(columns.indices)),
            form: .root, columns: Array(columns.indices), prefixCount: 0, keyCells: Array(columns.indices), members: [],
            relations: [])
        self.init(model: ModelTables(name: StoredName(schema.name), tables: [table], assigns: nil), table: table)
    }
}

// How a part of a key is coded.
extension ColumnType {
    func decode(_ container: any SingleValueDecodingContainer) throws -> Value {
        switch self {
        case .uint64: Value(unsigned: try container.decode(UInt64.self))
        case .string: .text(try container.decode(String.self))
        case .uuid: try container.decode(UUID.self).value
        default: .int(try container.decode(Int64.self))
        }
    }
}

extension Value {
    func encodeKey(into container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .text(let text): try container.encode(text)
        case .blob(let bytes) where bytes.count == 16:
            try container.encode(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        // No key has any other type.
        case .blob, .null, .double: try container.encodeNil()
        }
    }
}
