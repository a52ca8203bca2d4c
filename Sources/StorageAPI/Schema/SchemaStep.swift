import StorageDriver

/// One step from a recorded schema to a declared one.
enum SchemaStep: Sendable {
    case change(TableChange, note: String)
    /// Copy all rows into a table of the new form, converting values; a value that does not fit refuses the whole.
    case rebuild(from: TableSchema, to: TableSchema, sources: [ColumnSource], note: String)
    /// Only goes on where the table has no rows.
    case requireEmpty(TableSchema, StorageError)
    /// Only goes on where there are as many children as owners.
    case requireChild(owner: TableSchema, child: TableSchema, StorageError)
    /// Only goes on where no row has the value 0 in the column.
    case requireTrue(TableSchema, column: Int, StorageError)
    /// Records what is gone from the model. Reading and writing do not need it.
    case mark(TableChange, note: String)
    /// Nothing to do, but worth a line in the log.
    case note(String, String)

    var changesStore: Bool {
        if case .note = self { false } else { true }
    }

    /// Whether the model is not as it is declared before the step is done.
    var isNeeded: Bool {
        switch self {
        case .note, .mark: false
        default: true
        }
    }
}

/// Where a rebuilt column's values come from.
struct ColumnSource: Sendable {
    /// The column of the old table, or nil where there was none.
    var column: Int?
    /// What stands in for nil, or for a column that was not there.
    var missing: Value?
    var from: ColumnType
    var to: ColumnSchema
    var error: StorageError
}
