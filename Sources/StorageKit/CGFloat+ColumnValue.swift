public import Foundation
public import StorageAPI
public import StorageDriver

// A CGFloat is a Double. It is here because only Foundation has it, which StorageAPI does not need.
extension CGFloat: ScalarValue, SortableValue {
    public static var columnType: ColumnType { .double }
    public static func decode(_ cell: Cell) -> CGFloat? { Double.decode(cell).map { CGFloat($0) } }
    public func encode(into row: inout RowWriter) { Double(self).encode(into: &row) }
    public static func decode(_ json: inout JSONReader) -> CGFloat? { Double.decode(&json).map { CGFloat($0) } }
    public func encode(into json: inout JSONWriter) { Double(self).encode(into: &json) }
    public var value: Value { .double(Double(self)) }
}

extension CGFloat: NumericValue {
    /// As of Doubles.
    public typealias Sum = Double
}
