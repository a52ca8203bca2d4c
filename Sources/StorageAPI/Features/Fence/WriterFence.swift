import StorageDriver
import Synchronization

/// Refuses the writes of a store that has moved or is being moved.
///
/// The record is judged within each transaction. To set, change or remove it changes the store's tables, so programs that are
/// open look at their next write, as they do after any change of the tables (clause S11). Until then the feature is idle.
final class WriterFence: StoreFeature {
    private let registry: ModelRegistry
    /// The name of a move, whose writes pass its fence and need it; nil for a store of a program.
    private let move: String?
    /// True if the store may be closed, so that each write looks.
    private let mayBeClosed: Atomic<Bool>

    init(_ registry: ModelRegistry, move: String?) {
        self.registry = registry
        self.move = move
        mayBeClosed = Atomic(move != nil)
    }

    /// Lets each write look from now on.
    func expectRecord() {
        guard !mayBeClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // A reader may be about to note that all features are idle, at the version before this one.
        registry.schemaVersion.add(1, ordering: .releasing)
    }

    func find(in session: any StorageSession, isAgain: Bool) throws(StorageError) {
        if FenceRecord.table.find(in: try session.tables()) != nil { expectRecord() }
    }

    func isIdle(at version: ModelRegistry.Version) -> Bool { !mayBeClosed.load(ordering: .acquiring) }

    func closesStore(_ session: any StorageSession) throws(StorageError) -> Bool {
        guard move == nil, mayBeClosed.load(ordering: .acquiring) else { return false }
        return try FenceRecord.recorded(in: session) != nil
    }

    func requireWritable(_ writer: any StorageWriter) throws(StorageError) {
        guard mayBeClosed.load(ordering: .acquiring) else { return }
        let found = try FenceRecord.recorded(in: writer)
        if let move {
            guard found?.move == move else { throw Self.isOfAnother }
        } else if let found {
            throw found.error
        } else {
            mayBeClosed.store(false, ordering: .releasing)
        }
    }

    static let isOfAnother = StorageError(
        .conflict, "Another move has taken the store over, or has ended; look in the directory where the store is.")
}
