#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A scalar that can be summed and averaged.
public protocol NumericValue: ScalarValue, SortableValue {
    /// The type of a sum: 64 bits for integers, Double for Float.
    associatedtype Sum: Sendable
    static var zero: Sum { get }
    /// The sum with this value added; nil where it leaves the range of its type.
    func added(to sum: Sum) -> Sum?
    /// The value as a term of an average.
    var double: Double { get }
}

extension IntegerColumnValue {
    public var double: Double { Double(self) }
}

extension NumericValue where Self: FixedWidthInteger, Sum: FixedWidthInteger {
    public static var zero: Sum { 0 }

    public func added(to sum: Sum) -> Sum? {
        let (result, overflow) = sum.addingReportingOverflow(Sum(truncatingIfNeeded: self))
        return overflow ? nil : result
    }
}

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

extension Double: NumericValue {
    public static var zero: Double { 0 }
    public func added(to sum: Double) -> Double? { sum + self }
    public var double: Double { self }
}

extension Float: NumericValue {
    public static var zero: Double { 0 }
    public func added(to sum: Double) -> Double? { sum + Double(self) }
    public var double: Double { Double(self) }
}

extension Decimal: NumericValue {
    public static var zero: Decimal { Decimal() }
    public func added(to sum: Decimal) -> Decimal? {
        let result = sum + self
        return result.isNaN && !isNaN && !sum.isNaN ? nil : result
    }
    public var double: Double { Double(description) ?? .nan }
}
