import StorageDriver

extension Select {
    /// A record that a search has found.
    public struct Hit {
        /// The record with all that it owns.
        public let record: Model
        /// Its relevance, greater for better records: BM25 with k1 1.2 and b 0.75, by the statistics of all records.
        public let relevance: Double
    }
}

extension Select.Hit: Sendable {}

extension Select where Source == Store {
    /// The records of a search with their relevance, the best first, or in the order by relevance that the query gives.
    ///
    /// - Throws: `invalidQuery` without a `matches` condition; errors of `all()`.
    public nonisolated(nonsending) func hits() async throws(StorageError) -> [Hit] {
        try await run { (reading) throws(StorageError) in try hits(reading) }
    }
}

extension Select where Source == Store.Session {
    /// The records of a search with their relevance, the best first, or in the order by relevance that the query gives.
    ///
    /// - Throws: `invalidQuery` without a `matches` condition; errors of `all()`.
    public func hits() throws(StorageError) -> [Hit] {
        try run { (reading) throws(StorageError) in try hits(reading) }
    }
}

extension Select {
    fileprivate func hits(_ reading: RecordReader) throws(StorageError) -> [Hit] {
        var selection = selection
        if selection.order.isEmpty { selection.order = [Relevance().descending] }
        guard let hits = try reading.hits(Model.self, selection) else {
            throw StorageError(
                .invalidQuery, "The hits of a search come by their relevance; order by it, or by nothing.",
                model: reading.handle.name)
        }
        return hits.map { Hit(record: $0.record, relevance: $0.relevance) }
    }
}
