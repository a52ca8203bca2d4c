import Logging
import MemoryBackend
import SQLiteBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

/// A backend, by default the in-memory one, remembering every query that it is asked.
private struct WatchedBackend: StorageBackend {
    static let scheme = "watched"
    let log = Log()
    var base: any StorageBackend = InMemoryBackend()

    final class Log: Sendable {
        let queries = Mutex<[(table: String, query: Query, keys: Int)]>([])
        /// The numbers of the queries' plans.
        let plans = Mutex<Set<Int>>([])
        func take() -> [(table: String, query: Query, keys: Int)] {
            queries.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    init() {}
    init(_ base: any StorageBackend) { self.base = base }
    init(url: StorageURL) throws(StorageError) {}
    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        try Engine(base.open(logger: logger), log)
    }

    private final class Engine: StorageEngine {
        let base: any StorageEngine
        let log: Log
        init(_ base: any StorageEngine, _ log: Log) { (self.base, self.log) = (base, log) }
        var info: BackendInfo { base.info }
        func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
            try Reader(base.reader(scope), log)
        }
        func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
            try base.write(body)
        }
        func close() throws(StorageError) { try base.close() }
    }

    private final class Reader: StorageReader {
        let base: any StorageReader
        let log: Log
        init(_ base: any StorageReader, _ log: Log) { (self.base, self.log) = (base, log) }
        func tables() throws(StorageError) -> [TableSchema] { try base.tables() }
        func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
            if let id = plan.id { _ = log.plans.withLock { $0.insert(id) } }
            log.queries.withLock { $0.append((plan.table.name, plan.query, arguments.lists.first?.count ?? 0)) }
            return try base.rows(plan, arguments)
        }
        func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try base.greatestKey(in: table) }
        func end() { base.end() }
    }
}

@Suite("C6 Q What queries cost")
struct CostTests {
    private func withRows(_ body: (Select<Sample, Store>, WatchedBackend.Log) async throws -> Void) async throws {
        let backend = WatchedBackend()
        let store = try await Store(backend, models: Sample.self)
        try await store.insert(Sample.rows(100, seed: 1))
        _ = backend.log.take()
        try await body(store.select(Sample.self), backend.log)
        try await store.close()
    }

    @Test
    func `pages of a history that began after the store was opened are read by the same plans`() async throws {
        try await withDatabase { path in
            let backend = WatchedBackend(SQLiteBackend(path: path))
            let store = try await Store(backend, models: Sample.self)
            let writer = try await Store(
                SQLiteBackend(path: path), models: Sample.self, options: .init(history: .init(keys: [Sample.self])))
            try await writer.insert(Sample.rows(600, seed: 1))
            func read() async throws -> (entries: Int, plans: Set<Int>) {
                var entries = 0
                for try await _ in store.history() { entries += 1 }
                return (entries, backend.log.plans.withLock { $0 })
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
