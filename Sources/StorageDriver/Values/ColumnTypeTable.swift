#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Everything that is particular to a type of column. All code that stores, orders, computes, converts or writes values
/// reads this table.
///
/// A new type is a case of ``ColumnType``, a row of this table, and a Swift type that conforms to `ScalarValue`.
package final class ColumnTypeRow: Sendable {
    /// The order of values: the order of their storage, or that of decimal numbers.
    package enum Order: Sendable {
        case ofStorage, decimal
    }

    /// The rules by which values are added, multiplied and summed.
    package enum Computing: Sendable {
        case integer, double, float, decimal, duration
    }

    /// The representation of a value in the JSON of a stored array.
    package enum Element: Sendable {
        case bool, integer, double, text
        /// Bytes, as the text of ``ColumnTypeRow/text(of:)``.
        case bytes
        /// An array of numbers.
        case numbers
    }

    /// The name under which a store records the type.
    package let name: String
    package let storage: ColumnType.Storage
    /// The range of an integer type.
    package let range: ClosedRange<Int64>?
    package let canBeKey: Bool
    package let order: Order
    /// Nil if values are not numbers.
    package let computing: Computing?
    /// The type of a sum, and the sum of no values.
    package let sum: (type: ColumnType, ofNothing: Value)
    package let element: Element
    /// True if a query may compare values with their text.
    package let comparesToText: Bool
    /// The SQL names of the type in tables of other software.
    package let declared: [String]
    /// The types of other software's columns that a property of this type can map. Each value is still checked when it
    /// is read.
    package let standsFor: Set<ColumnType>
    /// Accepts values of the storage, and returns each as it is stored; nil for values that the type refuses.
    private let accept: @Sendable (Value) -> Value?
    /// The text of a value; nil for the plain text of its storage.
    private let write: (@Sendable (Value) -> String?)?
    private let read: (@Sendable (String) -> Value?)?
    /// The value as a Swift expression, given its plain literal.
    private let swift: (@Sendable (String, Value) -> String)?
    /// The value of the JSON text that stored it before its type was a column type.
    private let fromJSON: (@Sendable (String) -> Value?)?

    init(
        _ name: String, _ storage: ColumnType.Storage, range: ClosedRange<Int64>? = nil, canBeKey: Bool = false,
        order: Order = .ofStorage, computing: Computing? = nil,
        sum: (type: ColumnType, ofNothing: Value) = (.int64, .int(0)), element: Element, comparesToText: Bool = false,
        declared: [String] = [], standsFor: Set<ColumnType> = [],
        accept: @escaping @Sendable (Value) -> Value? = { $0 }, write: (@Sendable (Value) -> String?)? = nil,
        read: (@Sendable (String) -> Value?)? = nil, swift: (@Sendable (String, Value) -> String)? = nil,
        fromJSON: (@Sendable (String) -> Value?)? = nil
    ) {
        (self.name, self.storage, self.range, self.canBeKey) = (name, storage, range, canBeKey)
        (self.order, self.computing, self.sum, self.element) = (order, computing, sum, element)
        (self.comparesToText, self.declared, self.standsFor) = (comparesToText, declared, standsFor)
        (self.accept, self.write, self.read) = (accept, write, read)
        (self.swift, self.fromJSON) = (swift, fromJSON)
    }
}

extension ColumnTypeRow {
    private static func integer<I: FixedWidthInteger & Sendable>(_ name: String, _: I.Type) -> ColumnTypeRow {
        let range = Int64(clamping: I.min)...Int64(clamping: I.max)
        let isWide = I.self == UInt64.self
        return ColumnTypeRow(
            name, .integer, range: isWide ? nil : range, canBeKey: true, computing: .integer,
            sum: (isWide ? .uint64 : .int64, .int(0)), element: .integer,
            // Other software's columns cannot represent the upper half of a UInt64.
            declared: name == "int64" ? ["SERIAL", "YEAR"] : [], standsFor: isWide ? [] : [.bool, .int64, .decimal],
            accept: { value in
                switch value {
                case .int(let integer): range.contains(integer) ? value : nil
                case .unsigned: isWide ? value : nil
                default: nil
                }
            })
    }

