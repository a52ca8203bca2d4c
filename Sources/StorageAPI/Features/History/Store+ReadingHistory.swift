import StorageDriver

extension Store {
    /// Reads the history that the store keeps, in one snapshot.
    ///
    /// - Throws: `configuration` if it keeps none.
    nonisolated(nonsending) func readingHistory<T: Sendable>(
        _ operation: String,
        _ body: sending (HistoryReading, HistorySettings) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try checkNotInTransaction(operation)
        return try await reads { () throws(StorageError) in
            try self.checkCancellation(operation)
            return try self.withReader(operation, .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                let history = try self.history.reading(in: reader)
                return try body(history, try history.tables.settings(in: reader))
            }
        }
    }
}
