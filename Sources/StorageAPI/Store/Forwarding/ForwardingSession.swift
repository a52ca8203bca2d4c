import StorageDriver

/// A session that forwards every call to another one. A layer overrides the calls that it changes or observes.
///
/// Used by one thread at a time, as every session is.
class ForwardingSession: QueryExplaining, PrefetchingSession {
    private let base: any StorageSession

    init(forwardingTo base: any StorageSession) { self.base = base }

    func tables() throws(StorageError) -> [TableSchema] { try base.tables() }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try base.rows(plan, arguments)
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try base.greatestKey(in: table) }

    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try base.explained(plan, arguments)
    }

    func prefetch(_ queries: [QueryRequest]) { base.forwardPrefetch(queries) }
}

/// A reading session that forwards every call to another one.
class ForwardingReader: ForwardingSession, StorageReader {
    /// The session below.
    final let reader: any StorageReader

    init(_ reader: any StorageReader) {
        self.reader = reader
        super.init(forwardingTo: reader)
    }

    final func end() { reader.end() }
}

/// A writing session that forwards every call to another one.
///
/// It does not delete the rows of a query by itself: a layer then sees the keys of the deleted records.
class ForwardingWriter: ForwardingSession, DeferringWriter {
    /// The session below, for rows that a layer writes.
    final let writer: any StorageWriter

    init(_ writer: any StorageWriter) {
        self.writer = writer
        super.init(forwardingTo: writer)
    }

    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int { try writer.write(batch) }

    func later(_ query: QueryRequest) throws(StorageError) -> (any DeferredAnswer)? {
        try (writer as? any DeferringWriter)?.later(query)
    }

    final func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        beginSavepoint()
        do throws(StorageError) {
            try writer.savepoint(body)
        } catch {
            endSavepoint(isUndone: true)
            throw error
        }
        endSavepoint(isUndone: false)
    }

    /// The subscriber of the type to the transaction's changes; nil for none.
    func subscriber<S: AnyObject>(_ type: S.Type) -> S? { (writer as? ForwardingWriter)?.subscriber(type) }

    func change(_ change: TableChange) throws(StorageError) { try writer.change(change) }

    /// Called before a savepoint begins, so that a layer can return to its state at that point.
    func beginSavepoint() {}

    /// Called when the innermost savepoint has ended.
    func endSavepoint(isUndone: Bool) {}
}
