public import StorageDriver

extension Select {
    /// Groups the records by one term or several: `{ $0.age }`, `{ ($0.age, $0.city.name) }`.
    public func group<each Key>(
        _ keys: (Model.Columns) -> (repeat QueryExpression<each Key>)
    ) -> Groups<repeat each Key> { Groups(self, keys) }

    /// A group of records with equal keys, as the closures of a ``Select/Groups`` query see it.
    public struct Group<each Key>: Sendable {
        /// The key of the group: one term, or a tuple of terms. An Optional key is compared with an Optional value,
        /// `$0.key == Optional("a")`: the compiler does not promote a literal to a part of a pack.
        public let key: (repeat QueryExpression<each Key>)

        /// The number of records.
        public var count: QueryExpression<Int> { QueryExpression<Int>(.aggregate(.count, nil)) }

        /// The sum of a term over the group's records; 0 without values. Ignores nil.
        public func sum<V: SummableValue>(_ term: (Model.Columns) -> QueryExpression<V>) -> QueryExpression<V.Sum> {
            QueryExpression<V.Sum>(.aggregate(.sum, node(Model.self, term)))
        }

        /// The mean of a term; nil without values. Ignores nil.
        public func average<V: SummableValue>(_ term: (Model.Columns) -> QueryExpression<V>) -> QueryExpression<Double?>
        {
            QueryExpression<Double?>(.aggregate(.average, node(Model.self, term)))
        }

        /// The least value of a term; nil without values.
        public func min<V: SortableValue>(_ term: (Model.Columns) -> QueryExpression<V>) -> QueryExpression<V.Scalar?> {
            QueryExpression<V.Scalar?>(.aggregate(.min, node(Model.self, term)))
        }

        /// The greatest value of a term; nil without values.
        public func max<V: SortableValue>(_ term: (Model.Columns) -> QueryExpression<V>) -> QueryExpression<V.Scalar?> {
            QueryExpression<V.Scalar?>(.aggregate(.max, node(Model.self, term)))
        }
    }

    /// A query of groups. The conditions, order and limit of the select choose the records that are grouped.
    ///
    /// ```swift
    /// let byCity = try await store.select(Person.self).where { $0.age >= 18 }
    ///     .group { $0.city.name }
    ///     .having { $0.count > 3 }
    ///     .order { $0.count.descending }
    ///     .all { ($0.key, $0.count, $0.average { $0.age }) }      // [(String?, Int, Double?)]
    /// ```
    ///
    /// nil is a separate group. Groups that are equal in the sort order are sorted by their keys, nil first, as are all
    /// groups without a sort order.
    public struct Groups<each Key> {
        var groups: GroupSelection
        let select: Select
        private let group: Group<repeat each Key>

        fileprivate init(_ select: Select, _ keys: (Model.Columns) -> (repeat QueryExpression<each Key>)) {
            let terms = keys(Model.Columns(PropertyPath()))
            self.select = select
            groups = GroupSelection(rows: select.selection)
            var index = 0
            for term in repeat each terms { groups.keys.append(term.node) }
            func key<K>(_: QueryExpression<K>) -> QueryExpression<K> {
                defer { index += 1 }
                return QueryExpression<K>(.groupKey(index))
            }
            group = Group(key: (repeat key(each terms)))
        }

        /// Keeps the groups that meet the condition. Several conditions must all be met.
        public func having(_ condition: (Group<repeat each Key>) -> QueryExpression<Bool>) -> Self {
            var builder = self
            builder.groups.conditions.add(condition(group).nested)
            return builder
        }

        /// Sorts the groups. A later call sorts groups that are equal in the earlier order.
        public func order(_ term: (Group<repeat each Key>) -> OrderingTerm) -> Self {
            var builder = self
            builder.groups.order.append(term(group))
            return builder
        }

        /// Returns at most so many groups. A negative number throws `invalidQuery` when the query runs.
        public func limit(_ count: Int) -> Self {
            var builder = self
            builder.groups.limit = count
            return builder
        }

        /// Skips so many groups first. A negative number throws `invalidQuery` when the query runs.
        public func offset(_ count: Int) -> Self {
            var builder = self
            builder.groups.offset = count
            return builder
        }

        /// The request for these keys and aggregates.
        func request<each V: Sendable>(
            _ outputs: (Group<repeat each Key>) -> (repeat QueryExpression<each V>)
        ) -> ResultRequest<repeat each V> {
            var groups = groups
            let outputs = outputs(group)
            for output in repeat each outputs { groups.outputs.append(output.node) }
            return ResultRequest(.groups(groups))
        }
    }
}

extension Select.Groups: Sendable where Source: Sendable {}

extension Select.Groups where Source == Store {
    /// The chosen keys and aggregates of each group.
    ///
    /// - Throws: `overflow` if a sum of integers leaves its range; errors of every query.
    public nonisolated(nonsending) func all<each V: Sendable>(
        _ outputs: (Select.Group<repeat each Key>) -> (repeat QueryExpression<each V>)
    ) async throws(StorageError) -> [(repeat each V)] {
        let request = request(outputs)
        return try await select.run { (reading) throws(StorageError) in try request.rows(reading) }
    }
}

extension Select.Groups where Source == Store.Session {
    /// The chosen keys and aggregates of each group.
    public func all<each V: Sendable>(
        _ outputs: (Select.Group<repeat each Key>) -> (repeat QueryExpression<each V>)
    ) throws(StorageError) -> [(repeat each V)] {
        let request = request(outputs)
        return try select.run { (reading) throws(StorageError) in try request.rows(reading) }
    }
}
