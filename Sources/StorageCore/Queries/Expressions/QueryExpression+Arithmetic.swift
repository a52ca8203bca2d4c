import StorageDriver

// Arithmetic has Swift's meaning: integers are exact, and a result beyond the range of the property's type, or a
// division by zero, is `overflow` when the query runs. An Optional operand that is nil gives nil.

private func compute<L, R, V>(
    _ operation: Arithmetic, _ left: QueryExpression<L>, with right: QueryExpression<R>
) -> QueryExpression<V> {
    QueryExpression<V>(.arithmetic(operation, left.node, right.node), depth: Swift.max(left.depth, right.depth) + 1)
}

private func value<V: ScalarValue>(_ value: V) -> QueryExpression<V> { QueryExpression<V>(.value(value.value)) }

extension QueryExpression where V: NumericValue {
    /// The sum; `overflow` where the type has no such number.
    public static func + (left: Self, right: Self) -> Self { compute(.add, left, with: right) }
    /// The sum; `overflow` where the type has no such number.
    public static func + (left: Self, right: V) -> Self { compute(.add, left, with: value(right)) }
    /// The sum; `overflow` where the type has no such number.
    public static func + (left: V, right: Self) -> Self { compute(.add, value(left), with: right) }
    /// The difference; `overflow` where the type has no such number.
    public static func - (left: Self, right: Self) -> Self { compute(.subtract, left, with: right) }
    /// The difference; `overflow` where the type has no such number.
    public static func - (left: Self, right: V) -> Self { compute(.subtract, left, with: value(right)) }
    /// The difference; `overflow` where the type has no such number.
    public static func - (left: V, right: Self) -> Self { compute(.subtract, value(left), with: right) }
    /// The product; `overflow` where the type has no such number.
    public static func * (left: Self, right: Self) -> Self { compute(.multiply, left, with: right) }
    /// The product; `overflow` where the type has no such number.
    public static func * (left: Self, right: V) -> Self { compute(.multiply, left, with: value(right)) }
    /// The product; `overflow` where the type has no such number.
    public static func * (left: V, right: Self) -> Self { compute(.multiply, value(left), with: right) }
    /// The quotient; `overflow` where the type has no such number.
    public static func / (left: Self, right: Self) -> Self { compute(.divide, left, with: right) }
    /// The quotient; `overflow` where the type has no such number.
    public static func / (left: Self, right: V) -> Self { compute(.divide, left, with: value(right)) }
    /// The quotient; `overflow` where the type has no such number.
    public static func / (left: V, right: Self) -> Self { compute(.divide, value(left), with: right) }
}

extension QueryExpression where V: NumericValue & FixedWidthInteger {
    /// The remainder; `overflow` where the type has no such number.
    public static func % (left: Self, right: Self) -> Self { compute(.remainder, left, with: right) }
    /// The remainder; `overflow` where the type has no such number.
    public static func % (left: Self, right: V) -> Self { compute(.remainder, left, with: value(right)) }
    /// The remainder; `overflow` where the type has no such number.
    public static func % (left: V, right: Self) -> Self { compute(.remainder, value(left), with: right) }
}

extension QueryExpression where V: NumericValue & SignedNumeric {
    /// The number with the other sign; `overflow` where the type has no such number.
    public static prefix func - (term: Self) -> Self { compute(.subtract, value(V.zero), with: term) }
}

