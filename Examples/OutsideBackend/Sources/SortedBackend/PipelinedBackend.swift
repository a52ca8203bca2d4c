public import Logging
public import StorageDriver
import Synchronization

/// The same tables in an engine that runs a transaction before the previous one is durable: an example of a
/// `PipeliningEngine`.
///
/// A commit becomes visible and durable in `finish()`. Here nothing is written to a disk; an engine with a file appends the
/// commit to it in `writeAhead(_:)` and waits for the disk in `finish()`, where one sync may serve several commits.
public struct PipelinedBackend: StorageBackend {
    public static let scheme = "pipelined"
    private let place: Place

    /// The data that a closed store leaves in this process.
    public final class Place: Sendable {
        fileprivate let state = Mutex(State())
        public init() {}
    }

    public init(_ place: Place) { self.place = place }

    public init(url: StorageURL) throws(StorageError) {
        try StorageURL.Options(url).finish()
        self.init(Place())
    }

    public func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        let isFree = place.state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard isFree else { throw StorageError(.locked, "Another store uses this place; close it first.") }
        return Engine(place)
    }
}

private struct State {
    var isOpen = false
    /// The commits that are durable, which readers see.
    var durable = Tables()
    /// The durable commits, and those that have run and are not durable yet, which the next transaction sees.
    var newest = Tables()
}

private final class Engine: PipeliningEngine {
    private let place: PipelinedBackend.Place

    init(_ place: PipelinedBackend.Place) { self.place = place }

    var info: BackendInfo { .inMemory("pipelined", sharing: "Memory belongs to one process.") }

    func reader(_: ReadScope) -> any StorageReader { TableReader(place.state.withLock { $0.durable }) }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try writeAhead(body).finish()
    }

    func writeAhead(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> any PendingCommit {
        // One transaction runs at a time, so no other transaction changes the newest state meanwhile.
        let writer = TableWriter(place.state.withLock { $0.newest })
        try body(writer)
        let tables = writer.state
        place.state.withLock { $0.newest = tables }
        return Commit(place, tables)
    }

    func close() { place.state.withLock { $0.isOpen = false } }
}

/// A commit that has run. The store finishes commits in their order, each once.
private struct Commit: PendingCommit {
    let place: PipelinedBackend.Place
    let tables: Tables

    init(_ place: PipelinedBackend.Place, _ tables: Tables) { (self.place, self.tables) = (place, tables) }

    func finish() { place.state.withLock { $0.durable = tables } }
}
