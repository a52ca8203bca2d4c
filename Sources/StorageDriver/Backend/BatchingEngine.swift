/// An optional feature of an engine that waits for a server: it sends several batches in one round trip.
///
/// The store offers it the transactions of one commit. A writer then returns from `write` before the batch is carried out, and
/// sends all that wait when something is read or the transaction ends:
///
/// ```
/// func writeBatching(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) -> Bool {
///     let writer = Writer(connection, isBatching: true)   // write(_:) adds to writer.waiting and returns batch.count
///     try body(writer)
///     guard try connection.send(writer.waiting) else { return false }   // one round trip; a row was refused
///     try connection.commit()
///     return true
/// }
/// ```
public protocol BatchingEngine: StorageEngine {
    /// Runs the body in a transaction as ``StorageEngine/write(_:)`` does. But its writer may return from `write` before a
    /// batch is carried out, with the count that success would give. It is carried out before anything is read, and before
    /// the commit. No batch waits whose count is an answer: deletes of roots, and patches.
    ///
    /// The engine may run the body again, as by ``writeRepeatably(_:)``.
    ///
    /// - Returns: false if a waiting batch has failed, because its error names no row, or if other writers conflict. The
    ///   transaction then has no effect, and the store runs everything again by `writeRepeatably`.
    func writeBatching(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool

    /// Runs a transaction as ``StorageEngine/write(_:)`` does, whose body may run any number of times. An engine that
    /// waits for a server to be replaced repeats it if the connection is lost and no part of it is stored. The default
    /// is `write`.
    func writeRepeatably(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError)
}

extension BatchingEngine {
    public func writeRepeatably(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try write(body)
    }
}

/// An optional feature of a session that waits for a server: it learns of queries before they are asked, so that it can
/// send them in one round trip with the first of them.
///
/// The store announces its queries for owned records before it asks them one after the other. Keep them, send them with the
/// next query of the session, and answer a later `rows(_:_:)` with the same plan and arguments from the rows that came
/// back.
public protocol PrefetchingSession: StorageSession {
    /// Announces queries that are likely to be asked soon, without a limit and each once. Replaces earlier
    /// announcements.
    func prefetch(_ queries: [QueryRequest])
}

/// An optional feature of the writer that ``BatchingEngine/writeBatching(_:)`` gives: a query takes its place among the batches
/// that wait, and is answered with them.
///
/// ```
/// func later(_ query: QueryRequest) throws(StorageError) -> (any DeferredAnswer)? {
///     let answer = Answer(self, query)
///     waiting.append(.query(answer))   // sent after earlier batches, and before later ones
///     return answer
/// }
/// ```
public protocol DeferringWriter: StorageWriter {
    /// Asks a query whose rows are needed later. They are as they would be now, whatever is written afterwards.
    ///
    /// - Returns: nil if the query cannot wait, so that the caller asks it at once.
    func later(_ query: QueryRequest) throws(StorageError) -> (any DeferredAnswer)?
}

/// The answer to a query that was asked to be answered later.
public protocol DeferredAnswer: AnyObject {
    /// The bytes of memory that the rows take; 0 if they have not arrived.
    var bytes: Int { get }

    /// Returns the rows, from the first on. Sends the waiting batches if the query is not answered yet.
    ///
    /// - Throws: an error of the query, or of a batch that was carried out with it.
    func rows() throws(StorageError) -> Cursor
}

/// A query with its values.
public struct QueryRequest {
    /// The shape of the query.
    public let plan: QueryPlan
    /// Its values.
    public let arguments: QueryArguments

    /// A query with its values.
    public init(plan: QueryPlan, arguments: QueryArguments) {
        self.plan = plan
        self.arguments = arguments
    }
}
