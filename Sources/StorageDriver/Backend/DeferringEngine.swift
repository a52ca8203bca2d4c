/// An optional feature of an engine that waits for a server: it sends several batches, or queries, in one round trip.
package protocol DeferringEngine: StorageEngine {
    /// Runs the body in a transaction as ``StorageEngine/write(_:)`` does. But its writer may return from `write` before a
    /// batch is carried out, with the count that success would give. It is carried out before anything is read, and before
    /// the commit. No batch is deferred whose count is an answer: deletes of roots, and patches.
    ///
    /// - Returns: false if a deferred batch has failed, whose error is not that of a row. Nothing is then done, and the store
    ///   runs everything again by `write`.
    func writeDeferring(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool
}

/// A session that is told of queries before they are asked.
package protocol AnnouncingSession: StorageSession {
    /// Tells of queries that are likely to be asked soon, without a limit and each once. Forgets what was told before.
    func announce(_ queries: [QueryRequest])
}

/// A query with its values.
package struct QueryRequest {
    package let plan: QueryPlan
    package let arguments: QueryArguments

    package init(plan: QueryPlan, arguments: QueryArguments) {
        self.plan = plan
        self.arguments = arguments
    }
}
