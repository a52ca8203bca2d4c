internal import Foundation
internal import StorageAPI

// The operators that programs use. One more operator is one more maker in one of these lists.

/// A value that can be compared as a whole, in every form of a query.
typealias AskedValue = GeneratedValue & ColumnValue & Equatable & Codable

extension Term where V: AskedValue {
    /// Equality of scalars, of Optionals and of whole arrays.
    var equality: [ConditionMaker<M>] {
        [
            compared(
                "==", { $0 == $1 }, { $0.isSame(as: $1) },
                { PredicateExpressions.build_Equal(lhs: $0, rhs: PredicateExpressions.build_Arg($1)) }),
            compared(
                "!=", { $0 != $1 }, { !$0.isSame(as: $1) },
                { PredicateExpressions.build_NotEqual(lhs: $0, rhs: PredicateExpressions.build_Arg($1)) }),
            { [self] generator, record in
                isIn(generator.some(V.self, upTo: 3) + [record.flatMap { try? value($0) }].compactMap(\.self))
            },
        ]
    }

    func isIn(_ values: [V]) -> Condition<M> {
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        return Condition(
            "\(text).isIn(\(values.swift))",
            written: written.map { Written("\($0.text) in {\(marks)}", $0.arguments + values.map(\.value)) },
            simpler: values.indices.map { isIn(Array(values[..<$0] + values[($0 + 1)...])) }, { term($0).isIn(values) },
            { (record) throws(ExpectedError) in
                let own = try value(record)
                return values.contains { $0.isSame(as: own) }
            })
    }

    /// Against another property of the same record.
    func equality(with other: Term) -> [ConditionMaker<M>] { against(other, "==", { $0 == $1 }, { $0.isSame(as: $1) }) }
}

extension Term where V: AskedValue & ScalarValue & Comparable {
    var comparison: [ConditionMaker<M>] {
        [
            compared(
                "<", { $0 < $1 }, { $0.order(to: $1) == .before },
                {
                    PredicateExpressions.build_Comparison(
                        lhs: $0, rhs: PredicateExpressions.build_Arg($1), op: .lessThan)
                }),
            compared(
                "<=", { $0 <= $1 }, { $0.order(to: $1) != .after },
                {
                    PredicateExpressions.build_Comparison(
                        lhs: $0, rhs: PredicateExpressions.build_Arg($1), op: .lessThanOrEqual)
                }),
            compared(
                ">", { $0 > $1 }, { $0.order(to: $1) == .after },
                {
                    PredicateExpressions.build_Comparison(
                        lhs: $0, rhs: PredicateExpressions.build_Arg($1), op: .greaterThan)
                }),
            compared(
                ">=", { $0 >= $1 }, { $0.order(to: $1) != .before },
                {
                    PredicateExpressions.build_Comparison(
                        lhs: $0, rhs: PredicateExpressions.build_Arg($1), op: .greaterThanOrEqual)
                }),
            range,
        ]
    }

    private var range: ConditionMaker<M> {
        { [self] generator, _ in
            let ends = [V.random(&generator), V.random(&generator)].sorted { $0.order(to: $1) == .before }
            // Swift makes no range of what its own order has otherwise.
            guard ends[0] <= ends[1] else { return nil }
            return Condition(
                "\(text).isIn(\(ends[0].swift)..<\(ends[1].swift))", { term($0).isIn(ends[0]..<ends[1]) },
                { (record) throws(ExpectedError) in
                    let own = try value(record)
                    return own.order(to: ends[0]) != .before && own.order(to: ends[1]) == .before
                })
        }
    }

    /// Against another property of the same record.
    func comparison(with other: Term) -> [ConditionMaker<M>] {
        against(other, "<", { $0 < $1 }, { $0.order(to: $1) == .before })
    }
}

/// An ordered comparison with nil is false.
extension Term {
    func optionalComparison<W: AskedValue & ScalarValue & Comparable>() -> [ConditionMaker<M>] where V == W? {
        [
            compared("<", { $0 < $1 }, { value, operand in value.map { $0.order(to: operand) == .before } ?? false }),
            compared("<=", { $0 <= $1 }, { value, operand in value.map { $0.order(to: operand) != .after } ?? false }),
            compared(">", { $0 > $1 }, { value, operand in value.map { $0.order(to: operand) == .after } ?? false }),
            compared(">=", { $0 >= $1 }, { value, operand in value.map { $0.order(to: operand) != .before } ?? false }),
        ]
    }

    /// Returns conditions that a property, a child or an array of children is nil.
    func absence<W>() -> [ConditionMaker<M>] where V == W? {
        let condition = Condition<M>(
            "\(text).isNil", written: written.map { Written("\($0.text) is nil", $0.arguments) }, { term($0).isNil },
            { (record) throws(ExpectedError) in try value(record) == nil })
        return [{ _, _ in condition }]
    }
}

extension Term {
    /// Against another property of the same record.
    fileprivate func against(
        _ other: Term, _ symbol: String,
        _ build: @escaping @Sendable (QueryExpression<V>, QueryExpression<V>) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable (V, V) -> Bool
    ) -> [ConditionMaker<M>] {
        let written = written.flatMap { own in other.written.map { Written.joined([own, $0], " \(symbol) ") } }
        let condition = Condition<M>(
            "\(text) \(symbol) \(other.text)", written: written, { build(term($0), other.term($0)) },
            { (record) throws(ExpectedError) in holds(try value(record), try other.value(record)) })
        return [{ _, _ in condition }]
    }

    /// A comparison with a random operand, or with the value that a record has.
    func compared<O: AskedValue>(
        _ name: String, _ build: @escaping @Sendable (QueryExpression<V>, O) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable (V, O) -> Bool,
        _ predicate: (@Sendable (PropertyExpression, O) -> any StandardPredicateExpression<Bool>)? = nil
    ) -> ConditionMaker<M> {
        { [self] generator, record in
            let operand = record.flatMap { try? value($0) as? O } ?? O.random(&generator)
            var condition = Condition<M>(
                "\(text) \(name) \(operand.swift)", written: written?.with(name, operand.value),
                { build(term($0), operand) },
                { (record) throws(ExpectedError) in holds(try value(record), operand) })
            if let own = self.predicate, let predicate { condition.predicate = { predicate(own($0), operand) } }
            return condition
        }
    }
}
