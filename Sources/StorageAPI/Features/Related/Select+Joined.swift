public import StorageDriver

extension Select {
    /// Loads each record together with the records that it refers to, or that refer to it: `with(\.author)`,
    /// `with(\.tags)`, `with(\.books)`.
    ///
    /// ```
    /// for (book, author) in try await store.select(Book.self).with(\.author).all() { … }
    /// ```
    ///
    /// Each relation costs a fixed number of reads, all in one snapshot, and a record that many refer to is loaded once.
    public func with<X: LoadableRelation>(
        _ relation: KeyPath<Model.Columns, QueryExpression<X>>
    ) -> Joined<(Model, X.Loaded)> { joined(X._relation(Model.columns[keyPath: relation].path)) }

    /// The same for a record with the records that it refers to in turn.
    public func with<T: Storable, S: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>>>,
        _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
    ) -> Joined<(Model, S)> { joined(.one(Model.columns[keyPath: relation].path, more(.init()))) }

    /// The same for a reference that may be nil.
    public func with<T: Storable, S: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>?>>,
        _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
    ) -> Joined<(Model, S?)> { joined(.optional(Model.columns[keyPath: relation].path, more(.init()))) }

    /// The same for several records, chosen by conditions, an order and a limit for each owner.
    ///
    /// ```
    /// store.select(Person.self).with(\.books) { $0.where { $0.year > 2000 }.order { $0.year.descending }.limit(3) }
    /// ```
    public func with<X: _LoadableRelations, S: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<X>>,
        _ more: (Referrers<X.Related>.Loading<X.Related>) -> Referrers<X.Related>.Loading<S>
    ) -> Joined<(Model, [S])> { joined(.many(Model.columns[keyPath: relation].path, more(.init()))) }

    private func joined<X>(_ relation: _LoadedRelation<X>) -> Joined<(Model, X)> {
        let relations = Relations<Model, X>(parts: relation)
        return Joined(select: self, relations: relations, make: relations)
    }

    /// A query of records together with others, as tuples.
    public struct Joined<Row: Sendable>: SelectionBuilder {
        public typealias Model = Select.Model

        var select: Select
        /// The relations so far, a `Relations` of their types.
        let relations: any Sendable
        let make: any JoinedRowMaking<Row>

        /// The query so far.
        public var selection: Selection {
            get { select.selection }
            set { select.selection = newValue }
        }

        /// Loads one more relation.
        public func with<X: LoadableRelation, each R: Sendable>(
            _ relation: KeyPath<Model.Columns, QueryExpression<X>>
        ) -> Joined<(Model, repeat each R, X.Loaded)> where Row == (Model, repeat each R) {
            adding(X._relation(Model.columns[keyPath: relation].path))
        }

        /// Loads one more record, with the records that it refers to in turn.
        public func with<T: Storable, S: Sendable, each R: Sendable>(
            _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>>>,
            _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
        ) -> Joined<(Model, repeat each R, S)> where Row == (Model, repeat each R) {
            adding(.one(Model.columns[keyPath: relation].path, more(.init())))
        }

        /// Loads one more record, by a reference that may be nil.
        public func with<T: Storable, S: Sendable, each R: Sendable>(
            _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>?>>,
            _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
        ) -> Joined<(Model, repeat each R, S?)> where Row == (Model, repeat each R) {
            adding(.optional(Model.columns[keyPath: relation].path, more(.init())))
        }

        /// Loads several more records, chosen by conditions, an order and a limit for each owner.
        public func with<X: _LoadableRelations, S: Sendable, each R: Sendable>(
            _ relation: KeyPath<Model.Columns, QueryExpression<X>>,
            _ more: (Referrers<X.Related>.Loading<X.Related>) -> Referrers<X.Related>.Loading<S>
        ) -> Joined<(Model, repeat each R, [S])> where Row == (Model, repeat each R) {
            adding(.many(Model.columns[keyPath: relation].path, more(.init())))
        }

        private func adding<X: Sendable, each R: Sendable>(_ relation: _LoadedRelation<X>) -> Joined<
            (Model, repeat each R, X)
        >
        where Row == (Model, repeat each R) {
            let new = Relations<Model, repeat each R>.adding(relation, to: relations)
            return Joined<(Model, repeat each R, X)>(select: select, relations: new.relations, make: new.make)
        }
    }
}

extension Select.Joined: Sendable where Source: Sendable {}

extension Select.Joined {
    /// The same query with records without types, in which the loaded records stand in the place of their keys.
    package var records: Select.Joined<DynamicRecord> {
        Select.Joined<DynamicRecord>(select: select, relations: relations, make: RelatedRecords(make))
    }

    /// The types of the records, of which the first is that of the query.
    package var types: [any Storable.Type] { make.types }
}

extension Select.Joined where Source == Store {
    /// The records with their related records, in the query's order.
    ///
    /// - Throws: `notFound` for a reference to a record that is not stored, which another program has left; errors of
    ///   reading.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Row] {
        let (make, selection) = (make, selection)
        return try await select.run(takesSnapshot: true) { (reading) throws(StorageError) in
            try reading.joined(Model.self, selection, make: make)
        }
    }

    /// The first record with its related records; nil if the result is empty.
    public nonisolated(nonsending) func first() async throws(StorageError) -> Row? {
        var builder = self
        builder.selection.limit = Swift.min(selection.limit ?? 1, 1)
        return try await builder.all().first
    }

    /// Passes each row to a closure, such as the initialiser of a type, and returns the results.
    public nonisolated(nonsending) func map<T>(
        _ transform: (Row) throws(StorageError) -> T
    ) async throws(StorageError) -> [T] {
        var results: [T] = []
        for row in try await all() { results.append(try transform(row)) }
        return results
    }
}

extension Select.Joined where Source == Store.Session {
    /// The records with their related records, in the query's order.
    ///
    /// - Throws: `notFound` for a reference to a record that is not stored, which another program has left; errors of
    ///   reading.
    public func all() throws(StorageError) -> [Row] {
        let (make, selection) = (make, selection)
        return try select.run(takesSnapshot: true) { (reading) throws(StorageError) in
            try reading.joined(Model.self, selection, make: make)
        }
    }

    /// The first record with its related records; nil if the result is empty.
    public func first() throws(StorageError) -> Row? {
        var builder = self
        builder.selection.limit = Swift.min(selection.limit ?? 1, 1)
        return try builder.all().first
    }
}

extension Storable {
    /// The properties as terms of a query of the model itself.
    static var columns: Columns { Columns(PropertyPath()) }
}
