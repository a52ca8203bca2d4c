public import StorageDriver

extension Select {
    /// Loads only chosen properties: `{ $0.name }`, `{ ($0.id, $0.city.name, $0.pens) }`.
    ///
    /// Only chosen properties and children are read.
    public func only<each V: Sendable>(
        _ properties: (Model.Columns) -> (repeat QueryExpression<each V>)
    ) -> Projection<repeat each V> {
        Projection(self, properties)
    }

    /// A query of chosen properties, as tuples.
    ///
    /// ```swift
    /// let names = try await store.select(Person.self).only { ($0.id, $0.name, $0.pens) }.all()   // [(Int, String, [Pen])]
    /// ```
    public struct Projection<each V: Sendable> {
        private(set) var select: Select
        private let outputs: (repeat QueryExpression<each V>)
        private var isDistinct = false
        private var page = GroupSelection(rows: Selection())

        fileprivate init(_ select: Select, _ outputs: (Model.Columns) -> (repeat QueryExpression<each V>)) {
            self.select = select
            self.outputs = outputs(Model.Columns(PropertyPath()))
        }

        /// Keeps one of equal tuples. They are sorted by their values, nil first.
        public func distinct() -> Self {
            var builder = self
            builder.isDistinct = true
            return builder
        }

        /// Returns at most so many tuples. A negative number throws `invalidQuery` when the query runs.
        public func limit(_ count: Int) -> Self {
            var builder = self
            if isDistinct { builder.page.limit = count } else { builder.select.selection.limit = count }
            return builder
        }

        /// Skips so many tuples first. A negative number throws `invalidQuery` when the query runs.
        public func offset(_ count: Int) -> Self {
            var builder = self
            if isDistinct { builder.page.offset = count } else { builder.select.selection.offset = count }
            return builder
        }

        var request: ResultRequest<repeat each V> {
            var nodes: [QueryNode] = []
            for output in repeat each outputs { nodes.append(output.node) }
            guard isDistinct else { return ResultRequest(.records(select.selection, nodes)) }
            var groups = page
            groups.rows = select.selection
            groups.keys = nodes
            groups.outputs = nodes.indices.map(QueryNode.groupKey)
            return ResultRequest(.groups(groups))
        }
    }
}

extension Select.Projection: Sendable where Source: Sendable {}

extension Select.Projection where Source == Store {
    /// The tuples, in order.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [(repeat each V)] {
        let request = request
        return try await select.run { (reading) throws(StorageError) in try request.rows(reading) }
    }
}

extension Select.Projection where Source == Store.Session {
    /// The tuples, in order.
    public func all() throws(StorageError) -> [(repeat each V)] {
        let request = request
        return try select.run { (reading) throws(StorageError) in try request.rows(reading) }
    }
}
