public import Logging

/// A configured engine that is not open yet.
///
/// This protocol, ``StorageEngine`` and the sessions are the driver interface: 14 requirements without defaults. The
/// storage contract specifies their behaviour. <doc:ImplementingABackend> explains the in-memory backend as a complete
/// example.
public protocol StorageBackend: Sendable {
    /// The URL scheme of this backend: `sqlite`.
    static var scheme: String { get }

    /// The backend that a URL describes.
    ///
    /// - Throws: `configuration` for an unknown option or value; the message lists the accepted ones.
    init(url: StorageURL) throws(StorageError)

    /// Opens the engine. Creates an empty store if none exists.
    ///
    /// - Throws: `io`, `corrupt`, `locked`, `schemaNewer`, `full` or `configuration`, with the store's location.
    func open(logger: Logger) throws(StorageError) -> any StorageEngine
}

/// An open engine.
///
/// The store guarantees that writes come one at a time, that readers come at any time from any thread, and that no call
/// follows ``close()``. The engine guarantees that a write is durable, as configured, when ``write(_:)`` returns, and
/// that readers neither wait for a writer nor see its uncommitted changes, unless its capabilities say otherwise.
public protocol StorageEngine: AnyObject, Sendable {
    /// The backend's name, location, capabilities and limits. They do not change while the engine is open.
    var info: BackendInfo { get }

    /// A reader of the last commit.
    func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader

    /// Runs the body in a transaction: commits when it returns, undoes everything when it throws.
    ///
    /// - Throws: the body's error unchanged, or why the transaction could not begin or commit.
    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError)

    /// Closes the engine and every reader that has not ended.
    func close() throws(StorageError)
}

/// The purpose of a reader.
public enum ReadScope: Sendable {
    /// One query. The reader need not keep a snapshot between queries.
    case query
    /// Any number of queries, which all see the snapshot of the first.
    case snapshot
}

/// The common part of reading and writing sessions.
public protocol StorageSession: AnyObject {
    /// The recorded tables, in the order in which they were created.
    func tables() throws(StorageError) -> [TableSchema]

    /// The rows of a query.
    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor

    /// The greatest key that a table which assigns keys has ever held, or 0.
    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64
}

/// A reading session. Used by one thread at a time.
public protocol StorageReader: StorageSession {
    /// Ends the session. Called once, after its cursors were released.
    func end()
}

/// A writing session, alive during one call of ``StorageEngine/write(_:)``. Its queries see its writes.
public protocol StorageWriter: StorageSession {
    /// Executes a batch and returns the number of changed rows. If it throws, the store undoes the partial work.
    ///
    /// - Throws: `duplicateKey`, `notFound` or `constraint`, made by ``RowBatch/error(_:_:row:)``; errors of the
    ///   engine.
    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int

    /// Runs the body. If it throws, undoes exactly its writes and changes.
    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError)

    /// Creates, alters or drops a table, together with its recorded schema.
    func change(_ change: TableChange) throws(StorageError)
}

extension Logger {
    /// A logger that drops everything.
    public static var silent: Logger { Logger(label: "storage", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
