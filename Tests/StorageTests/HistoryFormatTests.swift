import ArchiveBackend
import Foundation
import LandedStores
import MemoryBackend
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Histories that an earlier version has begun, while something gives them the second format.
@Suite("A history that gets the second format")
struct HistoryFormatTests {
    @Storable fileprivate struct Later: Equatable {
        var id: Int
    }

    @Storable fileprivate struct Ticket: Equatable {
        var id: Int
        @Expires var until: Date? = nil
    }

    /// A clock that a test moves, in seconds.
    private final class Clock: Sendable {
        let seconds: Mutex<Double>

        init(_ seconds: Double) { self.seconds = Mutex(seconds) }

        var now: @Sendable () -> Date { { Date(timeIntervalSinceReferenceDate: self.seconds.withLock { $0 }) } }
    }

    private static func open(_ landed: LandedStore, _ path: String, _ options: Store.Options) async throws -> Store {
        landed.kind == "db"
            ? try await Store(SQLiteBackend(path: path), models: landed.models, options: options)
            : try await Store(ArchiveBackend(path: path), models: landed.models, options: options)
    }

    private static func seat(_ number: Int64) -> DynamicRecord {
        DynamicRecord(
            model: "Seat",
            fields: [
                .init(name: "tenant", content: .value(.int(7), .int64)),
                .init(name: "number", content: .value(.int(number), .int64)),
                .init(name: "row", content: .value(.text(""), .string)),
            ])
    }

    @Test(arguments: ["db", "karch"])
    func `what expired before a write gives the history the second format, in which the write is recorded`(
        kind: String
    ) async throws {
        try await withFolder { folder in
            let landed = LandedStore("2026-11-26", kind)
            let path = folder.appending(path: "test").path
            try landed.data().write(to: URL(filePath: path))
            let clock = Clock(800_000_000)
            var store = try await Self.open(landed, path, .init(clock: clock.now))
            let old = try await store.historyToken()
            clock.seconds.withLock { $0 = 950_000_000 }
            // One write that finds an expired record, and others that share its commit.
            await withTaskGroup(of: Void.self) { [store] group in
                for number in 1...8 {
                    group.addTask {
                        do { try await store.save(Self.seat(Int64(number))) } catch { Issue.record(error) }
                    }
                }
            }
            let commits = try await store.commits(since: old).commits
            expect(commits.map(\.origin), equals: [.expiry] + Array(repeating: .call, count: 8))
            // Expiry's commit is not one that the program has made.
            for _ in 1...8 { try await store.undoLast() }
            await expectError(.notFound) { try await store.undoLast() }
            try await expect(store.select(Login.self).keys(), equals: [1, 2])
            try await store.verify { Issue.record("\($0)") }
            try await store.close()
            if kind == "db" {
                let unmarked =
                    "SELECT count(*) FROM storage_history_commits WHERE mark IS NULL AND number < -\(old.commit)"
                try expect(sqliteColumn(path, unmarked), equals: ["0"])
            }
            store = try await Self.open(landed, path, .init(clock: clock.now))
            try await expect(store.commits(since: old).commits.count, equals: 17)
            try await store.close()
        }
    }

    @Test func `a hold that is let go by the commit of what has expired is told in the log`() async throws {
        let (lines, clock) = (LogLines(), Clock(0))
        let history = Store.HistoryOptions(keys: [Ticket.self], keeping: .commits(5), holding: .commits(20))
        let store = try await Store(
            InMemoryBackend(), models: [Ticket.self],
            options: .init(history: history, clock: clock.now, logger: lines.logger(.warning)))
        try await store.holdHistory("reader", after: nil)
        try await store.insert(Ticket(id: 0, until: Date(timeIntervalSinceReferenceDate: 10)))
        for number in 1...30 { try await store.insert(Ticket(id: number)) }
        clock.seconds.withLock { $0 = 20 }
        try await store.insert(Ticket(id: 31))
        try await expect(store.historyToken().commit, equals: 33)
        expect(lines.all.count == 1 && lines.all.first?.metadata["name"] == "reader", "\(lines.all)")
        try await store.close()
    }

    /// Runs the jobs of tasks, and holds them back when it is told to.
    private final class Gate: TaskExecutor {
        private let queue = DispatchQueue(label: "tests.gate")
        private let held = Mutex<[UnownedJob]?>(nil)

        func hold() { held.withLock { $0 = $0 ?? [] } }

        func open() {
            for job in held.withLock({ held in held.take() ?? [] }) { run(job) }
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isHeld = held.withLock { held in
                held?.append(job)
                return held != nil
            }
            if !isHeld { run(job) }
        }

        private func run(_ job: UnownedJob) {
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test func `a caller that returns late does not put back what another program has changed meanwhile`() async throws
    {
        try await withFolder { folder in
            let landed = LandedStore("2026-11-26", "db")
            let path = folder.appending(path: "test").path
            try landed.data().write(to: URL(filePath: path))
            let clock = Clock(800_000_000)
            let store = try await Self.open(landed, path, .init(clock: clock.now))
            let before = try await store.historyToken().commit
            let gate = Gate()
            let slow = Task(executorPreference: gate) {
                try await store.transaction(as: .taken(from: "hub")) { transaction in
                    try transaction.save(Self.seat(1))
                    // The commit follows, and its caller goes on later.
                    gate.hold()
                }
            }
            let other = try await Store(
                SQLiteBackend(path: path), models: landed.models, options: .init(clock: clock.now))
            try await eventually { try await other.historyToken().commit == before + 1 }
            try await other.close()
            let newer = try await Store(
                SQLiteBackend(path: path), models: [Later.self],
                options: .init(history: .init(records: [Later.self]), clock: clock.now))
            try await store.save(Self.seat(2))
            gate.open()
            try await slow.value
            let later = DynamicRecord(
                model: "Later", fields: [.init(name: "id", content: .value(.int(1), .int64))])
            try await store.save(later)
            try await expect(newer.commits(since: nil, of: ["Later"]).commits.count, equals: 1)
            try await newer.close()
            try await store.close()
        }
    }
}
