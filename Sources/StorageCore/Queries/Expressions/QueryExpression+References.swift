import StorageDriver

// Comparisons of references, which compare their keys.
extension QueryExpression {
    /// Tests whether the reference is to this record.
    public static func == <M: Storable>(left: Self, right: Ref<M>) -> QueryExpression<Bool> where V == Ref<M> {
        left.refers(to: [right])
    }

    /// Tests whether the reference is to another record.
    public static func != <M: Storable>(left: Self, right: Ref<M>) -> QueryExpression<Bool> where V == Ref<M> {
        !left.refers(to: [right])
    }

    /// Tests whether the reference is to this record; of nil, whether it is nil.
    public static func == <M: Storable>(left: Self, right: Ref<M>?) -> QueryExpression<Bool> where V == Ref<M>? {
        right.map { left.refers(to: [$0]) } ?? left.isNil
    }

    /// Tests whether the reference is not to this record, or is nil; of nil, whether it is not nil.
    public static func != <M: Storable>(left: Self, right: Ref<M>?) -> QueryExpression<Bool> where V == Ref<M>? {
        !(left == right)
    }

    /// Tests whether two references are to the same record.
    public static func == <M: Storable>(left: Self, right: Self) -> QueryExpression<Bool> where V == Ref<M> {
        QueryExpression<Bool>(
            .comparison(.equal, left.node, right.node, []), depth: Swift.max(left.depth, right.depth) + 1)
    }

    /// Tests whether two references are to the same record, or both nil.
    public static func == <M: Storable>(left: Self, right: Self) -> QueryExpression<Bool> where V == Ref<M>? {
        QueryExpression<Bool>(
            .comparison(.equal, left.node, right.node, []), depth: Swift.max(left.depth, right.depth) + 1)
    }

    /// Tests whether the reference is to one of these records, any number of them.
    public func isIn<M: Storable>(_ references: some Sequence<Ref<M>>) -> QueryExpression<Bool> where V == Ref<M> {
        refers(to: references)
    }

    /// Tests whether the reference is to one of these records, any number of them; false for nil.
    public func isIn<M: Storable>(_ references: some Sequence<Ref<M>>) -> QueryExpression<Bool> where V == Ref<M>? {
        refers(to: references)
    }

    /// Tests whether the array has a reference to this record.
    public func contains<M: Storable>(_ reference: Ref<M>) -> QueryExpression<Bool> where V == [Ref<M>] {
        refers(to: [reference])
    }

    private func refers<M: Storable>(to references: some Sequence<Ref<M>>) -> QueryExpression<Bool> {
        guard let path else { return QueryExpression<Bool>(.invalid("A reference is compared as a property.")) }
        return QueryExpression<Bool>(.refers(path, references.map { M.values(of: $0.key) }), depth: depth + 1)
    }
}

// MARK: Inverses

/// The records that refer to a record, as the type of a query's term; it has no values.
public struct Referrers<Referring: Storable>: ArrayValue, ChildArray {
    /// The type of the referring records.
    public typealias Child = Referring
}

/// The records of a model that refer to a record: declared once beside its columns, and stored nowhere.
///
/// ```
/// extension Person.Columns { var books: Inverse<Book> { inverse(\.author) } }
/// store.select(Person.self).where { $0.books.count { $0.year > 2000 } > 2 }
/// ```
///
/// Each referring record counts once, whether it refers by a property of its root, by an owned record, or several times
/// in an array. The reference's index finds it.
public typealias Inverse<Model: Storable> = QueryExpression<Referrers<Model>>

extension ColumnSet {
    /// The records that refer to this one by a reference.
    public func inverse<M: Storable, T: Storable>(
        _ reference: KeyPath<M.Columns, QueryExpression<Ref<T>>>
    ) -> Inverse<M> where T.Columns == Self { inverse(M.self, M.Columns(PropertyPath())[keyPath: reference].node) }

    /// The records that refer to this one by a reference that may be nil.
    public func inverse<M: Storable, T: Storable>(
        _ reference: KeyPath<M.Columns, QueryExpression<Ref<T>?>>
    ) -> Inverse<M> where T.Columns == Self { inverse(M.self, M.Columns(PropertyPath())[keyPath: reference].node) }

    /// The records that refer to this one by an array of references.
    public func inverse<M: Storable, T: Storable>(
        _ references: KeyPath<M.Columns, QueryExpression<[Ref<T>]>>
    ) -> Inverse<M> where T.Columns == Self { inverse(M.self, M.Columns(PropertyPath())[keyPath: references].node) }

    private func inverse<M: Storable>(_ model: M.Type, _ node: QueryNode) -> Inverse<M> {
        guard case .property(let reference) = node, reference.inverse == nil else {
            return Inverse<M>(.invalid("An inverse is that of a reference."))
        }
        var path = _propertyPath
        path.inverse = PropertyPath.Backlink(model: model, ordinals: reference.ordinals)
        return Inverse<M>(.property(path))
    }
}
