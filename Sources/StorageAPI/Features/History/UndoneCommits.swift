import StorageDriver

/// The commits of a history that undo others, as one session reads them.
///
/// They are rows of a table of the store's own, which the first undo makes. A version of the library that does not know
/// of it leaves it as it is.
struct UndoneCommits {
    static let name = "\u{0}undone"

    private let history: HistoryReading
    /// The commit that each of them undoes.
    private var undone: [Int64: Int64] = [:]
    /// The undone commits before the last one that was returned.
    private var gone: Set<Int64> = []
    /// The last commit that was returned; nil before the first.
    private var end: Int64?

    init(_ history: HistoryReading) throws(StorageError) {
        self.history = history
        guard let table = Self.table(in: try history.session.tables()) else { return }
        let scan = try TableScan(table, in: history.session)
        while try scan.next() { undone[scan.cells[0].int] = scan.cells[1].int }
    }

    static func table(in tables: [TableSchema]) -> TableSchema? { tables.first { $0.path == [name] } }

    /// The latest commit that meets a condition, has changed something and is not undone; called again, the one before it.
    /// Nil if none is kept. A commit that undoes another one is never it. One whose undo was undone, which is redone, may be.
    mutating func next(where isWanted: (HistoryReading.Header) -> Bool) throws(StorageError) -> Int64? {
        guard let first = try history.first?.number, let last = try history.last?.number else { return nil }
        // No commit has the greatest number that there is: there would be none for its undo.
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

    /// Records that a commit undoes another one, and forgets such commits as are no longer kept.
    static func record(
        _ commit: Int64, undoes undone: Int64, of history: HistoryReading, in writer: any StorageWriter,
        _ directory: ModelDirectory
    ) throws(StorageError) {
        let known = table(in: try writer.tables())
        let table = if let known { known } else { try makeTable(in: writer) }
        let first = try history.first?.number ?? 0
        var gone: [Value] = []
        do {
            let scan = try TableScan(table, in: writer)
            while try scan.next(), scan.cells[0].int < first { gone.append(scan.cells[0].value) }
        }
        func plan(_ operation: WriteOperation, _ columns: [Int]) -> WritePlan {
            WritePlan(id: directory.nextPlan(), operation: operation, table: table, columns: columns)
        }
        try writer.write(gone, plan(.delete, [0]))
        try writer.write([.int(commit), .int(undone)], plan(.insert, [0, 1]))
    }

    /// Makes the table in a store that has none.
    static func makeTable(in writer: any StorageWriter) throws(StorageError) -> TableSchema {
        // No prefix is reserved here, as for the history's other tables.
        var names = NameAllocator(used: try writer.tables().map(\.name), reservedPrefixes: [])
        func column(_ name: String) -> ColumnSchema { ColumnSchema(name: name, property: name, type: .int64) }
        let table = TableSchema(
            name: names.allocate("storage_history_undone"), path: [name],
            columns: [column("number"), column("undone")],
            key: [0])
        try writer.change(.create(table))
        return table
    }
}
