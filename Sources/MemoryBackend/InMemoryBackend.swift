public import Logging
public import StorageDriver
import Synchronization

/// Stores everything in memory, for tests and previews. It is the reference: its behaviour defines the contract.
///
/// A store on it begins empty, and its data are gone when it is closed, unless you give it a ``Place``.
public struct InMemoryBackend: StorageBackend {
    public static let scheme = "memory"
    private let place: Place

    /// Data that outlive a closed store, so that it can be reopened in the same process.
    public final class Place: Sendable {
        fileprivate let tables = Mutex(MemoryTables())
        fileprivate let isOpen = Atomic<Bool>(false)

        /// An empty place.
        public init() {}
    }

    /// A backend with its data in a place, by default a new one.
    public init(_ place: Place = Place()) {
        self.place = place
    }

    public init(url: StorageURL) throws(StorageError) {
        try StorageURL.Options(url).finish()
        guard url.path.isEmpty else {
            throw StorageURL.error("memory: takes no path, and \"\(url.path)\" is given")
        }
        self.init()
    }

    public func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        guard place.isOpen.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
            throw StorageError(.locked, "Another store uses this place; close it first.")
        }
        return Engine(place)
    }

    private final class Engine: StorageEngine {
        private let place: Place
        private let isOpen = Atomic<Bool>(true)

        init(_ place: Place) { self.place = place }

        var info: BackendInfo {
            BackendInfo(
                name: "memory", location: "memory",
                lacking: [
                    .durability: "It keeps records in memory.",
                    .sharing: "Memory belongs to one process.",
                    .foreignCommits: "Memory belongs to one process.",
                    .damageDetection: "There is no file that could be damaged.",
                ])
        }

        // A reader holds the current tables. They are values: a writer changes copies.
        func reader(_: ReadScope) -> any StorageReader { MemoryReader(place.tables.withLock { $0 }) }

        func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
            let writer = MemoryWriter(place.tables.withLock { $0 })
            try body(writer)
            place.tables.withLock { $0 = writer.state }
        }

        // Only once: another store may have opened the place since.
        func close() {
            guard isOpen.exchange(false, ordering: .relaxed) else { return }
            place.isOpen.store(false, ordering: .releasing)
        }

        deinit { close() }
    }
}

/// A session: queries run on a value that no one else changes.
private class MemorySession: StorageSession, QueryExplaining, WorkCountingSession {
    final var state: MemoryTables

    init(_ state: MemoryTables) { self.state = state }

    final func tables() -> [TableSchema] { state.schemas }

    final func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try state.rows(plan, arguments, isReading: self is MemoryReader)
    }

    final func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, counting work: QueryWork
    ) throws(StorageError) -> Cursor {
        try state.rows(plan, arguments, isReading: self is MemoryReader, counting: work)
    }

    final func greatestKey(in table: TableSchema) -> Int64 { state[table].greatestKey }

    final func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try state.evaluation(plan, arguments).explanation()
    }
}

private final class MemoryReader: MemorySession, StorageReader {
    func end() {}
}

private final class MemoryWriter: MemorySession, StorageWriter {
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
        case .create(let schema): state.add(MemoryTable(schema))
        case .drop(let schema): state.remove(schema)
        case .alter(let old, let new, let added): try state.replace(old, by: state[old].altered(to: new, added: added))
        }
    }

    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        var table = state[batch.plan.table]
        // The tables hold the only other reference, which would make every change a copy.
        state[batch.plan.table] = MemoryTable(batch.plan.table)
        var touched = 0
        do {
            touched = try table.write(batch)
        } catch {
            // The store undoes the failed call, and needs the table for that.
            state[batch.plan.table] = table
            throw error
        }
        state[batch.plan.table] = table
        return touched
    }
}
