#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Value {
    /// The value as a column of the type holds it, for a query that sets the two against each other. What the typed
    /// builder gives fits as it is; text and numbers of a query as text are converted where nothing is lost.
    ///
    /// - Throws: `invalidQuery` where no value of the type can equal it or stand in an order with it.
    func fitted(to type: ColumnType) throws(StorageError) -> Value {
        switch (type, self) {
        case (_, .null): return self
        case (.decimal, .int), (.decimal, .unsigned), (.decimal, .double), (.decimal, .text):
            if let text = DecimalText.canonical(decimalDigits) { return .text(text) }
        case (.date, .double): return self
        case (.date, .text(let text)):
            if let date = Self.date(text) { return .double(date.timeIntervalSinceReferenceDate) }
        case (.uuid, .blob(let bytes)) where bytes.count == 16: return self
        case (.uuid, .text(let text)):
            if let uuid = UUID(uuidString: text) { return uuid.value }
        // Beyond Int64 an engine may keep the column's values in another form, so only whole numbers meet them.
        case (.uint64, .double(let value)): if let whole = UInt64(exactly: value) { return Value(unsigned: whole) }
        case (.bool, .int(0)), (.bool, .int(1)): return self
        case (.bool, _), (.uuid, _), (.date, _): break
        case (_, .int), (_, .unsigned), (_, .double): if type.isNumber { return self }
        case (_, .text): if type.storage == .text { return self }
        case (_, .blob): if type.storage == .blob { return self }
        }
        throw StorageError(.invalidQuery, "\(self) is no \(type), which it is set against.")
    }

    private var decimalDigits: String {
        switch self {
        case .int(let value): String(value)
        case .unsigned(let value): String(value)
        case .double(let value): value.isNaN ? "NaN" : Decimal(string: value.description)?.description ?? ""
        case .text(let text): text
        case .null, .blob: ""
        }
    }

    /// The date that a text is; nil where it is none, which the parsers throw for.
    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day()))
    }
}

extension ColumnType {
    /// Whether values are integers, Doubles or Floats.
    var isNumber: Bool {
        switch self {
        case .bool, .date: false
        default: storage == .integer || storage == .double
        }
    }

    /// Whether values of both types have a common order.
    func isComparable(to other: ColumnType) -> Bool {
        if self == other { return true }
        guard isNumber, other.isNumber else { return false }
        // An unsigned integer beyond Int64.max is kept in another form than a Double.
        let storages = [storage, other.storage]
        return !(self == .uint64 || other == .uint64) || storages == [.integer, .integer]
    }
}
