import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Suite("Reads from PostgreSQL's replicas", .enabled(if: Server.isThere, "no server"))
struct ReplicaTests {
    /// A server, its replica with a proxy, a store that reads from the replica, and one that does not.
    private struct Pair {
        let primary: String
        let replica: String
        let proxy: CuttingProxy
        let store: Store
        let other: Store

        func caughtUp() async throws -> Bool {
            let written = try await Server.psql("SELECT pg_current_wal_flush_lsn()", at: primary)
            return try await Server.psql("SELECT pg_last_wal_replay_lsn() >= '\(written)'", at: replica) == "t"
        }

        /// Lets the replica stay where it is, or go on.
        func pause(_ isPaused: Bool) async throws {
            try await Server.pauseReplay(isPaused, at: replica)
        }

        /// Expects that the store finds a record, or that it finds none.
        func expectRecord(_ key: Int, isThere: Bool = true) async throws {
            let found = try await store.find(Pen.self, key: key)
            expect((found != nil) == isThere)
        }
    }

    private static func socket(_ address: String) async throws -> String {
        try await Server.psql(
            "SELECT split_part(current_setting('unix_socket_directories'), ',', 1) || '/.s.PGSQL.' || current_setting('port')",
            at: address)
    }

    private static func withReplica(
        _ options: String = "&staleness=3600000", timeout: Int = 60_000, settings: [String] = [],
        _ body: (Pair) async throws -> Void
    ) async throws {
        try await OwnServer.with(replicas: 1, settings: settings) { servers in
            let (primary, replica) = (servers.addresses[0], servers.addresses[1])
            let proxy = try await CuttingProxy(to: socket(replica))
            defer { proxy.stop() }
            let other = try await Store(PostgreSQLBackend(url: StorageURL("\(primary)&schema=app")), models: Pen.self)
            try await other.insert(Pen(id: 1))
            let url = "\(primary)&schema=app&timeout=\(timeout)&replicas=127.0.0.1:\(proxy.port)\(options)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            let pair = Pair(primary: primary, replica: replica, proxy: proxy, store: store, other: other)
            try await eventually { try await pair.caughtUp() }
            try await body(pair)
            try await store.close()
            try await other.close()
        }
    }

    @Test func `reads are the replica's, and have the store's own commits all the same`() async throws {
        try await Self.withReplica { pair in
            try await pair.expectRecord(1)
            expect(pair.proxy.connections, equals: 1)
            // Later commits of others are missing, which shows that the read comes from the replica.
            try await pair.pause(true)
            try await pair.other.insert(Pen(id: 2))
            try await pair.expectRecord(2, isThere: false)
            let keys = try await pair.store.read { try $0.select(Pen.self).keys() }
            expect(keys, equals: [1])
            // The replica does not come so far in time, and the primary answers.
            try await pair.store.insert(Pen(id: 3))
            try await expect(pair.store.select(Pen.self).keys(), equals: [1, 2, 3])
            // A record that was read stays visible.
            try await pair.expectRecord(2)
            try await pair.pause(false)
            try await eventually { try await pair.caughtUp() }
            for id in 4...40 {
                try await pair.store.insert(Pen(id: id))
                try await pair.expectRecord(id)
            }
            // It answers again.
            try await eventually { try await pair.caughtUp() }
            try await pair.pause(true)
            try await pair.other.insert(Pen(id: 41))
            try await pair.expectRecord(41, isThere: false)
            try await pair.pause(false)
        }
    }

    @Test func `a position that a replica does not reach is waited for once`() async throws {
        try await Self.withReplica { pair in
            let sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
            try await pair.pause(true)
            try await pair.store.insert(Pen(id: 2))
            let before = try await #require(Int(Server.psql(sql, at: pair.replica)))
            for _ in 1...40 { try await pair.expectRecord(2) }
            try await pair.store.close()
            // A server counts the transactions of a connection when its process has ended.
            let clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            var own = 1
            try await eventually {
                own += 1
                return try await Server.psql(clients, at: pair.replica) == "1"
            }
            let after = try await #require(Int(Server.psql(sql, at: pair.replica)))
            // The first read asks until its time is over, each later one once at most.
            expect(after - before - own < 100)
            try await pair.pause(false)
        }
    }

    @Test func `without a staleness every commit of others is shown`() async throws {
        try await Self.withReplica("") { pair in
            for id in 2...20 {
                try await pair.other.insert(Pen(id: id))
                try await pair.expectRecord(id)
            }
            try await pair.pause(true)
            try await pair.other.insert(Pen(id: 21))
            try await pair.expectRecord(21)
            try await pair.pause(false)
        }
    }

