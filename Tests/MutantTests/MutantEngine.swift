import StorageAPI
import StorageDriver
import Synchronization

/// An engine that hands everything on to another one, but for its fault.
///
/// Unchecked: `uncommitted` has a lock of its own, and the other variables belong to the one write that runs.
final class MutantEngine: SharedTablesEngine, ExternalCommitsEngine, @unchecked Sendable {
    private let inner: any StorageEngine
    private let fault: Fault
    private let state: MutantState
    /// The session of the write that runs, where readers see what it has not committed.
    private let uncommitted = Mutex<UncommittedWriter?>(nil)
    private var hasFailed = false
    private var hasFailedOnce = false
    private var transactions = 0
    /// The contents before the last transaction.
    private var earlier: (any StorageReader)?
    private var isOpen = true

    init(_ inner: any StorageEngine, _ fault: Fault, state: MutantState) {
        self.inner = inner
        self.fault = fault
        self.state = state
    }

    var info: BackendInfo {
        var info = inner.info
        info.name = "mutant"
        fault.info?(&info)
        return info
    }

    func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
        if let writer = uncommitted.withLock({ $0 }) { return MutantReader(writer, fault) }
        if fault.transaction == .movingSnapshots { return try MovingReader(inner, fault) }
        if fault.transaction == .readsInParts { return try PartwiseReader(inner, fault) }
        let reader = try inner.reader(scope)
        state.readers.withLock { $0 += 1 }
        return MutantReader(reader, fault, reader: reader) { [state] in state.readers.withLock { $0 -= 1 } }
    }

    var tablesVersion: Int { fault.isSilentOfTables ? 0 : (inner as? any SharedTablesEngine)?.tablesVersion ?? 0 }

    func externalCommits() throws(StorageError) -> ExternalCommitCount {
        guard !fault.isSilentOfOthers, let inner = inner as? any ExternalCommitsEngine else { return .impossible }
        return try inner.externalCommits()
    }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        if hasFailed { throw StorageError(.io, "An earlier write has failed; nothing more is written.") }
        if fault.transaction == .refusesWhileRead, state.readers.withLock({ $0 > 0 }) {
            throw StorageError(.busy, "Somebody reads.")
        }
        let before = fault.transaction == .looksUpEarlier ? try inner.reader(.snapshot) : nil
        // The snapshot is that of the first query.
        _ = try before?.tables()
        defer {
            earlier?.end()
            earlier = before
        }
        transactions += 1
        if fault.opening == .losesLastCommit, transactions > 3 { state.remember() }
        var failure: StorageError?
        do {
            try inner.write { (writer) throws(StorageError) in
                var writer = writer
                if fault.transaction == .dirtyReads {
                    let seen = UncommittedWriter(writer)
                    uncommitted.withLock { $0 = seen }
                    writer = seen
                }
                defer { uncommitted.withLock { $0 = nil } }
                let session = MutantWriter(writer, fault, state: state, committed: inner, earlier: earlier)
                do throws(StorageError) {
                    try body(session)
                } catch {
                    guard fault.transaction == .commitsOnFailure else { throw error }
                    failure = error
                }
                if let poison = session.poison { throw poison }
            }
        } catch {
            if fault.transaction == .forgetsFailedWrites, [.io, .full].contains(error.code) { return }
            failure = error
        }
        if let failure {
            hasFailedOnce = true
            hasFailed = fault.transaction == .refusesAfterFailure
            throw fault.error?(failure) ?? failure
        }
    }

    func close() throws(StorageError) {
        if isOpen { state.open.withLock { $0 -= 1 } }
        isOpen = false
        earlier?.end()
        earlier = nil
        if fault.opening != .leavesLock || !hasFailedOnce { try inner.close() }
    }
}
