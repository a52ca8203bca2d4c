import StorageDriver

// Elements of arrays as keys of groups, and as values to aggregate in them.

extension QueryExpression {
    /// Each element of the array, to group by.
    ///
    /// ```swift
    /// let tags = try await store.select(Person.self)
    ///     .group { $0.tags.elements() }
    ///     .order { $0.count.descending }
    ///     .all { ($0.key, $0.count) }
    /// ```
    ///
    /// A record is in a group once for each element that equals the key, and in none if it has no elements. All keys and
    /// aggregates of a query are of the elements of one array, or of the record. The store makes such groups in memory while it
    /// reads the records once.
    public func elements<E: ColumnValue>() -> QueryExpression<E> where V == [E] { element() }

    /// Each element of the array, to group by; none of nil.
    public func elements<E: ColumnValue>() -> QueryExpression<E> where V == [E]? { element() }

    /// Each element of the array, to group by.
    public func elements<E: RawRepresentable>() -> QueryExpression<E> where V == [E], E.RawValue: ScalarValue {
        element()
    }

    /// Each reference of the array, to group by.
    public func elements<T: Storable>() -> QueryExpression<Ref<T>> where V == [Ref<T>] { element() }

    private func element<E>() -> QueryExpression<E> { QueryExpression<E>(.element(node, nil), depth: depth + 1) }
}

extension QueryExpression where V: ChildArray {
    /// A term of each owned record of the array, or of each record that the array refers to, to group by.
    ///
    /// ```swift
    /// let colors = try await store.select(Person.self)
    ///     .group { $0.pens.elements { $0.color } }
    ///     .all { ($0.key, $0.sum { $0.pens.elements { $0.price } }) }
    /// ```
    ///
    /// A record is in a group once for each element whose term equals the key, and in none if it has no elements.
    public func elements<X>(_ term: (V.Child.Columns) -> QueryExpression<X>) -> QueryExpression<X> {
        guard let path else { return QueryExpression<X>(.invalid("elements asks about arrays of the record.")) }
        let inner = term(V.Child.Columns(PropertyPath(scope: path.scope + 1))).nested
        return QueryExpression<X>(.element(node, inner.node), depth: inner.depth + 1)
    }
}
