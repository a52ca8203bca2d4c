import StorageDriver

extension DynamicRecord {
    /// The value of a scalar property, or of an array of scalars, as a Swift type.
    ///
    /// ```swift
    /// for record in try await store.records("Person").all() {
    ///     print(try record.value("age", as: Int?.self) ?? 0)
    /// }
    /// ```
    /// - Throws: `invalidQuery` if the record has no such property; `typeMismatch` if its value is of another type.
    public func value<V: ColumnValue>(_ name: String, as type: V.Type) throws(StorageError) -> V {
        guard let value = value(name) else {
            throw StorageError(
                .invalidQuery, "The record has no property \(name) with one value.", model: model, property: name)
        }
        let cells = ValueCells(ValueList(width: 1, values: [value]))
        defer { withExtendedLifetime(cells) {} }
        if let decoded = V.decode(cells.cells[0]) { return decoded }
        throw StorageError(
            .typeMismatch, "The value of \(name) is \(value), which is no \(type).", model: model, property: name)
    }
}
