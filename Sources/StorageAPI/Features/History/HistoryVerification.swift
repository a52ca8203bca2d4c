import StorageDriver

/// Looks for defects in a store's history: a commit that is missing, an entry without its commit, or an entry that
/// cannot be read.
struct HistoryVerification {
    private let tables: HistoryTables
    private let session: any StorageSession
    private let body: (StoreProblem) -> Void

    init(_ tables: HistoryTables, _ session: any StorageSession, _ body: @escaping (StoreProblem) -> Void) {
        self.tables = tables
        self.session = session
        self.body = body
    }

    /// Walks the commits and the entries in step, one at a time.
    func run() throws(StorageError) {
        _ = try tables.settings(in: session)
        do throws(StorageError) {
            try FormerSchemas(in: session).verify()
            _ = try UndoneCommits(HistoryReading(tables, session))
            _ = try Holds(HistoryReading(tables, session)).all
        } catch {
            guard error.code == .corrupt else { throw error }
            body(StoreProblem(error.message))
        }
        var commits = try session.rows(tables.allCommits, QueryArguments())
        let changes = try TableScan(tables.changes, in: session)
        // Entries of older commits that pruning has left are not part of the history.
        let first = try HistoryReading(tables, session).first?.number
        var last: (number: Int64, time: Double)?
        var hasChange = try changes.next()
        while try commits.next() {
            let header = try CommitRow(commits.cells, of: tables.commits)
            let (number, time) = (header.number, header.time)
            if let last, number != last.number + 1 {
                tell("does not follow on \(last.number), the one before it", number)
            }
            if let last, time < last.time { tell("is earlier than the commit before it", number) }
            last = (number, time)
            while hasChange, changes.cells[0].int < number {
                if changes.cells[0].int >= first ?? 0 { tell("is of a commit that is not there", of: changes) }
                hasChange = try changes.next()
            }
            while hasChange, changes.cells[0].int == number {
                check(changes)
                hasChange = try changes.next()
            }
        }
        while hasChange {
            tell("is of a commit that is not there", of: changes)
            hasChange = try changes.next()
        }
    }

    private func check(_ change: TableScan) {
        guard let row = try? HistoryChange(change.cells), row.kind == .everything || !row.key.isEmpty else {
            return tell("cannot be read", of: change)
        }
        do throws(StorageError) {
            if let before = row.before { _ = try ImageTable.all(of: before) }
        } catch {
            tell("has a record that cannot be read", of: change)
        }
    }

    private func tell(_ problem: String, _ commit: Int64) {
        body(StoreProblem("In the history, commit \(commit) \(problem)."))
    }

    private func tell(_ problem: String, of change: TableScan) {
        body(
            StoreProblem(
                "In the history, entry \(change.cells[1].int) of commit \(change.cells[0].int) \(problem).",
                model: change.cells[2].value.text))
    }
}

extension Value {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
