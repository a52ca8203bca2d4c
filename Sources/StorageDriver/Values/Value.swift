/// A stored value without its Swift type, as backends store it and tools see it.
///
/// Rows cross the driver interface as `Cell`s. A `Value` is a cell that owns its bytes. The column's ``ColumnType``
/// says which Swift type it represents: a `Date` is a `double`, a `Decimal` and a `URL` are `text`, a `UUID` is a
/// 16-byte `blob`.
public enum Value: Sendable {
    case null
    case int(Int64)
    /// An integer above `Int64.max`; smaller ones are always ``int(_:)``.
    case unsigned(UInt64)
    case double(Double)
    case text(String)
    case blob([UInt8])

    package init(unsigned value: UInt64) {
        self = Int64(exactly: value).map(Value.int) ?? .unsigned(value)
    }

    /// A Boolean value that indicates that the value is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

// Equality and hashing follow clause V4 of the contract: numbers by value, NaN equal to NaN, text by UTF-8 bytes.
extension Value: Hashable {
    public static func == (left: Value, right: Value) -> Bool {
        left.order(to: right) == .same
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .double(let value):
            if let integer = Int64(exactly: value) {
                hasher.combine(integer)
            } else if let integer = UInt64(exactly: value) {
                hasher.combine(integer)
            } else {
                hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
            }
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension Value: Comparable {
    public static func < (left: Value, right: Value) -> Bool {
        left.order(to: right) == .before
    }
}

extension Value: CustomStringConvertible {
    /// The value as a person would write it, cut after 80 characters.
    public var description: String {
        switch self {
        case .null: return "nil"
        case .int(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .double(let value): return String(value)
        case .text(let value):
            let start = value.unicodeScalars.prefix(80)
            let shown = String(String.UnicodeScalarView(start)).debugDescription
            return start.endIndex == value.unicodeScalars.endIndex ? shown : shown + "…"
        case .blob(let value):
            return "x'" + Hexadecimal.text(of: value.prefix(24))
                + (value.count > 24 ? "…' (\(value.count) bytes)" : "'")
        }
    }
}

extension Sequence<Value> {
    /// The parts of a key as people and commands write them: a UUID in its usual form, since no other key has bytes.
    package var keyText: String {
        map { part in
            guard case .blob(let bytes) = part, bytes.count == 16 else { return part.description }
            return ColumnType.uuid.row.text(of: part) ?? part.description
        }.joined(separator: ", ")
    }
}
