internal import CSQLite
internal import StorageDriver

extension ColumnSchema {
    /// The column's name in SQL.
    var sql: String { name.quotedName }

    /// The declared type. A column of Doubles is ANY because NaN, for which SQLite has no number, is the text 'NaN'. So
    /// is a column of UInt64, whose values above Int64.max are text.
    var sqlType: String {
        switch type {
        case .uint64: "ANY"
        default:
            switch type.storage {
            case .integer: "INTEGER"
            case .double: "ANY"
            case .text: "TEXT"
            case .blob: "BLOB"
            }
        }
    }
}

extension ColumnType {
    /// The way in which a column's values are read.
    var readKind: UInt8 {
        switch self {
        case .uint64: UInt8(CSQLITE_READ_UNSIGNED)
        default:
            switch storage {
            case .integer: UInt8(CSQLITE_READ_INT)
            case .double: UInt8(CSQLITE_READ_DOUBLE)
            case .text: UInt8(CSQLITE_READ_TEXT)
            case .blob: UInt8(CSQLITE_READ_BLOB)
            }
        }
    }

    /// The same for a column whose values need not be of its declared type: the type of each value is checked.
    var foreignReadKind: UInt8 {
        switch self {
        case .double, .float: UInt8(CSQLITE_READ_DOUBLE)
        default: UInt8(CSQLITE_READ_ANY)
        }
    }
}

extension Value {
    /// The value as an SQL literal, for the defaults of added columns.
    var sql: String {
        switch self {
        case .null: "NULL"
        case .int(let value): String(value)
        case .unsigned(let value): Self.digits(value).quotedText
        case .double(let value): Self.sql(value)
        case .text(let text): Self.sql(text)
        case .blob(let bytes): "x'" + Hexadecimal.text(of: bytes) + "'"
        }
    }

    private static func sql(_ value: Double) -> String {
        if value.isNaN { return "'NaN'" }
        if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
        return value.description
    }

    /// A NUL would end the statement's text.
    private static func sql(_ text: String) -> String {
        text.utf8.contains(0) ? "CAST(x'" + Hexadecimal.text(of: text.utf8) + "' AS TEXT)" : text.quotedText
    }

    /// An integer above `Int64.max` as the text that SQLite keeps of it: 20 digits, which sort in its order.
    static func digits(_ value: UInt64) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CSQLITE_UNSIGNED_DIGITS) + 1) { digits in
            csqlite_unsigned_text(value, digits.baseAddress)
            return String(decoding: digits.dropLast().lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
