import ArchiveBackend
import Foundation
import LandedStores
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable("Jotted") private struct Jotted: Equatable {
    var id: Int
    var text = ""
}

@Suite("Tokens, formats and holds of a history")
struct HistoryTokenTests {
    private let time = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private func open(
        _ backend: Backend, _ folder: URL, named name: String, history: Store.HistoryOptions? = nil
    ) async throws -> Store {
        let path = folder.appending(path: name).path
        // The time does not tell commits apart.
        let options = Store.Options(history: history, clock: { [time] in time })
        return switch backend {
        case .archive:
            try await Store(ArchiveBackend(path: path, durability: .relaxed), models: [Jotted.self], options: options)
        default:
            try await Store(SQLiteBackend(path: path, durability: .relaxed), models: [Jotted.self], options: options)
        }
    }

    private func save(_ numbers: ClosedRange<Int>, in store: Store) async throws {
        for number in numbers { try await store.save(Jotted(id: 1, text: "\(number)")) }
    }

    private func seat(_ number: Int64) -> DynamicRecord {
        DynamicRecord(
            model: "Seat",
            fields: [
                .init(name: "tenant", content: .value(.int(7), .int64)),
                .init(name: "number", content: .value(.int(number), .int64)),
                .init(name: "row", content: .value(.text(""), .string)),
            ])
    }

    @Test(arguments: [Backend.sqlite, .archive])
    func `a store that was restored from a backup refuses the tokens of commits that it has lost`(
        _ backend: Backend
    ) async throws {
        try await withFolder { folder in
            let store = try await open(backend, folder, named: "test", history: .init(records: [Jotted.self]))
            try await save(1...2, in: store)
            let kept = try await store.historyToken()
            try await store.backUp(to: folder.appending(path: "restored").path)
            try await save(3...5, in: store)
            let lost = try await store.historyToken()
            let entry = try #require(try await store.commits(since: kept, limit: 1).commits.first).token
            let restored = try await open(backend, folder, named: "restored")
            for round in 0...4 {
                if round > 0 { try await save(round + 2...round + 2, in: restored) }
                for token in [entry, lost] {
                    await expectError(.invalidValue) { try await restored.commits(since: token) }
                    await expectError(.invalidValue) { for try await _ in restored.history(since: token) {} }
                    await expectError(.invalidValue) { try await restored.holdHistory("reader", after: token) }
                }
                try await expect(restored.commits(since: kept).commits.count, equals: round)
            }
            // The other way round it is a fork.
            let other = try await restored.historyToken()
            try await save(6...9, in: store)
            await expectError(.invalidValue) { try await store.commits(since: other) }
            try await expect(store.commits(since: lost).commits.map(\.number), equals: [6, 7, 8, 9])
            try await store.close()
            try await restored.close()
        }
    }

    @Test func `a history of the first format keeps it until something needs the second`() async throws {
        try await withFolder { folder in
            let landed = LandedStore("2026-11-26", "db")
            let path = folder.appending(path: "test").path
            try landed.data().write(to: URL(filePath: path))
            func format() throws -> String {
                let settings = try sqliteColumn(path, "SELECT settings FROM storage_history_settings")[0]
                let columns = try sqliteColumn(path, "SELECT name FROM pragma_table_info('storage_history_commits')")
                return "\(settings.contains(#""version":1"#) ? 1 : 2) \(columns.count)"
            }
            // Nothing has expired yet.
            let options = Store.Options(clock: { [time] in time })
            func open() async throws -> Store {
                try await Store(SQLiteBackend(path: path), models: landed.models, options: options)
            }
            var store = try await open()
            let old = try await store.historyToken()
            let commits = try await store.commits().commits
            expect(commits.allSatisfy { $0.origin == .call && !$0.changes.contains(where: \.byRule) })
            try await store.save(seat(7))
            let token = try await store.historyToken()
            try await store.close()
            try expect(format(), equals: "1 4")
            store = try await open()
            try await expect(store.commits(since: old).commits.count, equals: 1)
            await expectError(.invalidValue) {
                try await store.transaction { tx in
                    try tx.holdHistory("undone", after: token)
                    throw StorageError(.invalidValue, "The transaction is undone.")
                }
            }
            try await store.delete(Seat.self, key: (7, 7))
            try await store.close()
            try expect(format(), equals: "1 4")
            store = try await open()
            try await store.holdHistory("reader", after: token)
            try await store.transaction(as: .taken(from: "hub")) { tx in _ = try tx.save(seat(8)) }
            try await expect(store.commits(since: token).commits.map(\.origin), equals: [.call, .taken(from: "hub")])
            try await expect(store.commits(since: old).commits.count, equals: 3)
            var problems: [String] = []
            try await store.verify { problems.append($0.description) }
            expect(problems, equals: [])
            let copy = try await Store(InMemoryBackend(), models: [])
            try await copy.copy(from: store, history: true)
            try await expect(copy.commits().commits.last?.origin, equals: .taken(from: "hub"))
            try await expect(copy.historyStatus()?.holds, equals: [])
            try await copy.close()
            try await store.close()
            try expect(format(), equals: "2 6")
        }
    }

    @Test func `a copy of a history of the first format has the first format`() async throws {
        try await withFolder { folder in
            let landed = LandedStore("2026-11-26", "karch")
            let path = folder.appending(path: "test").path
            try landed.data().write(to: URL(filePath: path))
            let options = Store.Options(clock: { [time] in time })
            let store = try await Store(ArchiveBackend(path: path), models: landed.models, options: options)
            let copied = folder.appending(path: "copy").path
            let copy = try await Store(
                SQLiteBackend(path: copied), models: [],
                options: .init(history: .init(keys: [Jotted.self]), clock: { [time] in time }))
            try await copy.copy(from: store, history: true)
            try expect(
                sqliteColumn(copied, "SELECT name FROM pragma_table_info('storage_history_commits')").count, equals: 4)
            let (old, new) = (try await store.commits().commits, try await copy.commits().commits)
            expect(new.map(\.number), equals: old.map(\.number))
            expect(new.map(\.time), equals: old.map(\.time))
            try await copy.transaction(as: .taken(from: "hub")) { tx in _ = try tx.save(seat(8)) }
            try await expect(copy.commits().commits.last?.origin, equals: .taken(from: "hub"))
            try await store.close()
            try await copy.close()
        }
    }

    @Test func `a hold that is let go is told in the log`() async throws {
        let lines = LogLines()
        let history = Store.HistoryOptions(keys: [Jotted.self], keeping: .commits(5), holding: .commits(20))
        let store = try await Store(
            InMemoryBackend(), models: [Jotted.self], options: .init(history: history, logger: lines.logger(.warning)))
        try await store.holdHistory("reader", after: nil)
        try await save(1...32, in: store)
        let line = try #require(lines.all.first)
        expect(line.level == .warning && line.metadata["name"] == "reader" && line.metadata["commit"] == "0")
        try await expect(store.historyStatus()?.holds, equals: [])
        try await store.close()
    }
}
