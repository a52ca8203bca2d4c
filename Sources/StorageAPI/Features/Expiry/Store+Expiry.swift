import StorageDriver

// Records that expire: reads do not see them, and writes remove them first.

extension Store {
    /// Hides and removes expired records.
    var expiry: ExpiryLayer { features.feature() }

    /// Deletes each expired record with everything that it owns, by the delete rules of references to it, and the records that are
    /// older than the store's retention (``Store/Options/retention``).
    ///
    /// Expired records don't need it: reads don't see them, and every write deletes them first. Call it at intervals
    /// where many records expire between two writes, so that none of these takes long, or where observers are to be
    /// notified. A retention needs it: call it about as often as a partition or a day of records passes. It deletes up to 1,000
    /// records in each commit, as writes do.
    ///
    /// An engine that keeps a model in ranges of its keys drops a whole range of records that are older than the retention in
    /// one commit, and no record of another range. It deletes record by record if something has to learn of each: a history or a
    /// search index of the model, a layer, or references to it. Observers learn that the model has changed. Reads of the model wait
    /// for a moment. If reads use it all the time, the call tries again for five seconds, and then throws `busy`.
    ///
    /// ``removeExpired(every:clock:)`` calls it regularly.
    ///
    /// - Parameter progress: receives the number of records that are removed so far, after each commit.
    /// - Returns: the number of these records. Records that a delete rule deleted along with them are not counted.
    /// - Throws: the error of a record that cannot be deleted, such as `constraint` where a reference denies that, after all
    ///   others are; `busy`; errors of the engine; `cancelled` between two commits.
    @discardableResult
    public nonisolated(nonsending) func removeExpired(
        progress: (@Sendable (_ removed: Int) -> Void)? = nil
    ) async throws(StorageError) -> Int {
        try await removeExpired(and: expiry.retention, progress: progress)
    }

    /// The same with other retentions than the store's.
    ///
    /// - Throws: also `invalidQuery` if the store lacks the model or the time of one.
    package nonisolated(nonsending) func removeExpired(
        and retention: [Retention], progress: (@Sendable (_ removed: Int) -> Void)? = nil
    ) async throws(StorageError) -> Int {
        for retention in retention { try retention.check() }
        var removed = 0
        // Expired records have no retention.
        for removal in [nil] + retention { try await removeAll(removal, &removed, progress) }
        return removed
    }

    /// Calls ``removeExpired(progress:)`` now and after each interval, until the task is cancelled.
    ///
    /// ```swift
    /// let removing = Task { try await store.removeExpired(every: .seconds(3600)) }
    /// ```
    ///
    /// A server runs it in a task beside its requests; `StoreService` of StorageServices runs it as a part of the service. Several
    /// programs may run it for one store: a record is removed once.
    ///
    /// If a call fails in another way than the ones under *Throws*, the log has a warning, and the next one tries again.
    ///
    /// - Parameters:
    ///   - interval: the time from the end of a call to the next one, more than 0.
    ///   - clock: the clock that measures the interval.
    /// - Throws: `cancelled`; `closed` if the store was closed; `unsupported` if it cannot be written; `moved`; `schemaNewer` and
    ///   `schemaMismatch` if another program has changed it, so that this one must be updated; `corrupt`; `configuration` for
    ///   an interval that is not positive.
    public nonisolated(nonsending) func removeExpired<C: Clock>(
        every interval: Duration, clock: C = ContinuousClock()
    ) async throws(StorageError) where C.Duration == Duration {
        guard interval > .zero else {
            throw StorageError(
                .configuration, "Expired records cannot be removed every \(interval); give a time of more than 0.",
                operation: "removeExpired")
        }
        while true {
            do throws(StorageError) {
                let removed = try await removeExpired()
                if removed > 0 { logger.debug("removed expired records", metadata: ["count": "\(removed)"]) }
            } catch {
                switch error.code {
                case .cancelled, .closed, .unsupported, .moved, .schemaNewer, .schemaMismatch, .corrupt, .configuration:
                    throw error
                default:
                    logger.warning(
                        "expired records cannot be removed; the next call tries again",
                        metadata: ["reason": "\(error.message)"])
                }
            }
            do {
                try await clock.sleep(for: interval)
            } catch {
                throw StorageError(.cancelled, "The task was cancelled.", operation: "removeExpired")
            }
        }
    }

    /// The same on the calling thread, which does not try again where reads use a model.
    func removeExpiredBlocking() throws(StorageError) -> Int {
        var removed = 0
        for removal in [nil] + expiry.retention {
            while true {
                let part = try writingBlocking("removeExpired", isPreceded: false) { context throws(StorageError) in
                    try self.remove(removal, in: context)
                }
                removed += part.removed
                if let failure = part.failure, !part.isUnfinished { throw failure }
                if !part.isUnfinished { break }
            }
        }
        return removed
    }

    /// The time for which a range is tried again whose table reads use.
    private static let timeToDrop = Duration.seconds(5)

    private nonisolated(nonsending) func removeAll(
        _ retention: Retention?, _ removed: inout Int, _ progress: (@Sendable (_ removed: Int) -> Void)?
    ) async throws(StorageError) {
        var (attempt, began) = (0, ContinuousClock.now)
        while true {
            do throws(StorageError) {
                let part = try await writing("removeExpired", isPreceded: false) { context throws(StorageError) in
                    try self.remove(retention, in: context)
                }
                removed += part.removed
                if part.removed > 0 { progress?(removed) }
                if let failure = part.failure, !part.isUnfinished { throw failure }
                if !part.isUnfinished { return }
                (attempt, began) = (0, .now)
            } catch {
                guard retention != nil, error.code == .busy, .now - began < Self.timeToDrop else { throw error }
                // A cancelled task ends its pause, and its next attempt throws.
                try? await Task.sleep(for: Self.pause(before: attempt))
                attempt += 1
            }
        }
    }

    /// Removes as many records as one commit may: the expired ones, or the ones that are older than a retention.
    ///
    /// - Returns: the number of records, whether more may be left, and why others stay.
    private func remove(
        _ retention: Retention?, in context: TransactionContext
    ) throws(StorageError) -> (removed: Int, isUnfinished: Bool, failure: StorageError?) {
        try features.requireWritable(context.innerWriter())
        if let retention { return try RetentionRemoval(retention, in: context, of: self).run() }
        var removal = try ExpiryRemoval(expiry, in: context)
        try removal.run(at: tablesVersion)
        return (removal.removed, removal.removed >= ExpiringModels.part, removal.failure)
    }

    /// The author of the commits by which a store removes expired records, in its history and in the feed of changes.
    public static var expiryAuthor: String { ExpiryLayer.author }
}

extension Store.Blocking {
    /// Deletes expired records as `Store.removeExpired` does, but throws `busy` at once where reads keep a range from being dropped.
    @discardableResult
    public func removeExpired() throws(StorageError) -> Int { try store.removeExpiredBlocking() }
}
