import Foundation
import PostgreSQLBackend
import StorageKit
import Testing

@Suite("Failover of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct FailoverTests {
    @Test func `a replica is read, and when it was promoted the store goes on with it`() async throws {
        let servers = try OwnServer(hasReplica: true)
        defer { try? servers.end() }
        let addresses = servers.addresses
        try #require(addresses.count == 2)
        let ports = try addresses.map { try Server.psql("SELECT current_setting('port')", at: $0) }
        let both =
            "host=127.0.0.1,127.0.0.1 port=\(ports.joined(separator: ",")) user=storage dbname=postgres "
            + "target_session_attrs=primary"
        let store = try await Store(PostgreSQLBackend(both, schema: "app"), models: Pen.self)
        for id in 1...10 { try await store.save(Pen(id: id)) }
        let written = try Server.psql("SELECT pg_current_wal_lsn()", at: addresses[0])
        while try Server.psql("SELECT pg_last_wal_replay_lsn() >= '\(written)'", at: addresses[1]) != "t" {
            await Task.yield()
        }

        let replica = try await Store(
            PostgreSQLBackend(url: StorageURL(addresses[1] + "&schema=app")), models: Pen.self)
        #expect(try await replica.select(Pen.self).count() == 10)
        let refusal = await #expect(throws: StorageError.self) { try await replica.save(Pen(id: 11)) }
        #expect(refusal?.code == .unsupported)
        #expect(replica.info.lacking[.writing] != nil)
        let deaf = await #expect(throws: StorageError.self) { try await replica.refresh() }
        #expect(deaf?.code == .unsupported)
        var values = replica.select(Pen.self).values().makeAsyncIterator()
        #expect(try await values.next()?.count == 10)

        // The primary ends as if it were killed.
        _ = try? Server.psql(
            "COPY (SELECT 1) TO PROGRAM 'kill -QUIT $(head -n 1 postmaster.pid)'", at: addresses[0])
        let lost = await #expect(throws: StorageError.self) { try await store.save(Pen(id: 12)) }
        #expect(lost?.code == .io)
        try Server.psql("SELECT pg_promote()", at: addresses[1])
        try await store.save(Pen(id: 13))
        #expect(try await store.select(Pen.self).keys() == Array(1...10) + [13])
        // The store that was opened on the replica hears of what others write, and writes.
        while try await values.next()?.last?.id != 13 {}
        try await store.save(Pen(id: 14))
        #expect(try await values.next()?.last?.id == 14)
        try await replica.save(Pen(id: 15))
        #expect(try await store.find(Pen.self, key: 15) != nil)
        #expect(replica.info.lacking[.writing] == nil && replica.info.lacking[.foreignCommits] == nil)
        try await replica.close()
        try await store.close()
    }
}
