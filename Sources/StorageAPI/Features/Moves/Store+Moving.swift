import StorageDriver

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
