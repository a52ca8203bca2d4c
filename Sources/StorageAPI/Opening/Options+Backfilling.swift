public import StorageDriver

extension Store.Options {
    /// Adds a step that fills records of a model in parts, while others read and write the store: for models with so many records
    /// that one transaction would take too long.
    ///
    /// ```swift
    /// @Storable struct Customer {
    ///     var id: Int
    ///     var first: String?  // nil until it is filled
    /// }
    ///
    /// let store = try await Store(
    ///     SQLiteBackend(path: "shop.db"), models: Customer.self,
    ///     options: .backfilling("Customer: first", Customer.self, where: { $0.first == nil }) { customer, old in
    ///         let name = try old.value("name", as: String.self)
    ///         customer.first = String(name.prefix { $0 != " " })
    ///     })
    /// ```
    ///
    /// The step takes the records that meet the condition, in the order of their keys. Each part is a separate transaction:
    /// it updates the records that are still as they were when they were found to meet the condition. So a value that
    /// another program has written meanwhile stays. The store records the name after the last part, and does not run the step
    /// again. A step that was interrupted begins with the first record that meets the condition at the next opening. If
    /// several programs run the step at once, each record is filled by one of them.
    ///
    /// Use a condition that is false for a filled record. Programs that are open meanwhile read records that are not filled yet,
    /// and a program that saves such a record as a whole leaves it unfilled. A program of an earlier version, which does not know the
    /// property, may insert unfilled records at any time: add a second step with another name when no such program is left.
    ///
    /// Steps of this kind run after the ones of `moving(_:_:)`, in the order in which they are added. A new store, which has no models
    /// yet, records their names and runs none. A copy of a whole store takes the recorded names along, and goes on with the others.
    /// A history records the writes of a step, and layers see them.
    ///
    /// If the closure throws, the step ends with its error, and opening throws it with the names of the step and the key of the record.
    /// The parts before stay filled, and so does the changed schema.
    ///
    /// - Parameters:
    ///   - name: the name under which the store records the step, with the rules of `moving(_:_:)`.
    ///   - model: the model, which is prepared when the store opens.
    ///   - size: the number of records of a part, at least 1. Each part takes the memory of its records, and writers wait for it. The
    ///     next records are looked for outside of the transaction.
    ///   - duringOpening: whether opening the store waits for the step. If not, the program calls ``Store/backfill()`` or the same of
    ///     ``Store/blocking``. Opening a store that cannot be written throws `schemaMismatch` if it would have to wait.
    ///   - isUnfilled: the condition that a record meets until it is filled.
    ///   - progress: called after each part, on any thread.
    ///   - fill: changes the record, but not its key. It also gets the stored record, with the properties that the model no
    ///     longer declares. It may be called again for a record, if its transaction must be repeated.
    public func backfilling<M: Storable>(
        _ name: String, _ model: M.Type, size: Int = 500, duringOpening: Bool = true,
        where isUnfilled: @escaping @Sendable (M.Columns) -> QueryExpression<Bool>,
        progress: (@Sendable (Store.BackfillProgress) -> Void)? = nil,
        _ fill: @escaping @Sendable (_ record: inout M, _ stored: DynamicRecord) throws -> Void
    ) -> Self {
        var options = self
        options.backfills.append(
            Backfill(
                name: StoredName(name), size: size, duringOpening: duringOpening, progress: progress,
                isUnfilled: isUnfilled, change: fill))
        return options
    }

    /// Options with a step that fills records in parts, and otherwise the default ones.
    public static func backfilling<M: Storable>(
        _ name: String, _ model: M.Type, size: Int = 500, duringOpening: Bool = true,
        where isUnfilled: @escaping @Sendable (M.Columns) -> QueryExpression<Bool>,
        progress: (@Sendable (Store.BackfillProgress) -> Void)? = nil,
        _ fill: @escaping @Sendable (_ record: inout M, _ stored: DynamicRecord) throws -> Void
    ) -> Self {
        Self().backfilling(
            name, model, size: size, duringOpening: duringOpening, where: isUnfilled, progress: progress, fill)
    }
}
