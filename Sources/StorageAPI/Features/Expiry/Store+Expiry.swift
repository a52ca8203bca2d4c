import StorageDriver

// Records that expire: reads do not see them, and writes remove them first.

extension Store {
    /// Hides and removes expired records.
    var expiry: ExpiryLayer { features.feature() }

    /// Deletes each expired record with everything that it owns, by the delete rules of references to it.
    ///
    /// No program needs it: reads don't see expired records, and every write deletes them first. Call it at intervals
    /// where many records expire between two writes, so that none of these takes long, or where observers are to be
    /// notified. It deletes up to 1,000 records in each commit, as writes do.
    ///
    /// - Returns: the number of expired records. Records that a delete rule deleted along with them are not counted.
    /// - Throws: the error of a record that cannot be deleted, such as `constraint` where a reference denies that, after all
    ///   others are; errors of the engine; `cancelled` between two commits.
    @discardableResult
    public nonisolated(nonsending) func removeExpired() async throws(StorageError) -> Int {
        var removed = 0
        while true {
            let part = try await writing("removeExpired", isPreceded: false) { context throws(StorageError) in
                try self.removeExpired(in: context)
            }
            removed += part.removed
            if part.removed < ExpiringModels.part { return try Self.result(removed, part.failure) }
        }
    }

    func removeExpiredBlocking() throws(StorageError) -> Int {
        var removed = 0
        while true {
            let part = try writingBlocking("removeExpired", isPreceded: false) { context throws(StorageError) in
                try self.removeExpired(in: context)
            }
            removed += part.removed
            if part.removed < ExpiringModels.part { return try Self.result(removed, part.failure) }
        }
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
