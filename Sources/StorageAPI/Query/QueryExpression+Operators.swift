// Operators are constrained on the one type parameter, never generic over a protocol of operands: that form type-checks
// twenty mixed terms in 70 ms where the other gives up (measured; see ARCHITECTURE.md, "Queries").

private func compare<L, R>(
    _ comparison: Comparison, _ left: QueryExpression<L>, _ right: QueryExpression<R>
) -> QueryExpression<Bool> {
    QueryExpression<Bool>(.comparison(comparison, left.node, right.node, []))
}

private func compare<L>(
    _ comparison: Comparison, _ left: QueryExpression<L>, _ right: Value
) -> QueryExpression<Bool> {
    QueryExpression<Bool>(.comparison(comparison, left.node, .value(right), []))
}

private func compare<R>(
    _ comparison: Comparison, _ left: Value, _ right: QueryExpression<R>
) -> QueryExpression<Bool> {
    QueryExpression<Bool>(.comparison(comparison, .value(left), right.node, []))
}

// MARK: Equality

extension QueryExpression where V: ColumnValue & Equatable {
    public static func == (left: Self, right: V) -> QueryExpression<Bool> { compare(.equal, left, right.value) }
    public static func != (left: Self, right: V) -> QueryExpression<Bool> { compare(.notEqual, left, right.value) }
    public static func == (left: V, right: Self) -> QueryExpression<Bool> { compare(.equal, left.value, right) }
    public static func != (left: V, right: Self) -> QueryExpression<Bool> { compare(.notEqual, left.value, right) }
    public static func == (left: Self, right: Self) -> QueryExpression<Bool> { compare(.equal, left, right) }
    public static func != (left: Self, right: Self) -> QueryExpression<Bool> { compare(.notEqual, left, right) }
}

extension QueryExpression where V: RawRepresentable & Sendable, V.RawValue: ScalarValue {
    public static func == (left: Self, right: V) -> QueryExpression<Bool> {
        compare(.equal, left, right.rawValue.value)
    }
    public static func != (left: Self, right: V) -> QueryExpression<Bool> {
        compare(.notEqual, left, right.rawValue.value)
    }
    public static func == (left: Self, right: Self) -> QueryExpression<Bool> { compare(.equal, left, right) }
    public static func != (left: Self, right: Self) -> QueryExpression<Bool> { compare(.notEqual, left, right) }
}

// An optional property against a plain value or property of what it wraps.
extension QueryExpression {
    public static func == <W: RawRepresentable>(left: Self, right: W) -> QueryExpression<Bool>
    where V == W?, W.RawValue: ScalarValue { compare(.equal, left, right.rawValue.value) }
    public static func != <W: RawRepresentable>(left: Self, right: W) -> QueryExpression<Bool>
    where V == W?, W.RawValue: ScalarValue { compare(.notEqual, left, right.rawValue.value) }
    public static func == <W: ScalarValue & Equatable>(left: Self, right: QueryExpression<W>) -> QueryExpression<Bool>
    where V == W? { compare(.equal, left, right) }
    public static func != <W: ScalarValue & Equatable>(left: Self, right: QueryExpression<W>) -> QueryExpression<Bool>
    where V == W? { compare(.notEqual, left, right) }
    public static func == <W: ScalarValue & Equatable>(left: QueryExpression<W>, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.equal, left, right) }
    public static func != <W: ScalarValue & Equatable>(left: QueryExpression<W>, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.notEqual, left, right) }

    /// Without this overload `$0.city == nil` would be the standard library's, which is a plain Bool.
    public static func == <W>(left: Self, right: _OptionalNilComparisonType) -> QueryExpression<Bool> where V == W? {
        left.isNil
    }
    public static func != <W>(left: Self, right: _OptionalNilComparisonType) -> QueryExpression<Bool> where V == W? {
        !left.isNil
    }
}

// MARK: Order

extension QueryExpression where V: ScalarValue & Comparable {
    public static func < (left: Self, right: V) -> QueryExpression<Bool> { compare(.less, left, right.value) }
    public static func <= (left: Self, right: V) -> QueryExpression<Bool> { compare(.lessOrEqual, left, right.value) }
    public static func > (left: Self, right: V) -> QueryExpression<Bool> { compare(.greater, left, right.value) }
    public static func >= (left: Self, right: V) -> QueryExpression<Bool> {
        compare(.greaterOrEqual, left, right.value)
    }
    public static func < (left: V, right: Self) -> QueryExpression<Bool> { compare(.less, left.value, right) }
    public static func <= (left: V, right: Self) -> QueryExpression<Bool> { compare(.lessOrEqual, left.value, right) }
    public static func > (left: V, right: Self) -> QueryExpression<Bool> { compare(.greater, left.value, right) }
    public static func >= (left: V, right: Self) -> QueryExpression<Bool> {
        compare(.greaterOrEqual, left.value, right)
    }
    public static func < (left: Self, right: Self) -> QueryExpression<Bool> { compare(.less, left, right) }
    public static func <= (left: Self, right: Self) -> QueryExpression<Bool> { compare(.lessOrEqual, left, right) }
    public static func > (left: Self, right: Self) -> QueryExpression<Bool> { compare(.greater, left, right) }
    public static func >= (left: Self, right: Self) -> QueryExpression<Bool> { compare(.greaterOrEqual, left, right) }
}

// With nil on either side an ordered comparison is false.
extension QueryExpression {
    public static func < <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.less, left, right.value)
    }
    public static func <= <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.lessOrEqual, left, right.value)
    }
    public static func > <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.greater, left, right.value)
    }
    public static func >= <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.greaterOrEqual, left, right.value)
    }
    public static func < <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.less, left, right) }
    public static func <= <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.lessOrEqual, left, right) }
    public static func > <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.greater, left, right) }
    public static func >= <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.greaterOrEqual, left, right) }
    public static func < <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.less, left, right) }
    public static func <= <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.lessOrEqual, left, right) }
    public static func > <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.greater, left, right) }
    public static func >= <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.greaterOrEqual, left, right) }
}

// MARK: Logic

extension QueryExpression where V == Bool {
    // No autoclosure on the right: every part is built, and the engine decides what to look at first.
    public static func && (left: Self, right: Self) -> Self { Self(.and(left.node, right.node)) }
    public static func || (left: Self, right: Self) -> Self { Self(.or(left.node, right.node)) }
    public static prefix func ! (condition: Self) -> Self { Self(.not(condition.node)) }
}
