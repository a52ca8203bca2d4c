import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Suite("PostgreSQL's server is killed or frozen", .enabled(if: Server.isThere, "no server"))
struct CrashTests {
    private func withServer(
        _ options: String, _ body: (OwnServer, Store) async throws -> Void
    ) async throws {
        try await OwnServer.with { server in
            let url = server.addresses[0] + "&schema=app"
            try await Store(PostgreSQLBackend(url: StorageURL(url + "&timeout=600000")), models: Pen.self).close()
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url + options)), models: Pen.self)
            try await body(server, store)
            try await store.close()
        }
    }

    @Test func `a server that is frozen makes no call wait without end`() async throws {
        try await withServer("&timeout=200&connect_timeout=2") { server, store in
            try await store.save(Pen(id: 1))
            let processes = try await server.processes()
            // The server cannot be ended before they go on.
            defer { for process in processes.reversed() { kill(process, SIGCONT) } }
            let inside = await #expect(throws: StorageError.self) {
                try await store.transaction { tx in
                    try tx.save(Pen(id: 2))
                    _ = try tx.find(Pen.self, key: 2)
                    for process in processes { kill(process, SIGSTOP) }
                }
            }
            expect(inside?.code, equals: .outcomeUnknown)
            async let writing = Self.code { try await store.save(Pen(id: 3)) }
            async let reading = Self.code { _ = try await store.find(Pen.self, key: 1) }
            await expect([writing, reading], equals: [.io, .io])
            for process in processes.reversed() { kill(process, SIGCONT) }
            // The server completes or undoes earlier statements when it has found that the client is gone. It keeps their locks
            // until then.
            try await eventually {
                let code = await Self.code { try await store.save(Pen(id: 4)) }
                expect(code == nil || code == .busy)
                return code != .busy
            }
            let keys = try await store.select(Pen.self).keys()
            expect(keys == [1, 4] || keys == [1, 2, 4])
        }
    }

    private static func code(_ body: () async throws -> Void) async -> StorageError.Code? {
        do { try await body() } catch { return (error as? StorageError)?.code }
        return nil
    }

    /// The outcome of the saves.
    private struct Outcome {
        var acknowledged: Set<Int> = []
        var failed: Set<Int> = []
        var unknown = 0
        var kills = 0
    }

    private final class Tally: Sendable { let outcome = Mutex(Outcome()) }

    @Test
    func `when the server is killed while 8 tasks write, nothing acknowledged is lost and nothing is misreported`()
        async throws
    {
        let kills = TestExtent.count(3)
        try await withServer("&durability=full&timeout=60000") { server, store in
            let tally = Tally()
            let address = server.addresses[0]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        var number = 0
                        while tally.outcome.withLock({ $0.kills }) < kills {
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
                group.addTask {
                    // The others end with it, also where it fails.
                    defer { tally.outcome.withLock { $0.kills = kills } }
                    for kill in 1...kills {
                        // Somewhere in the saves of the others.
                        let wanted = tally.outcome.withLock { $0.acknowledged.count } + Int.random(in: 1...64)
                        try await eventually { tally.outcome.withLock { $0.acknowledged.count } >= wanted }
                        // The server ends all others when one of its processes is killed, and recovers.
                        _ = try? await Server.psql("COPY (SELECT 1) TO PROGRAM 'kill -KILL $PPID'", at: address)
                        tally.outcome.withLock { $0.kills = kill }
                    }
                }
                try await group.waitForAll()
            }
            let stored = try await Self.storedKeys(store)
            tally.outcome.withLock { outcome in
                expect(outcome.acknowledged.isSubset(of: stored))
                expect(outcome.failed.isDisjoint(with: stored))
                print(
                    "\(kills) kills: \(outcome.acknowledged.count) saves acknowledged, \(outcome.failed.count) failed, "
                        + "\(outcome.unknown) unknown")
            }
        }
    }

    /// The keys of all pens. A server that recovers from a crash may end new connections too, and a read without a failover fails
    /// with them.
    private static func storedKeys(_ store: Store) async throws -> Set<Int> {
        var keys: Set<Int> = []
        try await eventually {
            do {
                keys = Set(try await store.select(Pen.self).keys())
                return true
            } catch let error as StorageError where error.code == .io { return false }
        }
        return keys
    }

    @Test(arguments: PostgreSQLBackend.Writers.allCases)
    func `4 processes increment a number, and none is lost`(_ writers: PostgreSQLBackend.Writers) async throws {
        let times = TestExtent.count(50)
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Measure.self)
            try await store.save(Measure(id: 1, number: 0))
            let results = try await withThrowingTaskGroup(of: ProcessResult.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let process = Server.process(
                            conformanceProgram,
                            ["helper", "--backend", "postgresql", "--place", schema, "count", "\(times)"])
                        process.environment = ProcessInfo.processInfo.environment
                        process.environment?["STORAGE_POSTGRESQL"]? += "&writers=\(writers)&timeout=60000"
                        return try await process.result()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for result in results { expect(result.isSuccess, "\(result.error)") }
            try await expect(store.find(Measure.self, key: 1)?.number, equals: 4 * times)
            try await store.close()
        }
    }
}

/// The model whose number the suite's helper increments.
@Storable struct Measure: Equatable {
    var id: Int
    var number: Int?
    var real: Double?
    var text: String?
    var flag: Bool?
}
