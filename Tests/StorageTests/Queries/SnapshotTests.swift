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

@Storable private struct Article {
    var id: Int
    var author: Ref<Author>
    @Searchable var text = ""
}

extension Author.Columns { fileprivate var articles: Inverse<Article> { inverse(\.author) } }

@Suite("Calls of several queries")
struct SnapshotTests {
    /// Calls the body with a store in a file. Before the store's query of a number in the body, counted from 0, another
    /// store calls a closure.
    ///
    /// - Returns: the number of queries.
    @discardableResult
    private func with(
        _ change: @escaping @Sendable (Store.Blocking) throws -> Void, before number: Int,
        models: [any Storable.Type] = [Author.self, Essay.self], _ body: (Store) async throws -> Void
    ) async throws -> Int {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("essays.db").path
            let count = Mutex<Int?>(nil)
            let other = try await Store(SQLiteBackend(path: path), models: models)
            let backend = WatchedQueries(SQLiteBackend(path: path)) { reader, plan, arguments throws(StorageError) in
                let isNow = count.withLock { count in
                    count = count.map { $0 + 1 }
                    return count == number + 1
                }
                if isNow {
                    do { try change(other.blocking) } catch { throw StorageError(.io, "\(error)") }
                }
                return try reader.rows(plan, arguments)
            }
            let store = try await Store(backend, models: models)
            try await store.insert([Author(id: 1, name: "a"), Author(id: 2, name: "b")])
            try await store.insert((1...4).map { Essay(id: $0, author: Ref(1), rank: $0 < 3 ? $0 : nil) })
            count.withLock { $0 = 0 }
            try await body(store)
            let queries = count.withLock { $0 } ?? 0
            expect(queries > number)
            try await store.close()
            try await other.close()
            return queries
        }
    }

    @Test func `records are loaded with related records of the same state`() async throws {
        try await with({ _ = try $0.save(Author(id: 1, name: "changed")) }, before: 1) { store in
            let found = try await store.select(Essay.self).where { $0.id == 1 }.with(\.author).all()
            expect(found.map { $0.1.name }, equals: ["a"])
        }
    }

    @Test func `a page of two ranges is of one state`() async throws {
        // The essay of rank 2 gets none between the query of those with a rank and the query of the others.
        try await with({ try $0.update(Essay.self).where { $0.id == 2 }.set(\.rank, to: nil).run() }, before: 2) {
            store in
            let query = store.select(Essay.self).order { $0.rank.ascending.nilsLast }
            let next = try #require(try await query.page(size: 1).next)
            let page = try await query.page(after: next, size: 3)
            expect(page.records.map(\.id), equals: [2, 3, 4])
        }
    }

    @Test func `a search through an inverse and its records are of one state`() async throws {
        let models: [any Storable.Type] = [Author.self, Essay.self, Article.self]
        func find(_ store: Store) async throws -> [Int] {
            try await store.insert(Article(id: 1, author: 1, text: "word"))
            return try await store.select(Author.self).where { $0.articles.any { $0.matches("word") } }.keys()
        }
        let queries = try await with({ _ in }, before: 0, models: models) { store in
            expect(try await find(store), equals: [1])
        }
        // The article loses the word and gets another author: no state has author 2.
        let change: @Sendable (Store.Blocking) throws -> Void = {
            _ = try $0.save(Article(id: 1, author: 2, text: "other"))
        }
        try await with(change, before: queries - 1, models: models) { store in
            expect(try await find(store), equals: [1])
        }
    }
}
