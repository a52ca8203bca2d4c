internal import Logging
internal import StorageAPI
import StorageDriver
internal import Synchronization

/// Ends the program before one of its next writes.
final class SyncKiller: Sendable {
    private let left = Mutex<Int?>(nil)
    private let ended = Atomic(false)
    private let made = Atomic(0)
    private let read = Atomic(0)
    private let committed = Atomic(0)

    /// The number of writes so far.
    var writes: Int { made.load(ordering: .relaxed) }

    /// The number of sessions that have read so far, and of writes that were committed.
    var counts: (reads: Int, commits: Int) {
        (read.load(ordering: .relaxed), committed.load(ordering: .relaxed))
    }

    /// The number of the write that is not made; nil for none.
    var armed: Int? { left.withLock { $0 } }

    /// True if the program has ended, and not started again.
    var hasEnded: Bool { ended.load(ordering: .relaxed) }

    /// - Parameter writes: the number of the write that is not made; nil for none.
    func arm(_ writes: Int?) {
        left.withLock { $0 = writes }
        if writes == nil { ended.store(false, ordering: .relaxed) }
    }

    func step() throws(StorageError) {
        let isLast = left.withLock { left in
            guard let count = left else { return false }
            left = count > 1 ? count - 1 : nil
            return count <= 1
        }
        if isLast {
            ended.store(true, ordering: .relaxed)
            throw StorageError(.io, "The program has ended.", underlying: SyncEnd())
        }
        made.add(1, ordering: .relaxed)
    }

    func countRead() { read.add(1, ordering: .relaxed) }

    func countCommit() { committed.add(1, ordering: .relaxed) }
}

/// The end of a program, or a message that does not arrive.
struct SyncEnd: Error {}

/// The backend of a program that may end.
struct KilledBackend: StorageBackend {
    static var scheme: String { "killed" }

    private let backend: any StorageBackend
    private let killer: SyncKiller

    init(_ backend: any StorageBackend, _ killer: SyncKiller) { (self.backend, self.killer) = (backend, killer) }

    init(url: StorageURL) throws(StorageError) {
        throw StorageError(.configuration, "This backend has no URL; it is made around another one.")
    }

    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        killed(try backend.open(logger: logger))
    }

    private func killed(_ engine: some StorageEngine) -> any StorageEngine { KilledEngine(engine, killer) }
}

/// An engine that commits in the ways of another one, unless the program ends.
private final class KilledEngine<Engine: StorageEngine>: StorageEngine {
    let engine: Engine
    let killer: SyncKiller

    init(_ engine: Engine, _ killer: SyncKiller) { (self.engine, self.killer) = (engine, killer) }

    var info: BackendInfo { engine.info }

    func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
        killer.countRead()
        return try engine.reader(scope)
    }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try killer.step()
        try engine.write(body)
        killer.countCommit()
    }

    func close() throws(StorageError) { try engine.close() }
}

extension KilledEngine: PipeliningEngine where Engine: PipeliningEngine {
    func writeAhead(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> any PendingCommit {
        try killer.step()
        let commit = try engine.writeAhead(body)
        killer.countCommit()
        return commit
    }
}

extension KilledEngine: BatchingEngine where Engine: BatchingEngine {
    func writeBatching(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try killer.step()
        let isDone = try engine.writeBatching(body)
        if isDone { killer.countCommit() }
        return isDone
    }

    /// Runs what `writeBatching` has not done, so the program does not end between them.
    func writeRepeatably(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try engine.writeRepeatably(body)
        killer.countCommit()
    }
}

extension KilledEngine: SharedTablesEngine where Engine: SharedTablesEngine {
    var tablesVersion: Int { engine.tablesVersion }
}

extension KilledEngine: ReactingEngine where Engine: ReactingEngine {
    var mayReact: Bool { engine.mayReact }
}