extension QueryExpression {
    /// The number with the other sign, nil for nil; `overflow` where the type has no such number.
    public static prefix func - <W: NumericValue & SignedNumeric>(term: Self) -> Self where V == W? {
        compute(.subtract, value(W.zero), with: term)
    }
    /// The sum, nil where an operand is; `overflow` where the type has no such number.
    public static func + <W: NumericValue>(left: Self, right: Self) -> Self where V == W? {
        compute(.add, left, with: right)
    }
    /// The sum, nil where an operand is; `overflow` where the type has no such number.
    public static func + <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.add, left, with: right)
    }
    /// The sum, nil where an operand is; `overflow` where the type has no such number.
    public static func + <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.add, left, with: right)
    }
    /// The sum, nil where an operand is; `overflow` where the type has no such number.
    public static func + <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.add, left, with: value(right))
    }
    /// The sum, nil where an operand is; `overflow` where the type has no such number.
    public static func + <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.add, value(left), with: right)
    }
    /// The difference, nil where an operand is; `overflow` where the type has no such number.
    public static func - <W: NumericValue>(left: Self, right: Self) -> Self where V == W? {
        compute(.subtract, left, with: right)
    }
    /// The difference, nil where an operand is; `overflow` where the type has no such number.
    public static func - <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.subtract, left, with: right)
    }
    /// The difference, nil where an operand is; `overflow` where the type has no such number.
    public static func - <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.subtract, left, with: right)
    }
    /// The difference, nil where an operand is; `overflow` where the type has no such number.
    public static func - <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.subtract, left, with: value(right))
    }
    /// The difference, nil where an operand is; `overflow` where the type has no such number.
    public static func - <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.subtract, value(left), with: right)
    }
    /// The product, nil where an operand is; `overflow` where the type has no such number.
    public static func * <W: NumericValue>(left: Self, right: Self) -> Self where V == W? {
        compute(.multiply, left, with: right)
    }
    /// The product, nil where an operand is; `overflow` where the type has no such number.
    public static func * <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.multiply, left, with: right)
    }
    /// The product, nil where an operand is; `overflow` where the type has no such number.
    public static func * <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.multiply, left, with: right)
    }
    /// The product, nil where an operand is; `overflow` where the type has no such number.
    public static func * <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.multiply, left, with: value(right))
    }
    /// The product, nil where an operand is; `overflow` where the type has no such number.
    public static func * <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.multiply, value(left), with: right)
    }
    /// The quotient, nil where an operand is; `overflow` where the type has no such number.
    public static func / <W: NumericValue>(left: Self, right: Self) -> Self where V == W? {
        compute(.divide, left, with: right)
    }
    /// The quotient, nil where an operand is; `overflow` where the type has no such number.
    public static func / <W: NumericValue>(left: Self, right: QueryExpression<W>) -> Self where V == W? {
        compute(.divide, left, with: right)
    }
    /// The quotient, nil where an operand is; `overflow` where the type has no such number.
    public static func / <W: NumericValue>(left: QueryExpression<W>, right: Self) -> Self where V == W? {
        compute(.divide, left, with: right)
    }
    /// The quotient, nil where an operand is; `overflow` where the type has no such number.
    public static func / <W: NumericValue>(left: Self, right: W) -> Self where V == W? {
        compute(.divide, left, with: value(right))
    }
    /// The quotient, nil where an operand is; `overflow` where the type has no such number.
    public static func / <W: NumericValue>(left: W, right: Self) -> Self where V == W? {
        compute(.divide, value(left), with: right)
    }
    /// The remainder, nil where an operand is; `overflow` where the type has no such number.
    public static func % <W: NumericValue & FixedWidthInteger>(left: Self, right: Self) -> Self where V == W? {
        compute(.remainder, left, with: right)
    }
    /// The remainder, nil where an operand is; `overflow` where the type has no such number.
    public static func % <W: NumericValue & FixedWidthInteger>(left: Self, right: QueryExpression<W>) -> Self
    where V == W? { compute(.remainder, left, with: right) }
    /// The remainder, nil where an operand is; `overflow` where the type has no such number.
    public static func % <W: NumericValue & FixedWidthInteger>(left: QueryExpression<W>, right: Self) -> Self
    where V == W? { compute(.remainder, left, with: right) }
    /// The remainder, nil where an operand is; `overflow` where the type has no such number.
    public static func % <W: NumericValue & FixedWidthInteger>(left: Self, right: W) -> Self where V == W? {
        compute(.remainder, left, with: value(right))
    }
    /// The remainder, nil where an operand is; `overflow` where the type has no such number.
    public static func % <W: NumericValue & FixedWidthInteger>(left: W, right: Self) -> Self where V == W? {
        compute(.remainder, value(left), with: right)
    }
}

// Durations are added and subtracted, exactly.

