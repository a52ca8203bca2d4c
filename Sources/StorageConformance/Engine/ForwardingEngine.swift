internal import Logging
internal import StorageAPI
internal import StorageDriver

/// A backend of a case around the tested one, whose calls it hears.
protocol ForwardingBackend: StorageBackend {
    var backend: any StorageBackend { get }
    /// An engine that passes the calls to another.
    func forward(to engine: any StorageEngine) -> ForwardingEngine
}

extension ForwardingBackend {
    static var scheme: String { "forwarding" }

    init(url: StorageURL) throws(StorageError) {
        throw StorageError(.configuration, "This backend has no URL; it is made around another one.")
    }

    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        forward(to: try backend.open(logger: logger))
    }
}

/// Passes the calls to another engine, each by a closure that a case may replace.
final class ForwardingEngine: StorageEngine {
    /// The parts of an engine that cases replace.
    struct Parts: Sendable {
        var info: @Sendable (inout BackendInfo) -> Void = { _ in }
        var reader: @Sendable (any StorageReader) -> any StorageReader = { $0 }
        /// Is called before each write.
        var begin: @Sendable () throws(StorageError) -> Void = {}
        var writer: @Sendable (any StorageWriter) -> any StorageWriter = { $0 }
        /// Is called when a write has run, before it is committed.
        var commit: @Sendable () throws(StorageError) -> Void = {}
        var close: @Sendable (any StorageEngine) throws(StorageError) -> Void = { (engine) throws(StorageError) in
            try engine.close()
        }
    }

    private let engine: any StorageEngine
    private let parts: Parts

    init(_ engine: any StorageEngine, _ change: (inout Parts) -> Void) {
        var parts = Parts()
        change(&parts)
        (self.engine, self.parts) = (engine, parts)
    }

    var info: BackendInfo {
        var info = engine.info
        parts.info(&info)
        return info
    }

    func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
        parts.reader(try engine.reader(scope))
    }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try parts.begin()
        try engine.write { (writer) throws(StorageError) in
            try body(parts.writer(writer))
            try parts.commit()
        }
    }

    func close() throws(StorageError) { try parts.close(engine) }
}

/// Passes the calls to another writer.
class ForwardingWriter: StorageWriter {
    let writer: any StorageWriter

    init(_ writer: any StorageWriter) { self.writer = writer }

    func tables() throws(StorageError) -> [TableSchema] { try writer.tables() }
    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try writer.rows(plan, arguments)
    }
    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int { try writer.write(batch) }
    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try writer.greatestKey(in: table) }
    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) { try writer.savepoint(body) }
    func change(_ change: TableChange) throws(StorageError) { try writer.change(change) }
}
