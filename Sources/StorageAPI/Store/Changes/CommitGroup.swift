import StorageDriver

/// The transactions that share a commit, and the work that features do once for all of them.
///
/// With an engine that waits for a server, transactions ask for the records that they change without waiting for the answers
/// (``DeferringWriter``), and the group takes these when all transactions have run. If a transaction fails, so does the group,
/// and each transaction runs again without one. Only the thread that runs the transactions uses it, until they are committed.
final class CommitGroup {
    /// The transactions that wait for records, in their order, and the number of these records.
    private var waiting: [ChangeCapture] = []
    private var count = 0
    private var parts: [any CommitGroupPart] = []

    /// The number of records for which a group waits, and about the bytes of the records that have arrived.
    static let mostRecords = 256
    private static let mostBytes = 1 << 20

    /// The part of a type, which is made for the first transaction that asks.
    func part<P: CommitGroupPart>(_ make: () -> P) -> P {
        if let known = parts.lazy.compactMap({ $0 as? P }).first { return known }
        let part = make()
        parts.append(part)
        return part
    }

    /// Adds a transaction that has run.
    ///
    /// - Parameter count: the number of records for which it waits.
    func add(_ capture: ChangeCapture, waitingFor count: Int) throws(StorageError) {
        waiting.append(capture)
        self.count += count
        if self.count >= Self.mostRecords || isLarge { try settle() }
    }

    /// True if the records that have arrived are to be released. Looked at once for some transactions.
    private var isLarge: Bool {
        waiting.count.isMultiple(of: 8) && waiting.reduce(0) { $0 + $1.waitingBytes } > Self.mostBytes
    }

    /// Completes the transactions that have run, in their order.
    func settle() throws(StorageError) {
        guard !waiting.isEmpty else { return }
        let captures = waiting
        (waiting, count) = ([], 0)
        for capture in captures { try capture.settle() }
        for part in parts { try part.didSettle() }
    }

    /// Completes all. Called before the commit.
    func finish() throws(StorageError) {
        for part in parts { try part.willFinish() }
        try settle()
    }

    /// Called when the transactions are committed.
    func didCommit() {
        for part in parts { part.didCommit() }
        parts = []
    }
}

/// The work of a feature for the transactions that share a commit.
protocol CommitGroupPart: AnyObject {
    /// Called when transactions are complete, except for the rows that the part adds.
    func didSettle() throws(StorageError)

    /// Called when all transactions have run, and some may wait for records.
    func willFinish() throws(StorageError)

    /// Called when the transactions are committed.
    func didCommit()
}

extension CommitGroupPart {
    func didSettle() throws(StorageError) {}
    func willFinish() throws(StorageError) {}
    func didCommit() {}
}
