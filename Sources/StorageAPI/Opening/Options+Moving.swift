import StorageDriver

extension Store.Options {
    /// Adds a step that moves data when the schema changes: to split a property, or to compute one from others.
    ///
    /// ```swift
    /// @Storable struct Customer {
    ///     var id: Int
    ///     var first = ""
    ///     var last = ""
    /// }
    ///
    /// let store = try await Store(
    ///     SQLiteBackend(path: "shop.db"), models: Customer.self,
    ///     options: .moving("Customer: first and last") { tx in
    ///         for old in try tx.records("Customer", withRemoved: true).all() {
    ///             let name = try old.value("name", as: String.self)
    ///             let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
    ///             try tx.save(
    ///                 Customer(
    ///                     id: old.value("id", as: Int.self), first: parts.first ?? "",
    ///                     last: parts.dropFirst().first ?? ""))
    ///         }
    ///     })
    /// ```
    ///
    /// The store runs the step once, when it is opened, and records its name in the same transaction. That transaction also
    /// changes the schema of the models that are opened, so the step finds the new properties, and the old ones by
    /// `records(_:withRemoved:)`. Other programs see the store before all of it or after all of it. If two open the store
    /// at once, one runs the step. Steps run in the order in which they are added.
    ///
    /// If a step throws, the store stays as it was, and opening throws the step's error with its name. A new store, which
    /// has no models yet, records the names and runs no step. A store that cannot be written and has not run the step
    /// throws `schemaMismatch`, unless it is new. A copy of a whole store takes the recorded names along.
    ///
    /// The writes of a step are like any other transaction's: a history records them, and layers see them.
    ///
    /// - Parameters:
    ///   - name: the name under which the store records the step. Keep it, and keep the step as long as some store may not
    ///     have run it. Opening throws `configuration` if the name is empty or given twice.
    ///   - body: the step. It is synchronous, and writes by the transaction alone.
    public func moving(
        _ name: String, _ body: @escaping @Sendable (inout Store.Transaction) throws -> Void
    ) -> Self {
        var options = self
        options.moves.append(DataMove(name: StoredName(name), body: body))
        return options
    }

    /// Options with a step that moves data, and otherwise the default ones.
    public static func moving(
        _ name: String, _ body: @escaping @Sendable (inout Store.Transaction) throws -> Void
    ) -> Self { Self().moving(name, body) }
}
