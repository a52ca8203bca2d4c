public import StorageDriver

/// A type whose values are kept in one column: the scalars of clause V1, their Optionals and arrays of either.
///
/// The library conforms all types that can be a property; an enum with a raw value needs no conformance. To make
/// another type queryable as a scalar, write it as a `RawRepresentable` over one of these.
public protocol ColumnValue: Sendable {
    /// The type under which the column is recorded; an Optional has the type that it wraps.
    static var columnType: ColumnType { get }
    /// A Boolean value that indicates whether nil is among the values.
    static var isOptional: Bool { get }
    /// The value in a cell; nil if this type cannot represent it.
    static func decode(_ cell: Cell) -> Self?
    /// Writes the value as the row's next cell.
    func encode(into row: inout RowWriter)
    /// The value as an element of a stored array.
    static func decode(_ json: inout JSONReader) -> Self?
    /// Appends the value as an element of a stored array.
    func encode(into json: inout JSONWriter)
    /// The value as a `Value`, for queries. Null for a value that cannot be stored, such as a URL with a base, which
    /// calls refuse with `invalidValue`.
    var value: Value { get }
}

/// A `ColumnValue` that is never nil.
public protocol ScalarValue: ColumnValue {}

extension ScalarValue {
    @inlinable public static var isOptional: Bool { false }
}

extension Optional: ColumnValue where Wrapped: ScalarValue {
    @inlinable public static var columnType: ColumnType { Wrapped.columnType }
    @inlinable public static var isOptional: Bool { true }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> Self? {
        if cell.isNull { return .some(.none) }
        guard let wrapped = Wrapped.decode(cell) else { return nil }
        return .some(.some(wrapped))
    }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) {
        if let self { self.encode(into: &row) } else { row.put(.null) }
    }

    public static func decode(_ json: inout JSONReader) -> Self? {
        if json.readNull() { return .some(.none) }
        return Wrapped.decode(&json).map(Optional.some)
    }

    public func encode(into json: inout JSONWriter) {
        if let self { self.encode(into: &json) } else { json.append("null") }
    }

    public var value: Value { self?.value ?? .null }
}

extension Value {
    /// The value of a scalar. A URL with a base, which no column can store, becomes a text that is not a URL, and calls
    /// refuse it.
    @inlinable
    public init<T: ColumnValue>(_ scalar: T) {
        let value = scalar.value
        if case .null = value { self = Self.unkept(scalar) } else { self = value }
    }

    /// The value of an enum's raw value.
    @inlinable
    public init<T: RawRepresentable>(_ value: T) where T.RawValue: ScalarValue { self.init(value.rawValue) }

    @usableFromInline
    static func unkept<T: ColumnValue>(_ scalar: T) -> Value { scalar.storableValue ?? .text("\(scalar)") }
}
