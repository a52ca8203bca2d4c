/// A term of a query: a property, a computation on properties, or, as `QueryExpression<Bool>`, a condition.
///
/// ```swift
/// store.select(Person.self).where { $0.age >= 28 && $0.city.spell.hasPrefix("Cheng") }
/// ```
///
/// Terms mean what they would mean in plain Swift, with the equality and order of the storage contract: text by UTF-8
/// bytes, NaN equal to NaN, nil equal to nil; an ordered comparison with nil is false. A property of an owned child is
/// nil where there is no child.
@dynamicMemberLookup
public struct QueryExpression<V>: Sendable {
    let node: QueryNode

    /// The property with the given place in the schema.
    public init(_ path: PropertyPath, _ ordinal: Int) {
        node = .property(path.appending(ordinal))
    }

    init(_ node: QueryNode) { self.node = node }

    /// The way to an owned child.
    var path: PropertyPath? {
        if case .property(let path) = node { path } else { nil }
    }
}

// MARK: Owned children

extension QueryExpression where V: Storable {
    public subscript<X>(dynamicMember property: KeyPath<V.Columns, QueryExpression<X>>) -> QueryExpression<X> {
        guard let path else { return QueryExpression<X>(node) }
        return V.Columns(path)[keyPath: property]
    }
}

/// An Optional owned child.
public protocol OptionalChild: Sendable {
    associatedtype Child: Storable
}

extension Optional: OptionalChild where Wrapped: Storable {
    public typealias Child = Wrapped
}

extension QueryExpression where V: OptionalChild {
    public subscript<X>(dynamicMember property: KeyPath<V.Child.Columns, QueryExpression<X>>) -> QueryExpression<X?> {
        guard let path else { return QueryExpression<X?>(node) }
        return QueryExpression<X?>(V.Child.Columns(path)[keyPath: property].node)
    }

    public subscript<X>(dynamicMember property: KeyPath<V.Child.Columns, QueryExpression<X?>>) -> QueryExpression<X?> {
        guard let path else { return QueryExpression<X?>(node) }
        return V.Child.Columns(path)[keyPath: property]
    }
}

/// An array of owned children, or an Optional of one.
public protocol ChildArray: Sendable {
    associatedtype Child: Storable
}

extension Array: ChildArray where Element: Storable {
    public typealias Child = Element
}

extension Optional: ChildArray where Wrapped: ChildArray {
    public typealias Child = Wrapped.Child
}

extension QueryExpression where V: ChildArray {
    /// Whether some child meets the condition.
    public func any(_ condition: (V.Child.Columns) -> QueryExpression<Bool>) -> QueryExpression<Bool> {
        quantified(.any, condition)
    }

    /// Whether every child meets the condition; true where there is none.
    public func all(_ condition: (V.Child.Columns) -> QueryExpression<Bool>) -> QueryExpression<Bool> {
        quantified(.all, condition)
    }

    /// Whether no child meets the condition.
    public func none(_ condition: (V.Child.Columns) -> QueryExpression<Bool>) -> QueryExpression<Bool> {
        quantified(.none, condition)
    }

    private func quantified(
        _ quantifier: Quantifier, _ condition: (V.Child.Columns) -> QueryExpression<Bool>
    ) -> QueryExpression<Bool> {
        guard let path else { return QueryExpression<Bool>(.invalid("any, all and none ask about owned arrays.")) }
        let inside = V.Child.Columns(PropertyPath(scope: path.scope + 1))
        return QueryExpression<Bool>(.quantified(quantifier, path, condition(inside).node))
    }
}

// MARK: Tests

/// A type whose values are text: String and its Optional.
public protocol TextValue: ColumnValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped: TextValue & ScalarValue {}

extension QueryExpression where V: TextValue {
    /// Whether the text begins with these UTF-8 bytes. Uses an index on the property.
    public func hasPrefix(_ prefix: String) -> QueryExpression<Bool> { test(.hasPrefix, prefix) }

    /// Whether the text ends with these UTF-8 bytes.
    public func hasSuffix(_ suffix: String) -> QueryExpression<Bool> { test(.hasSuffix, suffix) }

    /// Whether these UTF-8 bytes occur in the text. No character is a wildcard.
    public func contains(_ part: String) -> QueryExpression<Bool> { test(.contains, part) }

    private func test(_ test: TextTest, _ pattern: String) -> QueryExpression<Bool> {
        QueryExpression<Bool>(.text(test, node, pattern))
    }
}

extension QueryExpression {
    /// Whether the value is nil: of an Optional property, or of an Optional child.
    public var isNil: QueryExpression<Bool> { QueryExpression<Bool>(.isNil(node)) }
}

extension QueryExpression where V: ColumnValue {
    /// Whether the value is one of these. Any number of values; costs one pass over them.
    public func isIn(_ values: some Sequence<V>) -> QueryExpression<Bool> {
        QueryExpression<Bool>(.isIn(node, values.map(\.value)))
    }
}

extension QueryExpression where V: ScalarValue & Comparable {
    /// Whether the value lies in the range, its upper end excluded.
    public func isIn(_ range: Range<V>) -> QueryExpression<Bool> {
        self >= range.lowerBound && self < range.upperBound
    }

    /// Whether the value lies in the range, both ends included.
    public func isIn(_ range: ClosedRange<V>) -> QueryExpression<Bool> {
        self >= range.lowerBound && self <= range.upperBound
    }
}

extension QueryExpression where V: RawRepresentable & Sendable, V.RawValue: ScalarValue {
    public func isIn(_ values: some Sequence<V>) -> QueryExpression<Bool> {
        QueryExpression<Bool>(.isIn(node, values.map(\.rawValue.value)))
    }
}

// MARK: Sorting

/// A type whose values have an order to sort by: every scalar, and Optionals of them, but no array.
public protocol SortableValue: ColumnValue {}
extension Optional: SortableValue where Wrapped: SortableValue & ScalarValue {}

/// A term to sort by, with its direction. nil comes first ascending and last descending.
public struct SortOrder: Sendable {
    let node: QueryNode
    let isDescending: Bool
}

extension QueryExpression where V: SortableValue {
    public var ascending: SortOrder { SortOrder(node: node, isDescending: false) }
    public var descending: SortOrder { SortOrder(node: node, isDescending: true) }
}

// Enums sort by their raw values.
extension QueryExpression where V: RawRepresentable, V.RawValue: ScalarValue {
    public var ascending: SortOrder { SortOrder(node: node, isDescending: false) }
    public var descending: SortOrder { SortOrder(node: node, isDescending: true) }
}
