import MemoryBackend
import SQLiteBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

/// The queries that a store asks its backend.
private final class QueryLog: Sendable {
    private let queries = Mutex<[(table: String, query: Query, keys: Int)]>([])
    /// The numbers of the queries' plans.
    let plans = Mutex<Set<Int>>([])

    func take() -> [(table: String, query: Query, keys: Int)] {
        queries.withLock { all in
            defer { all = [] }
            return all
        }
    }

    func watching(_ base: any StorageBackend) -> WatchedQueries {
        WatchedQueries(base) { [self] (reader, plan, arguments) throws(StorageError) in
            if let id = plan.id { _ = plans.withLock { $0.insert(id) } }
            queries.withLock { $0.append((plan.table.name, plan.query, arguments.lists.first?.count ?? 0)) }
            return try reader.rows(plan, arguments)
        }
    }
}

@Suite("C6 Q What queries cost")
struct CostTests {
    private func withRows(_ body: (Select<Sample, Store>, QueryLog) async throws -> Void) async throws {
        let log = QueryLog()
        let store = try await Store(log.watching(InMemoryBackend()), models: Sample.self)
        try await store.insert(Sample.rows(100, seed: 1))
        _ = log.take()
        try await body(store.select(Sample.self), log)
        try await store.close()
    }

    @Test
    func `pages of a history that began after the store was opened are read by the same plans`() async throws {
        try await withDatabase { path in
            let log = QueryLog()
            let store = try await Store(log.watching(SQLiteBackend(path: path)), models: Sample.self)
            let writer = try await Store(
                SQLiteBackend(path: path), models: Sample.self, options: .init(history: .init(keys: [Sample.self])))
            try await writer.insert(Sample.rows(600, seed: 1))
            func read() async throws -> (entries: Int, plans: Set<Int>) {
                var entries = 0
                for try await _ in store.history() { entries += 1 }
                return (entries, log.plans.withLock { $0 })
            }
            let first = try await read()
            expect(first.entries, equals: 600)
            for _ in 1...5 { try await expect(read().plans, equals: first.plans) }
            try await writer.close()
            try await store.close()
        }
    }

    @Test
    func `children of a limited query are read for its records alone, one query for each property`() async throws {
        try await withRows { select, log in
            _ = try await select.order { $0.small.descending }.limit(7).all()
            let queries = log.take()
            expect(queries.map(\.table), equals: ["Sample", "Sample_main", "Sample_parts", "Sample_spares"])
            expect(queries.dropFirst().allSatisfy { $0.query.scope == .keys(columns: 1, list: 0) && $0.keys == 7 })
        }
    }

    @Test
    func `chosen properties and records without children read no child`() async throws {
        try await withRows { select, log in
            _ = try await select.only { ($0.id, $0.name) }.all()
            expect(log.take().map(\.query.result), equals: [.columns([0, 8])])
            _ = try await select.withoutChildren().all()
            expect(log.take().map(\.table), equals: ["Sample"])
            _ = try await select.limit(3).only { ($0.name, $0.parts) }.all()
            let queries = log.take()
            expect(queries.map(\.table) == ["Sample", "Sample_parts"] && queries.last?.keys == 3)
        }
    }

    @Test
    func `count, exists, aggregates and groups are the backend's, and load no record`() async throws {
        try await withRows { select, log in
            _ = try await select.where { $0.flag }.count()
            _ = try await select.exists()
            _ = try await select.sum { $0.small }
            _ = try await select.average { $0.price }
            _ = try await select.group { $0.color }.all { ($0.key, $0.count) }
            let results = log.take().map(\.query.result)
            expect(results.count, equals: 5)
            for result in results {
                switch result {
                case .columns, .terms: Issue.record("rows were loaded: \(result)")
                case .count, .exists, .groups: break
                }
            }
        }
    }
}
