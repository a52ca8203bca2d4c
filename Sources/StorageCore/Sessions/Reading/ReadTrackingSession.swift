import StorageDriver

/// A session that recognises a repeated read with the same result, by a digest of the rows of the result.
package protocol ReadTrackingSession: StorageSession {
    /// The rows of a query.
    ///
    /// - Parameter shown: the number of cells at the beginning of each row that are a part of the result; nil if the caller
    ///   adds to the digest itself.
    func trackedRows(_ plan: QueryPlan, _ arguments: QueryArguments, shown: Int?) throws(StorageError) -> Cursor

    /// The session below, for rows that are no part of a result and follow from a model's records.
    ///
    /// - Parameter model: the model, which counts as read.
    func untracked(reading model: StoredName) -> any StorageSession

    /// Adds a part of the result to the digest.
    func show(_ body: (inout RowDigest) -> Void)
}

extension StorageSession {
    /// Rows whose first cells alone are a part of the result. The store needs the other cells to place the rows.
    package func rows(_ plan: QueryPlan, _ arguments: QueryArguments, shown: Int) throws(StorageError) -> Cursor {
        guard let tracking = self as? any ReadTrackingSession else { return try rows(plan, arguments) }
        return try tracking.trackedRows(plan, arguments, shown: shown)
    }

    /// The rows of a query. If not all are a part of the result, the caller must show the rows that are.
    func rows(_ plan: QueryPlan, _ arguments: QueryArguments, isShown: Bool) throws(StorageError) -> Cursor {
        guard !isShown, let tracking = self as? any ReadTrackingSession else { return try rows(plan, arguments) }
        return try tracking.trackedRows(plan, arguments, shown: nil)
    }

    /// Shows a part of its result to an observer.
    func showToObserver(_ body: (inout RowDigest) -> Void) { (self as? any ReadTrackingSession)?.show(body) }
}
