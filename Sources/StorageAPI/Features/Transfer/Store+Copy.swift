public import StorageDriver

/// The progress of a copy.
public struct CopyProgress: Hashable, Sendable {
    /// The stored name of the model whose rows are being copied.
    public let model: String
    /// The number of root records copied so far, of all models.
    public let records: Int
    /// The number of rows copied so far, including rows of owned records.
    public let rows: Int
    /// The number of rows to copy.
    public let totalRows: Int
}

extension Store {
    /// Copies models with all their records from another store, whatever the two are on.
    ///
    /// Rows go over as they are stored, without the program's types, a few hundred at a time; removed properties' data
    /// and the highest assigned keys are copied too. It is one read of the source's last commit and one transaction of
    /// this store: reads meanwhile see the state before, and after an error or in a cancelled task the store is unchanged.
    ///
    /// ```swift
    /// for copied in try await archive.copy(from: database) {
    ///     let stored = try await archive.digest(of: copied.model)
    ///     print(copied.model, copied.records, stored == copied ? "verified" : "differs")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - source: another store.
    ///   - models: the stored names of the models to copy; all by default.
    ///   - isReplacing: whether records that this store has of these models are deleted first.
    ///   - takesHistory: whether the source's history is copied too, with its models and its limit; then all models are
    ///     copied. Otherwise this store's history records the copy, if it keeps a history.
    ///   - progress: called every few hundred rows, on the thread that writes. It can neither call this store nor write to
    ///     the source or close it: that is `busy`.
    /// - Returns: the digest of the records read for each model, to be compared with ``digest(of:)``.
    /// - Throws: `constraint` if this store has records of a model, or a history, and `isReplacing` is false; `schemaMismatch` if the
    ///   program declares a model of a name with another schema; `invalidQuery` for an unknown name; `typeMismatch` and
    ///   `limitExceeded` for a value that the source or this store should not hold; `cancelled`.
    @discardableResult
    public nonisolated(nonsending) func copy(
        _ models: [String]? = nil, from source: Store, replacing isReplacing: Bool = false,
        history takesHistory: Bool = false,
        progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
    ) async throws(StorageError) -> [ModelDigest] {
        try requireOther(source)
        guard !takesHistory || models == nil else {
            throw StorageError(
                .configuration, "A history is copied with all models; name none, or copy them without it.",
                operation: "copy"
            ).at(backend: info.name)
        }
        let progress = { @Sendable step in source.runningCalls.runClosure { progress(step) } }
        do throws(StorageError) {
            return try await copy(
                models, from: source, isReplacing: isReplacing, takesHistory: takesHistory, progress)
        } catch {
            // The history of the copy is gone with it.
            if takesHistory {
                try? withReader("copy", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                    try features.find(in: reader, isAgain: true)
                }
            }
            throw error
        }
    }

    private nonisolated(nonsending) func copy(
        _ models: [String]?, from source: Store, isReplacing: Bool, takesHistory: Bool,
        _ progress: @escaping @Sendable (CopyProgress) -> Void
    ) async throws(StorageError) -> [ModelDigest] {
        let digests = try await writing("copy") { (context) throws(StorageError) in
            try source.withReader("copy", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                let history = takesHistory ? HistoryCopy(reader: reader, context: context, store: self) : nil
                try history?.prepare(isReplacing: isReplacing)
                let tables = try reader.tables()
                let models = try models.map { names throws(StorageError) in
                    try StoredModel.named(names, in: tables)
                }
                var copy = try StoreCopy(
                    models ?? StoredModel.all(in: tables), from: reader, to: context, of: self, progress: progress)
                let digests = try copy.run(isReplacing: isReplacing)
                try history?.run()
                try RecordedMove.copy(
                    from: reader, isWhole: models == nil, to: context.innerWriter(), self.registry.directory)
                return digests
            }
        }
        try await complete(digests.map { StoredName($0.model) })
        return digests
    }
}
