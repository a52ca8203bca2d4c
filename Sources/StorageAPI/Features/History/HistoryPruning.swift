import StorageDriver

/// Removes history beyond the store's limit, in bounded steps that keep up with new entries.
struct HistoryPruning {
    /// The number of commits between two of these, if none of them has changed much.
    private static let interval: Int64 = 32
    private static let mostCommits: Int64 = 128
    /// The number of records that the commits between two of these can have changed.
    private static let mostChanges: Int64 = 4096
    private static let part = 1024

    let kept: ActiveHistory
    let writer: any StorageWriter
    let directory: ModelDirectory

    init(_ kept: ActiveHistory, in writer: any StorageWriter, _ directory: ModelDirectory) {
        self.kept = kept
        self.writer = writer
        self.directory = directory
    }

    /// - Parameter changes: the number of the commit's changes.
    func isDue(after commit: Int64, changes: Int64) -> Bool {
        commit % Self.interval == 0 || changes >= Self.mostChanges / Self.interval
    }

    /// - Returns: the holds that were let go, because they held too much.
    func run(last: Int64, now: Double, changes: Int64) throws(StorageError) -> [HeldHistory] {
        let limit = kept.settings.limit
        guard limit.commits != nil || limit.seconds != nil else { return [] }
        // Remove the commits first: changes without a commit are no part of the history. Some commits have no changes.
        let history = HistoryReading(kept.tables, writer)
        guard let oldest = try history.first?.number, oldest <= last else { return [] }
        let holds = try Holds(history).settle(
            by: kept.settings.holding, last: last, now: now, in: writer, directory)
        let end = last - oldest > Self.mostCommits ? oldest + Self.mostCommits : last
        let there = try history.commits(oldest..<end)
        let old = there.prefix { header in
            // The row of the commit after which the history is held shows that a token is of this history.
            let isHeld = holds.first.map { header.number >= $0 } ?? false
            return !isHeld && limit.isBeyond(header, last: last, now: now)
        }
        try writer.write(old.map { .int(-$0.number) }, kept.tables.removeCommits)
        let first = old.last.map { $0.number + 1 } ?? oldest
        // Twice the number of the new changes, so that older ones are removed too.
        var left = max(Self.mostChanges, 2 * changes)
        while left > 0 {
            let removed = try removeChanges(before: first)
            guard removed == Self.part else { break }
            left -= Int64(removed)
        }
        return holds.released
    }

    /// Removes some of the changes of removed commits, and returns their number.
    private func removeChanges(before first: Int64) throws(StorageError) -> Int {
        let changes = try writer.rows(kept.tables.changesBefore, QueryArguments([.int(first)], limit: Self.part))
            .keys(width: 2)
        try writer.write(changes.list.values, kept.tables.removeChanges)
        return changes.count
    }
}
