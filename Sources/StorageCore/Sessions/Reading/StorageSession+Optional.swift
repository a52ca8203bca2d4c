import StorageDriver

// The optional features of sessions, for sessions with and without them.
extension StorageSession {
    /// Tells the session of queries, if it wants to know of them before they are asked.
    package func forwardPrefetch(_ queries: [QueryRequest]) { (self as? any PrefetchingSession)?.prefetch(queries) }

    /// Returns the session's query plan.
    ///
    /// - Throws: `unsupported` if its engine cannot tell.
    package func explained(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        guard let session = self as? any QueryExplaining else {
            throw StorageError(.unsupported, "The backend cannot explain queries.")
        }
        return try session.explain(plan, arguments)
    }
}
