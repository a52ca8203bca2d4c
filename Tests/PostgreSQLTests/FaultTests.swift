import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("PostgreSQL's faults", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct FaultTests {
    /// A store with a proxy that cuts its connections.
    private static func withProxy(
        outcome milliseconds: Int? = nil, _ body: (CuttingProxy, Store, String) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&durability=relaxed&timeout=60000"
            var backend = try PostgreSQLBackend(url: StorageURL(url))
            backend.outcomeMilliseconds = milliseconds
            let store = try await Store(backend, models: Pen.self, Person.self)
            try await body(proxy, store, schema)
            try await store.close()
        }
    }

    @Test(arguments: [CuttingProxy.Cut.beforeCommit, .afterCommit])
    func `a commit whose connection is lost is reported as the server decided it`(_ cut: CuttingProxy.Cut) async throws
    {
        try await Self.withProxy { proxy, store, _ in
            try await store.save(Pen(id: 0))
            for id in 1...10 {
                proxy.cut(cut)
                switch cut {
                case .beforeCommit:
                    let error = await #expect(throws: StorageError.self) { try await store.save(Pen(id: id)) }
                    expect(error?.code, equals: .io)
                default: try await store.save(Pen(id: id))
                }
            }
            expect(proxy.count, equals: 10)
            try await expect(store.select(Pen.self).count(), equals: cut == .beforeCommit ? 1 : 11)
            try await store.save(Pen(id: 99))
        }
    }

    @Test(arguments: [CuttingProxy.Cut.beforeCommit, .afterCommit])
    func `the outcome of a commit is unknown where no server answers in time`(_ cut: CuttingProxy.Cut) async throws {
        try await Self.withProxy(outcome: 1) { proxy, store, _ in
            proxy.refuse(true)
            proxy.cut(cut)
            let error = await #expect(throws: StorageError.self) { try await store.save(Pen(id: 1)) }
            expect(error?.code, equals: .outcomeUnknown)
            proxy.refuse(false)
            try await store.save(Pen(id: 2))
            try await expect(store.select(Pen.self).keys() == (cut == .beforeCommit ? [2] : [1, 2]))
        }
    }

    /// Like a starting server, it refuses a connection, and accepts the one that asks whether it runs.
    @Test func `a connection that is cut while it is made is made again`() async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url = try StorageURL("postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)")
            proxy.cut(.afterRequest(1))
            let store = try await Store(PostgreSQLBackend(url: url), models: Pen.self)
            expect(proxy.count, equals: 1)
            try await store.save(Pen(id: 1))
            try await expect(store.select(Pen.self).keys(), equals: [1])
            try await store.close()
        }
    }

    @Test func `a connection that died unseen while nobody used it is replaced without an error`() async throws {
        try await Self.withProxy { proxy, store, _ in
            for id in 1...5 {
                proxy.cut(.afterRequest(id * id))
                try await store.save(Pen(id: id))
                proxy.cut(.afterRequest(0))
                try await expect(store.find(Pen.self, key: id) != nil)
                proxy.cut(.afterRequest(0))
                try await expect(store.select(Person.self).all().isEmpty)
                proxy.cut(.afterRequest(0))
                let count = try await store.read { tx in
                    (try tx.select(Pen.self).count(), try tx.select(Pen.self).keys().count)
                }
                expect(count == (id, id))
            }
            expect(proxy.count, equals: 20)
        }
    }

    /// The bytes of the workload below are fewer than this, in each direction.
    private static let bytes = 6000

    @Test(.repeatable) func `what returned is stored and what threw is not, wherever a connection is cut`() async throws
    {
        try await Self.withProxy { proxy, store, _ in
            for count in TestExtent.share(Array(0..<Self.bytes), oneOf: 97) {
                for cut in [CuttingProxy.Cut.afterRequest(count), .afterAnswer(count)] {
                    try await store.insert(Pen(id: 0))
                    proxy.cut(cut)
                    let expected = await Self.work(store)
                    proxy.cut(nil)
                    let pens = try await store.select(Pen.self).keys()
                    let people = try await store.select(Person.self).all()
                    expect(Set(pens + people.compactMap(\.id).map { $0 + 100 }), equals: expected, "\(cut)")
                    expect(people.flatMap(\.pens).count, equals: expected.contains(101) ? 2 : 0, "\(cut)")
                    try await store.truncate(Person.self)
                    try await store.truncate(Pen.self)
                }
            }
            expect(proxy.count > 0)
        }
    }

    /// Writes, and returns the stored keys: those of calls that returned are stored, those of calls that threw are not.
    private static func work(_ store: Store) async -> Set<Int> {
        var expected: Set<Int> = [0]
        func attempt(_ keys: Set<Int>, _ body: () async throws -> Void) async {
            do {
                try await body()
                expected.formUnion(keys)
            } catch {
                expect((error as? StorageError)?.code == .io, "\(error)")
            }
        }
        await attempt([1]) { try await store.insert(Pen(id: 1, color: "red")) }
        await attempt([101, 102]) {
            try await store.save([Person(id: 1, name: "Ada", pens: [Pen(id: 1), Pen(id: 2)]), Person(name: "Eve")])
        }
        await attempt([3, 4]) {
            try await store.transaction { tx in
                try tx.insert([Pen(id: 3), Pen(id: 4)])
                try tx.delete(Pen.self, key: 0)
            }
            expected.remove(0)
        }
        return expected
    }

    @Test func `of commits that are cut at random none is misreported`() async throws {
        try await Self.withProxy { proxy, store, _ in
            var expected: Set<Int> = []
            var failed = 0
            for id in 0..<TestExtent.count(40) {
                proxy.cut(
                    [
                        .beforeCommit, .afterCommit, .afterRequest(.random(in: 0..<900)),
                        .afterAnswer(.random(in: 0..<400)),
                    ]
                    .randomElement())
                do {
                    try await store.save(Pen(id: id))
                    expected.insert(id)
                } catch {
                    failed += 1
                    expect((error as? StorageError)?.code == .io, "\(error)")
                }
                proxy.cut(nil)
            }
            let keys = try await store.select(Pen.self).keys()
            expect(Set(keys), equals: expected)
            print("\(proxy.count) connections cut: \(expected.count) saves acknowledged, \(failed) failed")
        }
    }

    @Test func `a deadlock with another program is a conflict, and a transaction is repeated`() async throws {
        try await Server.withSchema { schema in
            // This side notices a deadlock at once, and the other one never.
            let address = "host=\(try Server.folder()) port=\(try Server.port()) user=storage dbname=postgres "
            let options = "options='-c deadlock_timeout=1ms' application_name=\(schema)"
            let store = try await Store(PostgreSQLBackend(address + options, schema: schema), models: Pen.self)
            for retries in [0, 1] {
                try await store.save([Pen(id: 1), Pen(id: 2)])
                let table = "\"\(schema)\".\"Pen\""
                let isOther = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)_other'"
                nonisolated(unsafe) let other = try await Server.Session(
                    "SET deadlock_timeout = '60s'; SET application_name = '\(schema)_other'; "
                        + "UPDATE \(table) SET color = 'theirs' WHERE id = 2")
                nonisolated(unsafe) var attempts = 0
                let result = await Result {
                    try await store.transaction(retries: retries) { tx in
                        attempts += 1
                        // The other transaction may still wait for its turn, and two would be in each other's way again.
                        try blockUntil {
                            try attempts == 1 || Server.blockingPsql("\(isOther) AND state = 'active'") == "0"
                        }
                        try tx.update(Pen(id: 1, color: "ours"))
                        if attempts == 1 {
                            try other.send("UPDATE \(table) SET color = 'theirs' WHERE id = 1; COMMIT;")
                            try blockUntil { try Server.blockingPsql("\(isOther) AND wait_event_type = 'Lock'") == "1" }
                        }
                        try tx.update(Pen(id: 2, color: "ours"))
                    }
                }
                try await other.end()
                expect(attempts, equals: retries + 1)
                let colors = try await store.select(Pen.self).all().map(\.color)
                if retries == 0 {
                    #expect(throws: StorageError.self) { try result.get() }
                    if case .failure(let error as StorageError) = result { expect(error.code, equals: .conflict) }
                    expect(colors, equals: ["theirs", "theirs"])
                } else {
                    try result.get()
                    expect(colors, equals: ["ours", "ours"])
                }
            }
            try await store.close()
        }
    }

    @Test func `a transaction whose connection is ended fails, stores nothing, and the next one works`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, "&application_name=\(schema)"), models: Pen.self)
            try await store.save(Pen(id: 1))
            let error = await #expect(throws: StorageError.self) {
                try await store.transaction { tx in
                    try tx.save(Pen(id: 2))
                    try Server.blockingPsql(
                        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(schema)'"
                    )
                    _ = try? tx.save(Pen(id: 3))
                }
            }
            expect(error?.code, equals: .io)
            try await expect(store.select(Pen.self).keys(), equals: [1])
            try await store.save(Pen(id: 4))
            try await expect(store.select(Pen.self).keys(), equals: [1, 4])
            try await store.close()
        }
    }

    /// Its first statement asks for missing tables, which undoes earlier settings of the group.
    @Test
    func `the connections that made a store wait for locks no longer than the timeout`() async throws {
        try await Server.withSchema { schema in
            let address = try Server.backend(schema, "&timeout=2000&connections=1")
            let store = try await Store(address, models: Pen.self)
            try await store.save(Pen(id: 1))
            let lock = try await Server.Session("LOCK TABLE \"\(schema)\".\"Pen\" IN ACCESS EXCLUSIVE MODE")
            let reading = await #expect(throws: StorageError.self) { try await store.select(Pen.self).all() }
            let writing = await #expect(throws: StorageError.self) { try await store.save(Pen(id: 2)) }
            expect(reading?.code == .busy && writing?.code == .busy)
            try await lock.end()
            try await expect(store.select(Pen.self).keys(), equals: [1])
            try await store.close()
        }
    }

    @Test func `a store is made while another one that is made waits`() async throws {
        try await Server.withSchema { schema in
            let (first, second) = ("\(schema)_first", "\(schema)_second")
            // It has the name, as far as the server knows yet.
            let obstacle = try await Server.Session("CREATE SCHEMA \"\(first)\"")
            let waiting = Task {
                let options = "&timeout=600000&application_name=\(schema)"
                try await Store(Server.backend(first, options), models: Pen.self).close()
            }
            let waits =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND wait_event_type = 'Lock'"
            try await eventually { try await Server.psql(waits) == "1" }
            try await Store(Server.backend(second), models: Pen.self).close()
            try await obstacle.end()
            try await waiting.value
            for other in [first, second] { try await Server.psql("DROP SCHEMA \"\(other)\" CASCADE") }
        }
    }

    @Test func `a writer waits for another store's, and is busy after the timeout`() async throws {
        try await Server.withSchema { schema in
            let first = try await Store(Server.backend(schema), models: Pen.self)
            let second = try await Store(Server.backend(schema, "&timeout=50"), models: Pen.self)
            try await first.transaction { tx in
                try tx.save(Pen(id: 1))
                #expect(throws: StorageError.self) { try second.blocking.save(Pen(id: 2)) }
            }
            try await second.save(Pen(id: 3))
            try await expect(first.select(Pen.self).keys(), equals: [1, 3])
            try await first.close()
            try await second.close()
        }
    }
}

extension Result where Success: Sendable, Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
