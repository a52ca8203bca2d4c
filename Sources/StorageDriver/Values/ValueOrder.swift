/// The relation of two values in the total order of clause V4.
public enum ValueOrder: Sendable {
    case before, same, after

    @inlinable
    init<T: Comparable>(_ left: T, _ right: T) {
        self = left < right ? .before : left == right ? .same : .after
    }

    /// The reverse order.
    public var reversed: ValueOrder {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}

extension Value {
    /// The order of two values of one type: nil first, then numbers by mathematical value (NaN last), text and blobs by
    /// bytes. Values of different kinds, which one column never has, sort in the order of the cases.
    public func order(to other: Value) -> ValueOrder {
        switch (self, other) {
        case (.null, .null): .same
        case (.int(let left), .int(let right)): ValueOrder(left, right)
        case (.unsigned(let left), .unsigned(let right)): ValueOrder(left, right)
        case (.int, .unsigned): .before
        case (.unsigned, .int): .after
        case (.double(let left), .double(let right)): Self.order(left, right)
        case (.int(let left), .double(let right)): Self.order(left, right)
        case (.double(let left), .int(let right)): Self.order(right, left).reversed
        case (.unsigned(let left), .double(let right)): Self.order(left, right)
        case (.double(let left), .unsigned(let right)): Self.order(right, left).reversed
        case (.text(let left), .text(let right)): Self.order(left, right)
        case (.blob(let left), .blob(let right)): Self.order(left, right)
        default: ValueOrder(rank, other.rank)
        }
    }

    /// The order of two values of a column of the given type. Only decimals, which are stored as text, differ from
    /// ``order(to:)``.
    public func order(to other: Value, as type: ColumnType) -> ValueOrder {
        if case .text(let left) = self, case .text(let right) = other, type.row.order == .decimal {
            return DecimalText.order(left, right)
        }
        return order(to: other)
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .int, .unsigned, .double: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func order(_ left: Double, _ right: Double) -> ValueOrder {
        switch (left.isNaN, right.isNaN) {
        case (true, true): .same
        case (true, false): .after
        case (false, true): .before
        case (false, false): ValueOrder(left, right)
        }
    }

    // Never through Double: 2^53 and 2^53 + 1 must stay two numbers.
    private static func order<I: FixedWidthInteger>(_ left: I, _ right: Double) -> ValueOrder {
        if right.isNaN || right > Double(I.max) { return .before }
        if right < Double(I.min) { return .after }
        guard let whole = I(exactly: right.rounded(.towardZero)) else { return .before }
        if whole != left { return ValueOrder(left, whole) }
        return ValueOrder(0, right - right.rounded(.towardZero))
    }

    private static func order(_ left: String, _ right: String) -> ValueOrder {
        if left.utf8.elementsEqual(right.utf8) { return .same }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
    }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> ValueOrder {
        if left == right { return .same }
        return left.lexicographicallyPrecedes(right) ? .before : .after
    }
}
