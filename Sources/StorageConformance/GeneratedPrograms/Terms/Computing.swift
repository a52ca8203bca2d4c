internal import Foundation
internal import StorageAPI
import StorageDriver

// Terms that compute, and conditions on them.

/// A number that programs compute with, and what Swift makes of it; nil where there is no result.
protocol ComputedValue: NumericValue, AskedValue {
    /// Operands that leave most results within the type.
    static var operands: [Self] { get }
    static func compute(_ operation: Arithmetic, _ left: Self, with right: Self) -> Self?
    static var operations: [Arithmetic] { get }
    static func build(
        _ operation: Arithmetic, _ left: QueryExpression<Self>, with right: Self
    ) -> QueryExpression<Self>
    static func build(
        _ operation: Arithmetic, _ left: QueryExpression<Self?>, with right: Self
    ) -> QueryExpression<Self?>
}

extension ComputedValue where Self: FixedWidthInteger {
    static var operations: [Arithmetic] { [.add, .subtract, .multiply, .divide, .remainder] }
    static var operands: [Self] { [0, 1, 2, 3, .max] }

    static func compute(_ operation: Arithmetic, _ left: Self, with right: Self) -> Self? {
        switch operation {
        case .remainder: return right == 0 ? nil : left.remainderReportingOverflow(dividingBy: right).partialValue
        case .add: return fitting(left.addingReportingOverflow(right))
        case .subtract: return fitting(left.subtractingReportingOverflow(right))
        case .multiply: return fitting(left.multipliedReportingOverflow(by: right))
        case .divide: return fitting(left.dividedReportingOverflow(by: right))
        }
    }

    private static func fitting(_ result: (partialValue: Self, overflow: Bool)) -> Self? {
        result.overflow ? nil : result.partialValue
    }

    static func build(
        _ operation: Arithmetic, _ left: QueryExpression<Self>, with right: Self
    ) -> QueryExpression<Self> {
        operation == .remainder ? left % right : common(operation, left, with: right)
    }

    static func build(
        _ operation: Arithmetic, _ left: QueryExpression<Self?>, with right: Self
    ) -> QueryExpression<Self?> {
        operation == .remainder ? left % right : common(operation, left, with: right)
    }
}

extension ComputedValue {
    static var operations: [Arithmetic] { [.add, .subtract, .multiply, .divide] }

    static func build(
        _ operation: Arithmetic, _ left: QueryExpression<Self>, with right: Self
    ) -> QueryExpression<Self> { common(operation, left, with: right) }

    static func build(
        _ operation: Arithmetic, _ left: QueryExpression<Self?>, with right: Self
    ) -> QueryExpression<Self?> { common(operation, left, with: right) }

    fileprivate static func common(
        _ operation: Arithmetic, _ left: QueryExpression<Self>, with right: Self
    ) -> QueryExpression<Self> {
        switch operation {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide, .remainder: left / right
        }
    }

    fileprivate static func common(
        _ operation: Arithmetic, _ left: QueryExpression<Self?>, with right: Self
    ) -> QueryExpression<Self?> {
        switch operation {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide, .remainder: left / right
        }
    }
}

extension ComputedValue where Self: BinaryFloatingPoint {
    static var operands: [Self] { [0, 1, -1, 0.1, 3, .infinity] }

    static func compute(_ operation: Arithmetic, _ left: Self, with right: Self) -> Self? {
        switch operation {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide, .remainder: left / right
        }
    }
}

extension Int: ComputedValue {}
extension Int8: ComputedValue {}
extension Int64: ComputedValue {}
extension UInt64: ComputedValue {}
extension Double: ComputedValue {}
extension Float: ComputedValue {}
extension Decimal: ComputedValue {
    static var operands: [Decimal] { [0, 1, -1, 3, Decimal(sign: .minus, exponent: -1, significand: 7)] }

    static func compute(_ operation: Arithmetic, _ left: Decimal, with right: Decimal) -> Decimal? {
        let result =
            switch operation {
            case .add: left + right
            case .subtract: left - right
            case .multiply: left * right
            case .divide, .remainder: left / right
            }
        return result.isNaN ? nil : result
    }
}

