import StorageDriver

extension HistoryRecorder {
    /// A record's entry.
    struct Entry {
        let model: StoredName
        let key: [Value]
        let kind: ChangeKind
        let place: Int64
        /// True if a rule of a reference has made the record's first change.
        let byRule: Bool

        /// The kind as the entry's row has it.
        var code: Int64 { HistoryKind(kind).code(byRule: byRule) }
    }

    /// The state before a savepoint.
    struct Savepoint {
        let header: CommitRow?
        let entries: Int
        let called: Int
        let kept: ActiveHistory
        let last: HistoryGroup.Last?
    }

    /// The effect of a commit on the open store.
    struct Outcome {
        /// The commit's number; nil if it has no entry.
        var commit: Int64?
        /// The history before the commit, and in the format that the commit has given it; nil if it has kept its format.
        var raised: (from: ActiveHistory, to: ActiveHistory)?
        /// The holds that had more history than is allowed.
        var released: [HeldHistory] = []
    }
}

extension TransactionContext {
    /// Records the history of the transaction; nil if the store keeps none.
    var historyRecorder: HistoryRecorder? { capture?.subscriber(HistoryRecorder.self) }
}
