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

/// A step that moves data between two schemas, once in a store.
struct DataMove: Sendable {
    let name: StoredName
    let body: @Sendable (inout Store.Transaction) throws -> Void
}

/// The steps of a store that is being opened.
final class DataMoves: StoreFeature {
    private let moves: [DataMove]

    init(_ moves: [DataMove]) { self.moves = moves }

    /// - Throws: `configuration` for a name that is empty or given twice.
    func checkOptions() throws(StorageError) {
        var names: [StoredName] = []
        for move in moves {
            guard !move.name.text.isEmpty, !names.contains(move.name) else {
                throw StorageError(
                    .configuration, "A step that moves data needs a name of its own, and “\(move.name)” is none.",
                    operation: "open")
            }
            names.append(move.name)
        }
    }

    /// The name of the first step that the store has not recorded.
    func pendingStep(in session: any StorageSession) throws(StorageError) -> String? {
        if moves.isEmpty { return nil }
        let recorded = try RecordedMove.all(among: session.tables(), in: session)
        return moves.first { !recorded.contains($0.name) }?.name.text
    }

    /// The steps that the store has not run, of which all are recorded. A store that has no models yet runs none.
    func openingSteps(
        in context: TransactionContext, of store: Store
    ) throws(StorageError) -> (() throws(StorageError) -> Void)? {
        if moves.isEmpty { return nil }
        let isNew = try !context.openWriter().hasModels()
        return { [self] () throws(StorageError) in
            // Another process may have run some since this store looked.
            let session = try context.openWriter()
            let recorded = try RecordedMove.all(among: session.tables(), in: session)
            for move in moves where !recorded.contains(move.name) {
                if !isNew { try run(move, in: context, of: store) }
                let writer = try context.innerWriter()
                try RecordedMove(name: move.name).record(
                    .upsert, among: writer.tables(), in: writer, store.registry.directory)
            }
        }
    }

    private func run(_ move: DataMove, in context: TransactionContext, of store: Store) throws(StorageError) {
        do {
            var transaction = Store.Transaction(context: context, store: store)
            try move.body(&transaction)
            try context.checkReferences()
        } catch {
            let cause = (error as? StorageError) ?? StorageError(.schemaMismatch, "\(error)", underlying: error)
            throw cause.with {
                $0.message = "The step “\(move.name)” that moves data failed, and nothing is changed: \($0.message)"
                $0.operation = "open"
            }
        }
        store.logger.notice("moved data", metadata: ["step": "\(move.name)"])
    }
}
