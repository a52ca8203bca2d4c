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
    /// - Returns: the number of these records. Records that a delete rule deleted along with them are not counted.
    /// - Throws: the error of a record that cannot be deleted, such as `constraint` where a reference denies that, after all
    ///   others are; `busy`; errors of the engine; `cancelled` between two commits.
    @discardableResult
    public nonisolated(nonsending) func removeExpired() async throws(StorageError) -> Int {
        var removed = 0
        for removal in removals { removed += try await removeAll(removal) }
        return removed
    }

    /// The same on the calling thread, which does not try again where reads use a model.
    func removeExpiredBlocking() throws(StorageError) -> Int {
        var removed = 0
        for removal in removals {
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

    /// The expired records, which have no retention, and then each retention.
    private var removals: [Retention?] { [nil] + expiry.retention }

    /// The time for which a range is tried again whose table reads use.
    private static let timeToDrop = Duration.seconds(5)

    private nonisolated(nonsending) func removeAll(_ retention: Retention?) async throws(StorageError) -> Int {
        var (removed, attempt, began) = (0, 0, ContinuousClock.now)
        while true {
            do throws(StorageError) {
                let part = try await writing("removeExpired", isPreceded: false) { context throws(StorageError) in
                    try self.remove(retention, in: context)
                }
                removed += part.removed
                if let failure = part.failure, !part.isUnfinished { throw failure }
                if !part.isUnfinished { return removed }
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
