public import Logging
public import StorageDriver
import Synchronization

/// Keeps each table as an array that is sorted by key: the whole of a backend, for whoever writes another one.
public struct SortedBackend: StorageBackend {
    public static let scheme = "sorted"
    private let place: Place

    /// What a closed store leaves behind, in this process.
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

    var info: BackendInfo {
        BackendInfo(
            name: "sorted", location: "memory",
            lacking: [
                .durability: "It keeps records in memory.",
                .sharing: "Memory belongs to one process.",
                .foreignCommits: "Memory belongs to one process.",
                .damageDetection: "There is no file that could be damaged.",
            ])
    }

    func reader(_: ReadScope) throws(StorageError) -> any StorageReader { Reader(try current()) }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        let writer = Writer(try current())
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

/// A session looks at a value that nobody else changes: that is a snapshot, and undoing is keeping the old value.
private class Session: StorageSession {
    final var state: Tables

    init(_ state: Tables) { self.state = state }

    final func tables() -> [TableSchema] { state.list.map(\.schema) }

    final func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try state.evaluate(plan, arguments, isReading: self is Reader)
    }

    final func greatestKey(in schema: TableSchema) throws(StorageError) -> Int64 {
        try state.table(schema).greatestKey
    }
}

private final class Reader: Session, StorageReader {
    func end() {}
}

private final class Writer: Session, StorageWriter {
    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        var table = try state.table(batch.plan.table)
        let touched = try table.write(batch)
        state.put(table)
        return touched
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        let before = state
        do {
            try body()
        } catch {
            state = before
            throw error
        }
    }

    func change(_ change: TableChange) throws(StorageError) {
        switch change {
        case .create(let schema): state.list.append(Table(schema))
        case .drop(let schema): state.list.removeAll { $0.schema.name == schema.name }
        case .alter(let old, let new, let added): try state.alter(old, to: new, added)
        }
    }
}
