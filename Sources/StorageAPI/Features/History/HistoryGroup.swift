import StorageDriver

/// The history of transactions that share a commit of the engine: they read the last commit once, and write their rows
/// together.
final class HistoryGroup: CommitGroupPart {
    /// The last commit, as far as it is known.
    enum Last {
        case unknown
        /// Asked for, with the batches that wait.
        case asked(any DeferredAnswer)
        /// Nil before the first commit.
        case known(CommitRow?)
    }

    let kept: ActiveHistory
    private let writer: any StorageWriter
    private let directory: ModelDirectory
    /// Called with the holds that were let go, once they are.
    private let didRelease: ([HeldHistory]) -> Void
    var last = Last.unknown
    /// The rows that are not written yet.
    private var commits: [Value] = []
    private var rows: [Value] = []
    /// The commit after which entries are pruned; nil if none are.
    private var pruned: CommitRow?
    /// The number of changes since the last pruning.
    private var changes: Int64 = 0
    /// The holds that had more history than is allowed.
    private var released: [HeldHistory] = []

    init(
        _ kept: ActiveHistory, in writer: any StorageWriter, _ directory: ModelDirectory,
        didRelease: @escaping ([HeldHistory]) -> Void
    ) {
        (self.kept, self.writer, self.directory, self.didRelease) = (kept, writer, directory, didRelease)
    }

    /// Asks for the last commit before a transaction changes anything, so that it comes with other answers.
    func ask(in writer: any StorageWriter) throws(StorageError) {
        guard case .unknown = last, let writer = writer as? any DeferringWriter else { return }
        let query = QueryRequest(plan: kept.tables.lastCommit, arguments: QueryArguments(limit: 1))
        if let answer = try writer.later(query) { last = .asked(answer) }
    }

    func lastCommit(in writer: any StorageWriter) throws(StorageError) -> CommitRow? {
        let commit: CommitRow?
        switch last {
        case .known(let known): return known
        case .unknown: commit = try HistoryReading(kept.tables, writer).last
        case .asked(let answer):
            var cursor = try answer.rows()
            commit = try cursor.next() ? CommitRow(cursor.cells, of: kept.tables.commits) : nil
        }
        last = .known(commit)
        return commit
    }

    /// Adds a commit whose transaction has waited.
    ///
    /// - Parameter changes: the number of its changes.
    func add(_ commit: CommitRow, _ rows: [Value], changes: Int64) {
        commits += commit.values(for: kept.tables.commits)
        self.rows += rows
        self.changes += changes
        if HistoryPruning(kept, in: writer, directory).isDue(after: commit.number, changes: changes) { pruned = commit }
    }

    func didSettle() throws(StorageError) {
        defer { (commits, rows, pruned) = ([], [], nil) }
        try writer.write(commits, kept.tables.addCommit)
        try writer.write(rows, kept.tables.addChanges)
        guard let pruned else { return }
        released += try HistoryPruning(kept, in: writer, directory)
            .run(last: pruned.number, now: pruned.time, changes: changes)
        changes = 0
    }

    func didCommit() { didRelease(released) }
}