    static let bool = ColumnTypeRow(
        "bool", .integer, range: 0...1, element: .bool, declared: ["BOOL", "BOOLEAN", "BIT"],
        standsFor: [.int64, .decimal], accept: { $0 == .int(0) || $0 == .int(1) ? $0 : nil },
        write: { $0 == .int(0) ? "false" : $0 == .int(1) ? "true" : nil },
        read: { $0 == "true" ? .int(1) : $0 == "false" ? .int(0) : nil },
        swift: { _, value in value == .int(0) ? "false" : "true" })
    static let int8 = integer("int8", Int8.self)
    static let int16 = integer("int16", Int16.self)
    static let int32 = integer("int32", Int32.self)
    static let int64 = integer("int64", Int64.self)
    static let uint8 = integer("uint8", UInt8.self)
    static let uint16 = integer("uint16", UInt16.self)
    static let uint32 = integer("uint32", UInt32.self)
    static let uint64 = integer("uint64", UInt64.self)
    static let double = ColumnTypeRow(
        "double", .double, computing: .double, sum: (.double, .double(0)), element: .double,
        standsFor: [.int64, .decimal],
        accept: double(upTo: 1 << 53), write: numberText, read: number, fromJSON: { Double($0).map(Value.double) })
    // A Float is stored as the Double of equal value.
    static let float = ColumnTypeRow(
        "float", .double, computing: .float, sum: (.double, .double(0)), element: .double,
        standsFor: [.int64, .double, .decimal],
        accept: { value in
            guard case .double(let number)? = double(upTo: 1 << 24)(value) else { return nil }
            return number.isNaN || Float(exactly: number) != nil ? .double(number) : nil
        },
        write: { value in value.double.map { $0.isFinite ? Float($0).description : special($0) } }, read: number)
    static let string = ColumnTypeRow("string", .text, canBeKey: true, element: .text, standsFor: [.date, .uuid])
    static let data = ColumnTypeRow(
        "data", .blob, element: .bytes, write: { value in value.bytes.map { Data($0).base64EncodedString() } },
        read: { Data(base64Encoded: $0).map { .blob(Array($0)) } })
    // Seconds since 2001-01-01 00:00 UTC, the only representation that keeps every bit.
    static let date = ColumnTypeRow(
        "date", .double, element: .double, comparesToText: true,
        declared: ["DATE", "DATETIME", "DATETIME2", "DATETIMEOFFSET", "SMALLDATETIME", "TIMESTAMP", "TIMESTAMPTZ"],
        standsFor: [.int64, .double, .string],
        accept: { value in if case .double = value { value } else { nil } },
        write: { value in value.double.flatMap { DateText.text($0) ?? numberText(.double($0)) } },
        read: { DateText.seconds($0).map(Value.double) ?? number($0) },
        swift: { literal, _ in "Date(timeIntervalSinceReferenceDate: \(literal))" })
    static let uuid = ColumnTypeRow(
        "uuid", .blob, canBeKey: true, element: .bytes, comparesToText: true,
        declared: ["UUID", "GUID", "UNIQUEIDENTIFIER"], standsFor: [.string, .data],
        accept: sized(16), write: { value in value.bytes.flatMap { UUID(bytes: $0)?.uuidString } },
        read: { UUID(uuidString: $0).map { uuid in .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) }) } },
        swift: { literal, value in
            value.bytes.flatMap { UUID(bytes: $0) }.map { "UUID(uuidString: \"\($0)\")!" } ?? literal
        })
    static let url = ColumnTypeRow(
        "url", .text, element: .text, standsFor: [.string],
        // Without the second argument Foundation percent-encodes some characters, which makes another URL than the
        // stored one.
        accept: { $0.string.flatMap { URL(string: $0, encodingInvalidCharacters: false) } == nil ? nil : $0 },
        swift: { literal, _ in "URL(string: \(literal))!" })
    static let decimal = ColumnTypeRow(
        "decimal", .text, order: .decimal, computing: .decimal, sum: (.decimal, .text("0")), element: .text,
        declared: ["NUMERIC", "DECIMAL", "DEC", "NUMBER", "FIXED", "MONEY", "SMALLMONEY", "CURRENCY"],
        standsFor: [.int64, .double, .string],
        accept: { value in
            if case .text(let text) = value, SmallDecimal(text) != nil { return value }
            return value.string.flatMap { Decimal(storedText: $0)?.storedText }.map(Value.text)
        },
        read: { DecimalText.canonical($0).map(Value.text) },
        swift: { literal, _ in "Decimal(string: \(literal))!" })
    static let duration = ColumnTypeRow(
        "duration", .blob, computing: .duration, sum: (.duration, .blob(DurationBytes.bytes(0))), element: .bytes,
        comparesToText: true, accept: sized(DurationBytes.count),
        write: { value in value.bytes.flatMap(DurationBytes.attoseconds).map(DurationBytes.text) },
        read: { DurationBytes.attoseconds($0).map { .blob(DurationBytes.bytes($0)) } },
        swift: { literal, value in
            value.bytes.flatMap(DurationBytes.attoseconds).map { "Duration(attoseconds: \($0))" } ?? literal
        }, fromJSON: { DurationBytes.attoseconds(json: $0).map { .blob(DurationBytes.bytes($0)) } })
    static let vector = ColumnTypeRow(
        "vector", .blob, element: .numbers, standsFor: [.data],
        accept: { $0.bytes.flatMap(VectorBytes.canonical).map(Value.blob) },
        write: { value in value.bytes.flatMap(VectorBytes.text) },
        read: { VectorBytes.bytes(of: $0).map(Value.blob) },
        swift: { literal, value in value.bytes.flatMap(VectorBytes.text).map { "Vector(\($0))" } ?? literal })
    static let embedded = ColumnTypeRow(
        "embedded", .text, element: .text, standsFor: [.string],
        accept: { $0.string.map(JSONReader.isJSON) == true ? $0 : nil })
    static let array = ColumnTypeRow("array", .text, element: .text, standsFor: [.string])

    private static func double(upTo limit: UInt64) -> @Sendable (Value) -> Value? {
        { value in
            switch value {
            case .double: value
            case .int(let integer): integer.magnitude <= limit ? .double(Double(integer)) : nil
            default: nil
            }
        }
    }

    private static func sized(_ count: Int) -> @Sendable (Value) -> Value? {
        { $0.bytes?.count == count ? $0 : nil }
    }

    // MARK: Numbers as text

    private static let numberText: @Sendable (Value) -> String? = { value in
        value.double.map { $0.isFinite ? $0.description : special($0) }
    }

    private static func special(_ number: Double) -> String {
        number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
    }

    /// The values that JSON has no number for.
    private static let number: @Sendable (String) -> Value? = { text in
        switch text {
        case "NaN": .double(.nan)
        case "Infinity": .double(.infinity)
        case "-Infinity": .double(-.infinity)
        default: nil
        }
    }
}

