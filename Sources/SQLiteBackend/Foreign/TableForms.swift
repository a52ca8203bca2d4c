internal import StorageDriver

/// The forms of columns of other software, by their table. A store's own tables have none here.
struct TableForms {
    private var forms: [String: [ColumnForm]] = [:]

    subscript(table: TableSchema) -> [ColumnForm]? {
        get { table.isForeign ? forms[table.name] : nil }
        set { forms[table.name] = newValue }
    }

    /// The expression for a column's value in the store's form.
    func reading(_ column: String, _ index: Int, of table: TableSchema) -> String {
        self[table]?[index].reading(column) ?? column
    }

    /// The expression for a value in the column's form.
    func writing(_ value: String, _ index: Int, of table: TableSchema) -> String {
        self[table]?[index].writing(value) ?? value
    }
}
