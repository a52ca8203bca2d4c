import StorageDriver

extension ModelTables {
    package var keyColumns: [ColumnSchema] { root.schema.key.map { root.schema.columns[$0] } }

    /// A key as it is stored.
    ///
    /// - Throws: `invalidQuery` if the number of values is not that of the model's key; `invalidValue` if a value does
    ///   not fit its property.
    package func checkedKey(_ key: [Value]) throws(StorageError) -> [Value] {
        let columns = keyColumns
        guard key.count == columns.count else {
            throw StorageError(
                .invalidQuery, "A key of \(name) is \(columns.map(\.property).joined(separator: ", ")).", model: name,
                key: key)
        }
        var stored: [Value] = []
        for (column, value) in zip(columns, key) {
            guard !value.isNull, let fitting = value.stored(as: column.type) else {
                throw StorageError(
                    .invalidValue, "\(column.property) is \(column.type), which \(value) is not.", model: name,
                    key: key,
                    property: column.property)
            }
            stored.append(fitting)
        }
        return stored
    }

    /// The root's rows with the key, by which owned records are found, and the chosen properties.
    ///
    /// - Parameter properties: stored names; nil for the rows as they are.
    /// - Throws: `invalidQuery` if a name belongs to no property.
    package func root(only properties: [String]?) throws(StorageError) -> TableBinding {
        guard let properties else { return root }
        // The column that says whether an optional array of owned records exists has the array's name too.
        let chosen = Set(properties.map { StoredName($0) })
        let columns = root.columns.filter { chosen.contains(root.schema.columns[$0].storedProperty) }
        let relations = root.relations.filter { chosen.contains($0.storedProperty) }
        let known = columns.map { root.schema.columns[$0].storedProperty } + relations.map(\.storedProperty)
        if let unknown = properties.first(where: { !known.contains(StoredName($0)) }) {
            throw StorageError(.invalidQuery, root.lacks(unknown) + ".", model: name)
        }
        if columns.count == root.columns.count, relations.count == root.relations.count { return root }
        // The engine would have to count the number of a row. No record owns another by it.
        let key = root.schema.key.filter { $0 != root.schema.rowNumber }
        return TableBinding(
            index: 0, schema: root.schema, form: .root, columns: key + columns, prefixCount: key.count,
            keyCells: Array(key.indices), members: [], relations: relations)
    }
}
