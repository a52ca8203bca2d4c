import StorageDriver

/// A session that counts for a call.
class MeteredSession: QueryExplaining, AnnouncingSession {
    private let session: any StorageSession
    fileprivate let call: MeteredCall

    fileprivate init(_ session: any StorageSession, _ call: MeteredCall) {
        self.session = session
        self.call = call
    }

    final func tables() throws(StorageError) -> [TableSchema] { try session.tables() }

    final func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        call.counting(try session.rows(plan, arguments), width: plan.query.width)
    }

    final func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try session.greatestKey(in: table) }

    final func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try session.explained(plan, arguments)
    }

    final func announce(_ queries: [QueryRequest]) { session.passOn(queries) }
}

/// A reading session that counts for a call.
final class MeteredReader: MeteredSession, StorageReader {
    private let reader: any StorageReader

    init(_ reader: any StorageReader, _ call: MeteredCall) {
        self.reader = reader
        super.init(reader, call)
    }

    func end() { reader.end() }
}

/// A writing session that counts for a call.
class MeteredWriter: MeteredSession, StorageWriter {
    private let writer: any StorageWriter

    fileprivate init(_ writer: any StorageWriter, _ call: MeteredCall) {
        self.writer = writer
        super.init(writer, call)
    }

    /// The session with the optional features of the engine's own.
    static func metering(_ writer: any StorageWriter, _ call: MeteredCall) -> MeteredWriter {
        (writer as? any ChoosingWriter).map { MeteredChoosingWriter(choosing: $0, call) } ?? MeteredWriter(writer, call)
    }

    final func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        call.addWritten(batch)
        return try writer.write(batch)
    }

    final func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) { try writer.savepoint(body) }

    final func change(_ change: TableChange) throws(StorageError) { try writer.change(change) }
}

/// The same for an engine that deletes what a query chooses by itself.
private final class MeteredChoosingWriter: MeteredWriter, ChoosingWriter {
    private let writer: any ChoosingWriter

    init(choosing writer: any ChoosingWriter, _ call: MeteredCall) {
        self.writer = writer
        super.init(writer, call)
    }

    func delete(
        _ plan: WritePlan, keysOf keys: QueryPlan, _ arguments: QueryArguments
    ) throws(StorageError) -> Int {
        let count = try writer.delete(plan, keysOf: keys, arguments)
        call.addDeleted(count)
        return count
    }
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
