import StorageDriver

/// One step from a recorded schema to a declared one.
package enum SchemaStep: Sendable {
    case change(TableChange, note: String)
    /// Copy all rows into a table of the new schema, converting values; fails as a whole if a value does not fit.
    case rebuild(from: TableSchema, to: TableSchema, sources: [ColumnSource], note: String)
    /// Fails unless the table has no rows.
    case requireEmpty(TableSchema, StorageError)
    /// Fails unless every owner has a child.
    case requireChild(owner: TableSchema, child: TableSchema, StorageError)
    /// Fails if a row has the value 0 in the column.
    case requireTrue(TableSchema, column: Int, StorageError)
    /// Records the parts that are removed from the model. Reading and writing do not need it.
    case mark(TableChange, note: String)
    /// No change, but worth a line in the log.
    case note(String, String)

    /// The table that the step makes or changes, as it is after it.
    fileprivate var table: TableSchema? {
        switch self {
        case .change(let change, _), .mark(let change, _): change.table
        case .rebuild(_, let new, _, _): new
        case .requireEmpty, .requireChild, .requireTrue, .note: nil
        }
    }

    /// The change of a table that is carried out in place; nil for another step.
    package var tableChange: TableChange? {
        if case .change(let change, _) = self { change } else { nil }
    }

    /// True if the step makes the first table of a model.
    var makesModel: Bool {
        if case .create(let table) = tableChange { table.isRoot && !table.isStoresOwn } else { false }
    }

    var changesStore: Bool {
        if case .note = self { false } else { true }
    }

    /// True if the model does not match its declaration until the step is done.
    var isNeeded: Bool {
        switch self {
        case .note, .mark: false
        default: true
        }
    }

    /// True if a searched property or its owner gets another name, or if rows without a value get one: a property that a program
    /// declares again has its default in the rows of programs without it.
    package var changesSearched: Bool {
        let (old, new, columns): (TableSchema, TableSchema, [(Int, ColumnSchema)])
        switch self {
        case .change(.alter(let from, let to, _), _), .mark(.alter(let from, let to, _), _):
            (old, new, columns) = (from, to, Array(zip(from.columns.indices, to.columns)))
        case .rebuild(let from, let to, let sources, _):
            let fills = sources.contains { source in
                let isSearched = source.column.map { from.columns[$0].searchWeight != nil } ?? false
                return isSearched && source.missing ?? .null != .null
            }
            if fills { return true }
            (old, new) = (from, to)
            columns = sources.compactMap { source in source.column.map { ($0, source.to) } }
        default: return false
        }
        return columns.contains { index, column in
            old.columns[index].searchWeight != nil
                && (old.storedPath != new.storedPath || old.columns[index].storedProperty != column.storedProperty)
        }
    }
}

/// The source of a rebuilt column's values.
package struct ColumnSource: Sendable {
    /// The column of the old table; nil for a new column.
    package var column: Int?
    /// The replacement of nil, or of a column that did not exist.
    package var missing: Value?
    var from: ColumnType
    package var to: ColumnSchema
    var error: StorageError
}

/// The steps that have changed a model's tables.
package struct SchemaChange {
    package let model: StoredName
    /// The model's tables before the steps.
    package let tables: [TableSchema]
    package let steps: [SchemaStep]

    /// True if a table that the steps make or change has searched properties.
    package var declaresSearch: Bool {
        steps.contains { $0.table?.columns.contains { $0.searchWeight != nil } == true }
    }
}

extension TableChange {
    /// The table as it is after the change.
    package var table: TableSchema {
        switch self {
        case .create(let table), .drop(let table), .alter(_, let table, _): table
        }
    }
}
