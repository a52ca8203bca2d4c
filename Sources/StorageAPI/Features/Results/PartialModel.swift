public import StorageDriver

/// A record's properties without its children.
///
/// Owned children do not exist in this type, and it cannot be saved, so that saving never wipes properties that were
/// not loaded.
///
/// ```swift
/// for person in try await store.select(Person.self).withoutChildren().all() { print(try person.name) }
/// ```
///
/// A property is decoded when it is read, and throws `typeMismatch` if the stored value does not fit it.
@dynamicMemberLookup
public struct PartialModel<Model: Storable>: Sendable {
    fileprivate let values: [Value]
    fileprivate let model: ModelTables

    /// The record's key, which comes first.
    var key: [Value] { Array(values.prefix(model.rootKeyCount)) }

    /// A property.
    public subscript<V: ColumnValue>(
        dynamicMember property: KeyPath<Model.Columns, QueryExpression<V>>
    ) -> V { get throws(StorageError) { try value(property) } }

    /// A property that is an enum.
    public subscript<V: RawRepresentable>(
        dynamicMember property: KeyPath<Model.Columns, QueryExpression<V>>
    ) -> V where V.RawValue: ScalarValue { get throws(StorageError) { try value(property) } }

    /// A property that is an Optional enum.
    public subscript<V: RawRepresentable>(
        dynamicMember property: KeyPath<Model.Columns, QueryExpression<V?>>
    ) -> V? where V.RawValue: ScalarValue { get throws(StorageError) { try value(property) } }

    /// A reference.
    public subscript<M: Storable>(
        dynamicMember property: KeyPath<Model.Columns, QueryExpression<Ref<M>>>
    ) -> Ref<M> { get throws(StorageError) { try value(property) } }

    /// A reference that may be nil.
    public subscript<M: Storable>(
        dynamicMember property: KeyPath<Model.Columns, QueryExpression<Ref<M>?>>
    ) -> Ref<M>? { get throws(StorageError) { try value(property) } }

    private func value<V>(_ property: KeyPath<Model.Columns, QueryExpression<V>>) throws(StorageError) -> V {
        let columns = try model.columns(Model.Columns(PropertyPath())[keyPath: property].node)
        guard let first = columns.first, let place = model.ownColumns.firstIndex(of: first) else {
            throw StorageError(.invalidQuery, "The property was not loaded.", model: model.name)
        }
        let buffer = BufferedRows(width: values.count)
        buffer.add(values)
        let context = RowContext(model: model, table: model.ownBinding)
        return try ResultReader<V>().read(ResultRow(buffer.row(0), context, places: [place]))
    }
}

extension Select {
    /// Loads the records' properties without their children.
    public func withoutChildren() -> WithoutChildren { WithoutChildren(select: self) }

    /// A query of records without their children.
    public struct WithoutChildren {
        let select: Select
    }
}

extension Select.WithoutChildren: Sendable where Source: Sendable {}

extension Select.WithoutChildren where Source == Store {
    /// The records, in order. Reads only their root table.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [PartialModel<Model>] {
        try await select.run { (reading) throws(StorageError) in try reading.partial(select.selection) }
    }
}

extension Select.WithoutChildren where Source == Store.Session {
    /// The records, in order. Reads only their root table.
    public func all() throws(StorageError) -> [PartialModel<Model>] {
        try select.run { (reading) throws(StorageError) in try reading.partial(select.selection) }
    }
}

extension RecordReader {
    func partial<M: Storable>(_ selection: Selection) throws(StorageError) -> [PartialModel<M>] {
        let columns = model.ownColumns
        var cursor = try rows(selection, columns)
        var records: [PartialModel<M>] = []
        while try cursor.next() {
            var values: [Value] = []
            for cell in columns.indices {
                // `Value` would repair text that is not UTF-8.
                guard cursor.cells[cell].tag != .text || String.decode(cursor.cells[cell]) != nil else {
                    throw RowContext(model: model, table: model.ownBinding)
                        .mismatch(at: cell, of: cursor.cells, wanted: "text", because: nil)
                }
                values.append(cursor.cells[cell].value)
            }
            records.append(PartialModel(values: values, model: model))
        }
        return records
    }
}

extension ModelTables {
    /// The columns of the root's properties, including the key.
    fileprivate var ownColumns: [Int] {
        let own = root.members.flatMap { (member) -> [Int] in
            switch member {
            case .column(let column): [column]
            case .reference(let index): root.references[index].columns
            case .relation: []
            }
        }
        return root.schema.key + own.filter { !root.schema.key.contains($0) }
    }

    fileprivate var ownBinding: TableBinding {
        binding(of: ownColumns.map { TypedTerm(.column($0), root.schema.columns[$0].type) }, key: root.schema.key.count)
    }
}
