import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite(
    "A connection to PostgreSQL that falls silent",
    .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct SilenceTests {
    /// The default one is long for a test.
    private static let timeouts = TestExtent.isLarge ? [500, 5000] : [500]

    /// A store with a proxy, and another one that reaches the server directly.
    private static func withStores(
        timeout: Int = 500, isPooled: Bool = false, _ body: (CuttingProxy, Store, Store) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            let pooler = isPooled ? try await Pooler() : nil
            defer { pooler?.stop() }
            let proxy = try CuttingProxy(to: pooler?.socket ?? Server.socket())
            defer { proxy.stop() }
            try await Server.makeStore(schema, Pen.self)
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&durability=relaxed&timeout=\(timeout)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            let other = try await Store(Server.backend(schema, "&timeout=60000"), models: Pen.self)
            try await store.insert(Pen(id: 1))
            try await body(proxy, store, other)
            try await store.close()
            try await other.close()
        }
    }

    /// A message in the phases of a call.
    struct Phase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let silence: CuttingProxy.Silence
        /// True if the call can be restarted, or has been executed.
        let returns: Bool
    }

    private static let phases = [
        Phase(testDescription: "BEGIN does not arrive", silence: .requests(of: "BEGIN"), returns: true),
        Phase(testDescription: "BEGIN is not answered", silence: .answers(to: "BEGIN"), returns: true),
        Phase(testDescription: "a statement does not arrive", silence: .requests(of: "DELETE FROM"), returns: false),
        Phase(testDescription: "a statement is not answered", silence: .answers(to: "DELETE FROM"), returns: false),
        Phase(testDescription: "COMMIT does not arrive", silence: .requests(of: "COMMIT\0"), returns: false),
        Phase(testDescription: "COMMIT is not answered", silence: .answers(to: "COMMIT\0"), returns: true),
    ]

    @Test(arguments: phases, timeouts)
    func `costs its caller the timeout, and other writers no more than its lock`(
        _ phase: Phase, _ timeout: Int
    ) async throws {
        try await Self.write(phase, timeout, isPooled: false)
    }

    @Test(.enabled(if: Pooler.isThere, "no PgBouncer"), arguments: phases, timeouts)
    func `costs no more behind a pooler, whose clients have another process for each transaction`(
        _ phase: Phase, _ timeout: Int
    ) async throws {
        try await Self.write(phase, timeout, isPooled: true)
    }

    private static func write(_ phase: Phase, _ timeout: Int, isPooled: Bool) async throws {
        try await withStores(timeout: timeout, isPooled: isPooled) { proxy, store, other in
            let clock = ContinuousClock()
            let start = clock.now
            proxy.silence(phase.silence)
            let writing = Task { () -> StorageError.Code? in
                do {
                    try await store.transaction { tx in
                        try tx.insert(Pen(id: 2))
                        try tx.delete(Pen.self, key: 1)
                    }
                } catch let error as StorageError {
                    return error.code
                }
                return nil
            }
            try await eventually { proxy.count > 0 }
            // The lock may be that of the silent connection.
            try await other.insert(Pen(id: 3))
            let others = clock.now - start
            let code = try await writing.value
            let path = isPooled ? " through a pooler" : ""
            print("\(phase.testDescription)\(path): \(clock.now - start), another writer \(others), of \(timeout) ms")
            expect(code, equals: phase.returns ? nil : .io)
            try await expect(store.select(Pen.self).keys() == (phase.returns ? [2, 3] : [1, 3]))
            try await store.insert(Pen(id: 4))
        }
    }

    @Test(
        arguments: [CuttingProxy.Silence.requests(of: "SELECT"), .answers(to: "SELECT")],
        Pooler.isThere ? [false, true] : [false])
    func `a read is asked again on another one`(_ silence: CuttingProxy.Silence, _ isPooled: Bool) async throws {
        try await Self.withStores(isPooled: isPooled) { proxy, store, _ in
            _ = try await store.find(Pen.self, key: 1)
            proxy.silence(silence)
            // A query that is asked for the first time has its text.
            try await expect(store.select(Pen.self).where { $0.id > 0 && $0.color == "" }.keys(), equals: [1])
            expect(proxy.count, equals: 1)
        }
    }

    @Test func `a store that closes leaves no lock of a read whose end did not arrive`() async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            try await Server.makeStore(schema, Pen.self)
            let url = "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&timeout=500"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            try await store.insert(Pen(id: 1))
            proxy.silence(.requests(of: "ROLLBACK"))
            // A block of reads is a transaction, whose end no call waits for.
            try await expect(store.read { tx in try tx.select(Pen.self).count() }, equals: 1)
            try await eventually { proxy.count > 0 }
            try await store.close()
            _ = try await Server.psql(
                "BEGIN; LOCK TABLE \"\(schema)\".\"Pen\" IN ACCESS EXCLUSIVE MODE NOWAIT; COMMIT")
        }
    }

    @Test(arguments: [CuttingProxy.Silence.requests(of: "LISTEN"), .answers(to: "LISTEN")])
    func `an observer hears of other stores' commits all the same`(_ silence: CuttingProxy.Silence) async throws {
        try await Self.withStores { proxy, store, other in
            proxy.silence(silence)
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.map(\.id), equals: [1])
            try await eventually { proxy.count > 0 }
            try await other.insert(Pen(id: 2))
            try await expect(values.next()?.map(\.id), equals: [1, 2])
        }
    }

    @Test func `an observer whose connection falls silent while it listens hears of them`() async throws {
        try await Self.withStores { proxy, store, other in
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.map(\.id), equals: [1])
            try await other.insert(Pen(id: 2))
            try await expect(values.next()?.map(\.id), equals: [1, 2])
            // The answers to all that is sent from now on, and with them the notices.
            proxy.silenceListener()
            try await other.insert(Pen(id: 3))
            try await expect(values.next()?.map(\.id), equals: [1, 2, 3])
        }
    }

    @Test func `answers that come later than the timeout, on every connection, are waited for`() async throws {
        try await Self.withStores(timeout: 50) { proxy, store, _ in
            proxy.delayAnswers(by: 200)
            let connections = proxy.connections
            for id in 2...5 { try await store.insert(Pen(id: id)) }
            try await store.transaction { tx in
                try tx.delete(Pen.self, key: 1)
                try expect(tx.select(Pen.self).keys(), equals: [2, 3, 4, 5])
            }
            // The server was asked, on other connections. No process must be ended, but on a busy machine the server may be
            // silent for longer than a lost connection.
            expect(proxy.connections > connections)
            expect(!TestExtent.isLarge || proxy.endings == 0)
        }
    }

    @Test(arguments: Pooler.isThere ? [false, true] : [false])
    func `a statement that takes longer than the timeout is waited for`(_ isPooled: Bool) async throws {
        let sql = """
            CREATE TABLE slow (id integer PRIMARY KEY);
            CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN new; END $$;
            CREATE TRIGGER sleeping BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION sleep()
            """
        try await Server.withForeignSchema(sql) { schema in
            let pooler = isPooled ? try await Pooler() : nil
            defer { pooler?.stop() }
            let address = try pooler.map { "\($0.address)&" } ?? "\(#require(Server.url))&"
            let url = try StorageURL("\(address)schema=\(schema)&timeout=100")
            let store = try await Store(PostgreSQLBackend(url: url), models: Slow.self)
            try await store.insert(Slow(id: 1))
            try await expect(store.select(Slow.self).keys(), equals: [1])
            try await store.close()
        }
    }

    @Storable("slow") struct Slow { var id: Int }
}
