import StorageDriver

extension Store {
    /// The progress of a step that fills records in parts.
    public struct BackfillProgress: Hashable, Sendable {
        /// The name of the step.
        public let step: String
        /// The stored name of the model.
        public let model: String
        /// The number of records that this run of the step has filled.
        public let filled: Int
        /// The number of records that met the condition when this run began, or the number of filled ones if that is larger.
        public let total: Int
    }

    /// Runs the steps of `Options.backfilling(…)` that the store has not recorded, in their order.
    ///
    /// For steps that opening does not wait for. Call it in a task beside the program's other work. Cancelling the task ends it after a
    /// part, and the next call goes on. Returns at once if all steps are recorded.
    ///
    /// - Throws: the error of a step's closure, with the names of the step and the key of the record; `schemaMismatch` with
    ///   that error as the `underlying` one if it is no `StorageError`; `invalidValue` if the closure changes a record's key;
    ///   `cancelled`; `unsupported` if the store cannot be written; `busy`, `conflict` and other errors of the engine.
    public nonisolated(nonsending) func backfill() async throws(StorageError) {
        let moves: DataMoves = features.feature()
        do throws(StorageError) {
            for step in moves.backfills { try await step.run(in: self) }
        } catch {
            throw error.with { $0.operation = "backfill" }
        }
    }
}

extension Store.Blocking {
    /// Runs the steps of `Options.backfilling(…)` that the store has not recorded on the calling thread; see ``Store/backfill()``.
    public func backfill() throws(StorageError) {
        let moves: DataMoves = store.features.feature()
        do throws(StorageError) {
            for step in moves.backfills { try step.runBlocking(in: store) }
        } catch {
            throw error.with { $0.operation = "backfill" }
        }
    }
}
