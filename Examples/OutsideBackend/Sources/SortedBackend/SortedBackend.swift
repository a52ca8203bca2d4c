public import Logging
public import StorageDriver
import Synchronization

/// Keeps each table as an array that is sorted by key: the whole of a backend, for whoever writes another one.
public struct SortedBackend: StorageBackend {
    public static let scheme = "sorted"
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
    var tables = Tables()
}

private final class Engine: StorageEngine {
    private let place: SortedBackend.Place

    init(_ place: SortedBackend.Place) { self.place = place }

    var info: BackendInfo { .inMemory("sorted", sharing: "Memory belongs to one process.") }

    func reader(_: ReadScope) throws(StorageError) -> any StorageReader { TableReader(try current()) }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        let writer = TableWriter(try current())
        try body(writer)
        place.state.withLock { $0.tables = writer.state }
    }

    func close() { place.state.withLock { $0.isOpen = false } }

    private func current() throws(StorageError) -> Tables {
        let (isOpen, tables) = place.state.withLock { ($0.isOpen, $0.tables) }
        guard isOpen else { throw StorageError(.closed, "The engine is closed.") }
        return tables
    }
}

extension BackendInfo {
    /// - Parameter sharing: why other stores cannot use the place at the same time; nil if they can.
    static func inMemory(_ name: String, sharing: String?) -> BackendInfo {
        var lacking: [Capability: String] = [
            .durability: "It keeps records in memory.",
            .damageDetection: "There is no file that could be damaged.",
        ]
        lacking[.sharing] = sharing
        lacking[.foreignCommits] = sharing
        return BackendInfo(name: name, location: "memory", lacking: lacking)
    }
}
