import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

/// Reads of a store with replicas while its primary is away.
@Suite(
    "Outages of a primary with replicas", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct OutageTests {
    /// A store that writes by a proxy, which may lose the primary, and reads from the replica.
    private static func withStore(
        _ options: String, _ body: (Store, _ primary: CuttingProxy, _ servers: OwnServer) async throws -> Void
    ) async throws {
        try await OwnServer.with(replicas: 1) { servers in
            let ports = try await servers.ports()
            let folder = try await Server.psql(
                "SELECT split_part(current_setting('unix_socket_directories'), ',', 1)", at: servers.addresses[0])
            let primary = try CuttingProxy(to: "\(folder)/.s.PGSQL.\(ports[0])")
            defer { primary.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(primary.port)/postgres?schema=app&sslmode=disable"
                + "&replicas=127.0.0.1:\(ports[1])&\(options)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            try await store.insert(Pen(id: 1))
            try await store.insert(Pen(id: 2))
            try await body(store, primary, servers)
            try await store.close()
        }
    }

    /// Ends the store's connections to the primary, and lets it make no others.
    private static func lose(_ primary: CuttingProxy, _ servers: OwnServer) async throws {
        primary.refuse(true)
        try await Server.psql(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'swift-storage'",
            at: servers.addresses[0])
    }

    @Test func `replicas answer while the primary is away, with the store's own commits`() async throws {
        try await Self.withStore("outage=3600000&timeout=2000") { store, primary, servers in
            try await store.refresh()
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.map(\.id), equals: [1, 2])
            // A read that finds the replica behind makes the primary write out the end of its log.
            try await eventually {
                _ = try await store.find(Pen.self, key: 1)
                return try await Self.hasReplayed(servers)
            }
            try await Self.lose(primary, servers)
            try await eventually { (try? await store.select(Pen.self).keys()) == [1, 2] }
            for _ in 0..<50 { try await expect(store.select(Pen.self).keys(), equals: [1, 2]) }
            let keys = try await store.read { try $0.select(Pen.self).keys() }
            expect(keys, equals: [1, 2])
            let refused = await #expect(throws: StorageError.self) { try await store.insert(Pen(id: 3)) }
            expect(refused?.code, equals: .io)
            // The primary is back: reads show commits of others again, and the observer goes on.
            primary.refuse(false)
            try await Server.psql("INSERT INTO app.\"Pen\" VALUES (4, '')", at: servers.addresses[0])
            try await eventually { try await store.select(Pen.self).keys() == [1, 2, 4] }
            try await store.insert(Pen(id: 5))
            while let pens = try await values.next(), pens.last?.id != 5 {}
        }
    }

    @Test func `without the option reads wait for the primary as failover says, and fail otherwise`() async throws {
        try await Self.withStore("failover=3600000&timeout=2000") { store, primary, servers in
            try await store.refresh()
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.map(\.id), equals: [1, 2])
            try await Self.lose(primary, servers)
            let before = primary.refused
            let reading = Task.detached { try await store.select(Pen.self).keys() }
            // It is tried again and again.
            try await eventually { primary.refused >= before + 5 }
            primary.refuse(false)
            try await expect(reading.value, equals: [1, 2])
            try await store.insert(Pen(id: 3))
            while let pens = try await values.next(), pens.last?.id != 3 {}
        }
        try await Self.withStore("timeout=2000") { store, primary, servers in
            try await Self.lose(primary, servers)
            let error = await #expect(throws: StorageError.self) { try await store.select(Pen.self).keys() }
            expect(error?.code, equals: .io)
            primary.refuse(false)
        }
    }

    private static func hasReplayed(_ servers: OwnServer) async throws -> Bool {
        let written = try await Server.psql("SELECT pg_current_wal_insert_lsn()", at: servers.addresses[0])
        return try await Server.psql("SELECT pg_last_wal_replay_lsn() >= '\(written)'", at: servers.addresses[1]) == "t"
    }
}
