import CBaseline
import Foundation
import SQLiteBackend
import StorageAPI

@inline(never) func consume<T>(_ value: T) {}

/// The cases. Ours and theirs stand on two files with the same records.
struct Bench: Sendable {
    let store: Store
    let durable: Store
    let byHand: HandWritten
    let records: [Record]

    init(folder: URL, count: Int) throws {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        store = try Blocking.open(SQLiteBackend(path: path("ours.db"), durability: .relaxed), models: Record.self)
        durable = try Blocking.open(SQLiteBackend(path: path("durable.db")), models: Record.self)
        byHand = HandWritten(path: path("theirs.db"))
        records = Record.make(count)
        cbaseline_prepare(count)
        byHand.makeTable()
        try run("insert-c")
        try run("insert")
        precondition(byHand.fetchAll() == records)
        let ours = try store.blocking.select(Record.self).all()
        precondition(ours == records)
    }

    func run(_ name: String) throws {
        switch name {
        case "none": break
        case "fetch": consume(try store.blocking.select(Record.self).all())
        case "fetch-swift": consume(byHand.fetchAll())
        case "insert":
            try store.blocking.truncate(Record.self)
            try store.blocking.insert(records)
        case "insert-c":
            byHand.run("DELETE FROM Record")
            precondition(cbaseline_insert(byHand.database, records.count) == SQLITE_OK)
        case "find": for key in 1...records.count { consume(try store.blocking.find(Record.self, key: key)) }
        case "save-one-by-one":
            let records = changedRecords()
            waitFor { [durable] in for record in records { try await durable.save(record) } }
        case "save-64-tasks":
            let records = changedRecords()
            waitFor { try await saveInTasks(64, records) }
        default: print("no case \(name)")
        }
    }

    private func waitFor(_ body: @escaping @Sendable () async throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            do { try await body() } catch { print("failed: \(error)") }
            done.signal()
        }
        done.wait()
    }

    /// Records that differ from those of the call before: SQLite writes nothing where a row stays as it is.
    private func changedRecords() -> [Record] {
        let now = Int(Date().timeIntervalSince1970 * 1_000_000)
        return records.prefix(640).map { record in
            var record = record
            record.age = now
            return record
        }
    }

    private func saveInTasks(_ tasks: Int, _ records: [Record]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask { [durable] in
                    for index in stride(from: task, to: 640, by: tasks) { try await durable.save(records[index]) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Medians of alternating rounds; only ratios of one run mean something.
    func time(rounds: Int) throws {
        let pairs = [
            ("fetch", "fetch-swift"), ("insert", "insert-c"), ("save-one-by-one", "save-64-tasks"),
        ]
        for (left, right) in pairs {
            var times: [[Double]] = [[], []]
            for _ in 0..<rounds {
                times[0].append(try seconds(left))
                times[1].append(try seconds(right))
            }
            let medians = times.map { $0.sorted()[$0.count / 2] }
            let ratio = medians[0] / medians[1]
            print(
                left, String(format: "%.4f s,", medians[0]), right,
                String(format: "%.4f s, ratio %.2f", medians[1], ratio))
        }
    }

    private func seconds(_ name: String) throws -> Double {
        let begin = ContinuousClock.now
        try run(name)
        let (seconds, attoseconds) = (ContinuousClock.now - begin).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
