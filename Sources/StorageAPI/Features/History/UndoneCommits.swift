import StorageDriver

/// A commit of a history that undoes another one.
struct UndoneCommit: OwnRow {
    let number: Int64
    let undone: Int64

    static let table = OwnTable(
        "undone", name: "storage_history_undone", ["number": .int64, "undone": .int64])

    var values: [Value] { [.int(number), .int(undone)] }
}

extension UndoneCommit {
    init(_ cells: UnsafePointer<Cell>) { self.init(number: cells[0].int, undone: cells[1].int) }
}

/// The commits of a history that undo others, as one session reads them.
struct UndoneCommits {
    private let history: HistoryReading
    /// The commit that each of them undoes.
    private var undone: [Int64: Int64] = [:]
    /// The undone commits before the commit that was returned last.
    private var gone: Set<Int64> = []
    /// The last commit that was returned; nil before the first.
    private var end: Int64?

    init(_ history: HistoryReading) throws(StorageError) {
        self.history = history
        for commit in try UndoneCommit.all(among: history.session.tables(), in: history.session) {
            undone[commit.number] = commit.undone
        }
    }

    /// Returns the latest commit that meets a condition, has changed something and is not undone; called again, the one before
    /// it; nil after the last. Skips commits that undo others. A commit whose undo was undone counts again.
    mutating func next(where isWanted: (CommitRow) -> Bool) throws(StorageError) -> Int64? {
        guard let first = try history.first?.number, let last = try history.last?.number else { return nil }
        // No commit has the greatest number: its undo would have no number.
        var end = end ?? (last < Int64.max ? last + 1 : last)
        while end > first {
            let start = max(first, end - Int64(HistoryReading.part))
            for header in try history.commits(start..<end).reversed() {
                let isGone = gone.contains(header.number)
                if let target = undone[header.number] {
                    if !isGone { gone.insert(target) }
                } else if !isGone, isWanted(header), try !history.changes(of: header.number, after: 0).isEmpty {
                    self.end = header.number
                    return header.number
                }
            }
            end = start
        }
        self.end = first
        return nil
    }

    // MARK: Recording

    /// Records that a commit undoes another one, and removes the rows of commits that are no longer kept.
    static func record(
        _ commit: Int64, undoes undone: Int64, of history: HistoryReading, in writer: any StorageWriter,
        _ directory: ModelDirectory
    ) throws(StorageError) {
        let first = try history.first?.number ?? 0
        let tables = try writer.tables()
        let gone = try UndoneCommit.all(among: tables, in: writer).filter { $0.number < first }
        try UndoneCommit(number: commit, undone: undone).record(
            removing: gone, among: tables, in: writer, directory)
    }
}
