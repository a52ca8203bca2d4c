import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Suite("Failover of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct FailoverTests {
    @Test func `a replica is read, and when it was promoted the store goes on with it`() async throws {
        try await OwnServer.with(replicas: 1) { servers in
            let addresses = servers.addresses
            let ports = try await servers.ports()
            let both =
                "host=127.0.0.1,127.0.0.1 port=\(ports.joined(separator: ",")) user=storage dbname=postgres "
                + "target_session_attrs=primary"
            let store = try await Store(PostgreSQLBackend(both, schema: "app"), models: Pen.self)
            for id in 1...10 { try await store.save(Pen(id: id)) }
            let written = try await Server.psql("SELECT pg_current_wal_lsn()", at: addresses[0])
            try await Server.replay(to: written, at: addresses[1])

            let replica = try await Store(
                PostgreSQLBackend(url: StorageURL(addresses[1] + "&schema=app")), models: Pen.self)
            try await expect(replica.select(Pen.self).count(), equals: 10)
            let refusal = await #expect(throws: StorageError.self) { try await replica.save(Pen(id: 11)) }
            expect(refusal?.code, equals: .unsupported)
            expect(replica.info.lacking[.writing] != nil)
            try await replica.refresh()
            var values = replica.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.count, equals: 10)

            // The primary ends as if it were killed.
            try await servers.crash()
            let lost = await #expect(throws: StorageError.self) { try await store.save(Pen(id: 12)) }
            expect(lost?.code, equals: .io)
            try await Server.psql("SELECT pg_promote(true, 600)", at: addresses[1])
            try await store.save(Pen(id: 13))
            try await expect(store.select(Pen.self).keys(), equals: Array(1...10) + [13])
            // The store that was opened on the replica observes the writes of others, and writes.
            while let pens = try await values.next(), pens.last?.id != 13 {}
            try await store.save(Pen(id: 14))
            try await expect(values.next()?.last?.id, equals: 14)
            try await replica.save(Pen(id: 15))
            try await expect(store.find(Pen.self, key: 15) != nil)
            expect(replica.info.lacking[.writing] == nil && replica.info.lacking[.foreignCommits] == nil)
            try await replica.close()
            try await store.close()
        }
    }

    private struct Outcome {
        var acknowledged: Set<Int> = []
        var unknown = 0
        var reads = 0
        var errors: [StorageError] = []
        var isOver = false
    }

    private final class Tally: Sendable { let outcome = Mutex(Outcome()) }

    @Test func `calls of a store that waits failovers out end in no error but that of an unknown outcome`() async throws
    {
        try await OwnServer.with(replicas: 1) { servers in
            let addresses = servers.addresses
            // Both have every acknowledged record.
            try await Server.psql("ALTER SYSTEM SET synchronous_standby_names = '*'", at: addresses[0])
            try await Server.psql("SELECT pg_reload_conf()", at: addresses[0])
            try await eventually {
                try await Server.psql("SELECT sync_state FROM pg_stat_replication", at: addresses[0]) == "sync"
            }
            let ports = try await servers.ports()
            let url =
                "postgresql://storage@127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])/postgres?target_session_attrs=primary"
                + "&schema=app&timeout=60000&failover=600000"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            let tally = Tally()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        var number = 0
                        while !tally.outcome.withLock({ $0.isOver }) {
                            number += 1
                            let id = number * 4 + task
                            do {
                                try await store.save(Pen(id: id))
                                tally.outcome.withLock { _ = $0.acknowledged.insert(id) }
                                _ = try await store.find(Pen.self, key: id)
                                tally.outcome.withLock { $0.reads += 1 }
                            } catch let error as StorageError where error.code == .outcomeUnknown {
                                tally.outcome.withLock { $0.unknown += 1 }
                            } catch let error as StorageError {
                                tally.outcome.withLock { $0.errors.append(error) }
                            }
                        }
                    }
                }
                func wait(for more: Int) async throws {
                    let wanted = tally.outcome.withLock { $0.reads } + more
                    try await eventually { tally.outcome.withLock { $0.reads >= wanted || $0.errors.count >= 100 } }
                }
                try await wait(for: 50)
                try await servers.crash()
                try await Server.psql("SELECT pg_promote(true, 600)", at: addresses[1])
                try await wait(for: 50)
                tally.outcome.withLock { $0.isOver = true }
                try await group.waitForAll()
            }
            let outcome = tally.outcome.withLock { $0 }
            expect(outcome.errors.isEmpty, "\(outcome.errors.first.map { "\($0)" } ?? "")")
            expect(outcome.acknowledged.isSubset(of: try await store.select(Pen.self).keys()))
            print(
                "a failover: \(outcome.acknowledged.count) saves acknowledged, \(outcome.unknown) unknown, \(outcome.errors.count) errors"
            )
            try await store.close()
        }
    }

    /// The common address of the servers, and the address of each.
    private static func both(_ servers: OwnServer, _ options: String) async throws -> StorageURL {
        let ports = try await servers.ports()
        return try StorageURL(
            "postgresql://storage@127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])/postgres?target_session_attrs=primary"
                + "&schema=app&\(options)")
    }

    @Test func `a write says once that the server which took over lacks acknowledged commits`() async throws {
        try await OwnServer.with(replicas: 1) { servers in
            let url = try await Self.both(servers, "timeout=60000&failover=600000")
            let store = try await Store(PostgreSQLBackend(url: url), models: Pen.self)
            try await store.save(Pen(id: 1))
            let addresses = servers.addresses
            let written = try await Server.psql("SELECT pg_current_wal_lsn()", at: addresses[0])
            try await Server.replay(to: written, at: addresses[1])
            // The replica receives no more of the log.
            try await Server.psql("ALTER SYSTEM SET primary_conninfo = ''", at: addresses[1])
            try await Server.psql("SELECT pg_reload_conf()", at: addresses[1])
            try await eventually {
                try await Server.psql("SELECT count(*) FROM pg_stat_replication", at: addresses[0]) == "0"
            }
            try await store.save(Pen(id: 2))
            try await servers.crash()
            try await Server.psql("SELECT pg_promote(true, 600)", at: addresses[1])

            let lacking = await #expect(throws: StorageError.self) { try await store.save(Pen(id: 3)) }
            expect(lacking?.code, equals: .outcomeUnknown)
            try await expect(store.select(Pen.self).keys(), equals: [1])
            try await store.save(Pen(id: 4))
            try await expect(store.select(Pen.self).keys(), equals: [1, 4])
            try await store.close()
        }
    }

    @Test func `a store leaves a primary that stops for its successor, and does not go back when it goes on`()
        async throws
    {
        try await OwnServer.with(replicas: 1) { servers in
            // The server cannot be ended before they go on.
            let stopped = try await servers.processes()
            defer { for process in stopped { kill(process, SIGCONT) } }
            let url = try await Self.both(servers, "timeout=600000&failover=600000")
            let store = try await Store(PostgreSQLBackend(url: url), models: Pen.self)
            try await store.save(Pen(id: 1))
            try await expect(store.find(Pen.self, key: 1) != nil)
            let addresses = servers.addresses
            let written = try await Server.psql("SELECT pg_current_wal_lsn()", at: addresses[0])
            try await Server.replay(to: written, at: addresses[1])
            let frozen = try await servers.processes()
            for process in frozen { kill(process, SIGSTOP) }
            try await Server.psql("SELECT pg_promote(true, 600)", at: addresses[1])
            // By the timeout alone this would take ten minutes.
            try await store.save(Pen(id: 2))
            for process in frozen { kill(process, SIGCONT) }
            // The old one still runs, and is no longer read or written.
            for id in 3...6 {
                try await store.save(Pen(id: id))
                try await expect(store.select(Pen.self).keys(), equals: Array(1...id))
            }
            try await expect(Server.psql("SELECT count(*) FROM app.\"Pen\"", at: addresses[0]), equals: "1")
            try await store.close()
        }
    }

    /// The keys of each element of an observed query.
    private final class Seen: Sendable { let keys = Mutex<[[Int]]>([]) }

    /// Ends the store's processes in the server, which it finds by their name.
    private static func endProcesses(_ name: String) async throws {
        try await Server.psql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(name)'")
    }

    @Test(arguments: ["", "&staleness=0", "&staleness=600000"])
    func `a read waits a failover out and an observer goes on, also where replicas are read`(
        _ staleness: String
    ) async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let other = try await Store(Server.backend(schema), models: Pen.self)
            try await other.insert(Pen(id: 1))
            // The server itself is no replica, so each read is the primary's after all.
            let replicas = staleness.isEmpty ? "" : "&replicas=\(try Server.folder()):\(try Server.port())"
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&application_name=\(schema)"
                + "&timeout=1000&failover=600000\(replicas)\(staleness)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            let seen = Seen()
            let observing = Task {
                for try await pens in store.select(Pen.self).values() {
                    seen.keys.withLock { $0.append(pens.map(\.id)) }
                    if pens.count == 2 { return }
                }
            }
            try await eventually { seen.keys.withLock { $0 } == [[1]] }
            proxy.refuse(true)
            try await Self.endProcesses(schema)
            try await other.insert(Pen(id: 2))
            let reading = Task { try await store.select(Pen.self).keys() }
            // Each attempt of the read and of the observer pauses for 50 ms, so the outage is longer than the timeout.
            let refused = proxy.refused
            try await eventually { proxy.refused >= refused + 150 }
            proxy.refuse(false)
            try await expect(reading.value, equals: [1, 2])
            try await observing.value
            expect(seen.keys.withLock { $0 }, equals: [[1], [1, 2]])
            try await store.close()
            try await other.close()
        }
    }

    @Test(arguments: [500, 700, 1000])
    func `opening a store waits where the connection is lost meanwhile`(_ bytes: Int) async throws {
        try await Server.withSchema { schema in
            try await Server.makeStore(schema, Pen.self)
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url = "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&failover=600000"
            proxy.cut(.afterAnswer(bytes))
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            expect(proxy.count, equals: 1)
            try await store.close()
        }
    }

    @Test(arguments: ["", "&writers=many"])
    func `single calls fail in no failover, whatever other calls wait beside them`(_ options: String) async throws {
        try await Server.withSchema { schema in
            let backend = try Server.backend(
                schema, "&timeout=60000&failover=600000&application_name=\(schema)\(options)")
            let store = try await Store(backend, models: Pen.self)
            try await store.insert(Pen(id: 0))
            let (singles, duplicates, bodies) = (Tally(), Tally(), Tally())
            @Sendable func repeating(_ tally: Tally, _ call: @escaping @Sendable (Int) async throws -> Void) async {
                var number = 0
                while !singles.outcome.withLock({ $0.isOver }) {
                    number += 1
                    do {
                        try await call(number)
                        tally.outcome.withLock { $0.reads += 1 }
                    } catch let error as StorageError {
                        tally.outcome.withLock { $0.errors.append(error) }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 1...4 {
                    group.addTask { await repeating(singles) { try await store.insert(Pen(id: $0 * 8 + task)) } }
                }
                // If a call fails, the calls of its group run again one after the other.
                group.addTask { await repeating(duplicates) { _ in try await store.insert(Pen(id: 0)) } }
                for task in 5...6 {
                    group.addTask {
                        await repeating(bodies) { number in
                            try await store.transaction { tx in
                                try tx.save(Pen(id: number * 8 + task))
                                try tx.save(Pen(id: -task))
                            }
                        }
                    }
                }
                for _ in 0..<12 {
                    let wanted = singles.outcome.withLock { $0.reads } + 12
                    try await eventually { singles.outcome.withLock { $0.reads >= wanted || $0.errors.count >= 10 } }
                    try await Self.endProcesses(schema)
                }
                singles.outcome.withLock { $0.isOver = true }
                try await group.waitForAll()
            }
            func errors(_ tally: Tally) -> [StorageError] { tally.outcome.withLock { $0.errors } }
            expect(errors(singles).isEmpty, "\(errors(singles).first.map { "\($0)" } ?? "")")
            expect(errors(duplicates).allSatisfy { $0.code == .duplicateKey })
            expect(errors(bodies).allSatisfy { $0.code == .io })
            let stored = Set(try await store.select(Pen.self).keys())
            expect(stored.count { $0 > 0 && $0 % 8 < 5 }, equals: singles.outcome.withLock { $0.reads })
            try await store.close()
        }
    }
}
