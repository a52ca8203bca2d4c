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
    /// Where an engine keeps a model in ranges of its keys, it drops a whole range of records that are older than the retention in
    /// one commit, and no record of another range. It deletes record by record if something has to learn of each: a history or a
    /// search index of the model, a layer, or references to it. Observers learn that the model has changed. Reads of the model wait
    /// for a moment; if reads use it all the time, the call tries again for some seconds, and then throws `busy`.
    ///
    /// - Returns: the number of these records. Records that a delete rule deleted along with them are not counted.
    /// - Throws: the error of a record that cannot be deleted, such as `constraint` where a reference denies that, after all
    ///   others are; `busy`; errors of the engine; `cancelled` between two commits.
    @discardableResult
    public nonisolated(nonsending) func removeExpired() async throws(StorageError) -> Int {
        var removed = 0
        while true {
            let part = try await writing("removeExpired", isPreceded: false) { context throws(StorageError) in
                try self.removeExpired(in: context)
            }
            removed += part.removed
            if part.removed < ExpiringModels.part {
                removed = try Self.result(removed, part.failure)
                break
            }
        }
        for retention in expiry.retention { removed += try await removePassed(retention) }
        return removed
    }

    private nonisolated(nonsending) func removePassed(_ retention: Retention) async throws(StorageError) -> Int {
        var (removed, attempt) = (0, 0)
        while true {
            do throws(StorageError) {
                let part = try await writing("removeExpired", isPreceded: false) { context throws(StorageError) in
                    try self.removePassed(retention, in: context)
                }
                removed += part.removed
                if !part.isUnfinished { return try Self.result(removed, part.failure) }
                attempt = 0
            } catch {
                guard error.code == .busy, attempt < Self.attemptsToDrop else { throw error }
                // A cancelled task ends its pause, and its next attempt throws.
                try? await Task.sleep(for: Self.pause(before: attempt))
                attempt += 1
            }
        }
    }

    /// The number of times that a range is tried again whose table reads use: with the pauses about five seconds.
    private static let attemptsToDrop = 12

    func removeExpiredBlocking() throws(StorageError) -> Int {
        var removed = 0
        while true {
            let part = try writingBlocking("removeExpired", isPreceded: false) { context throws(StorageError) in
                try self.removeExpired(in: context)
            }
            removed += part.removed
            if part.removed < ExpiringModels.part {
                removed = try Self.result(removed, part.failure)
                break
            }
        }
        for retention in expiry.retention {
            while true {
                let part = try writingBlocking("removeExpired", isPreceded: false) { context throws(StorageError) in
                    try self.removePassed(retention, in: context)
                }
                removed += part.removed
                if !part.isUnfinished {
                    removed = try Self.result(removed, part.failure)
                    break
                }
            }
        }
        return removed
    }

    private func removePassed(
        _ retention: Retention, in context: TransactionContext
    ) throws(StorageError) -> (removed: Int, isUnfinished: Bool, failure: StorageError?) {
        try features.requireWritable(context.innerWriter())
        return try RetentionRemoval(retention, in: context, of: self).run()
    }

    private static func result(_ removed: Int, _ failure: StorageError?) throws(StorageError) -> Int {
        if let failure { throw failure }
        return removed
    }

    /// The author of the commits by which a store removes expired records, in its history and in the feed of changes.
    public static var expiryAuthor: String { ExpiryLayer.author }

    /// Deletes expired records, as many as one commit may.
    ///
    /// - Returns: the number of records, and why others stay.
    private func removeExpired(
        in context: TransactionContext
    ) throws(StorageError) -> (removed: Int, failure: StorageError?) {
        try features.requireWritable(context.innerWriter())
        var removal = try ExpiryRemoval(expiry, in: context)
        try removal.run(at: tablesVersion)
        return (removal.removed, removal.failure)
    }
}
