import StorageDriver

extension Store {
    /// The progress of a search index that is being made.
    public struct SearchProgress: Hashable, Sendable {
        /// The stored name of the model.
        public let model: String
        /// The number of records that the index has.
        public let indexed: Int
        /// The number of records of the model when it was last counted.
        public let total: Int
    }

    /// Rebuilds the search index of a model while the store is in use.
    ///
    /// The old index answers queries until the new one is complete. Each step indexes some thousand records in a separate
    /// transaction. If a program ends in between, this call, or opening the store with the model, continues with the next
    /// step. Costs the reading of all records, and the space of both indexes.
    ///
    /// - Parameters:
    ///   - model: the model, which is prepared if it is not yet.
    ///   - progress: called after each step.
    /// - Throws: `invalidQuery` if the model has no searched property; `cancelled` between two steps; errors of writing.
    public nonisolated(nonsending) func rebuildSearch<Model: Storable>(
        of model: Model.Type, progress: (SearchProgress) -> Void = { _ in }
    ) async throws(StorageError) {
        try await prepare([model])
        try await rebuildSearch(of: registry.name(of: .type(model)).text, progress: progress)
    }

    /// Rebuilds the search index of a recorded model, by the model's stored name.
    public nonisolated(nonsending) func rebuildSearch(
        of model: String, progress: (SearchProgress) -> Void = { _ in }
    ) async throws(StorageError) {
        let model = StoredName(model)
        try await writing("rebuildSearch", .recorded(model)) { [search] context throws(StorageError) in
            try search.beginRebuilding(model, in: context.innerWriter(model))
        }
        try await finishIndex(of: model, progress)
    }
}
