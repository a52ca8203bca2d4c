import StorageDriver

// Search indexes that opening a store completes.
extension StoreSearch {
    nonisolated(nonsending) func complete(
        _ models: [StoredName], in store: Store, isCommitted: Bool
    ) async throws(StorageError) {
        guard isUsed else { return }
        do throws(StorageError) {
            try await store.finishIndexes(of: models)
        } catch {
            try report(error, in: store, isCommitted: isCommitted)
        }
    }

    func completeBlocking(_ models: [StoredName], in store: Store, isCommitted: Bool) throws(StorageError) {
        guard isUsed else { return }
        do throws(StorageError) {
            try store.finishIndexesBlocking(of: models)
        } catch {
            try report(error, in: store, isCommitted: isCommitted)
        }
    }

    /// Throws an error of completing indexes. If the transaction that made the indexes is committed, logs the error
    /// instead, because the transaction has not failed: until a call completes the indexes, a search is `busy` and says so.
    private func report(_ error: StorageError, in store: Store, isCommitted: Bool) throws(StorageError) {
        guard isCommitted else { throw error }
        store.logger.error("search index not completed", metadata: ["error": "\(error)"])
    }
}

extension Store {
    var search: StoreSearch { features.feature() }

    /// Completes the unfinished indexes of these models.
    fileprivate nonisolated(nonsending) func finishIndexes(of models: [StoredName]) async throws(StorageError) {
        let unfinished = try await reads { () throws(StorageError) in try self.unfinishedIndexes(of: models) }
        for model in unfinished { try await finishIndex(of: model) { self.tellIndexing($0) } }
    }

    fileprivate func finishIndexesBlocking(of models: [StoredName]) throws(StorageError) {
        for model in try unfinishedIndexes(of: models) {
            let total = try totalBlocking(model)
            while let indexed = try writingBlocking(
                "index", .recorded(model),
                { [search] context throws(StorageError) in
                    try search.buildStep(model, in: context.innerWriter(model))
                })
            {
                tellIndexing(SearchProgress(model: model.text, indexed: indexed, total: max(total, indexed)))
            }
        }
    }

    /// Completes the index of a model, step by step.
    nonisolated(nonsending) func finishIndex(
        of model: StoredName, _ progress: (SearchProgress) -> Void
    ) async throws(StorageError) {
        let total = try await reads { () throws(StorageError) in try self.totalBlocking(model) }
        while true {
            try checkCancellation("index")
            let indexed = try await writing("index", .recorded(model)) { [search] context throws(StorageError) in
                try search.buildStep(model, in: context.innerWriter(model))
            }
            guard let indexed else { return progress(SearchProgress(model: model.text, indexed: total, total: total)) }
            progress(SearchProgress(model: model.text, indexed: indexed, total: max(total, indexed)))
        }
    }

    private func unfinishedIndexes(of names: [StoredName]) throws(StorageError) -> [StoredName] {
        guard canWrite else { return [] }
        return try withReader("open", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            try search.unfinished(in: reader).filter { names.contains($0) }
        }
    }

    private func totalBlocking(_ model: StoredName) throws(StorageError) -> Int {
        try withReader("index", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            try RecordReader(handle: registry.recorded(model, in: reader), session: reader).count(Selection())
        }
    }

    private func tellIndexing(_ progress: SearchProgress) {
        logger.info(
            "search index",
            metadata: ["model": "\(progress.model)", "indexed": "\(progress.indexed)", "total": "\(progress.total)"])
        search.progress?(progress)
    }
}
