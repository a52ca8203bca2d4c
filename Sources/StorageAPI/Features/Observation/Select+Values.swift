import StorageDriver

extension Select where Source == Store {
    /// The form of an observed query's result: its records, or another result of a query.
    public struct Form<Value>: Sendable {
        fileprivate let read: @Sendable (RecordReader, Selection) throws(StorageError) -> Value
    }

    /// The records in order, each with everything that it owns: now, and whenever they change.
    ///
    /// ```
    /// for try await people in store.select(Person.self).where { $0.age > 28 }.values() { show(people) }
    /// ```
    ///
    /// Without a limit, only the records that commits have changed are read again. See `Store.Values`.
    public func values() -> Store.Values<[Model]> {
        Store.Values(store: source) { [selection, model] in
            LiveRecords<Model, [Model]>(selection, model, wantsDifference: false) { records, _ in records }
        }
    }

    /// Another result of the query, now and whenever it changes: `.first`, `.count`, `.sum { $0.age }`.
    ///
    /// ```
    /// for try await count in store.select(Person.self).where { $0.age > 28 }.values(.count) { show(count) }
    /// ```
    public func values<Value>(_ form: Form<Value>) -> Store.Values<Value> {
        Store.Values(store: source) { [selection, model] in
            LiveResult(model) { (store, session) throws(StorageError) in
                do throws(StorageError) {
                    return try form.read(store.reading(model, in: session), selection)
                } catch {
                    throw error.at(model: store.registry.name(of: model))
                }
            }
        }
    }

    /// A result of an observed query, and how it differs from the one before.
    public struct Step: Sendable {
        /// The records, in order.
        public let records: [Model]
        /// The difference from the records of the previous step; at first, from none.
        public let difference: RecordDifference<Model>
    }

    /// The records as ``values()`` gives them, each time with the removals, insertions, moves and changes.
    ///
    /// ```
    /// for try await step in store.select(Person.self).order { $0.name }.updates() {
    ///     step.difference.apply(to: &rows) { makeRow(step.records[$0]) }
    /// }
    /// ```
    public func updates() -> Store.Values<Step> {
        Store.Values(store: source) { [selection, model] in
            LiveRecords<Model, Step>(selection, model, wantsDifference: true) { Step(records: $0, difference: $1) }
        }
    }

    func observing<Value>(
        _ read: @escaping @Sendable (RecordReader) throws(StorageError) -> Value
    ) -> Store.Values<Value> {
        values(Form { (reading, _) throws(StorageError) in try read(reading) })
    }
}

extension Select.Form where Source == Store, Value == Model? {
    /// The first record; nil if the query selects no record.
    public static var first: Self {
        Self { (reading, selection) throws(StorageError) in
            var first = selection
            first.limit = Swift.min(selection.limit ?? 1, 1)
            return try reading.all(Model.self, first).first
        }
    }
}

extension Select.Form where Source == Store, Value == Int {
    /// The number of records. Loads none.
    public static var count: Self {
        Self { (reading, selection) throws(StorageError) in try reading.count(selection) }
    }
}

extension Select.Form where Source == Store, Value == Bool {
    /// Tells whether the query selects any record. Loads no record.
    public static var exists: Self {
        Self { (reading, selection) throws(StorageError) in try reading.exists(selection) }
    }
}

extension Select.Form where Source == Store, Value == [Model.Key] {
    /// The records' keys, in order.
    public static var keys: Self {
        Self { (reading, selection) throws(StorageError) in try reading.keys(Model.self, selection) }
    }
}

extension Select.Form where Source == Store {
    /// The sum of a term; 0 without values.
    public static func sum<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) -> Self where Value == V.Sum { aggregate(.sum, node(Model.self, term)) }

    /// The mean of a term; nil without values.
    public static func average<V: SummableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) -> Self where Value == Double? { aggregate(.average, node(Model.self, term)) }

    /// The least value of a term; nil without values.
    public static func min<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) -> Self where Value == V.Scalar? { aggregate(.min, node(Model.self, term)) }

    /// The greatest value of a term; nil without values.
    public static func max<V: SortableValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) -> Self where Value == V.Scalar? { aggregate(.max, node(Model.self, term)) }

    private static func aggregate(_ function: AggregateFunction, _ term: QueryNode) -> Self where Value: ColumnValue {
        Self { (reading, selection) throws(StorageError) in
            try reading.aggregate(function, Value.self, of: selection, term: term)
        }
    }
}
