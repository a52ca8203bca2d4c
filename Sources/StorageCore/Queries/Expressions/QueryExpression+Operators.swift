import StorageDriver

// Operators are constrained on the one type parameter, never generic over a protocol of operands: otherwise the
// compiler gives up on long filters (Documentation/Development/Decisions/Queries.md).

private func compare<L, R>(
    _ comparison: Comparison, _ left: QueryExpression<L>, to right: QueryExpression<R>
) -> QueryExpression<Bool> {
    QueryExpression<Bool>(
        .comparison(comparison, left.node, right.node, []), depth: Swift.max(left.depth, right.depth) + 1)
}

private func compare<L>(
    _ comparison: Comparison, _ left: QueryExpression<L>, to right: some ColumnValue
) -> QueryExpression<Bool> {
    QueryExpression<Bool>(.comparison(comparison, left.node, right.node, []), depth: left.depth + 1)
}

private func compare<R>(
    _ comparison: Comparison, _ left: some ColumnValue, to right: QueryExpression<R>
) -> QueryExpression<Bool> {
    QueryExpression<Bool>(.comparison(comparison, left.node, right.node, []), depth: right.depth + 1)
}

// MARK: Equality

extension QueryExpression where V: ColumnValue & Equatable {
    /// Tests whether the values are equal: by the order of their type, and nil equals nil.
    public static func == (left: Self, right: V) -> QueryExpression<Bool> { compare(.equal, left, to: right) }
    /// Tests whether the values differ; true if only one of them is nil.
    public static func != (left: Self, right: V) -> QueryExpression<Bool> { compare(.notEqual, left, to: right) }
    /// Tests whether the values are equal: by the order of their type, and nil equals nil.
    public static func == (left: V, right: Self) -> QueryExpression<Bool> { compare(.equal, left, to: right) }
    /// Tests whether the values differ; true if only one of them is nil.
    public static func != (left: V, right: Self) -> QueryExpression<Bool> { compare(.notEqual, left, to: right) }
    /// Tests whether the values are equal: by the order of their type, and nil equals nil.
    public static func == (left: Self, right: Self) -> QueryExpression<Bool> { compare(.equal, left, to: right) }
    /// Tests whether the values differ; true if only one of them is nil.
    public static func != (left: Self, right: Self) -> QueryExpression<Bool> { compare(.notEqual, left, to: right) }
}

extension QueryExpression where V: RawRepresentable & Sendable, V.RawValue: ScalarValue {
    /// Tests whether the raw values are equal: by the order of their type, and nil equals nil.
    public static func == (left: Self, right: V) -> QueryExpression<Bool> {
        compare(.equal, left, to: right.rawValue)
    }
    /// Tests whether the raw values differ; true if only one of them is nil.
    public static func != (left: Self, right: V) -> QueryExpression<Bool> {
        compare(.notEqual, left, to: right.rawValue)
    }
    /// Tests whether the raw values are equal: by the order of their type, and nil equals nil.
    public static func == (left: Self, right: Self) -> QueryExpression<Bool> { compare(.equal, left, to: right) }
    /// Tests whether the raw values differ; true if only one of them is nil.
    public static func != (left: Self, right: Self) -> QueryExpression<Bool> { compare(.notEqual, left, to: right) }
}

// An optional property against a plain value or property of the wrapped type.
extension QueryExpression {
    /// Tests whether the raw values are equal: by the order of their type, and nil equals nil.
    public static func == <W: RawRepresentable>(left: Self, right: W) -> QueryExpression<Bool>
    where V == W?, W.RawValue: ScalarValue { compare(.equal, left, to: right.rawValue) }
    /// Tests whether the raw values differ; true if only one of them is nil.
    public static func != <W: RawRepresentable>(left: Self, right: W) -> QueryExpression<Bool>
    where V == W?, W.RawValue: ScalarValue { compare(.notEqual, left, to: right.rawValue) }
    /// Tests whether the values are equal: by the order of their type, and nil equals nil.
    public static func == <W: ScalarValue & Equatable>(left: Self, right: QueryExpression<W>) -> QueryExpression<Bool>
    where V == W? { compare(.equal, left, to: right) }
    /// Tests whether the values differ; true if only one of them is nil.
    public static func != <W: ScalarValue & Equatable>(left: Self, right: QueryExpression<W>) -> QueryExpression<Bool>
    where V == W? { compare(.notEqual, left, to: right) }
    /// Tests whether the values are equal: by the order of their type, and nil equals nil.
    public static func == <W: ScalarValue & Equatable>(left: QueryExpression<W>, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.equal, left, to: right) }
    /// Tests whether the values differ; true if only one of them is nil.
    public static func != <W: ScalarValue & Equatable>(left: QueryExpression<W>, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.notEqual, left, to: right) }

    /// Without this overload `$0.city == nil` would be the standard library's, which is a plain Bool.
    public static func == <W>(left: Self, right: _OptionalNilComparisonType) -> QueryExpression<Bool> where V == W? {
        left.isNil
    }
    /// Tests whether it has a value or a child.
    public static func != <W>(left: Self, right: _OptionalNilComparisonType) -> QueryExpression<Bool> where V == W? {
        !left.isNil
    }
}

// MARK: Order

