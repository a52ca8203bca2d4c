internal import StorageDriver

extension ForeignCatalog {
    /// Returns the conversions of a foreign table's columns, cached until the schema changes.
    ///
    /// - Throws: `schemaMismatch` if the table or a column no longer exists.
    func conversions(of schema: TableSchema, _ connection: Connection) throws(StorageError) -> [ColumnConversion] {
        let table = try table(schema, connection)
        if let conversions = conversions[schema] { return conversions }
        var conversions: [ColumnConversion] = []
        for (index, column) in schema.columns.enumerated() {
            if let own = table.columns.first(where: { $0.name == column.name }) {
                conversions.append(
                    try ColumnConversion(own, as: column.type) { () throws(StorageError) in
                        try Self.sample(of: own, in: table, connection)
                    })
            } else if index == 0, table.schema?.columns.first?.name == column.name {
                conversions.append(.own)
            } else {
                throw Self.changed(schema)
            }
        }
        self.conversions[schema] = conversions
        return conversions
    }

    /// The table's declaration.
    ///
    /// - Throws: `schemaMismatch` if the table no longer exists.
    func table(_ schema: TableSchema, _ connection: Connection) throws(StorageError) -> ForeignTable {
        let tables = try tables(besides: Catalog.tables(connection), connection)
        guard let table = tables.first(where: { $0.name == schema.name }) else { throw Self.changed(schema) }
        return table
    }

    /// The first value of the table's first hundred rows, or the value that SQLite's documentation proposes for the column's
    /// affinity.
    private static func sample(
        of column: ForeignTable.Column, in table: ForeignTable, _ connection: Connection
    ) throws(StorageError) -> Value {
        // A view is not written, and even its first row may take long.
        if table.isView { return column.declared.sample }
        let name = column.name.quotedName
        let rows = "SELECT \(name) FROM \(table.name.quotedName) LIMIT 100"
        let statement = try Statement(connection, "SELECT \(name) FROM (\(rows)) WHERE \(name) IS NOT NULL LIMIT 1")
        var cursor = try statement.cursor()
        if try cursor.next() { return cursor.cells[0].value }
        return column.declared.sample
    }

    private static func changed(_ schema: TableSchema) -> StorageError {
        StorageError(
            .schemaMismatch, "Other software has changed the table \(schema.name); open the store again.",
            model: schema.path.first)
    }
}

extension DeclaredType {
    /// The representation of dates and UUIDs in a column without values.
    fileprivate var sample: Value {
        switch (type, affinity) {
        case (.date, _), (.string, .text): .text("")
        case (.uuid, _): .text("a")
        case (_, .integer): .int(0)
        case (_, .real): .double(0)
        default: .null
        }
    }
}
