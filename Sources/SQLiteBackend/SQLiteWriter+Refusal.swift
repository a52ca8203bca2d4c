internal import CSQLite
internal import StorageDriver

extension SQLiteWriter {
    /// The contract's error for a failed constraint, with the row's key.
    func refusal(_ error: StorageError, of batch: borrowing RowBatch, row: Int) -> StorageError {
        guard let cause = error.underlying as? SQLiteError else {
            // A value that a table of other software cannot represent.
            return error.code == .invalidValue ? batch.error(error.code, error.message, row: row) : error
        }
        switch Constraint(cause, batch.plan.table) {
        case .key:
            return batch.error(
                .duplicateKey,
                "A record with this key is stored already; save replaces it, update changes it.", row: row
            ).caused(by: cause)
        case .unique(let property):
            return batch.error(
                .constraint, "Another record has the same \(property ?? "value"), which is unique.",
                row: row
            ).property(property).caused(by: cause)
        case .missing(let property) where !batch.plan.table.isForeign:
            return batch.error(
                .schemaMismatch,
                "Another process has added \(property), which every record must have and this program does not know; "
                    + "update the program, or close the store and open it again.", row: row
            ).property(property).caused(by: cause)
        case .reference:
            return batch.error(
                .constraint, "A record that it refers to is not stored, or others refer to it.", row: row
            ).caused(by: cause)
        case .missing, .other: return batch.error(error.code, error.message, row: row).caused(by: cause)
        }
    }
}

/// The constraint that a row violates.
private enum Constraint {
    case key
    case unique(String?)
    case reference
    /// A column that takes no null.
    case missing(String)
    case other

    // The extended codes, which C defines by macros that Swift does not import.
    private static let foreignKey = SQLITE_CONSTRAINT | (3 << 8)
    private static let notNull = SQLITE_CONSTRAINT | (5 << 8)
    private static let primaryKey = SQLITE_CONSTRAINT | (6 << 8)
    private static let uniqueIndex = SQLITE_CONSTRAINT | (8 << 8)
    private static let rowID = SQLITE_CONSTRAINT | (10 << 8)

    init(_ cause: SQLiteError, _ table: TableSchema) {
        switch cause.code {
        case Self.foreignKey: self = .reference
        case Self.notNull:
            // `NOT NULL constraint failed: Person.name`
            self = .missing(String(cause.message.split(separator: ".").last ?? ""))
        case Self.primaryKey, Self.rowID, Self.uniqueIndex:
            let columns = Self.columns(in: cause.message, of: table)
            // In a table of other software the model's key may differ from the primary key.
            let isKey =
                table.isForeign ? columns.sorted() == table.key.sorted() : cause.code != Self.uniqueIndex
            let column = columns.count == 1 ? columns.first : nil
            self = isKey ? .key : .unique(column.map { table.columns[$0].property })
        default: self = .other
        }
    }

    /// The columns of `UNIQUE constraint failed: Person.first, Person.last`.
    private static func columns(in message: String, of table: TableSchema) -> [Int] {
        let only = table.columns.firstIndex { message == "UNIQUE constraint failed: \(table.name).\($0.name)" }
        if let only { return [only] }
        let names = message.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        return table.columns.indices.filter { index in
            let name = "\(table.name).\(table.columns[index].name)"
            return names.contains(name) || names.contains(name + ",")
        }
    }
}
