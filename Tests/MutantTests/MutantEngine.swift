import StorageAPI
import StorageDriver

/// An engine that hands everything on to another one, but for its fault.
///
/// Unchecked: `writer` is set and cleared by the one write that runs, and read by a mutant whose readers look at what a
/// writer has not committed. That this is a race is the fault.
final class MutantEngine: StorageEngine, @unchecked Sendable {
    private let inner: any StorageEngine
    private let fault: Fault
    private let state: MutantState
    private var writer: (any StorageWriter)?
    /// A reader of the commit before the last.
    private var stale: (any StorageReader)?

    init(_ inner: any StorageEngine, _ fault: Fault, _ state: MutantState) {
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
        if fault.transaction == .staleReaders, let stale { return MutantReader(stale, fault, ends: false) }
        if fault.transaction == .dirtyReads, let writer { return MutantReader(writer, fault) }
        if fault.transaction == .movingSnapshots { return try MovingReader(inner, fault) }
        let reader = try inner.reader(scope)
        return MutantReader(reader, fault, reader)
    }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        if fault.transaction == .staleReaders { stale = try inner.reader(.snapshot) }
        var failure: StorageError?
        do {
            try inner.write { (writer) throws(StorageError) in
                let session = MutantWriter(writer, fault, state, committed: inner)
                self.writer = session
                defer { self.writer = nil }
                do throws(StorageError) {
                    try body(session)
                } catch {
                    guard fault.transaction == .commitsOnFailure else { throw error }
                    failure = error
                }
                if let poison = session.poison { throw poison }
            }
        } catch {
            failure = error
        }
        if let failure { throw fault.error?(failure) ?? failure }
    }

    func close() throws(StorageError) {
        stale = nil
        if fault.opening != .leavesLock { try inner.close() }
    }
}
