public import StorageDriver

/// An integer type of the language; no other types conform.
public protocol IntegerColumnValue: ScalarValue, SortableValue, FixedWidthInteger {}

extension IntegerColumnValue {
    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> Self? {
        if cell.tag == .int { return Self(exactly: cell.int) }
        return cell.tag == .unsigned ? Self(exactly: cell.bits) : nil
    }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) {
        row.put(Self.isSigned ? .int(Int64(truncatingIfNeeded: self)) : .unsigned(UInt64(truncatingIfNeeded: self)))
    }

    public static func decode(_ json: inout JSONReader) -> Self? {
        Self.isSigned
            ? json.readSigned().flatMap(Self.init(exactly:)) : json.readUnsigned().flatMap(Self.init(exactly:))
    }

    public func encode(into json: inout JSONWriter) {
        json.append(String(self))
    }

    public var value: Value {
        Self.isSigned ? .int(Int64(truncatingIfNeeded: self)) : Value(unsigned: UInt64(truncatingIfNeeded: self))
    }
}

extension Int: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .int64 } }
extension Int8: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .int8 } }
extension Int16: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .int16 } }
extension Int32: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .int32 } }
extension Int64: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .int64 } }
extension UInt: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .uint64 } }
extension UInt8: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .uint8 } }
extension UInt16: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .uint16 } }
extension UInt32: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .uint32 } }
extension UInt64: IntegerColumnValue { @inlinable public static var columnType: ColumnType { .uint64 } }

extension Bool: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .bool }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> Bool? {
        guard cell.tag == .int, cell.bits <= 1 else { return nil }
        return cell.bits == 1
    }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) { row.put(.int(self ? 1 : 0)) }

    public static func decode(_ json: inout JSONReader) -> Bool? { json.readBool() }
    public func encode(into json: inout JSONWriter) { json.append(self ? "true" : "false") }
    public var value: Value { .int(self ? 1 : 0) }
}

extension Double: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .double }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> Double? { cell.tag == .double ? cell.double : nil }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) { row.put(.double(self)) }

    public static func decode(_ json: inout JSONReader) -> Double? { json.readDouble() }
    public func encode(into json: inout JSONWriter) { json.append(self) }
    public var value: Value { .double(self) }
}

// A Float is stored as the Double of equal value. A Double that no Float equals was written by another program.
extension Float: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .float }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> Float? {
        guard cell.tag == .double else { return nil }
        return Float(exactly: cell.double) ?? (cell.double.isNaN ? .nan : nil)
    }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) { row.put(.double(Double(self))) }

    public static func decode(_ json: inout JSONReader) -> Float? {
        guard let double = json.readDouble() else { return nil }
        return Float(exactly: double) ?? (double.isNaN ? .nan : nil)
    }

    public func encode(into json: inout JSONWriter) { json.append(Double(self)) }
    public var value: Value { .double(Double(self)) }
}
