import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A plain value of a query, converted to a column's type, so that engines get values of their columns' types only.
enum PlainValue {
    case exact(Value)
    /// Not a value of the type. It lies directly after this one.
    case after(Value)
    /// Not a value of the type. It lies directly before this one.
    case before(Value)

    /// The equal value of the type, or nil.
    var exact: Value? {
        if case .exact(let value) = self { value } else { nil }
    }
}

// Integers are exact, however large. A number with a fraction becomes the nearest value of a Double or a Float, as a
// Swift literal does.
extension QueryNode {
    /// Converts a plain value or number to a type.
    ///
    /// - Throws: `invalidQuery` if no value of the type can be compared with it.
    func plain(as type: ColumnType) throws(StorageError) -> PlainValue {
        switch self {
        case .value(let value): return try value.plain(as: type)
        case .number(let digits):
            if let plain = Self.number(digits, as: type) { return plain }
            throw Value.mismatch(digits, type)
        case .invalid(let reason, let code): throw StorageError(code, reason)
        default: throw StorageError(.invalidQuery, "A plain value is expected, and not a property.")
        }
    }

    static func number(_ digits: String, as type: ColumnType) -> PlainValue? {
        switch type.row.computing {
        case .decimal: DecimalText.plain(digits).map(decimal)
        case .double: Double(digits).map { .exact(.double($0)) }
        case .float: Float(digits).map { $0.isInfinite ? infinite(Double($0)) : .exact(.double(Double($0))) }
        case .integer: whole(digits).flatMap { integer($0.floor, $0.isWhole, as: type) }
        case .duration: duration(digits)
        case nil: type.storage == .double ? Double(digits).map { .exact(.double($0)) } : nil
        }
    }

    /// A number of seconds among durations.
    private static func duration(_ digits: String) -> PlainValue? {
        if let (floor, isExact) = DurationBytes.floor(digits) {
            let value = Value.blob(DurationBytes.bytes(floor))
            return isExact ? .exact(value) : .after(value)
        }
        let isNegative = digits.hasPrefix("-")
        let last = Value.blob(DurationBytes.bytes(isNegative ? .min : .max))
        return DecimalText.plain(digits) == nil ? nil : isNegative ? .before(last) : .after(last)
    }

    /// The greatest integer that is not above the number. One beyond 128 bits is clamped.
    private static func whole(_ digits: String) -> (floor: Int128, isWhole: Bool)? {
        if digits == "NaN" { return (.max, false) }
        let parts = digits.split(separator: ".", maxSplits: 1)
        guard let first = parts.first else { return nil }
        let isNegative = digits.hasPrefix("-")
        guard let number = Int128(first), number > .min else { return (isNegative ? .min : .max, false) }
        return parts.count == 1 ? (number, true) : (isNegative ? number - 1 : number, false)
    }

    /// A number beyond all finite ones.
    private static func infinite(_ value: Double) -> PlainValue {
        value > 0 ? .before(.double(value)) : .after(.double(value))
    }

    /// Converts an integer, or a number directly after it, to an integer type.
    fileprivate static func integer(_ floor: Int128, _ isWhole: Bool, as type: ColumnType) -> PlainValue? {
        guard let (least, greatest) = type.integers else { return nil }
        if let value = Value(floor, as: type) { return isWhole ? .exact(value) : .after(value) }
        return floor < 0 ? .before(least) : .after(greatest)
    }

    /// A decimal number has at most 38 digits, 127 of them after the point.
    fileprivate static func decimal(_ digits: String) -> PlainValue {
        if digits.utf8.count <= 38 || Decimal(storedText: digits) != nil { return .exact(.text(digits)) }
        let isNegative = digits.hasPrefix("-")
        let cut = DecimalText.cut(digits, significant: 38, fraction: 127)
        guard Decimal(storedText: cut) != nil else {
            // Beyond all decimals, before NaN.
            return isNegative ? .before(.text(leastDecimal)) : .before(.text("NaN"))
        }
        return isNegative ? .before(.text(cut)) : .after(.text(cut))
    }

    fileprivate static let leastDecimal = (-Decimal.greatestFiniteMagnitude).storedText ?? "NaN"
}

