import StorageDriver

/// A term of a query: a property, a computation on properties, or, as `QueryExpression<Bool>`, a condition.
///
/// ```swift
/// store.select(Person.self).where { $0.age >= 28 && $0.city.spell.hasPrefix("Cheng") }
/// ```
///
/// A term has its meaning in plain Swift, with the equality and order of the storage contract: text by UTF-8
/// bytes, NaN equal to NaN, nil equal to nil. An ordered comparison with nil is false. A property of an owned child is
/// nil if there is no child.
@dynamicMemberLookup
public struct QueryExpression<V>: Sendable {
    package let node: QueryNode
    /// The number of levels below the node.
    let depth: Int

    /// The property with the given index in the schema.
    public init(_ path: PropertyPath, _ ordinal: Int) {
        node = .property(path.appending(ordinal))
        depth = 0
    }

    /// - Parameter depth: the number of levels below the node; too many throw `limitExceeded` when the query runs.
    package init(_ node: QueryNode, depth: Int = 0) {
        let isFitting = depth <= QueryNode.deepest
        self.node = isFitting ? node : .invalid(QueryLimits.tooDeep.message, .limitExceeded)
        self.depth = isFitting ? depth : 0
    }

    package init(_ nested: QueryNode.Nested) { self.init(nested.node, depth: nested.depth) }

    package var nested: QueryNode.Nested { (node, depth) }

    /// The path to an owned child.
    package var path: PropertyPath? {
        if case .property(let path) = node { path } else { nil }
    }
}

// MARK: Owned children and references

extension QueryExpression where V: Relatable {
    /// A property of the owned child, or of the record that is referred to.
    public subscript<X>(dynamicMember property: KeyPath<V._Related.Columns, QueryExpression<X>>) -> QueryExpression<X> {
        guard let path else { return QueryExpression<X>(node) }
        return V._Related.Columns(path)[keyPath: property]
    }
}

/// An Optional owned child or reference.
public protocol OptionalChild: Sendable {
    /// The type of the child.
    associatedtype Child: Storable
}

extension Optional: OptionalChild where Wrapped: Relatable {
    /// The child's type, or that of the record that is referred to.
    public typealias Child = Wrapped._Related
}

extension QueryExpression where V: OptionalChild {
    /// A property of the owned child; nil without a child.
    public subscript<X>(dynamicMember property: KeyPath<V.Child.Columns, QueryExpression<X>>) -> QueryExpression<X?> {
        guard let path else { return QueryExpression<X?>(node) }
        return QueryExpression<X?>(V.Child.Columns(path)[keyPath: property].node)
    }

    /// An Optional property of the owned child; also nil if there is no child.
    public subscript<X>(dynamicMember property: KeyPath<V.Child.Columns, QueryExpression<X?>>) -> QueryExpression<X?> {
        guard let path else { return QueryExpression<X?>(node) }
        return V.Child.Columns(path)[keyPath: property]
    }
}

/// An array of owned children or of references, an Optional of one, or the references to a record.
public protocol ChildArray: Sendable {
    /// The type of the children.
    associatedtype Child: Storable
}

extension Array: ChildArray where Element: Relatable {
    /// The children's type, or that of the records that are referred to.
    public typealias Child = Element._Related
}

extension Optional: ChildArray where Wrapped: ChildArray {
    /// The children's type.
    public typealias Child = Wrapped.Child
}

extension QueryExpression where V: ChildArray {
    /// Tests whether some child meets the condition.
    public func any(_ condition: (V.Child.Columns) -> QueryExpression<Bool>) -> QueryExpression<Bool> {
        quantified(.any, condition)
    }

    /// Tests whether every child meets the condition; true without children.
    public func all(_ condition: (V.Child.Columns) -> QueryExpression<Bool>) -> QueryExpression<Bool> {
        quantified(.all, condition)
    }

    /// Tests whether no child meets the condition.
    public func none(_ condition: (V.Child.Columns) -> QueryExpression<Bool>) -> QueryExpression<Bool> {
        quantified(.none, condition)
    }

    /// The number of children that meet the condition; 0 if the array is nil.
    public func count(_ condition: (V.Child.Columns) -> QueryExpression<Bool>) -> QueryExpression<Int> {
        guard let path else { return QueryExpression<Int>(.invalid("count asks about owned arrays.")) }
        let inner = inside(path, condition)
        return QueryExpression<Int>(.childCount(path, inner.node), depth: inner.depth + 1)
    }

    /// The sum of a term of the children; 0 without any. Ignores nil.
    public func sum<X: SummableValue>(
        _ term: (V.Child.Columns) -> QueryExpression<X>
    ) -> QueryExpression<X.Sum> { aggregate(.sum, term) }

    /// The mean of a term of the children; nil without children. Ignores nil.
    public func average<X: SummableValue>(
        _ term: (V.Child.Columns) -> QueryExpression<X>
    ) -> QueryExpression<Double?> { aggregate(.average, term) }

    /// The least value of a term of the children; nil without children.
    public func min<X: SortableValue>(
        _ term: (V.Child.Columns) -> QueryExpression<X>
    ) -> QueryExpression<X.Scalar?> { aggregate(.min, term) }

    /// The greatest value of a term of the children; nil without children.
    public func max<X: SortableValue>(
        _ term: (V.Child.Columns) -> QueryExpression<X>
    ) -> QueryExpression<X.Scalar?> { aggregate(.max, term) }

    private func aggregate<X, R>(
        _ function: AggregateFunction, _ term: (V.Child.Columns) -> QueryExpression<X>
    ) -> QueryExpression<R> {
        guard let path else { return QueryExpression<R>(.invalid("\(function.rawValue) asks about owned arrays.")) }
        let inner = term(V.Child.Columns(PropertyPath(scope: path.scope + 1))).nested
        return QueryExpression<R>(.childAggregate(function, path, inner.node), depth: inner.depth + 1)
    }

    private func quantified(
        _ quantifier: Quantifier, _ condition: (V.Child.Columns) -> QueryExpression<Bool>
    ) -> QueryExpression<Bool> {
        guard let path else { return QueryExpression<Bool>(.invalid("any, all and none ask about owned arrays.")) }
        let inner = inside(path, condition)
        return QueryExpression<Bool>(.quantified(quantifier, path, inner.node), depth: inner.depth + 1)
    }

    private func inside(
        _ path: PropertyPath, _ condition: (V.Child.Columns) -> QueryExpression<Bool>
    ) -> QueryNode.Nested {
        condition(V.Child.Columns(PropertyPath(scope: path.scope + 1))).nested
    }
}

/// The column of a closure like `{ $0.age }`.
package func node<M: Storable, V>(_: M.Type, _ term: (M.Columns) -> QueryExpression<V>) -> QueryNode {
    term(M.Columns(PropertyPath())).node
}
