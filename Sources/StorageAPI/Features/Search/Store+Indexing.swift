import StorageDriver

// Search indexes that opening a store completes.
extension Store {
    /// Completes the indexes that are being made, of those models.
    nonisolated(nonsending) func finishIndexes(of models: [String]) async throws(StorageError) {
        guard search.isUsed else { return }
        let unfinished = try await reads { () throws(StorageError) in try self.unfinishedIndexes(of: models) }
        for model in unfinished { try await finishIndex(of: model) { self.tellIndexing($0) } }
    }

    func finishIndexesBlocking(of models: [String]) throws(StorageError) {
        for model in try unfinishedIndexes(of: models) {
            let total = try totalBlocking(model)
            while let indexed = try writingBlocking(
                "index", .recorded(model),
                { [search] context throws(StorageError) in
                    try search.buildStep(model, in: context.innerWriter(model))
                })
            {
                tellIndexing(SearchProgress(model: model, indexed: indexed, total: max(total, indexed)))
            }
        }
    }

    /// Completes the indexes of models that a transaction has made. It is committed, so a failure is not its failure: until
    /// somebody completes them, a search is `busy` and says so.
    nonisolated(nonsending) func finishIndexes(madeBy own: UncommittedModels) async {
        guard search.isUsed else { return }
        do throws(StorageError) {
            try await finishIndexes(of: own.names)
        } catch {
            logger.error("search index not completed", metadata: ["error": "\(error)"])
        }
    }

    func finishIndexesBlocking(madeBy own: UncommittedModels) {
        guard search.isUsed else { return }
        do throws(StorageError) {
            try finishIndexesBlocking(of: own.names)
        } catch {
            logger.error("search index not completed", metadata: ["error": "\(error)"])
        }
    }

    /// Completes the index of a model, step by step.
    nonisolated(nonsending) func finishIndex(
        of model: String, _ progress: (SearchProgress) -> Void
    ) async throws(StorageError) {
        let total = try await reads { () throws(StorageError) in try self.totalBlocking(model) }
        while true {
            try checkCancellation("index")
            let indexed = try await writing("index", .recorded(model)) { [search] context throws(StorageError) in
                try search.buildStep(model, in: context.innerWriter(model))
            }
            guard let indexed else { return progress(SearchProgress(model: model, indexed: total, total: total)) }
            progress(SearchProgress(model: model, indexed: indexed, total: max(total, indexed)))
        }
    }

    private func unfinishedIndexes(of names: [String]) throws(StorageError) -> [String] {
        guard search.isUsed, canWrite else { return [] }
        return try withReader("open", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            try search.unfinished(in: reader).filter { model in names.contains { $0.isSame(as: model) } }
        }
    }

    private func totalBlocking(_ model: String) throws(StorageError) -> Int {
        try withReader("index", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            try RecordReader(handle: registry.recorded(model, in: reader), session: reader).count(Selection())
        }
    }

    private func tellIndexing(_ progress: SearchProgress) {
        logger.info(
            "search index",
            metadata: ["model": "\(progress.model)", "indexed": "\(progress.indexed)", "total": "\(progress.total)"])
        indexing?(progress)
    }
}

extension UncommittedModels {
    /// The models that the transaction has prepared or changed.
    fileprivate var names: [String] { prepared.values.map(\.name) + changed }
}