extension Value {
    fileprivate func plain(as type: ColumnType) throws(StorageError) -> PlainValue {
        let row = type.row
        switch self {
        case .null: return .exact(self)
        case .text(let text) where row.computing == .decimal:
            if let digits = DecimalText.canonical(text) { return QueryNode.decimal(digits) }
        case .text where row.storage == .text: if type != .url || row.stored(self) != nil { return .exact(self) }
        case .text(let text): if row.comparesToText, let value = row.value(of: text) { return .exact(value) }
        case .int, .unsigned, .double:
            if row.computing != nil, let plain = number(as: type) { return plain }
            if row.computing == nil, row.stored(self) != nil { return .exact(self) }
        case .blob: if let value = row.stored(self) { return .exact(value) }
        }
        throw Self.mismatch("\(self)", type)
    }

    fileprivate static func mismatch(_ value: String, _ type: ColumnType) -> StorageError {
        StorageError(.invalidQuery, "\(value) is not of type \(type), with which it is compared.")
    }

    // MARK: Numbers

    private func number(as type: ColumnType) -> PlainValue? {
        if let integer = wide { return number(integer, as: type) }
        guard case .double(let number) = self else { return nil }
        switch type.row.computing {
        case .double: return .exact(self)
        case .float: return nearest(Double(Float(number)))
        case .decimal:
            if number.isInfinite { return .before(.text(number < 0 ? QueryNode.leastDecimal : "NaN")) }
            return QueryNode.number(number.isNaN ? "NaN" : number.description, as: type)
        case .duration: return number.isFinite ? QueryNode.number(number.description, as: type) : nil
        case .integer:
            let floor = number.rounded(.down)
            // NaN sorts after all numbers.
            guard let integer = Int128(exactly: floor) else {
                return QueryNode.integer(number < 0 ? .min : .max, false, as: type)
            }
            return QueryNode.integer(integer, floor == number, as: type)
        case nil: return nil
        }
    }

    private func number(_ integer: Int128, as type: ColumnType) -> PlainValue? {
        switch type.row.computing {
        case .decimal: .exact(.text("\(integer)"))
        case .double: nearest(Double(integer))
        case .float: nearest(Double(Float(integer)))
        case .duration: QueryNode.number("\(integer)", as: type)
        case .integer: QueryNode.integer(integer, true, as: type)
        case nil: nil
        }
    }

    /// Converts a number by its nearest value of the type.
    private func nearest(_ candidate: Double) -> PlainValue {
        switch Value.double(candidate).order(to: self) {
        case .same: .exact(.double(candidate))
        case .before: .after(.double(candidate))
        case .after: .before(.double(candidate))
        }
    }
}

extension ColumnType {
    /// The least and the greatest value of an integer type.
    fileprivate var integers: (least: Value, greatest: Value)? {
        if self == .uint64 { return (.int(0), .unsigned(.max)) }
        guard self != .bool, let range else { return nil }
        return (.int(range.lowerBound), .int(range.upperBound))
    }

    /// A comparison that is false for every value of a numeric type.
    var impossible: (comparison: Comparison, with: Value) {
        if self == .decimal { return (.greater, .text("NaN")) }
        if self == .duration { return (.less, .blob(DurationBytes.bytes(.min))) }
        return (.less, integers?.least ?? .double(-.infinity))
    }

    /// True if values are integers, Doubles or Floats.
    var isNumber: Bool {
        switch row.computing {
        case .integer, .double, .float: true
        case .decimal, .duration, nil: false
        }
    }

    /// Returns whether one type is decimal and the other one has integers, each of which is a decimal.
    func meetsAsDecimal(_ other: ColumnType) -> Bool {
        let others = [self, other].filter { $0 != .decimal }
        return others.count == 1 && others[0].row.computing == .integer
    }

    /// Returns whether values of both types have a common order.
    func isComparable(to other: ColumnType) -> Bool {
        if self == other { return true }
        guard isNumber, other.isNumber else { return false }
        // An unsigned integer beyond Int64.max is stored differently from a Double.
        let storages = [storage, other.storage]
        return !(self == .uint64 || other == .uint64) || storages == [.integer, .integer]
    }
}