    @Test func `reads that begin together share a question to the primary`() async throws {
        try await Self.withReplica { pair in
            let primary = try await CuttingProxy(to: Self.socket(pair.primary))
            defer { primary.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(primary.port)/postgres?schema=app&timeout=60000&connections=24"
                + "&replicas=127.0.0.1:\(pair.proxy.port)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            let before = primary.roundTrips
            // Each of them begins after this commit, and before the first one has an answer.
            try await pair.other.insert(Pen(id: 2))
            primary.holdAnswers(true)
            defer { primary.holdAnswers(false) }
            let called = Counter()
            let found = try await withThrowingTaskGroup(of: Pen?.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        called.add()
                        return try await store.find(Pen.self, key: 2)
                    }
                }
                try await eventually { called.value == 24 }
                primary.holdAnswers(false)
                return try await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
            }
            expect(found, equals: 24)
            expect(primary.roundTrips - before < 12)
            try await store.close()
        }
    }

    @Test
    func `the primary writes out the end of its log, which is no commit, for replicas to reach it`() async throws {
        try await Self.withReplica("", settings: ["wal_writer_delay=10000"]) { pair in
            try await pair.expectRecord(1)
            var lsn = ""
            // The server may write by itself at any time.
            try await eventually {
                lsn = try await Server.psql(
                    "SELECT pg_logical_emit_message(false, 'test', 'not written')", at: pair.primary)
                return try await Server.psql("SELECT pg_current_wal_flush_lsn() < '\(lsn)'", at: pair.primary) == "t"
            }
            try await pair.expectRecord(1)
            try await expect(
                Server.psql("SELECT pg_current_wal_flush_lsn() >= '\(lsn)'", at: pair.primary), equals: "t")
        }
    }

    @Test func `an observer sees each commit, also where the replica is behind`() async throws {
        try await Self.withReplica { pair in
            var values = pair.store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.map(\.id), equals: [1])
            try await pair.pause(true)
            try await pair.other.insert(Pen(id: 2))
            try await expect(values.next()?.map(\.id), equals: [1, 2])
            try await pair.store.insert(Pen(id: 3))
            try await expect(values.next()?.map(\.id), equals: [1, 2, 3])
            try await pair.pause(false)
        }
    }

    @Test func `a replica that is gone leaves reads to the primary, and rests for the timeout`() async throws {
        // No run of the test takes so long.
        try await Self.withReplica(timeout: 600_000) { pair in
            try await pair.expectRecord(1)
            // The connection is lost while it is asked.
            pair.proxy.refuse(true)
            pair.proxy.cut(.afterAnswer(1))
            try await pair.expectRecord(1)
            expect(pair.proxy.count, equals: 1)
            for _ in 0..<10 { try await pair.expectRecord(1) }
            expect(pair.proxy.refused <= 2)
        }
    }

    @Test func `a replica that is back is asked again after the timeout`() async throws {
        try await Self.withReplica(timeout: 1000) { pair in
            try await pair.expectRecord(1)
            pair.proxy.refuse(true)
            pair.proxy.cut(.afterAnswer(1))
            try await pair.expectRecord(1)
            pair.proxy.refuse(false)
            let connections = pair.proxy.connections
            try await eventually {
                try await pair.expectRecord(1)
                return pair.proxy.connections > connections
            }
        }
    }

    @Test
    func `a read block whose replica is gone before its first answer is the primary's, and later ends with an error`()
        async throws
    {
        try await Self.withReplica(timeout: 1000) { pair in
            try await pair.expectRecord(1)
            pair.proxy.cut(.afterAnswer(1))
            let keys = try await pair.store.read { try $0.select(Pen.self).keys() }
            expect(keys, equals: [1])
            try await eventually {
                try await pair.expectRecord(1)
                return pair.proxy.connections > 1
            }
            let proxy = pair.proxy
            let error = await #expect(throws: StorageError.self) {
                try await pair.store.read { reading in
                    _ = try reading.select(Pen.self).keys()
                    proxy.cut(.afterAnswer(1))
                    _ = try reading.select(Pen.self).count()
                }
            }
            expect(error?.code, equals: .io)
            try await pair.expectRecord(1)
        }
    }

    @Test func `a replica that was promoted is not asked, and one of another cluster neither`() async throws {
        try await Self.withReplica { pair in
            try await pair.expectRecord(1)
            try await Server.psql("SELECT pg_promote(true, 600)", at: pair.replica)
            try await Server.psql("DELETE FROM app.\"Pen\"", at: pair.replica)
            // Its position is read, because the store has written.
            try await pair.store.insert(Pen(id: 2))
            try await expect(pair.store.select(Pen.self).keys(), equals: [1, 2])
            try await expect(pair.store.select(Pen.self).keys(), equals: [1, 2])
            let url = "\(pair.primary)&schema=app&replicas=\(try Server.folder()):\(try Server.port())"
            let stranger = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            try await expect(stranger.select(Pen.self).keys(), equals: [1, 2])
            try await stranger.close()
        }
    }
}
