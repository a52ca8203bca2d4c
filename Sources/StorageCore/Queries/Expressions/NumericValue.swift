#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A scalar for arithmetic, sums and averages.
public protocol NumericValue: ScalarValue, SortableValue, SummableValue, Numeric, Comparable {}

extension Int: NumericValue { public typealias Sum = Int }
extension Int8: NumericValue { public typealias Sum = Int }
extension Int16: NumericValue { public typealias Sum = Int }
extension Int32: NumericValue { public typealias Sum = Int }
extension Int64: NumericValue { public typealias Sum = Int64 }
extension UInt: NumericValue { public typealias Sum = UInt }
extension UInt8: NumericValue { public typealias Sum = Int }
extension UInt16: NumericValue { public typealias Sum = Int }
extension UInt32: NumericValue { public typealias Sum = Int64 }
extension UInt64: NumericValue { public typealias Sum = UInt64 }
extension Double: NumericValue { public typealias Sum = Double }
extension Float: NumericValue { public typealias Sum = Double }
extension Decimal: NumericValue { public typealias Sum = Decimal }

/// A type that can be summed: a number, a duration, or an Optional of one. nil is ignored.
public protocol SummableValue: ColumnValue {
    /// The type of a sum: 64 bits for integers, Double for Float.
    associatedtype Sum: ScalarValue & SortableValue & Comparable
}

extension Duration: SummableValue { public typealias Sum = Duration }

extension Optional: SummableValue where Wrapped: SummableValue & ScalarValue {
    /// The type of a sum of the wrapped values.
    public typealias Sum = Wrapped.Sum
}
