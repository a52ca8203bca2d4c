import StorageDriver

/// A step that moves data between two schemas, once in a store.
struct DataMove: Sendable {
    let name: StoredName
    let body: @Sendable (inout Store.Transaction) throws -> Void
}

/// The steps that move data between two schemas, and the ones that fill records in parts.
final class DataMoves: StoreFeature {
    private let moves: [DataMove]
    let backfills: [any BackfillStep]

    init(_ moves: [DataMove], _ backfills: [any BackfillStep]) { (self.moves, self.backfills) = (moves, backfills) }

    private var names: [StoredName] { moves.map(\.name) + backfills.map(\.name) }

    var preparedModels: [any Storable.Type] { backfills.map(\.model) }

    /// - Throws: `configuration` for a name that is empty or given twice, and for parts without records.
    func checkOptions() throws(StorageError) {
        var known: [StoredName] = []
        for name in names {
            guard !name.text.isEmpty, !known.contains(name) else {
                throw StorageError(
                    .configuration,
                    "Each step that moves data needs another name: “\(name)” is empty or given twice.",
                    operation: "open")
            }
            known.append(name)
        }
        for step in backfills where step.size < 1 {
            throw StorageError(
                .configuration,
                "The step “\(step.name)” fills \(step.size) records at a time; give a size of 1 or more.",
                operation: "open")
        }
    }

    /// The name of the first step that the store has not recorded and that opening runs. A new store records all of them.
    func pendingStep(in session: any StorageSession) throws(StorageError) -> String? {
        if names.isEmpty { return nil }
        let recorded = try RecordedMove.all(among: session.tables(), in: session)
        let isNew = try !session.hasModels()
        let steps = moves.map(\.name) + backfills.filter { $0.duringOpening || isNew }.map(\.name)
        return steps.first { !recorded.contains($0) }?.text
    }

    /// The steps that the store has not run, of which all are recorded. A store that has no models yet runs none.
    func openingSteps(
        in context: TransactionContext, of store: Store
    ) throws(StorageError) -> (() throws(StorageError) -> Void)? {
        if names.isEmpty { return nil }
        let isNew = try !context.openWriter().hasModels()
        return { [self] () throws(StorageError) in
            // Another process may have run some since this store looked.
            let session = try context.openWriter()
            let recorded = try RecordedMove.all(among: session.tables(), in: session)
            for move in moves where !recorded.contains(move.name) {
                if !isNew { try run(move, in: context, of: store) }
                try context.record(move.name, store.registry.directory)
            }
            for step in backfills where isNew && !recorded.contains(step.name) {
                try context.record(step.name, store.registry.directory)
            }
        }
    }

    nonisolated(nonsending) func didOpen(_ store: Store) async throws(StorageError) {
        do throws(StorageError) {
            for step in backfills where step.duringOpening { try await step.run(in: store) }
        } catch {
            throw error.with { $0.operation = "open" }
        }
    }

    func didOpenBlocking(_ store: Store) throws(StorageError) {
        do throws(StorageError) {
            for step in backfills where step.duringOpening { try step.runBlocking(in: store) }
        } catch {
            throw error.with { $0.operation = "open" }
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
