public import StorageDriver

/// Takes the properties that a partial update sets.
public protocol AssignmentBuilder<Model>: FilterBuilder {
    /// The properties set so far.
    var assignments: Assignments { get set }
}

extension AssignmentBuilder {
    /// Sets a property; the last of several values counts. Setting a key throws `invalidQuery` when the update runs.
    ///
    /// ```swift
    /// store.update(Person.self).where { $0.age < 18 }.set(\.age, to: 18).set(\.nickname, to: nil)
    /// ```
    public func set<V: ColumnValue>(_ property: KeyPath<Model.Columns, QueryExpression<V>>, to value: V) -> Self {
        assigning(property, value)
    }

    /// Sets an enum.
    public func set<V: RawRepresentable>(
        _ property: KeyPath<Model.Columns, QueryExpression<V>>, to value: V
    ) -> Self where V.RawValue: ScalarValue { assigning(property, value.rawValue) }

    /// Sets an Optional enum.
    public func set<V: RawRepresentable>(
        _ property: KeyPath<Model.Columns, QueryExpression<V?>>, to value: V?
    ) -> Self where V.RawValue: ScalarValue { assigning(property, value?.rawValue) }

    /// Sets an array of enums.
    public func set<V: RawRepresentable>(
        _ property: KeyPath<Model.Columns, QueryExpression<[V]>>, to value: [V]
    ) -> Self where V.RawValue: ScalarValue { assigning(property, value.map(\.rawValue)) }

    /// Sets a reference. The record that it names must be stored by the end of the call or of the transaction.
    public func set<M: Storable>(
        _ property: KeyPath<Model.Columns, QueryExpression<Ref<M>>>, to reference: Ref<M>
    ) -> Self { assigning(property, parts: M.values(of: reference.key)) }

    /// Sets a reference that may be nil.
    public func set<M: Storable>(
        _ property: KeyPath<Model.Columns, QueryExpression<Ref<M>?>>, to reference: Ref<M>?
    ) -> Self {
        assigning(
            property, parts: reference.map { M.values(of: $0.key) } ?? Array(repeating: .null, count: M._keyWidth))
    }

    private func assigning<V>(_ property: KeyPath<Model.Columns, QueryExpression<V>>, parts: [Value]) -> Self {
        var builder = self
        let node = Model.Columns(PropertyPath())[keyPath: property].node
        builder.assignments.list.append(Assignment(property: .term(node), content: .parts(parts)))
        return builder
    }

    /// Sets an embedded value.
    @_disfavoredOverload
    public func set<V: Codable & Sendable>(_ property: KeyPath<Model.Columns, QueryExpression<V>>, to value: V) -> Self
    {
        do {
            return assigning(property, try EmbeddedCoding.value(of: value))
        } catch {
            return assigning(property, .null, invalid: "The value cannot be encoded: \(error)")
        }
    }

    /// Sets a property to a value computed from the record's properties as they were before the call.
    ///
    /// ```swift
    /// store.update(Person.self).where { $0.name == "Ann" }.set(\.age) { $0.age + 1 }
    /// ```
    ///
    /// Of several assignments to a property, only the last is computed and used. Computation is exact, as in a condition: a
    /// result beyond the property's range throws `overflow`, and the store is unchanged. All values are computed, and held
    /// in memory, before the first record is written. While records are set, in the order of their keys, a unique property
    /// must not collide with another record's value.
    public func set<V>(
        _ property: KeyPath<Model.Columns, QueryExpression<V>>, _ term: (Model.Columns) -> QueryExpression<V>
    ) -> Self { computing(property, term) }

    /// Sets an Optional property to a computed value that is never nil.
    // Disfavoured, because the compiler could not explain a mistake in a closure if the overloads had equal rank.
    @_disfavoredOverload
    public func set<V>(
        _ property: KeyPath<Model.Columns, QueryExpression<V?>>, _ term: (Model.Columns) -> QueryExpression<V>
    ) -> Self { computing(property, term) }

    private func computing<V, T>(
        _ property: KeyPath<Model.Columns, QueryExpression<V>>, _ term: (Model.Columns) -> QueryExpression<T>
    ) -> Self {
        var builder = self
        let columns = Model.Columns(PropertyPath())
        let (node, depth) = term(columns).nested
        if depth > QueryNode.deepest { builder.selection.problem = selection.problem ?? QueryLimits.tooDeep }
        builder.assignments.list.append(
            Assignment(property: .term(columns[keyPath: property].node), content: .computed(node)))
        return builder
    }

    private func assigning<V>(
        _ property: KeyPath<Model.Columns, QueryExpression<V>>, _ value: some ColumnValue
    ) -> Self {
        guard let storable = value.storableValue else {
            return assigning(property, .null, invalid: value.unstorableReason)
        }
        return assigning(property, storable)
    }

    private func assigning<V>(
        _ property: KeyPath<Model.Columns, QueryExpression<V>>, _ value: Value, invalid: String? = nil
    ) -> Self {
        var builder = self
        let node = Model.Columns(PropertyPath())[keyPath: property].node
        builder.assignments.list.append(Assignment(property: .term(node), content: .value(value), invalid: invalid))
        return builder
    }
}

/// A partial update. Runs when `run()` is called.
public struct Update<Model: Storable, Source>: AssignmentBuilder {
    /// The selection so far.
    public var selection = Selection()
    /// The assignments so far.
    public var assignments = Assignments()
    let source: Source
    var model = ModelSource.type(Model.self)
}

/// A delete by conditions. Runs when `run()` is called.
public struct Delete<Model: Storable, Source>: FilterBuilder {
    /// The selection so far.
    public var selection = Selection()
    let source: Source
    var model = ModelSource.type(Model.self)
}

extension Update: Sendable where Source: Sendable {}
extension Delete: Sendable where Source: Sendable {}

extension Update where Source == Store {
    /// Sets the properties on the records that meet the conditions, or on all records without conditions.
    ///
    /// - Returns: the number of records that met the conditions.
    @discardableResult
    public nonisolated(nonsending) func run() async throws(StorageError) -> Int {
        try await source.writing("update", model) { [selection, assignments] (writing) throws(StorageError) in
            try writing.patch(assignments.list, selection)
        }
    }
}

extension Delete where Source == Store {
    /// Deletes the records that meet the conditions, or all records without conditions, each with everything that it owns.
    ///
    /// - Returns: the number of deleted records.
    @discardableResult
    public nonisolated(nonsending) func run() async throws(StorageError) -> Int {
        try await source.writing("delete", model) { [selection] (writing) throws(StorageError) in
            try writing.delete(selection)
        }
    }
}

// The same calls without `async`.
extension Update where Source == Store.Session {
    /// Sets the properties on the records that meet the conditions, or on all records without conditions.
    ///
    /// - Returns: the number of records that met the conditions.
    @discardableResult
    public func run() throws(StorageError) -> Int {
        try source.target.writing("update", model) { [selection, assignments] (writing) throws(StorageError) in
            try writing.patch(assignments.list, selection)
        }
    }
}

extension Delete where Source == Store.Session {
    /// Deletes the records that meet the conditions, or all records without conditions, each with everything that it owns.
    ///
    /// - Returns: the number of deleted records.
    @discardableResult
    public func run() throws(StorageError) -> Int {
        try source.target.writing("delete", model) { [selection] (writing) throws(StorageError) in
            try writing.delete(selection)
        }
    }
}
