internal import StorageDriver

/// The representations of columns in tables of other software. Tables that the store makes need no conversion.
struct TableConversions {
    private var conversions: [String: [ColumnConversion]] = [:]

    subscript(table: TableSchema) -> [ColumnConversion]? {
        get { table.isForeign ? conversions[table.name] : nil }
        set { conversions[table.name] = newValue }
    }

    /// The expression for a column's value in the store's representation.
    func reading(_ column: String, _ index: Int, of table: TableSchema) -> String {
        self[table]?[index].reading(column) ?? column
    }

    /// The expression for a value in the column's representation.
    func writing(_ value: String, _ index: Int, of table: TableSchema) -> String {
        self[table]?[index].writing(value) ?? value
    }
}
