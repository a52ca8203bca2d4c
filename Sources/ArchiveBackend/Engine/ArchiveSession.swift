internal import Logging
internal import StorageDriver

/// Logs the engine's work at `trace`: the way in which each query finds its rows, and each commit. No values are
/// logged.
final class QueryTrace: Sendable {
    private let logger: Logger

    /// Nil if the logger does not log `trace`.
    init?(_ logger: Logger) {
        guard logger.logLevel <= .trace else { return nil }
        self.logger = logger
    }

    func log(_ query: QueryExplanation, since began: ContinuousClock.Instant) {
        logger.trace("\(query)", metadata: ["duration": "\(ContinuousClock.now - began)"])
    }

    func logCommit(_ sequence: UInt64?, bytes: Int64, since began: ContinuousClock.Instant) {
        logger.trace(
            "commit \(sequence.map(String.init) ?? "of nothing")",
            metadata: ["bytes": "\(bytes)", "duration": "\(ContinuousClock.now - began)"])
    }
}

/// A session's tables: a value that no one else changes.
class ArchiveSession: StorageSession, QueryExplaining, WorkCountingSession {
    /// The log for each query; nil if queries are not logged.
    private let trace: QueryTrace?

    init(_ trace: QueryTrace?) { self.trace = trace }

    func view() throws(StorageError) -> ArchiveTables { throw ArchiveEngine.closed }

    final func tables() throws(StorageError) -> [TableSchema] { try view().schemas }

    final func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        guard let trace else { return try view().rows(plan, arguments, isReading: self is ArchiveReader) }
        let began = ContinuousClock.now
        let rows = try view().rows(plan, arguments, isReading: self is ArchiveReader)
        trace.log(try view().explain(plan, arguments), since: began)
        return rows
    }

    final func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, counting work: QueryWork
    ) throws(StorageError) -> Cursor {
        try view().rows(plan, arguments, isReading: self is ArchiveReader, counting: work)
    }

    final func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        try view().table(table).greatestKey
    }

    final func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try view().explain(plan, arguments)
    }
}

/// A reader of one commit.
final class ArchiveReader: ArchiveSession, StorageReader {
    private let tables: ArchiveTables

    init(_ tables: ArchiveTables, _ trace: QueryTrace?) {
        self.tables = tables
        super.init(trace)
    }

    override func view() -> ArchiveTables { tables }

    func end() {}
}

/// The writing session of one transaction.
final class ArchiveWriter: ArchiveSession, StorageWriter {
    private(set) var changes: PendingChanges
    private let builder: RowBuilder
    private let written: WrittenKeys

    init(_ tables: ArchiveTables, builder: RowBuilder, written: WrittenKeys, trace: QueryTrace?) {
        changes = PendingChanges(tables)
        (self.builder, self.written) = (builder, written)
        super.init(trace)
    }

    override func view() -> ArchiveTables { changes.tables }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        let before = PendingChanges(copying: changes)
        let written = builder.packedBytes
        do {
            try body()
            if builder.packedBytes &- written >= RecordSizeCheck.minimumWritten {
                try RecordSizeCheck.check(changes.tables, since: before.tables, largestRow: builder.largestRow)
            }
        } catch {
            changes = before
            throw error
        }
    }

    func change(_ change: TableChange) throws(StorageError) {
        // A table may get another key, or be another one of the same name.
        written.noteMany()
        try changes.apply(change)
    }

    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        try changes.write(batch, builder, noting: written)
    }
}
