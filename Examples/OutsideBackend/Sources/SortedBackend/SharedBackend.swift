public import Logging
public import StorageDriver
import Synchronization

/// Engines that share the same tables: an example of a `SharedTablesEngine` and an `ExternalCommitsEngine`.
///
/// Several stores may be open at one place. They stand for several processes: none learns from another but by what the place
/// has. An engine on files counts in a file, one on a server asks the server.
public struct SharedBackend: StorageBackend {
    public static let scheme = "shared"
    private let place: Place

    /// The state that all stores at the place share.
    public final class Place: Sendable {
        fileprivate let state = Mutex(State())
        /// Held by the transaction that runs.
        fileprivate let writing = Mutex(())
        public init() {}
    }

    public init(_ place: Place) { self.place = place }

    public init(url: StorageURL) throws(StorageError) {
        try StorageURL.Options(url).finish()
        self.init(Place())
    }

    public func open(logger: Logger) throws(StorageError) -> any StorageEngine { Engine(place) }
}

private struct State {
    var tables = Tables()
    /// The number of commits so far.
    var commits = 0
    /// The number of commits so far that have changed tables.
    var tableChanges = 0
}

private final class Engine: SharedTablesEngine, ExternalCommitsEngine {
    private struct Own {
        var commits = 0
        var tableChanges = 0
    }

    private let place: SharedBackend.Place
    /// The commits of this engine.
    private let own = Mutex(Own())
    private let isOpen = Atomic(true)

    init(_ place: SharedBackend.Place) { self.place = place }

    var info: BackendInfo { .inMemory("shared", sharing: nil) }

    /// Another number after another engine has changed tables. Asked in a transaction, so no engine changes them now.
    var tablesVersion: Int { place.state.withLock(\.tableChanges) - own.withLock(\.tableChanges) }

    func externalCommits() -> ExternalCommitCount {
        .count(place.state.withLock(\.commits) - own.withLock(\.commits))
    }

    func reader(_: ReadScope) throws(StorageError) -> any StorageReader {
        try checkOpen()
        return SharedReader(place.state.withLock(\.tables))
    }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try checkOpen()
        try place.writing.withLock { (_) throws(StorageError) in
            let before = place.state.withLock(\.tables)
            let writer = TableWriter(before)
            try body(writer)
            let changesTables = writer.tables() != before.list.map(\.schema)
            // What is counted for both in one step is never seen as another engine's.
            place.state.withLock { state in
                own.withLock { own in
                    state.tables = writer.state
                    state.commits += 1
                    own.commits += 1
                    if changesTables {
                        state.tableChanges += 1
                        own.tableChanges += 1
                    }
                }
            }
        }
    }

    func close() { isOpen.store(false, ordering: .releasing) }

    private func checkOpen() throws(StorageError) {
        guard isOpen.load(ordering: .acquiring) else { throw StorageError(.closed, "The engine is closed.") }
    }
}

/// A plan may be older than the tables: it finds columns by their places, so these must be as they were. A writer's plans need
/// no check: the store asks `tablesVersion` when a transaction begins, and nothing else changes tables until it ends.
private final class SharedReader: TableReader {
    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try plan.tables.requireStored(in: tables(), inPlace: true)
        return try super.rows(plan, arguments)
    }
}
