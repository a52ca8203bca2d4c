public import Logging

/// An engine that a `Store` can stand on, as it is configured and not yet open.
///
/// This protocol, ``StorageEngine`` and the two sessions are all that an engine implements: 14 requirements in all, no
/// defaults among them. What they owe to a store is the storage contract; <doc:ImplementingABackend> walks through the
/// whole in-memory backend.
public protocol StorageBackend: Sendable {
    /// The scheme of URLs that mean this backend: `sqlite`.
    static var scheme: String { get }

    /// The backend that a URL describes.
    ///
    /// - Throws: `configuration` for an option or a value it does not know, listing what it accepts.
    init(url: StorageURL) throws(StorageError)

    /// Opens the engine, making an empty store where there is none.
    ///
    /// - Throws: `io`, `corrupt`, `locked`, `schemaNewer`, `full` or `configuration`, naming the place.
    func open(logger: Logger) throws(StorageError) -> any StorageEngine
}

/// An open engine.
///
/// A store guarantees: writes come one at a time; readers come at any time, from any thread; nothing comes after
/// ``close()``. An engine owes: what ``write(_:)`` returned from is durable as configured; readers neither wait for a
/// writer nor see what it has not committed, unless the capabilities say otherwise.
public protocol StorageEngine: AnyObject, Sendable {
    /// The backend's name, place, capabilities and limits. The same for the engine's whole life.
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

/// What a reader is for.
public enum ReadScope: Sendable {
    /// One query, so that there is nothing to hold still between two.
    case query
    /// Any number of queries that all see one state: that of the first.
    case snapshot
}

/// What reading and writing sessions share.
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
    /// Ends the session. Its cursors are gone by then. Called once.
    func end()
}

/// A writing session, alive during one call of ``StorageEngine/write(_:)``. Its queries see its own writes.
public protocol StorageWriter: StorageSession {
    /// Carries out a batch and returns how many rows it touched. When it throws, the store undoes what was done of it.
    ///
    /// - Throws: `duplicateKey`, `notFound` or `constraint` by ``RowBatch/error(_:_:row:)``; what the engine meets.
    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int

    /// Runs the body so that its writes and changes are undone, and nothing else, when it throws.
    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError)

    /// Makes, alters or drops a table, together with its record.
    func change(_ change: TableChange) throws(StorageError)
}

extension Logger {
    /// A logger that drops everything.
    public static var silent: Logger { Logger(label: "storage", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
