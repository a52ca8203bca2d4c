import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("Notices of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct NoticeTests {
    /// Two stores of one schema.
    private static func withStores(_ body: (Store, Store, String) async throws -> Void) async throws {
        try await Server.withSchema { schema in
            let first = try await Store(Server.backend(schema, "&application_name=\(schema)"), models: Pen.self)
            let second = try await Store(Server.backend(schema), models: Pen.self)
            try await body(first, second, schema)
            try await first.close()
            try await second.close()
        }
    }

    @Test func `a store hears of another's commits, and of its own keeps the keys`() async throws {
        try await Self.withStores { first, second, _ in
            var values = first.select(Pen.self).values().makeAsyncIterator()
            var feed = first.changes(of: Pen.self).makeAsyncIterator()
            try await expect(values.next(), equals: [])
            for id in 1...20 {
                try await first.save(Pen(id: 2 * id))
                try await expect(values.next()?.last?.id, equals: 2 * id)
                guard case .commit? = try await feed.next() else {
                    Issue.record("a gap where nobody else has written")
                    return
                }
                try await second.save(Pen(id: 2 * id + 1))
                try await expect(values.next()?.last?.id, equals: 2 * id + 1)
                guard case .gap? = try await feed.next() else {
                    Issue.record("no gap where another store has written")
                    return
                }
            }
        }
    }

    /// Returns the number of listening connections.
    private static func listeners(_ schema: String) async throws -> String {
        try await Server.psql(
            """
            SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND mode = 'ShareLock' AND application_name = '\(schema)'
            """)
    }

    @Test func `a connection listens only while the store is observed, and only then notices are sent`() async throws {
        try await Self.withStores { first, second, schema in
            let number = try await Server.psql("SELECT oid FROM pg_namespace WHERE nspname = '\(schema)'")
            let other = try await Server.Session("LISTEN storage_\(number); COMMIT")
            try await second.save(Pen(id: 1))
            try await expect(Self.listeners(schema), equals: "0")
            do {
                var values = first.select(Pen.self).values().makeAsyncIterator()
                try await expect(values.next()?.count, equals: 1)
                try await eventually { try await Self.listeners(schema) == "1" }
                try await second.save(Pen(id: 2))
                try await expect(values.next()?.count, equals: 2)
            }
            try await eventually { try await Self.listeners(schema) == "0" }
            try await second.save(Pen(id: 3))
            try other.send("SELECT 'end'")
            let output = try await other.end()
            expect(output.components(separatedBy: "Asynchronous notification").count, equals: 2, "\(output)")
        }
    }

    @Test(arguments: [Int64.max, .min, 1 << 40])
    func `a notice that no store has sent ends nothing, and deafens nobody`(number: Int64) async throws {
        try await Self.withStores { first, second, schema in
            let channel = try await Server.psql("SELECT oid FROM pg_namespace WHERE nspname = '\(schema)'")
            var values = first.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next(), equals: [])
            try await eventually { try await Self.listeners(schema) == "1" }
            try await Server.psql("SELECT pg_notify('storage_\(channel)', '\(number)')")
            for id in 1...3 {
                try await second.save(Pen(id: 2 * id))
                try await expect(values.next()?.count, equals: 2 * id - 1)
                try await first.save(Pen(id: 2 * id + 1))
                try await expect(values.next()?.count, equals: 2 * id)
            }
        }
    }

    @Test func `an observer goes on when its listening connection has ended`() async throws {
        try await Self.withStores { first, second, schema in
            var values = first.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next(), equals: [])
            for id in 1...3 {
                try await eventually { try await Self.listeners(schema) == "1" }
                try await Server.psql(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(schema)'")
                try await second.save(Pen(id: id))
                try await expect(values.next()?.count, equals: id)
            }
        }
    }

    @Test func `an observer outlives an outage that is shorter than the timeout`() async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&timeout=60000&application_name=\(schema)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            let other = try await Store(Server.backend(schema), models: Pen.self)
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next(), equals: [])
            try await eventually { try await Self.listeners(schema) == "1" }
            // The listening connection stays: it gets the notice of a commit that no connection can read.
            proxy.refuse(true)
            try await Server.psql(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(schema)'
                AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')
                """)
            try await other.save(Pen(id: 1))
            let ending = Task {
                defer { proxy.refuse(false) }
                try await eventually { proxy.refused >= 3 }
            }
            try await expect(values.next(), equals: [Pen(id: 1)])
            try await ending.value
            try await store.close()
            try await other.close()
        }
    }

    @Test func `an observer reads anew behind a commit of which nobody knows the outcome`() async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url = "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&timeout=60000"
            var backend = try PostgreSQLBackend(url: StorageURL(url))
            backend.outcomeMilliseconds = 1
            let store = try await Store(backend, models: Pen.self)
            var feed = store.changes(of: Pen.self).makeAsyncIterator()
            try await store.save(Pen(id: 1))
            guard case .commit? = try await feed.next() else {
                Issue.record("a gap where nobody else has written")
                return
            }
            proxy.refuse(true)
            proxy.cut(.afterCommit)
            let error = await #expect(throws: StorageError.self) { try await store.save(Pen(id: 2)) }
            // Of any other error the feed does not tell.
            try #require(error?.code == .outcomeUnknown)
            proxy.refuse(false)
            guard case .gap? = try await feed.next() else {
                Issue.record("no gap where a commit is not known")
                return
            }
            try await store.close()
        }
    }
}