extension QueryExpression where V: ScalarValue & Comparable {
    /// Tests whether the left value comes before the right one, in the order of their type.
    public static func < (left: Self, right: V) -> QueryExpression<Bool> { compare(.less, left, to: right) }
    /// Tests whether the left value comes before the right one, or equals it, in the order of their type.
    public static func <= (left: Self, right: V) -> QueryExpression<Bool> { compare(.lessOrEqual, left, to: right) }
    /// Tests whether the left value comes after the right one, in the order of their type.
    public static func > (left: Self, right: V) -> QueryExpression<Bool> { compare(.greater, left, to: right) }
    /// Tests whether the left value comes after the right one, or equals it, in the order of their type.
    public static func >= (left: Self, right: V) -> QueryExpression<Bool> {
        compare(.greaterOrEqual, left, to: right)
    }
    /// Tests whether the left value comes before the right one, in the order of their type.
    public static func < (left: V, right: Self) -> QueryExpression<Bool> { compare(.less, left, to: right) }
    /// Tests whether the left value comes before the right one, or equals it, in the order of their type.
    public static func <= (left: V, right: Self) -> QueryExpression<Bool> { compare(.lessOrEqual, left, to: right) }
    /// Tests whether the left value comes after the right one, in the order of their type.
    public static func > (left: V, right: Self) -> QueryExpression<Bool> { compare(.greater, left, to: right) }
    /// Tests whether the left value comes after the right one, or equals it, in the order of their type.
    public static func >= (left: V, right: Self) -> QueryExpression<Bool> {
        compare(.greaterOrEqual, left, to: right)
    }
    /// Tests whether the left value comes before the right one, in the order of their type.
    public static func < (left: Self, right: Self) -> QueryExpression<Bool> { compare(.less, left, to: right) }
    /// Tests whether the left value comes before the right one, or equals it, in the order of their type.
    public static func <= (left: Self, right: Self) -> QueryExpression<Bool> { compare(.lessOrEqual, left, to: right) }
    /// Tests whether the left value comes after the right one, in the order of their type.
    public static func > (left: Self, right: Self) -> QueryExpression<Bool> { compare(.greater, left, to: right) }
    /// Tests whether the left value comes after the right one, or equals it, in the order of their type.
    public static func >= (left: Self, right: Self) -> QueryExpression<Bool> {
        compare(.greaterOrEqual, left, to: right)
    }
}

// With nil on either side an ordered comparison is false.
extension QueryExpression {
    /// Tests whether the left value comes before the right one, in the order of their type; false if one is nil.
    public static func < <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.less, left, to: right)
    }
    /// Tests whether the left value comes before the right one, or equals it, in the order of their type; false if one
    /// is nil.
    public static func <= <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.lessOrEqual, left, to: right)
    }
    /// Tests whether the left value comes after the right one, in the order of their type; false if one is nil.
    public static func > <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.greater, left, to: right)
    }
    /// Tests whether the left value comes after the right one, or equals it, in the order of their type; false if one
    /// is nil.
    public static func >= <W: ScalarValue & Comparable>(left: Self, right: W) -> QueryExpression<Bool> where V == W? {
        compare(.greaterOrEqual, left, to: right)
    }
    /// Tests whether the left value comes before the right one, in the order of their type; false if one is nil.
    public static func < <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.less, left, to: right) }
    /// Tests whether the left value comes before the right one, or equals it, in the order of their type; false if one
    /// is nil.
    public static func <= <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.lessOrEqual, left, to: right) }
    /// Tests whether the left value comes after the right one, in the order of their type; false if one is nil.
    public static func > <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.greater, left, to: right) }
    /// Tests whether the left value comes after the right one, or equals it, in the order of their type; false if one
    /// is nil.
    public static func >= <W: ScalarValue & Comparable>(
        left: Self, right: QueryExpression<W>
    ) -> QueryExpression<Bool> where V == W? { compare(.greaterOrEqual, left, to: right) }
    /// Tests whether the left value comes before the right one, in the order of their type; false if one is nil.
    public static func < <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.less, left, to: right) }
    /// Tests whether the left value comes before the right one, or equals it, in the order of their type; false if one
    /// is nil.
    public static func <= <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.lessOrEqual, left, to: right) }
    /// Tests whether the left value comes after the right one, in the order of their type; false if one is nil.
    public static func > <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.greater, left, to: right) }
    /// Tests whether the left value comes after the right one, or equals it, in the order of their type; false if one
    /// is nil.
    public static func >= <W: ScalarValue & Comparable>(left: Self, right: Self) -> QueryExpression<Bool>
    where V == W? { compare(.greaterOrEqual, left, to: right) }
}

// MARK: Logic

extension QueryExpression where V == Bool {
    // No autoclosure on the right: every part is built, and the engine decides the order of evaluation.
    /// Tests whether both conditions hold. If one can fail, the right one is evaluated only if the left one holds.
    public static func && (left: Self, right: Self) -> Self { Self(QueryNode.and(left.nested, right.nested)) }
    /// Tests whether one of the conditions holds. If one can fail, the right one is evaluated only if the left one does
    /// not hold.
    public static func || (left: Self, right: Self) -> Self { Self(QueryNode.or(left.nested, right.nested)) }
    /// Tests whether the condition does not hold: true for exactly the records for which the condition is false.
    public static prefix func ! (condition: Self) -> Self { Self(.not(condition.node), depth: condition.depth + 1) }
}
