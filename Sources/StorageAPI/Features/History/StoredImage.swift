import StorageDriver

/// A record as an entry has it, which can be read without the model's type and after any change of the model.
struct StoredImage: Sendable {
    let image: RecordImage
    let model: StoredName
    let key: [Value]
    /// The model's tables when the entry was made, as far as they are known.
    let tables: [TableSchema]
    let directory: ModelDirectory

    /// The complete record. A property of which only values are known has the type of these values.
    ///
    /// - Throws: `corrupt` for bytes that are no image.
    func record() throws(StorageError) -> DynamicRecord? {
        let images = try ImageTable.all(of: image)
        var all = images.map { image in schema(of: image, tables.first(where: image.isOf)) }
        all += tables.filter { table in !images.contains { $0.isOf(table) } }.map { table in
            var table = table
            table.isRequired = false
            return table
        }
        let handle = try ModelHandle(ModelTables(recorded: model, all, hasRemoved: true), directory: directory)
        return try image.record(DynamicRecord.self, key: key, handle, defaults: DeclaredDefaults(type: nil), since: [])
    }

    private func schema(of image: ImageTable, _ known: TableSchema?) -> TableSchema {
        var table = known ?? unknown(image)
        table.isRequired = false
        for index in table.columns.indices where !table.columns[index].role.isPrefix {
            table.columns[index].isOptional = true
        }
        for (index, column) in image.columns.enumerated() where column.isData {
            let role: ColumnSchema.Role = column.role == ColumnSchema.Role.presence.code ? .presence : .property
            let isThere = table.columns.contains { $0.role == role && $0.storedProperty == column.property }
            if isThere { continue }
            table.columns.append(
                ColumnSchema(
                    name: column.property.text, role: role, property: column.property.text,
                    type: role == .presence ? .bool : Self.type(of: image.rows.map { $0[index] }), isOptional: true))
        }
        if table.isRoot, table.key.isEmpty { table.key = key(of: image, in: table) }
        return table
    }

    /// A table of which only an image's rows are known.
    private func unknown(_ image: ImageTable) -> TableSchema {
        var columns: [ColumnSchema] = []
        if !image.path.isEmpty {
            columns = key.map { ColumnSchema(name: "", role: .owner, property: "", type: Self.type(of: [$0])) }
            let prefixes: [ColumnSchema.Role] = [.position, .node, .parent]
            for column in image.columns {
                guard let role = prefixes.first(where: { $0.code == column.role }) else { continue }
                columns.append(ColumnSchema(name: "", role: role, property: column.property.text, type: .int64))
            }
        }
        let path = StoredPath([model.text] + image.path.texts)
        return TableSchema(
            name: path.joined(), path: path.texts, columns: columns,
            key: columns.indices.filter { columns[$0].role != .parent }, model: image.path.last?.text)
    }

    /// The columns that have the values of the key.
    private func key(of image: ImageTable, in table: TableSchema) -> [Int] {
        var found: [Int] = []
        for value in key {
            let place = image.columns.indices.first { column in
                !found.contains(column) && image.rows.first.map { $0[column] == value } ?? false
            }
            if let place, table.columns.indices.contains(place) { found.append(place) }
        }
        return found
    }

    private static func type(of values: [Value]) -> ColumnType {
        switch values.first(where: { !$0.isNull }) {
        case .int: .int64
        case .unsigned: .uint64
        case .double: .double
        case .blob: .data
        case .text, .null, nil: .string
        }
    }
}
