public import StorageDriver

/// Takes the properties that a partial update sets.
public protocol AssignmentBuilder<Model>: FilterBuilder {
    /// What has been set so far.
    var assignments: Assignments { get set }
}

/// The properties that a partial update sets, and their values.
public struct Assignments: Sendable {
    var list: [Assignment] = []
}

extension AssignmentBuilder {
    /// Sets a property; the last of several values counts. A key cannot be set: that is `invalidQuery` on running.
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
        builder.assignments.list.append(Assignment(property: .term(node), value: value, invalid: invalid))
        return builder
    }
}

/// A partial update. Runs when `run()` is called.
public struct Update<Model: Storable, Source>: AssignmentBuilder {
    /// What is asked so far.
    public var selection = Selection()
    /// The assignments so far.
    public var assignments = Assignments()
    let source: Source
    var model = ModelSource.type(Model.self)
}

/// A delete by conditions. Runs when `run()` is called.
public struct Delete<Model: Storable, Source>: FilterBuilder {
    /// What is asked so far.
    public var selection = Selection()
    let source: Source
    var model = ModelSource.type(Model.self)
}

extension Update: Sendable where Source: Sendable {}
extension Delete: Sendable where Source: Sendable {}

extension Update where Source == Store {
    /// Sets the properties on the records that meet the conditions, on all where there is none.
    ///
    /// - Returns: how many records met the conditions.
    @discardableResult
    public nonisolated(nonsending) func run() async throws(StorageError) -> Int {
        try await source.writing("update", model) { [selection, assignments] (writing) throws(StorageError) in
            try writing.patch(assignments.list, selection)
        }
    }
}

extension Delete where Source == Store {
    /// Deletes the records that meet the conditions, all where there is none, with all that they own.
    ///
    /// - Returns: how many records went.
    @discardableResult
    public nonisolated(nonsending) func run() async throws(StorageError) -> Int {
        try await source.writing("delete", model) { [selection] (writing) throws(StorageError) in
            try writing.delete(selection)
        }
    }
}

// The same calls without `async`.
extension Update where Source == Store.Session {
    /// Sets the properties on the records that meet the conditions, on all where there is none.
    ///
    /// - Returns: how many records met the conditions.
    @discardableResult
    public func run() throws(StorageError) -> Int {
        try source.executor.writing("update", model) { [selection, assignments] (writing) throws(StorageError) in
            try writing.patch(assignments.list, selection)
        }
    }
}

extension Delete where Source == Store.Session {
    /// Deletes the records that meet the conditions, all where there is none, with all that they own.
    ///
    /// - Returns: how many records were deleted.
    @discardableResult
    public func run() throws(StorageError) -> Int {
        try source.executor.writing("delete", model) { [selection] (writing) throws(StorageError) in
            try writing.delete(selection)
        }
    }
}
