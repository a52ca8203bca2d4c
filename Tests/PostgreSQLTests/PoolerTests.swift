import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable("Cap") private struct Cap: Equatable {
    var id: Int
}

@Suite(
    "PostgreSQL behind a pooler", .enabled(if: Server.isThere && Pooler.isThere, "no server or no PgBouncer"))
struct PoolerTests {
    private static func withPooler(
        mode: String = "transaction", size: Int = 4, _ body: (Pooler, String) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            let pooler = try await Pooler(mode: mode, size: size)
            defer { pooler.stop() }
            try await Server.makeStore(schema)
            try await body(pooler, schema)
        }
    }

    private static func store(_ pooler: Pooler, _ schema: String, options: String = "") async throws -> Store {
        let url = "\(pooler.address)&schema=\(schema)&durability=relaxed\(options)"
        return try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
    }

    /// Returns the state that sessions of the server keep after the ends of their transactions.
    private static func leftovers(_ pooler: Pooler) async throws -> String {
        try await Server.psql(
            """
            SELECT (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_listening_channels()),
              (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
              (SELECT count(*) FROM pg_settings WHERE source = 'session' AND name NOT IN ('application_name'))
            """, at: pooler.address)
    }

    @Test func `200 clients take turns on 10 connections, lose nothing and leave nothing`() async throws {
        try await Self.withPooler(size: 10) { pooler, schema in
            let clients = TestExtent.isLarge ? 200 : 40
            let address = pooler.address
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<clients {
                    group.addTask { try await Self.work(client, address, schema: schema) }
                }
                try await group.waitForAll()
            }
            try await expect(Server.psql("SELECT count(*) FROM \"\(schema)\".\"Pen\""), equals: "\(4 * clients)")
            try await expect(Self.leftovers(pooler), equals: "0|0|0|0")
        }
    }

    /// Writes four records, half of the clients without waiting for the disk, and reads them.
    private static func work(_ client: Int, _ address: String, schema: String) async throws {
        let durability = client.isMultiple(of: 2) ? "full" : "relaxed"
        let url = "\(address)&schema=\(schema)&timeout=60000&durability=\(durability)"
        let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
        let keys = (0..<4).map { client * 4 + $0 }
        for key in keys.prefix(2) { try await store.insert(Pen(id: key)) }
        try await store.transaction { tx in
            for key in keys.suffix(2) { try tx.insert(Pen(id: key, color: "\(durability)")) }
        }
        let found = try await store.read { reading in
            var found: [Int] = []
            for key in keys { if let pen = try reading.find(Pen.self, key: key) { found.append(pen.id) } }
            return found
        }
        expect(found, equals: keys)
        var streamed = 0
        for try await pen in store.select(Pen.self).stream() where keys.contains(pen.id) { streamed += 1 }
        expect(streamed, equals: 4)
        try await store.close()
    }

    @Test func `what a transaction repeats is prepared for it alone, also where a statement of it fails`() async throws
    {
        try await Self.withPooler(size: 1) { pooler, schema in
            // A process that answers psql is the only one, so it is also that of the store.
            let store = try await Self.store(pooler, schema, options: "&timeout=60000")
            try await store.insert(Pen(id: 0, color: "first"))
            for round in 0..<3 {
                let failures = try await withThrowingTaskGroup(of: StorageError.Code?.self) { group in
                    for task in 1...64 {
                        group.addTask {
                            do {
                                // Of each eight, the last inserts an existing record.
                                if task % 8 == 0 {
                                    try await store.insert(Pen(id: 0))
                                } else {
                                    try await store.save(Pen(id: task, color: "\(round)"))
                                }
                                return nil
                            } catch let error as StorageError {
                                return error.code
                            }
                        }
                    }
                    var failures: [StorageError.Code] = []
                    for try await failure in group { if let failure { failures.append(failure) } }
                    return failures
                }
                expect(failures.count == 8 && failures.allSatisfy { $0 == .duplicateKey })
                try await expect(Self.leftovers(pooler), equals: "0|0|0|0")
            }
            try await expect(store.find(Pen.self, key: 0), equals: Pen(id: 0, color: "first"))
            try await expect(store.select(Pen.self).where { $0.color == "2" }.count(), equals: 56)
            try await store.close()
        }
    }

    @Test func `lookups that travel together have their own answers, and an error is that of its lookup alone`()
        async throws
    {
        try await Self.withPooler { pooler, schema in
            let url = "\(pooler.address)&schema=\(schema)&timeout=60000"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self, Cap.self)
            try await store.insert((0..<64).map { Pen(id: $0, color: "color \($0)") })
            try await store.insert(Cap(id: 1))
            for isCapThere in [true, false] {
                if !isCapThere { _ = try await Server.psql("DROP TABLE \"\(schema)\".\"Cap\"") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<64 {
                        group.addTask {
                            for number in 0..<10 {
                                let id = (task + number * 7) % 80
                                let found = try await store.find(Pen.self, key: id)
                                expect(found, equals: (id < 64 ? Pen(id: id, color: "color \(id)") : nil))
                                guard number == 5, task % 4 == 0 else { continue }
                                if isCapThere {
                                    try await expect(store.find(Cap.self, key: 1), equals: Cap(id: 1))
                                } else {
                                    await #expect(throws: StorageError.self) { try await store.find(Cap.self, key: 1) }
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await store.close()
            let closed = await #expect(throws: StorageError.self) { try await store.find(Pen.self, key: 1) }
            expect(closed?.code, equals: .closed)
        }
    }

    @Test func `a lookup that waits for a lock keeps none of another table waiting, and no cancelled one`() async throws
    {
        try await Self.withPooler { pooler, schema in
            let url = "\(pooler.address)&schema=\(schema)&timeout=60000"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self, Cap.self)
            try await store.insert(Pen(id: 1))
            try await store.insert(Cap(id: 1))
            let session = try await Server.Session("LOCK TABLE \"\(schema)\".\"Cap\" IN ACCESS EXCLUSIVE MODE")
            let cap = Task { try await store.find(Cap.self, key: 1) }
            let waits =
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '\"\(schema)\".\"Cap\"'::regclass"
            try await eventually { try await Server.psql(waits) == "1" }
            try await expect(store.find(Pen.self, key: 1) != nil)
            // One of the same table waits with it, until its task is cancelled.
            let cancelled = Task { try await store.find(Cap.self, key: 2) }
            try await Task.sleep(for: .milliseconds(100))
            cancelled.cancel()
            let error = await #expect(throws: StorageError.self) { try await cancelled.value }
            expect(error?.code, equals: .cancelled)
            try await expect(Server.psql(waits), equals: "1", "the first one still waits")
            try await session.end()
            try await expect(cap.value, equals: Cap(id: 1))
            try await store.close()
        }
    }

    @Test func `no name of a statement is used twice where a pooler keeps them, also after a failure`() async throws {
        try await Server.withSchema { schema in
            let other = try await Store(Server.backend(schema), models: House.self)
            try await other.insert(House(1))
            try await other.close()
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?sslmode=disable&schema=\(schema)&durability=relaxed"
                + "&pooler=transaction&statements=named"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: House.self)
            // Statements after the failure in the same round trip are not prepared, but are the next time.
            let taken = await #expect(throws: StorageError.self) { try await store.insert([House(2), House(1)]) }
            expect(taken?.code, equals: .duplicateKey)
            for id in 2...3 {
                try await store.insert(House(id))
                try await expect(store.find(House.self, key: id), equals: House(id))
            }
            expect(proxy.repeatedNames, equals: 0)
            try await store.close()
        }
    }

    private struct Outcome {
        var acknowledged: Set<Int> = []
        var failed: Set<Int> = []
        var unknown = 0
        var isOver = false
    }

    private final class Tally: Sendable { let outcome = Mutex(Outcome()) }

    @Test
    func `when the pooler is killed while 8 tasks write, nothing acknowledged is lost and nothing is misreported`()
        async throws
    {
        let kills = TestExtent.count(3)
        try await Self.withPooler { pooler, schema in
            let store = try await Self.store(pooler, schema, options: "&timeout=60000")
            let tally = Tally()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        var number = 0
                        while !tally.outcome.withLock({ $0.isOver }) {
                            number += 1
                            let id = number * 8 + task
                            do {
                                try await store.save(Pen(id: id))
                                tally.outcome.withLock { _ = $0.acknowledged.insert(id) }
                            } catch let error as StorageError where error.code == .io {
                                tally.outcome.withLock { _ = $0.failed.insert(id) }
                            } catch let error as StorageError where error.code == .outcomeUnknown {
                                tally.outcome.withLock { $0.unknown += 1 }
                            }
                        }
                    }
                }
                for _ in 1...kills {
                    // Somewhere in the saves of the others.
                    let wanted = tally.outcome.withLock { $0.acknowledged.count } + Int.random(in: 1...64)
                    try await eventually { tally.outcome.withLock { $0.acknowledged.count } >= wanted }
                    await pooler.kill()
                    try await pooler.start()
                }
                tally.outcome.withLock { $0.isOver = true }
                try await group.waitForAll()
            }
            let stored = Set(try await store.select(Pen.self).keys())
            let outcome = tally.outcome.withLock { $0 }
            expect(outcome.acknowledged.isSubset(of: stored))
            expect(outcome.failed.isDisjoint(with: stored))
            print(
                "\(kills) kills of the pooler: \(outcome.acknowledged.count) saves acknowledged, \(outcome.failed.count) failed, "
                    + "\(outcome.unknown) unknown")
            try await store.close()
        }
    }

    @Test(arguments: [false, true])
    func `an observer hears of the commits of others`(_ listens: Bool) async throws {
        try await Self.withPooler { pooler, schema in
            let listen = "&listen=\(try Server.folder()):\(try Server.port())"
            let store = try await Self.store(pooler, schema, options: listens ? listen : "")
            let other = try await Store(Server.backend(schema), models: Pen.self)
            expect(store.info.lacking[.foreignCommits] == nil)
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next(), equals: [])
            for id in 1...5 {
                try await other.insert(Pen(id: 2 * id))
                try await expect(values.next()?.last?.id, equals: 2 * id)
                try await store.insert(Pen(id: 2 * id + 1))
                try await expect(values.next()?.last?.id, equals: 2 * id + 1)
            }
            try await other.close()
            try await store.close()
            try await expect(Self.leftovers(pooler), equals: "0|0|0|0")
        }
    }

    @Test(arguments: [false, true])
    func `a commit of others is announced to all observers, also where an own commit follows at once`(
        _ listens: Bool
    ) async throws {
        try await Self.withPooler { pooler, schema in
            let listen = "&listen=\(try Server.folder()):\(try Server.port())"
            let url = "\(pooler.address)&schema=\(schema)\(listens ? listen : "")"
            let other = try await Store(Server.backend(schema), models: Pen.self, Cap.self)
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self, Cap.self)
            var pens = store.select(Pen.self).values().makeAsyncIterator()
            var caps = store.select(Cap.self).values().makeAsyncIterator()
            try await expect(pens.next(), equals: [])
            try await expect(caps.next(), equals: [])
            for id in 1...30 {
                // This store's transaction waits for the other's lock, so it begins as the notice is sent.
                let own = try await other.transaction { transaction in
                    try transaction.insert(Cap(id: id))
                    let own = Task.detached { try await store.insert(Pen(id: id)) }
                    Thread.sleep(forTimeInterval: 0.02)
                    return own
                }
                _ = try await own.value
                var last: Int?
                while last != id, let found = try await pens.next() { last = found.last?.id }
                expect(last, equals: id)
                try await expect(caps.next()?.last?.id, equals: id)
            }
            try await other.close()
            try await store.close()
        }
    }

    @Test func `an address for listening that leads to a pooler, or elsewhere, is refused at opening`() async throws {
        try await Self.withPooler { pooler, schema in
            let folder = URL(filePath: pooler.socket).deletingLastPathComponent().path
            let pooled = await #expect(throws: StorageError.self) {
                try await Self.store(pooler, schema, options: "&listen=\(folder)")
            }
            expect(pooled?.code == .configuration && pooled?.message.contains("pooler") == true)
            try await OwnServer.with { server in
                let port = try await server.ports()[0]
                let other = await #expect(throws: StorageError.self) {
                    try await Self.store(pooler, schema, options: "&listen=127.0.0.1:\(port)")
                }
                expect(other?.code == .configuration && other?.message.contains("another database") == true)
            }
        }
    }

    @Test func `a pooler that no longer keeps sessions, as was said, is noticed before anything is written`()
        async throws
    {
        try await Self.withPooler(mode: "session") { pooler, schema in
            let store = try await Self.store(pooler, schema, options: "&pooler=session")
            for id in 1...3 { try await store.insert(Pen(id: id)) }
            await pooler.kill()
            try await pooler.start(mode: "transaction")
            // Where it gives the same process each time, all is as it was.
            try await store.insert(Pen(id: 4))
            // Keeps the process that was used last.
            let keeper = try await Server.Session("SELECT 1", at: pooler.address)
            let error = await #expect(throws: StorageError.self) { try await store.insert(Pen(id: 5)) }
            expect(error?.code, equals: .configuration)
            try await expect(Server.psql("SELECT max(id) FROM \"\(schema)\".\"Pen\""), equals: "4")
            try await keeper.end()
            try await store.close()
        }
    }

    @Test func `a pooler of statements is refused with its own words`() async throws {
        try await Self.withPooler(mode: "statement") { pooler, schema in
            let store = try? await Self.store(pooler, schema)
            let error = await #expect(throws: StorageError.self) {
                if let store { try await store.insert(Pen(id: 1)) } else { _ = try await Self.store(pooler, schema) }
            }
            expect(error?.code, equals: .configuration)
            expect(error?.message.contains("pool_mode"), equals: true, "\(String(describing: error))")
            try await store?.close()
        }
    }

    @Test func `a store that says transaction keeps nothing in sessions of a server without a pooler`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(
                Server.backend(schema, "&pooler=transaction&connections=1"), models: Pen.self)
            for id in 1...3 { try await store.insert(Pen(id: id)) }
            try await expect(store.select(Pen.self).where { $0.id > 1 }.keys(), equals: [2, 3])
            try await store.close()
        }
    }
}
