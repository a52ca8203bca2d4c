import MemoryBackend
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Pages of a long history.
@Suite("Pages of commits")
struct CommitPageTests {
    @Storable fileprivate struct Item: Equatable {
        var id: Int
        var text = ""
    }

    /// A model of which only keys are recorded.
    @Storable fileprivate struct Mark: Equatable {
        var id: Int
        var text = ""
    }

    private static let history = Store.HistoryOptions(records: [Item.self], keys: [Mark.self])

    private static func text(_ delta: Store.RecordDelta) -> String {
        func text(_ record: () throws -> DynamicRecord?) -> String {
            do { return try record().map { "\($0)" } ?? "nil" } catch { return "\(error)" }
        }
        return "\(delta.model) \(delta.key) \(delta.kind) \(text { try delta.before() }) \(text { try delta.after() })"
    }

    private static func texts(_ page: Store.HistoryPage) -> [String] {
        page.commits.flatMap { commit in commit.changes.map { "\(commit.number) \(text($0))" } }
    }

    @Test(arguments: [Backend.memory, .sqlite])
    func `small pages have what one page has, whatever changes between them`(_ backend: Backend) async throws {
        try await withDatabase { path in
            let options = Store.Options(history: Self.history)
            let store =
                backend == .sqlite
                ? try await Store(
                    SQLiteBackend(path: path, durability: .relaxed), models: [Item.self, Mark.self], options: options)
                : try await Store(InMemoryBackend(), models: [Item.self, Mark.self], options: options)
            var random = SeededGenerator(seed: 59)
            func change(_ number: Int) async throws {
                let id = Int.random(in: 0..<40, using: &random)
                switch Int.random(in: 0..<20, using: &random) {
                case 0: try await store.delete(Item.self, key: id)
                case 1: try await store.truncate(Mark.self)
                case 2: try await store.truncate(Item.self)
                case 3: try await store.save([Item(id: id, text: "\(number)"), Item(id: id + 100, text: "\(number)")])
                case 4...8: try await store.save(Mark(id: id, text: "\(number)"))
                default: try await store.save(Item(id: id, text: "\(number)"))
                }
            }
            for number in 0..<600 { _ = try? await change(number) }
            for limit in [1, 7, 50] {
                let end = try await store.historyToken()
                let whole = try await store.commits(limit: 1_000_000)
                var texts: [String] = []
                var page = try await store.commits(limit: limit)
                texts += Self.texts(page)
                while !page.isLast {
                    page = try await store.commits(since: page.next, limit: limit)
                    texts += Self.texts(page)
                }
                expect(texts, equals: Self.texts(whole))
                expect(page.next, equals: end)
            }
            // Records that change again between two pages.
            var page = try await store.commits(limit: 7)
            for number in 600..<700 {
                page = try await store.commits(since: page.next, limit: 7)
                _ = try? await change(number)
                let again = try await store.commits(since: page.next, limit: 7)
                let whole = try await store.commits(since: page.next, limit: 1_000_000)
                expect(Self.texts(again), equals: Array(Self.texts(whole).prefix(Self.texts(again).count)))
            }
            try await store.close()
        }
    }

    /// Counts the rows that calls read.
    private final class Rows: Store.Instrument {
        let count = Mutex(0)

        func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
            { end in self.count.withLock { $0 += end.rowsRead } }
        }
    }

    @Test func `what the pages of a history read grows as the history does`() async throws {
        let rows = Rows()
        let store = try await Store(
            InMemoryBackend(), models: [Item.self], options: .init(history: Self.history, instruments: [rows]))
        func read() async throws -> Int {
            let before = rows.count.withLock { $0 }
            var token: Store.HistoryToken?
            var isLast = false
            while !isLast {
                let page = try await store.commits(since: token, limit: 10)
                (token, isLast) = (page.next, page.isLast)
            }
            return rows.count.withLock { $0 } - before
        }
        for id in 1...500 { try await store.save(Item(id: id)) }
        let half = try await read()
        for id in 501...1000 { try await store.save(Item(id: id)) }
        let whole = try await read()
        expect(whole < 3 * half, "\(half) and \(whole)")
        try await store.close()
    }
}
