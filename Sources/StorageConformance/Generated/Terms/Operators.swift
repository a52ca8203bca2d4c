internal import StorageAPI

// The operators that programs use. One more operator is one more maker in one of these lists.

extension Term where V: GeneratedValue & ColumnValue & Equatable {
    /// Equality of scalars, of Optionals and of whole arrays.
    var equality: [ConditionMaker<M>] {
        [
            compared("==", { $0 == $1 }, { $0.isSame(as: $1) }),
            compared("!=", { $0 != $1 }, { !$0.isSame(as: $1) }),
            { [self] generator, record in
                isIn(generator.some(V.self, upTo: 3) + (record.map { [value($0)] } ?? []))
            },
        ]
    }

    private func isIn(_ values: [V]) -> Condition<M> {
        let simpler = values.indices.map { isIn(Array(values[..<$0] + values[($0 + 1)...])) }
        return Condition(
            "\(text).isIn(\(values.swift))", simpler: simpler, { term($0).isIn(values) },
            { record in values.contains { $0.isSame(as: value(record)) } })
    }

    /// Against another property of the same record.
    func equality(with other: Term) -> [ConditionMaker<M>] {
        let condition = Condition<M>(
            "\(text) == \(other.text)", { term($0) == other.term($0) }, { value($0).isSame(as: other.value($0)) })
        return [{ _, _ in condition }]
    }
}

extension Term where V: GeneratedValue & ScalarValue & Comparable {
    var comparison: [ConditionMaker<M>] {
        [
            compared("<", { $0 < $1 }, { $0.order(to: $1) == .before }),
            compared("<=", { $0 <= $1 }, { $0.order(to: $1) != .after }),
            compared(">", { $0 > $1 }, { $0.order(to: $1) == .after }),
            compared(">=", { $0 >= $1 }, { $0.order(to: $1) != .before }),
        ]
    }

    /// Against another property of the same record.
    func comparison(with other: Term) -> [ConditionMaker<M>] {
        let condition = Condition<M>(
            "\(text) < \(other.text)", { term($0) < other.term($0) },
            { value($0).order(to: other.value($0)) == .before })
        return [{ _, _ in condition }]
    }
}

/// An ordered comparison with nil is false.
extension Term {
    func optionalComparison<W: GeneratedValue & ScalarValue & Comparable>() -> [ConditionMaker<M>] where V == W? {
        [
            compared("<", { $0 < $1 }, { value, operand in value.map { $0.order(to: operand) == .before } ?? false }),
            compared("<=", { $0 <= $1 }, { value, operand in value.map { $0.order(to: operand) != .after } ?? false }),
            compared(">", { $0 > $1 }, { value, operand in value.map { $0.order(to: operand) == .after } ?? false }),
            compared(">=", { $0 >= $1 }, { value, operand in value.map { $0.order(to: operand) != .before } ?? false }),
        ]
    }

    /// Whether a property, a child or an array of children is nil.
    func absence<W>() -> [ConditionMaker<M>] where V == W? {
        let condition = Condition<M>("\(text).isNil", { term($0).isNil }, { value($0) == nil })
        return [{ _, _ in condition }]
    }
}

/// Text that may be nil.
protocol MaybeText {
    var maybeText: String? { get }
}
extension String: MaybeText { var maybeText: String? { self } }
extension String?: MaybeText { var maybeText: String? { self } }

extension Term where V: TextValue & MaybeText {
    /// Tests of text by UTF-8 bytes, which are false for nil.
    var tests: [ConditionMaker<M>] {
        [
            test("hasPrefix", { $0.hasPrefix($1) }, { $0.starts(with: $1) }),
            test("hasSuffix", { $0.hasSuffix($1) }, { $0.reversed().starts(with: $1.reversed()) }),
            test(
                "contains", { $0.contains($1) },
                { bytes, part in
                    part.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: part) }
                }),
        ]
    }

    private func test(
        _ name: String, _ build: @escaping @Sendable (QueryExpression<V>, String) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) -> ConditionMaker<M> {
        { [self] generator, record in
            let whole = record.flatMap { value($0).maybeText } ?? String.random(&generator)
            // A part of a stored text, cut between scalars.
            let cut = String(whole.unicodeScalars.dropFirst(generator.below(2)).prefix(1 + generator.below(3)))
            let part = generator.chance(40) ? String.random(&generator) : cut
            let bytes = Array(part.utf8)
            return Condition(
                "\(text).\(name)(\(part.swift))", { build(term($0), part) },
                { record in value(record).maybeText.map { holds(Array($0.utf8), bytes) } ?? false })
        }
    }
}

extension Term {
    /// A comparison with a random operand, or with the value that a record has.
    private func compared<O: GeneratedValue>(
        _ name: String, _ build: @escaping @Sendable (QueryExpression<V>, O) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable (V, O) -> Bool
    ) -> ConditionMaker<M> {
        { [self] generator, record in
            let operand = record.flatMap { value($0) as? O } ?? O.random(&generator)
            return Condition(
                "\(text) \(name) \(operand.swift)", { build(term($0), operand) }, { holds(value($0), operand) })
        }
    }
}
