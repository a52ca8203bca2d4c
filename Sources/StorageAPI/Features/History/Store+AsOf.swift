public import StorageDriver

extension Store {
    /// A record as it was after a commit, with all that it owned; nil if the record did not exist.
    ///
    /// Costs a look at the later entries of the history, up to the record's next change.
    ///
    /// - Parameters:
    ///   - type: the record's type.
    ///   - key: the record's key.
    ///   - commit: the number of the commit, as the entries of ``history(since:)`` have it; 0 for the state before the
    ///     first.
    /// - Throws: `configuration` if the store keeps no history of the model; `notKept` if the commit is older than the kept
    ///   history, or if the model's records are not kept since then; `invalidValue` for a commit that has not been;
    ///   `schemaMismatch` or `typeMismatch` for a record that does not fit the type any more: its entry in
    ///   ``history(of:since:)``, the first one after the commit, has it as ``HistoryEntry/storedBefore``.
    public nonisolated(nonsending) func find<M: Storable>(
        _ type: M.Type, key: M.Key, asOf commit: Int
    ) async throws(StorageError) -> M? {
        if registry.handle(type) == nil { try await prepare([type]) }
        let values = M.values(of: key)
        return try await readingHistory("find") { (history, settings) throws(StorageError) in
            guard let handle = registry.handle(type) else { throw StorageError.storeClosed }
            let name = handle.name
            let known = try settings.required(name)
            try history.requireKept(after: Int64(commit))
            let change = try history.firstChange(of: values, in: name, after: Int64(commit))
            guard let since = known.recordsSince, since <= commit, change?.kind != .everything else {
                throw StorageError(
                    .notKept, "The history keeps no records of \(name) as they were after commit \(commit).",
                    model: name,
                    key: values)
            }
            guard let change else {
                var found: M?
                try RecordReader(handle: handle, session: history.session).find(values) { (rows) throws(StorageError) in
                    found = try rows.nextModel(M.self)
                }
                return found
            }
            guard let image = change.before else { return nil }
            let former = try FormerSchemas(in: history.session)
            return try image.record(
                M.self, key: values, handle, defaults: DeclaredDefaults(type: type), since: former.since(change))
        }
    }
}
