// Arithmetic has Swift's meaning: integers are exact, and a result beyond the range of the property's type, or a
// division by zero, is `overflow` when the query runs. An Optional operand that is nil gives nil.

private func compute<L, R, V>(
    _ operation: Arithmetic, _ left: QueryExpression<L>, _ right: QueryExpression<R>
) -> QueryExpression<V> {
    QueryExpression<V>(.arithmetic(operation, left.node, right.node))
}

private func value<V: NumericValue>(_ value: V) -> QueryExpression<V> { QueryExpression<V>(.value(value.value)) }

extension QueryExpression where V: NumericValue {
    public static func + (left: Self, right: Self) -> Self { compute(.add, left, right) }
    public static func + (left: Self, right: V) -> Self { compute(.add, left, value(right)) }
    public static func + (left: V, right: Self) -> Self { compute(.add, value(left), right) }
    public static func - (left: Self, right: Self) -> Self { compute(.subtract, left, right) }
    public static func - (left: Self, right: V) -> Self { compute(.subtract, left, value(right)) }
    public static func - (left: V, right: Self) -> Self { compute(.subtract, value(left), right) }
    public static func * (left: Self, right: Self) -> Self { compute(.multiply, left, right) }
    public static func * (left: Self, right: V) -> Self { compute(.multiply, left, value(right)) }
    public static func * (left: V, right: Self) -> Self { compute(.multiply, value(left), right) }
    public static func / (left: Self, right: Self) -> Self { compute(.divide, left, right) }
    public static func / (left: Self, right: V) -> Self { compute(.divide, left, value(right)) }
    public static func / (left: V, right: Self) -> Self { compute(.divide, value(left), right) }
}

extension QueryExpression where V: NumericValue & FixedWidthInteger {
    public static func % (left: Self, right: Self) -> Self { compute(.remainder, left, right) }
    public static func % (left: Self, right: V) -> Self { compute(.remainder, left, value(right)) }
    public static func % (left: V, right: Self) -> Self { compute(.remainder, value(left), right) }
}

extension QueryExpression where V: NumericValue & SignedNumeric {
    public static prefix func - (term: Self) -> Self { compute(.subtract, value(V.zero), term) }
}

extension QueryExpression {
    public static prefix func - <W: NumericValue & SignedNumeric>(term: Self) -> Self where V == W? {
        compute(.subtract, value(W.zero), term)
    }
    public static func + <W: NumericValue>(left: Self, right: Self) -> Self where V == W? { compute(.add, left, right) }
    public static func + <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.add, left, right)
    }
    public static func + <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.add, left, right)
    }
    public static func + <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.add, left, value(right))
    }
    public static func + <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.add, value(left), right)
    }
    public static func - <W: NumericValue>(left: Self, right: Self) -> Self where V == W? {
        compute(.subtract, left, right)
    }
    public static func - <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.subtract, left, right)
    }
    public static func - <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.subtract, left, right)
    }
    public static func - <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.subtract, left, value(right))
    }
    public static func - <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.subtract, value(left), right)
    }
    public static func * <W: NumericValue>(left: Self, right: Self) -> Self where V == W? {
        compute(.multiply, left, right)
    }
    public static func * <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.multiply, left, right)
    }
    public static func * <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.multiply, left, right)
    }
    public static func * <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.multiply, left, value(right))
    }
    public static func * <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.multiply, value(left), right)
    }
    public static func / <W: NumericValue>(left: Self, right: Self) -> Self where V == W? {
        compute(.divide, left, right)
    }
    public static func / <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.divide, left, right)
    }
    public static func / <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.divide, left, right)
    }
    public static func / <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.divide, left, value(right))
    }
    public static func / <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.divide, value(left), right)
    }
    public static func % <W: NumericValue & FixedWidthInteger>(left: Self, right: Self) -> Self where V == W? {
        compute(.remainder, left, right)
    }
    public static func % <W: NumericValue & FixedWidthInteger>(left: Self, right: QueryExpression<W>) -> Self
    where V == W? { compute(.remainder, left, right) }
    public static func % <W: NumericValue & FixedWidthInteger>(left: QueryExpression<W>, right: Self) -> Self
    where V == W? { compute(.remainder, left, right) }
    public static func % <W: NumericValue & FixedWidthInteger>(left: Self, right: W) -> Self where V == W? {
        compute(.remainder, left, value(right))
    }
    public static func % <W: NumericValue & FixedWidthInteger>(left: W, right: Self) -> Self where V == W? {
        compute(.remainder, value(left), right)
    }
}
