/// The type of a column: the Swift type of its values.
///
/// A backend stores a value by its ``storage`` class. The type decides the order (of decimals), the range, and the
/// lossless conversions between two versions of a schema. The particulars of a type are in `ColumnTypeTable.swift`.
public indirect enum ColumnType: Hashable, Sendable {
    case bool
    case int8, int16, int32, int64
    case uint8, uint16, uint32, uint64
    case float, double
    case string, data
    case date, uuid, url, decimal
    /// A `Duration`, kept as 16 bytes in its order, so that all of them can be.
    case duration
    /// A vector of 32-bit floats, kept as their bytes.
    case vector
    /// An array of scalars or of arrays, stored as JSON text.
    case array(of: ColumnType)
    /// Any other `Codable` value, stored as JSON text. Queries cannot see inside it.
    case embedded

    /// The storage of a type's values.
    public enum Storage: Sendable {
        case integer, double, text, blob
    }

    /// The storage of this type's values.
    public var storage: Storage { row.storage }

    /// The range of an integer type; nil for every other type and for `uint64`, which ``Value/unsigned(_:)`` completes.
    public var range: ClosedRange<Int64>? { row.range }

    /// A Boolean value that indicates whether a property of this type can be a key (clause K1).
    public var canBeKey: Bool { row.canBeKey }
}

extension ColumnType: CustomStringConvertible, LosslessStringConvertible {
    /// The name under which the type is recorded in a store: `int64`, `array<array<string>>`.
    public var description: String {
        switch self {
        case .array(let element): "array<\(element)>"
        default: row.name
        }
    }

    /// The type with a name as ``description`` writes it; nil for any other text.
    public init?(_ description: String) {
        var name = description[...]
        var arrays = 0
        while arrays <= Self.maximumDepth, name.hasPrefix("array<"), name.hasSuffix(">") {
            name = name.dropFirst(6).dropLast()
            arrays += 1
        }
        guard arrays <= Self.maximumDepth, let type = Self.names.first(where: { $0.name == name })?.type else {
            return nil
        }
        self = (0..<arrays).reduce(type) { type, _ in .array(of: type) }
    }

    /// The deepest nesting of an array's text that is read.
    private static let maximumDepth = 128

    private static let names = scalars.map { (name: $0.row.name, type: $0) }
}

extension ColumnType: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let type = ColumnType(name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown column type \(name)")
        }
        self = type
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
