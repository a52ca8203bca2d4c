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
        builder.assignments.list.append(Assignment(property: node, value: value, invalid: invalid))
        return builder
    }
}

/// A partial update of a store. Runs when `run()` is called.
public struct Update<Model: Storable>: AssignmentBuilder, Sendable {
    /// The query so far.
    public var selection = Selection()
    /// The assignments so far.
    public var assignments = Assignments()
    let store: Store

    /// Sets the properties on the records that meet the conditions, on all where there is none.
    ///
    /// - Returns: how many records met the conditions.
    @discardableResult
    public nonisolated(nonsending) func run() async throws(StorageError) -> Int {
        try await store.writing("update", isRepeatable: true) { [selection, assignments] context throws(StorageError) in
            try placed("update", .type(Model.self), context) { () throws(StorageError) in
                try context.writing(.type(Model.self)).patch(assignments.list, selection)
            }
        }
    }
}

/// A delete of a store by conditions. Runs when `run()` is called.
public struct Delete<Model: Storable>: FilterBuilder, Sendable {
    /// The query so far.
    public var selection = Selection()
    let store: Store

    /// Deletes the records that meet the conditions, all where there is none, with all that they own.
    ///
    /// - Returns: how many records were deleted.
    @discardableResult
    public nonisolated(nonsending) func run() async throws(StorageError) -> Int {
        try await store.writing("delete", isRepeatable: true) { [selection] context throws(StorageError) in
            try placed("delete", .type(Model.self), context) { () throws(StorageError) in
                try context.writing(.type(Model.self)).delete(selection)
            }
        }
    }
}

/// A partial update without `async`.
public struct BlockingUpdate<Model: Storable>: AssignmentBuilder {
    /// The query so far.
    public var selection = Selection()
    /// The assignments so far.
    public var assignments = Assignments()
    let executor: Executor

    /// Sets the properties on the records that meet the conditions, on all where there is none.
    ///
    /// - Returns: how many records met the conditions.
    @discardableResult
    public func run() throws(StorageError) -> Int {
        try executor.writing("update", Model.self) { [selection, assignments] (writing) throws(StorageError) in
            try writing.patch(assignments.list, selection)
        }
    }
}

/// A delete by conditions, without `async`.
public struct BlockingDelete<Model: Storable>: FilterBuilder {
    /// The query so far.
    public var selection = Selection()
    let executor: Executor

    /// Deletes the records that meet the conditions, all where there is none, with all that they own.
    ///
    /// - Returns: how many records were deleted.
    @discardableResult
    public func run() throws(StorageError) -> Int {
        try executor.writing("delete", Model.self) { [selection] (writing) throws(StorageError) in
            try writing.delete(selection)
        }
    }
}
