package import StorageDriver

// Records without owned ones, made of their values without a cursor.
extension ModelHandle {
    /// The columns of a record's fields, in their order; nil if the model has owned records.
    package var plainColumns: [ColumnSchema]? {
        if plainRows == nil { return nil }
        let table = tables.root
        return table.columns.dropFirst(table.prefixCount).map { table.schema.columns[$0] }
    }

    /// A record without a type.
    ///
    /// - Parameter values: a value for each of ``plainColumns``.
    /// - Returns: nil if the model has owned records, or if a value does not fit its column.
    package func plainRecord(_ values: [Value]) -> DynamicRecord? {
        guard let layout = plainRows?.recordFields, layout.relations.isEmpty, layout.columns.count == values.count
        else { return nil }
        var fields: [DynamicRecord.Field] = []
        fields.reserveCapacity(values.count)
        for (column, value) in zip(layout.columns, values) {
            guard case .value = column.content, column.check.fits(value) else { return nil }
            fields.append(DynamicRecord.Field(name: column.name.text, content: .value(value, column.type)))
        }
        return DynamicRecord(model: layout.model.text, fields: fields)
    }
}
