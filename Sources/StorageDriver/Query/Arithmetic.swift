#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An operation on two numbers of one type, with Swift's meaning; texts are added alone, which joins them. Where decimals are
/// computed, an operand may also be an integer, which is a decimal then.
///
/// Integers are exact: a result beyond the range of the type, and a division by zero, throw `overflow`. `/` rounds
/// towards zero, and `%` has the sign of its left side. Double and Float compute as IEEE 754 says, so a division by
/// zero is an infinity or NaN. A Decimal operation without a number as its result throws `overflow`. Null on either
/// side gives null.
public enum Arithmetic: String, Hashable, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"

    /// The operation's result as a value of the type.
    ///
    /// - Throws: `overflow`; `typeMismatch` if a stored value is not a number of the type.
    public func apply(_ left: Value, _ right: Value, as type: ColumnType) throws(StorageError) -> Value {
        if left.isNull || right.isNull { return .null }
        if type == .string {
            guard self == .add, case .text(let left) = left, case .text(let right) = right else {
                throw mismatch(left, right)
            }
            return .text(left + right)
        }
        switch type.row.computing {
        case .double, .float:
            guard let left = left.double, let right = right.double else { throw mismatch(left, right) }
            let result = apply(left, right)
            return .double(type == .float ? Double(Float(result)) : result)
        case .decimal: return try applyDecimal(left, right)
        case .duration: return try applyDuration(left, right)
        case .integer, nil:
            guard let left = left.wide, let right = right.wide else { throw mismatch(left, right) }
            return try apply(left, right, as: type)
        }
    }

    private func apply(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .remainder: left.truncatingRemainder(dividingBy: right)
        }
    }

    /// Computes in 128 bits, which only the product of two large unsigned 64-bit integers exceeds.
    private func apply(_ left: Int128, _ right: Int128, as type: ColumnType) throws(StorageError) -> Value {
        let result: Int128?
        switch self {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply:
            let (product, overflow) = left.multipliedReportingOverflow(by: right)
            result = overflow ? nil : product
        case .divide, .remainder:
            guard right != 0 else {
                throw StorageError(
                    .overflow,
                    "\(left) \(rawValue) 0 divides by zero; exclude zero with a condition before this one.")
            }
            result = self == .divide ? left / right : left % right
        }
        guard let result, let value = Value(result, as: type) else {
            throw StorageError(
                .overflow,
                "\(left) \(rawValue) \(right) is beyond the range of \(type); compare with another term, or store a wider type."
            )
        }
        return value
    }

    private func applyDecimal(_ left: Value, _ right: Value) throws(StorageError) -> Value {
        guard let left = left.decimal, let right = right.decimal else { throw mismatch(left, right) }
        let result: Decimal
        switch self {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply: result = left * right
        case .divide: result = left / right
        case .remainder: throw StorageError(.invalidQuery, "Decimals have no remainder.")
        }
        guard !result.isNaN || left.isNaN || right.isNaN else {
            throw StorageError(
                .overflow, "\(left) \(rawValue) \(right) is not a Decimal: it is too large, or a division by zero.")
        }
        return result.storedText.map(Value.text) ?? .null
    }

    private func applyDuration(_ left: Value, _ right: Value) throws(StorageError) -> Value {
        guard case .blob(let leftBytes) = left, case .blob(let rightBytes) = right,
            let first = DurationBytes.attoseconds(leftBytes), let second = DurationBytes.attoseconds(rightBytes)
        else { throw mismatch(left, right) }
        let result: (partialValue: Int128, overflow: Bool)
        switch self {
        case .add: result = first.addingReportingOverflow(second)
        case .subtract: result = first.subtractingReportingOverflow(second)
        default: throw StorageError(.invalidQuery, "Durations are added and subtracted alone.")
        }
        guard !result.overflow else {
            throw StorageError(
                .overflow,
                "\(DurationBytes.text(first)) s \(rawValue) \(DurationBytes.text(second)) s is beyond all durations.")
        }
        return .blob(DurationBytes.bytes(result.partialValue))
    }

    private func mismatch(_ left: Value, _ right: Value) -> StorageError {
        StorageError(
            .typeMismatch, "\(left) \(rawValue) \(right) has a side that is not a number; correct the stored value.")
    }
}

extension Value {
    /// The value as a Double; nil if it is not a number.
    var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The value as a Decimal, which has every integer; nil if it is neither.
    fileprivate var decimal: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        case .text(let text): DecimalText.canonical(text).flatMap { Decimal(storedText: $0) }
        default: nil
        }
    }

    /// The value of an integer; nil if it is not one.
    package var wide: Int128? {
        switch self {
        case .int(let value): Int128(value)
        case .unsigned(let value): Int128(value)
        default: nil
        }
    }

    /// An integer as a value of the type; nil if it is beyond the type's range.
    package init?(_ integer: Int128, as type: ColumnType) {
        if let range = type.range {
            guard let value = Int64(exactly: integer), range.contains(value) else { return nil }
            self = .int(value)
        } else {
            guard let value = UInt64(exactly: integer) else { return nil }
            self = Value(unsigned: value)
        }
    }
}
