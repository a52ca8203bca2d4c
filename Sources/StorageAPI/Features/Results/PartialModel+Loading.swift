public import StorageDriver

extension Store {
    /// Loads one owned property of a record that was loaded without its children.
    ///
    /// ```swift
    /// let light = try await store.select(Person.self).withoutChildren().all()
    /// for person in light { print(try await store.load(\.pens, of: person)) }
    /// ```
    ///
    /// The children are current and may have changed since the owner was loaded. Costs one query for the record and one for
    /// each table below the property.
    /// - Throws: `notFound` if the record is gone; `invalidQuery` for a property that is not owned; errors of
    ///   ``find(_:key:)``.
    public nonisolated(nonsending) func load<M: Storable, V: Sendable>(
        _ property: KeyPath<M.Columns, QueryExpression<V>>, of record: PartialModel<M>
    ) async throws(StorageError) -> V {
        let (node, key) = (M.node(property), record.key)
        return try await asking("load", .type(M.self)) { (reading) throws(StorageError) in
            try reading.load(V.self, node, of: key)
        }
    }

    /// Loads one owned property of records that were loaded without their children: an element for each, in their order.
    ///
    /// Costs as many queries as for one record.
    /// - Throws: as for one; `notFound` with the key of the first that is gone.
    public nonisolated(nonsending) func load<M: Storable, V: Sendable>(
        _ property: KeyPath<M.Columns, QueryExpression<V>>, of records: [PartialModel<M>]
    ) async throws(StorageError) -> [V] {
        let (node, keys) = (M.node(property), records.map(\.key))
        return try await asking("load", .type(M.self)) { (reading) throws(StorageError) in
            try reading.load(V.self, node, of: keys)
        }
    }
}

extension ReadingVerbs where Self: ~Copyable {
    /// Loads one owned property of a record that was loaded without its children, as ``Store`` does.
    public func load<M: Storable, V: Sendable>(
        _ property: KeyPath<M.Columns, QueryExpression<V>>, of record: PartialModel<M>
    ) throws(StorageError) -> V {
        try _session.target.reading("load", .type(M.self)) { (reading) throws(StorageError) in
            try reading.load(V.self, M.node(property), of: record.key)
        }
    }

    /// Loads one owned property of records that were loaded without their children, as ``Store`` does.
    public func load<M: Storable, V: Sendable>(
        _ property: KeyPath<M.Columns, QueryExpression<V>>, of records: [PartialModel<M>]
    ) throws(StorageError) -> [V] {
        try _session.target.reading("load", .type(M.self)) { (reading) throws(StorageError) in
            try reading.load(V.self, M.node(property), of: records.map(\.key))
        }
    }
}

extension RecordReader {
    fileprivate func load<V>(_: V.Type, _ property: QueryNode, of key: [Value]) throws(StorageError) -> V {
        guard let value = try load(V.self, property, of: [key]).first else { throw missing(key) }
        return value
    }

    fileprivate func load<V>(_: V.Type, _ property: QueryNode, of keys: [[Value]]) throws(StorageError) -> [V] {
        let reader = try ResultReader<V>()
        let list = KeyList(width: model.rootKeyCount, Set(keys))
        var found: [[Value]: V] = [:]
        _ = try results(.owned(property, of: list)) { (row) throws(StorageError) in
            found[row.key] = try reader.read(row)
        }
        var values: [V] = []
        for key in keys {
            guard let value = found[key] else { throw missing(key) }
            values.append(value)
        }
        return values
    }

    private func missing(_ key: [Value]) -> StorageError {
        StorageError(
            .notFound, "The record is no longer stored, so its owned records cannot be loaded.", model: model.name,
            key: key)
    }
}