extension Term where V: ComputedValue & ScalarValue & Comparable {
    /// Comparisons of what is computed of the number and an operand.
    var computation: [ConditionMaker<M>] {
        [
            { [self] generator, record in
                let (operation, operand) = generator.operation(V.self)
                let computed = Term(
                    "(\(text) \(operation.rawValue) \(operand.swift))",
                    written: written?.computed(operation, operand.value),
                    { V.build(operation, term($0), with: operand) },
                    { (record) throws(ExpectedError) in try V.result(operation, value(record), with: operand) })
                let condition = generator.one(of: computed.comparison + computed.equality)?(&generator, record)
                // Among the records there mostly is a number with which it fails: a condition in front excludes it.
                return generator.chance(70) ? condition.map { isIn(V.operands.filter { $0 <= 3 }) && $0 } : condition
            }
        ]
    }
}

extension Term {
    /// The same of a number that may be nil, and of which nil is computed then.
    func optionalComputation<W: ComputedValue & ScalarValue & Comparable>() -> [ConditionMaker<M>] where V == W? {
        [
            { [self] generator, record in
                let (operation, operand) = generator.operation(W.self)
                let computed = Term<M, W?>(
                    "(\(text) \(operation.rawValue) \(operand.swift))",
                    written: written?.computed(operation, operand.value),
                    { W.build(operation, term($0), with: operand) },
                    { (record) throws(ExpectedError) in
                        guard let own = try value(record) else { return nil }
                        return try W.result(operation, own, with: operand)
                    })
                let condition = generator.one(of: computed.optionalComparison() + computed.equality)?(
                    &generator, record)
                let small = [nil] + W.operands.filter { $0 <= 3 }.map(Optional.some)
                return generator.chance(70) ? condition.map { isIn(small) && $0 } : condition
            }
        ]
    }
}

extension Setting {
    /// Sets a number to what is computed of it.
    static func computing<V: ComputedValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> SettingMaker<M> {
        { generator in
            let (operation, operand) = generator.operation(V.self)
            return Setting(
                name: name, text: ".set(\\.\(name)) { $0.\(name) \(operation.rawValue) \(operand.swift) }",
                apply: { (model, before) throws(ExpectedError) in
                    model[keyPath: path] = try V.result(operation, before[keyPath: path], with: operand)
                },
                assign: { $0.set(column) { V.build(operation, $0[keyPath: column], with: operand) } })
        }
    }

    /// The same of a number that may be nil.
    static func optionalComputing<W: ComputedValue>(
        _ name: String, _ path: FieldPath<M, W?>, column: ColumnPath<M, W?>
    ) -> SettingMaker<M> {
        { generator in
            let (operation, operand) = generator.operation(W.self)
            return Setting(
                name: name, text: ".set(\\.\(name)) { $0.\(name) \(operation.rawValue) \(operand.swift) }",
                apply: { (model, before) throws(ExpectedError) in
                    guard let own = before[keyPath: path] else { return model[keyPath: path] = nil }
                    model[keyPath: path] = try W.result(operation, own, with: operand)
                },
                assign: { $0.set(column) { W.build(operation, $0[keyPath: column], with: operand) } })
        }
    }
}

extension Written {
    fileprivate func computed(_ operation: Arithmetic, _ operand: Value) -> Written {
        Written.joined([with(operation.rawValue, operand)], "", open: "(", close: ")")
    }
}

extension ComputedValue {
    fileprivate static func result(
        _ operation: Arithmetic, _ left: Self, with right: Self
    ) throws(ExpectedError) -> Self {
        guard let result = compute(operation, left, with: right) else { throw ExpectedError(.overflow) }
        return result
    }
}

extension SeededGenerator {
    fileprivate mutating func operation<V: ComputedValue>(_: V.Type) -> (Arithmetic, V) {
        (one(of: V.operations) ?? .add, one(of: V.operands) ?? V.random(&self))
    }

    /// The syntax of a condition.
    var syntax: QuerySyntax {
        mutating get { pick(.builder, .builder, .text, .predicate) }
    }
}
