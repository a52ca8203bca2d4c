import StorageDriver

/// A reading session that counts for a call.
final class MeteredReader: StorageReader, QueryExplaining, AnnouncingSession {
    private let reader: any StorageReader
    private let call: MeteredCall

    init(_ reader: any StorageReader, _ call: MeteredCall) {
        self.reader = reader
        self.call = call
    }

    func tables() throws(StorageError) -> [TableSchema] { try reader.tables() }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        call.counting(try reader.rows(plan, arguments), width: plan.query.width)
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try reader.greatestKey(in: table) }

    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try reader.explained(plan, arguments)
    }

    func announce(_ queries: [QueryRequest]) { reader.passOn(queries) }

    func end() { reader.end() }
}

/// A writing session that counts for a call.
final class MeteredWriter: StorageWriter, QueryExplaining, AnnouncingSession {
    private let writer: any StorageWriter
    private let call: MeteredCall

    init(_ writer: any StorageWriter, _ call: MeteredCall) {
        self.writer = writer
        self.call = call
    }

    func tables() throws(StorageError) -> [TableSchema] { try writer.tables() }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        call.counting(try writer.rows(plan, arguments), width: plan.query.width)
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try writer.greatestKey(in: table) }

    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try writer.explained(plan, arguments)
    }

    func announce(_ queries: [QueryRequest]) { writer.passOn(queries) }

    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        call.addWritten(batch)
        return try writer.write(batch)
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) { try writer.savepoint(body) }

    func change(_ change: TableChange) throws(StorageError) { try writer.change(change) }
}

extension StorageSession {
    /// Tells the session of queries, if it wants to know of them before they are asked.
    func passOn(_ queries: [QueryRequest]) { (self as? any AnnouncingSession)?.announce(queries) }

    /// How the session runs a query.
    ///
    /// - Throws: `unsupported` if its engine cannot tell.
    func explained(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        guard let session = self as? any QueryExplaining else {
            throw StorageError(.unsupported, "The backend cannot explain queries.")
        }
        return try session.explain(plan, arguments)
    }
}
