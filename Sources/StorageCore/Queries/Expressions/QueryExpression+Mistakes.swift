import StorageDriver

// Operations that Swift offers on values and a query lacks, under the names that a program would try. The compiler then
// suggests the alternative instead of listing overloads that don't fit. These declarations are never called.

extension QueryExpression where V: ChildArray {
    @available(*, unavailable, renamed: "any(_:)", message: "a condition on some child is any { … }")
    public func contains(
        where condition: (V.Child.Columns) -> QueryExpression<Bool>
    ) -> QueryExpression<Bool> { any(condition) }

    @available(*, unavailable, renamed: "all(_:)", message: "a condition on every child is all { … }")
    public func allSatisfy(
        _ condition: (V.Child.Columns) -> QueryExpression<Bool>
    ) -> QueryExpression<Bool> { all(condition) }
}

extension QueryExpression {
    @available(
        *, unavailable,
        message: "ignore case in the comparison: equals, contains, hasPrefix or like(…, ignoring: .case)"
    )
    public func lowercased() -> QueryExpression<String> { QueryExpression<String>(node, depth: depth) }

    @available(
        *, unavailable,
        message: "ignore case in the comparison: equals, contains, hasPrefix or like(…, ignoring: .case)"
    )
    public func uppercased() -> QueryExpression<String> { QueryExpression<String>(node, depth: depth) }
}

// MARK: Comparing properties that are never nil

extension QueryExpression {
    @available(*, unavailable, message: "the property is not Optional, so it is never nil")
    public static func == (left: Self, right: _OptionalNilComparisonType) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the property is not Optional, so it is never nil")
    public static func != (left: Self, right: _OptionalNilComparisonType) -> QueryExpression<Bool> { !left.isNil }
}

extension QueryExpression where V: ScalarValue & Equatable {
    @available(*, unavailable, message: "the value is Optional and the property is not; unwrap the value first")
    public static func == (left: Self, right: V?) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the value is Optional and the property is not; unwrap the value first")
    public static func != (left: Self, right: V?) -> QueryExpression<Bool> { !left.isNil }
}

extension QueryExpression where V: ScalarValue & Comparable {
    @available(*, unavailable, message: "the value is Optional and the property is not; unwrap the value first")
    public static func < (left: Self, right: V?) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the value is Optional and the property is not; unwrap the value first")
    public static func <= (left: Self, right: V?) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the value is Optional and the property is not; unwrap the value first")
    public static func > (left: Self, right: V?) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the value is Optional and the property is not; unwrap the value first")
    public static func >= (left: Self, right: V?) -> QueryExpression<Bool> { left.isNil }
}

// MARK: Comparing integers with fractions

extension QueryExpression where V: ScalarValue & FixedWidthInteger {
    @available(*, unavailable, message: "the property is an integer; compare it with one: > 3 finds what > 3.5 would")
    public static func > (left: Self, right: Double) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the property is an integer; compare it with one: > 3 finds what >= 3.5 would")
    public static func >= (left: Self, right: Double) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the property is an integer; compare it with one: <= 3 finds what < 3.5 would")
    public static func < (left: Self, right: Double) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the property is an integer; compare it with one: <= 3 finds what <= 3.5 would")
    public static func <= (left: Self, right: Double) -> QueryExpression<Bool> { left.isNil }

    @available(*, unavailable, message: "the property is an integer, which never equals a number with a fraction")
    public static func == (left: Self, right: Double) -> QueryExpression<Bool> { left.isNil }
}

extension QueryExpression {
    @available(*, unavailable, message: "the property is an integer; compare it with one: > 3 finds what > 3.5 would")
    public static func > <W: ScalarValue & FixedWidthInteger>(left: Self, right: Double) -> QueryExpression<Bool>
    where V == W? { left.isNil }

    @available(*, unavailable, message: "the property is an integer; compare it with one: > 3 finds what >= 3.5 would")
    public static func >= <W: ScalarValue & FixedWidthInteger>(left: Self, right: Double) -> QueryExpression<Bool>
    where V == W? { left.isNil }

    @available(*, unavailable, message: "the property is an integer; compare it with one: <= 3 finds what < 3.5 would")
    public static func < <W: ScalarValue & FixedWidthInteger>(left: Self, right: Double) -> QueryExpression<Bool>
    where V == W? { left.isNil }

    @available(*, unavailable, message: "the property is an integer; compare it with one: <= 3 finds what <= 3.5 would")
    public static func <= <W: ScalarValue & FixedWidthInteger>(left: Self, right: Double) -> QueryExpression<Bool>
    where V == W? { left.isNil }
}
