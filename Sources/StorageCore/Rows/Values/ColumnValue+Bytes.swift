public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Data: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .data }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> Data? {
        guard cell.tag == .blob else { return nil }
        guard let start = cell.bytes.baseAddress else { return Data() }
        return Data(bytes: start, count: Int(cell.length))
    }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) {
        withUnsafeBytes { row.put($0, as: .blob) }
    }

    public static func decode(_ json: inout JSONReader) -> Data? {
        json.readString().flatMap { Data(base64Encoded: $0) }
    }

    public func encode(into json: inout JSONWriter) { json.appendString(base64EncodedString()) }
    public var value: Value { .blob(Array(self)) }
}

extension UUID: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .uuid }

    public static func decode(_ cell: Cell) -> UUID? {
        guard cell.tag == .blob, cell.length == 16 else { return nil }
        return UUID(uuid: cell.bytes.loadUnaligned(as: uuid_t.self))
    }

    public func encode(into row: inout RowWriter) {
        withUnsafeBytes(of: uuid) { row.put($0, as: .blob) }
    }

    public static func decode(_ json: inout JSONReader) -> UUID? {
        json.readString().flatMap(UUID.init(uuidString:))
    }

    public func encode(into json: inout JSONWriter) { json.appendString(uuidString) }
    public var value: Value { withUnsafeBytes(of: uuid) { .blob(Array($0)) } }
}

// Seconds since 2001-01-01 00:00 UTC, the only representation that keeps every bit.
extension Date: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .date }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> Date? {
        Double.decode(cell).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) { timeIntervalSinceReferenceDate.encode(into: &row) }

    public static func decode(_ json: inout JSONReader) -> Date? {
        json.readDouble().map(Date.init(timeIntervalSinceReferenceDate:))
    }

    public func encode(into json: inout JSONWriter) { json.append(timeIntervalSinceReferenceDate) }
    public var value: Value { .double(timeIntervalSinceReferenceDate) }
}

// The number of attoseconds, in 16 bytes whose order is that of durations.
extension Duration: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .duration }

    public static func decode(_ cell: Cell) -> Duration? {
        guard cell.tag == .blob else { return nil }
        return DurationBytes.attoseconds(cell.bytes).map { Duration(attoseconds: $0) }
    }

    public func encode(into row: inout RowWriter) {
        DurationBytes.bytes(attoseconds).withUnsafeBytes { row.put($0, as: .blob) }
    }

    public static func decode(_ json: inout JSONReader) -> Duration? {
        json.readString().flatMap { DurationBytes.attoseconds($0) }.map { Duration(attoseconds: $0) }
    }

    public func encode(into json: inout JSONWriter) { json.appendString(DurationBytes.text(attoseconds)) }
    public var value: Value { .blob(DurationBytes.bytes(attoseconds)) }
}