extension QueryExpression where V == Duration {
    /// The sum; `overflow` where no duration is as long.
    public static func + (left: Self, right: Self) -> Self { compute(.add, left, with: right) }
    /// The sum; `overflow` where no duration is as long.
    public static func + (left: Self, right: Duration) -> Self { compute(.add, left, with: value(right)) }
    /// The sum; `overflow` where no duration is as long.
    public static func + (left: Duration, right: Self) -> Self { compute(.add, value(left), with: right) }
    /// The difference; `overflow` where no duration is as long.
    public static func - (left: Self, right: Self) -> Self { compute(.subtract, left, with: right) }
    /// The difference; `overflow` where no duration is as long.
    public static func - (left: Self, right: Duration) -> Self { compute(.subtract, left, with: value(right)) }
    /// The difference; `overflow` where no duration is as long.
    public static func - (left: Duration, right: Self) -> Self { compute(.subtract, value(left), with: right) }
}

extension QueryExpression where V == Duration? {
    /// The sum, nil where an operand is; `overflow` where no duration is as long.
    public static func + (left: Self, right: Self) -> Self { compute(.add, left, with: right) }
    /// The sum, nil where an operand is; `overflow` where no duration is as long.
    public static func + (left: Self, right: Duration) -> Self { compute(.add, left, with: value(right)) }
    /// The sum, nil where an operand is; `overflow` where no duration is as long.
    public static func + (left: Duration, right: Self) -> Self { compute(.add, value(left), with: right) }
    /// The difference, nil where an operand is; `overflow` where no duration is as long.
    public static func - (left: Self, right: Self) -> Self { compute(.subtract, left, with: right) }
    /// The difference, nil where an operand is; `overflow` where no duration is as long.
    public static func - (left: Self, right: Duration) -> Self { compute(.subtract, left, with: value(right)) }
    /// The difference, nil where an operand is; `overflow` where no duration is as long.
    public static func - (left: Duration, right: Self) -> Self { compute(.subtract, value(left), with: right) }
    /// The sum, nil where an operand is; `overflow` where no duration is as long.
    public static func + (left: Self, right: QueryExpression<Duration>) -> Self { compute(.add, left, with: right) }
    /// The sum, nil where an operand is; `overflow` where no duration is as long.
    public static func + (left: QueryExpression<Duration>, right: Self) -> Self { compute(.add, left, with: right) }
    /// The difference, nil where an operand is; `overflow` where no duration is as long.
    public static func - (left: Self, right: QueryExpression<Duration>) -> Self {
        compute(.subtract, left, with: right)
    }
    /// The difference, nil where an operand is; `overflow` where no duration is as long.
    public static func - (left: QueryExpression<Duration>, right: Self) -> Self {
        compute(.subtract, left, with: right)
    }
}

// Texts are joined, scalar by scalar.

extension QueryExpression where V == String {
    /// The left text followed by the right one.
    public static func + (left: Self, right: Self) -> Self { compute(.add, left, with: right) }
    /// The left text followed by the right one.
    public static func + (left: Self, right: String) -> Self { compute(.add, left, with: value(right)) }
    /// The left text followed by the right one.
    public static func + (left: String, right: Self) -> Self { compute(.add, value(left), with: right) }
}

extension QueryExpression where V == String? {
    /// The left text followed by the right one; nil where one is nil.
    public static func + (left: Self, right: Self) -> Self { compute(.add, left, with: right) }
    /// The left text followed by the right one; nil where one is nil.
    public static func + (left: Self, right: String) -> Self { compute(.add, left, with: value(right)) }
    /// The left text followed by the right one; nil where one is nil.
    public static func + (left: String, right: Self) -> Self { compute(.add, value(left), with: right) }
    /// The left text followed by the right one; nil where one is nil.
    public static func + (left: Self, right: QueryExpression<String>) -> Self { compute(.add, left, with: right) }
    /// The left text followed by the right one; nil where one is nil.
    public static func + (left: QueryExpression<String>, right: Self) -> Self { compute(.add, left, with: right) }
}

extension QueryExpression {
    /// The value, or another one if it is nil.
    public static func ?? <W: ScalarValue>(left: Self, right: W) -> QueryExpression<W> where V == W? {
        QueryExpression<W>(.choice(.isNil(left.node), .value(right.value), left.node), depth: left.depth + 1)
    }

    /// The value, or another term's if it is nil.
    public static func ?? <W: ScalarValue>(left: Self, right: QueryExpression<W>) -> QueryExpression<W> where V == W? {
        QueryExpression<W>(
            .choice(.isNil(left.node), right.node, left.node), depth: Swift.max(left.depth, right.depth) + 1)
    }
}
