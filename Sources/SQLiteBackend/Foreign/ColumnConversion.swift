internal import StorageDriver

/// Converts the values of a column of other software to the store's representation when they are read, and back when
/// they are written. It depends on the column's affinity and on its type.
enum ColumnConversion: Equatable {
    /// As in the tables that the store makes, so that indexes serve queries.
    case own
    /// Text that SQLite would compare by the column's collation.
    case collated
    /// Through a function of ``ForeignValue``. A value that it does not understand passes unchanged, and decoding it
    /// throws `typeMismatch`.
    case date(like: Value)
    case uuid(like: Value)
    case decimal(isText: Bool, isReal: Bool)
    /// Text that may be a number.
    case text(keepsText: Bool)

    /// - Parameter sample: a value of the column, for types that other software writes in several ways.
    init(
        _ column: ForeignTable.Column, as type: ColumnType, sample: () throws(StorageError) -> Value
    ) throws(StorageError) {
        let affinity = column.declared.affinity
        switch type {
        case .date: self = .date(like: try sample())
        case .uuid: self = column.declared.type == .data ? .own : .uuid(like: try sample())
        case .decimal: self = .decimal(isText: affinity == .text || affinity == .none, isReal: affinity == .real)
        case _ where type.storage != .text: self = .own
        case _ where affinity == .text: self = column.isBinary ? .own : .collated
        default: self = .text(keepsText: affinity == .none)
        }
    }

    /// The expression for the column's value in the store's representation.
    func reading(_ column: String) -> String {
        switch self {
        case .own: column
        case .collated: "(\(column) COLLATE BINARY)"
        case .date: "storage_read_date(\(column))"
        case .uuid: "storage_read_uuid(\(column))"
        case .decimal: "storage_read_decimal(\(column))"
        case .text: "storage_read_text(\(column))"
        }
    }

    /// The expression for a value in the column's representation.
    func writing(_ value: String) -> String {
        switch self {
        case .own, .collated, .decimal(isText: true, _), .text(keepsText: true): value
        case .date(let sample): "storage_write_date(\(value), \(sample.sql))"
        case .uuid(let sample): "storage_write_uuid(\(value), \(sample.sql))"
        case .decimal(_, let isReal): "storage_write_decimal(\(value), \(isReal ? 1 : 0))"
        case .text: "storage_write_text(\(value))"
        }
    }
}
