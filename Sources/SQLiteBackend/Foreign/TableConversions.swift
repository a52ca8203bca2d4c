internal import StorageDriver

/// The representations of tables of other software. Tables that the store makes need no conversion.
struct TableConversions {
    private var conversions: [String: [ColumnConversion]] = [:]
    /// The names of the numbers that SQLite counts for the rows of tables, by the tables' names.
    private var numbers: [String: String] = [:]

    subscript(table: TableSchema) -> [ColumnConversion]? {
        get { table.isForeign ? conversions[table.name] : nil }
        set { conversions[table.name] = newValue }
    }

    /// Counts the rows of a table in the order in which SQLite reads them.
    mutating func count(_ table: TableSchema, as number: Int) { numbers[table.name] = table.columns[number].name }

    /// The table's rows in SQL.
    func rows(of table: TableSchema) -> String {
        let name = table.name.quotedName
        guard table.isForeign, let number = numbers[table.name] else { return name }
        return "(SELECT row_number() OVER () AS \(number.quotedName), * FROM \(name))"
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