extension ColumnTypeRow {
    /// The value as a column of the type stores it; nil if it is not a value of the type.
    package func stored(_ value: Value) -> Value? {
        switch (value, storage) {
        case (.null, _): value
        case (.int, .integer), (.unsigned, .integer), (.int, .double), (.double, .double), (.text, .text),
            (.blob, .blob):
            accept(value)
        default: nil
        }
    }

    /// The value as text: for tables, arguments, and the strings of JSON. Nil for null.
    package func text(of value: Value) -> String? {
        if !value.isNull, let text = write?(value) { return text }
        switch value {
        case .null: return nil
        case .int(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .double(let number): return number.description
        case .text(let text): return text
        case .blob(let bytes): return Data(bytes).base64EncodedString()
        }
    }

    /// The value of a text that ``text(of:)`` wrote; nil for any other text, and for numbers, which have no text.
    package func value(of text: String) -> Value? {
        if let read { return read(text).flatMap(stored) }
        return storage == .text ? stored(.text(text)) : nil
    }

    /// The value of a number's digits; nil if the text is not a number or the type has no such value.
    package func value(ofNumber digits: String) -> Value? {
        switch (storage, computing) {
        case (_, .decimal), (_, .duration): value(of: digits)
        case (.integer, _):
            Int64(digits).flatMap { stored(.int($0)) } ?? UInt64(digits).flatMap { stored(Value(unsigned: $0)) }
        case (.double, .float): Float(digits).flatMap { $0.isFinite ? .double(Double($0)) : nil }
        case (.double, _): Double(digits).flatMap { $0.isFinite ? .double($0) : nil }
        default: nil
        }
    }

    /// The value of the JSON text that stored it before its type was a column type; nil for every other text.
    package func value(ofJSON text: String) -> Value? { fromJSON?(text) }

    /// True if values of ``ColumnType/embedded`` may be values of this type.
    package var wasJSON: Bool { fromJSON != nil }

    /// The value as a Swift expression, given the literal of its storage.
    package func swift(_ literal: String, _ value: Value) -> String { swift?(literal, value) ?? literal }
}

extension ColumnType {
    /// The type's row of the table.
    package var row: ColumnTypeRow {
        switch self {
        case .bool: .bool
        case .int8: .int8
        case .int16: .int16
        case .int32: .int32
        case .int64: .int64
        case .uint8: .uint8
        case .uint16: .uint16
        case .uint32: .uint32
        case .uint64: .uint64
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .url: .url
        case .decimal: .decimal
        case .duration: .duration
        case .vector: .vector
        case .embedded: .embedded
        case .array: .array
        }
    }

    /// All types but arrays.
    package static let scalars: [ColumnType] = [
        .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .string, .data, .date,
        .uuid, .url, .decimal, .duration, .vector, .embedded,
    ]
}

extension Value {
    /// The value as a column of the type stores it, which is also the value that the typed interface writes; nil if it
    /// is not a value of the type. Null is a value of every type: a column may still refuse it.
    ///
    /// Integers become Doubles of the same value in a column of Doubles. JSON text of arrays is rewritten, so that
    /// equal arrays have equal text. Embedded values keep their text.
    package func stored(as type: ColumnType) -> Value? {
        guard case .array(let element) = type, case .text(let text) = self else { return type.row.stored(self) }
        return ArrayElements.rewritten(text, of: element).map(Value.text)
    }

    fileprivate var bytes: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
    fileprivate var string: String? { if case .text(let text) = self { text } else { nil } }
}
