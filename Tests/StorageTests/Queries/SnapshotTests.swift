import Foundation
import SQLiteBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable private struct Author {
    var id: Int
    var name = ""
}

@Storable private struct Essay {
    var id: Int
    var author: Ref<Author>
    @Indexed var rank: Int?
}

@Suite("Calls of several queries")
struct SnapshotTests {
    /// Calls the body with a store in a file. Before the store's query of a number in the body, counted from 0, another
    /// program runs a statement.
    private func with(
        _ statement: String, before number: Int, _ body: (Store) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("essays.db").path
            let count = Mutex<Int?>(nil)
            let backend = WatchedQueries(SQLiteBackend(path: path)) { reader, plan, arguments throws(StorageError) in
                let isNow = count.withLock { count in
                    count = count.map { $0 + 1 }
                    return count == number + 1
                }
                if isNow {
                    do { try sqliteRun(path, statement) } catch { throw StorageError(.io, "\(error)") }
                }
                return try reader.rows(plan, arguments)
            }
            let store = try await Store(backend, models: Author.self, Essay.self)
            try await store.insert([Author(id: 1, name: "a"), Author(id: 2, name: "b")])
            try await store.insert((1...4).map { Essay(id: $0, author: Ref(1), rank: $0 < 3 ? $0 : nil) })
            count.withLock { $0 = 0 }
            try await body(store)
            expect((count.withLock { $0 } ?? 0) > number)
            try await store.close()
        }
    }

    @Test func `records are loaded with related records of the same state`() async throws {
        try await with("UPDATE Author SET name = 'changed'", before: 1) { store in
            let found = try await store.select(Essay.self).where { $0.id == 1 }.with(\.author).all()
            expect(found.map { $0.1.name }, equals: ["a"])
        }
    }

    @Test func `a page of two ranges is of one state`() async throws {
        // The essay of rank 2 gets none between the query of those with a rank and the query of the others.
        try await with("UPDATE Essay SET rank = NULL WHERE id = 2", before: 2) { store in
            let query = store.select(Essay.self).order { $0.rank.ascending.nilsLast }
            let next = try #require(try await query.page(size: 1).next)
            let page = try await query.page(after: next, size: 3)
            expect(page.records.map(\.id), equals: [2, 3, 4])
        }
    }
}
