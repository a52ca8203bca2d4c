import Dispatch
import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable struct Team: Equatable {
    var id: Int
    var name = ""
}

@Storable struct Player: Equatable {
    var id: Int?
    var team: Ref<Team>
    var goals = 0
}

@Suite("PostgreSQL with several writers", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct ManyWritersTests {
    /// Runs a body with so many stores of one schema.
    private static func withStores(
        _ count: Int, _ options: String = "&writers=many", _ body: ([Store], String) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            var stores: [Store] = []
            for _ in 0..<count {
                stores.append(
                    try await Store(
                        Server.backend(schema, "&timeout=60000\(options)"), models: Team.self, Player.self, Pen.self))
            }
            try await body(stores, schema)
            for store in stores { try await store.close() }
        }
    }

    @Test func `calls write while others do, and a transaction with a body waits for them`() async throws {
        try await Self.withStores(1) { stores, schema in
            // The lock that a call of another process holds while it writes.
            let other = try await Server.Session("LOCK TABLE \"\(schema)\".storage_info IN ROW SHARE MODE")
            try await stores[0].save(Pen(id: 1))
            try await stores[0].update(Pen.self).where { $0.id == 1 }.set(\.color, to: "red").run()
            let hasty = try await Store(Server.backend(schema, "&writers=many&timeout=500"), models: Pen.self)
            let body = await #expect(throws: StorageError.self) {
                try await hasty.transaction { tx in try tx.save(Pen(id: 2)) }
            }
            let schemaChange = await #expect(throws: StorageError.self) { try await hasty.save(Later(id: 1)) }
            expect(body?.code == .busy && schemaChange?.code == .busy)
            let one = try await Store(Server.backend(schema, "&timeout=50"), models: Pen.self)
            let alone = await #expect(throws: StorageError.self) { try await one.save(Pen(id: 3)) }
            expect(alone?.code, equals: .busy)
            try await other.end()
            try await hasty.transaction { tx in try tx.save(Pen(id: 2)) }
            try await hasty.save(Later(id: 1))
            try await expect(stores[0].select(Pen.self).keys(), equals: [1, 2])
            try await one.close()
            try await hasty.close()
        }
    }

    @Test func `increments by calls of 4 stores are exact`() async throws {
        let times = TestExtent.count(25)
        try await Self.withStores(4) { stores, _ in
            try await stores[0].save(Team(id: 1))
            try await stores[0].insert(Player(id: 1, team: Ref(key: 1)))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores {
                    group.addTask {
                        for _ in 0..<times {
                            try await store.update(Player.self).where { $0.id == 1 }.set(\.goals) { $0.goals + 1 }.run()
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await expect(stores[0].find(Player.self, key: 1)?.goals, equals: 4 * times)
        }
    }

    @Test func `keys that 4 stores assign rise by one`() async throws {
        let times = TestExtent.count(15)
        try await Self.withStores(4) { stores, schema in
            try await stores[0].save(Team(id: 1))
            // Each transaction that writes takes a number before it commits, also one that then fails and is repeated.
            let transactions = "SELECT last_value FROM \"\(schema)\".storage_commits"
            let before = try await Int(Server.psql(transactions)) ?? 0
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores {
                    group.addTask { for _ in 0..<times { try await store.insert(Player(team: Ref(key: 1))) } }
                }
                try await group.waitForAll()
            }
            try await expect(stores[1].select(Player.self).keys(), equals: (1...4 * times).map { $0 })
            try await expect(Int(Server.psql(transactions)), equals: before + 4 * times)
        }
    }

    @Test func `a group whose closures may run again writes alone if one of them has tried what needs that`()
        async throws
    {
        try await Self.withStores(1) { stores, _ in
            try await stores[0].save(Team(id: 1))
            // Only a transaction that writes alone assigns keys.
            let results = await stores[0].transactions(
                repeating: true, [(.call, { tx in (try? tx.insert(Player(team: Ref(key: 1))))?.id })])
            expect(try results.map { try $0.get() }, equals: [1])
            try await expect(stores[0].select(Player.self).keys(), equals: [1])
        }
    }

    @Test func `a group whose closures may run again does so if another writer was in the way of a call that it tried`()
        async throws
    {
        try await Self.withStores(2) { stores, _ in
            try await stores[0].save(Pen(id: 1, color: "old"))
            let (runs, reads, go) = (Counter(), AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
            let group = Task {
                await stores[0].transactions(
                    repeating: true,
                    [
                        (
                            .call,
                            { tx in
                                let color = try tx.find(Pen.self, key: 1)?.color ?? ""
                                runs.add()
                                if runs.value == 1 {
                                    reads.continuation.yield()
                                    go.wait()
                                }
                                return (try? tx.save(Pen(id: 1, color: "\(color), new"))) != nil
                            }
                        )
                    ])
            }
            for await _ in reads.stream { break }
            try await stores[1].save(Pen(id: 1, color: "other"))
            go.signal()
            expect(try await group.value.map { try $0.get() }, equals: [true])
            try await expect(stores[1].find(Pen.self, key: 1)?.color, equals: "other, new")
            expect(runs.value, equals: 2)
        }
    }

    /// Each of the two calls is right alone, and they change different records.
    @Test func `of a deletion and a new reference to what it deletes one fails`() async throws {
        try await Self.withStores(2) { stores, _ in
            for round in 0..<TestExtent.count(40) {
                try await stores[0].save(Team(id: round))
                async let deletion = Self.code { _ = try await stores[0].delete(Team.self, key: round) }
                async let reference = Self.code { try await stores[1].insert(Player(id: round, team: Ref(key: round))) }
                let codes = await [deletion, reference]
                expect(codes == [.constraint, nil] || codes == [nil, .constraint])
            }
        }
    }

    /// One call reads a record that the second changes, and waits. A read that sees the second and not the first orders the
    /// second first.
    @Test
    func `what a read has seen stays true, whatever is committed later`() async throws {
        let name = "storage_seen"
        try await Self.withStores(3, "&writers=many&application_name=\(name)") { stores, schema in
            try await stores[0].save(Team(id: 1, name: "poor"))
            try await stores[0].insert(Player(id: 1, team: 1))
            let lock = try await Server.Session("SELECT 1 FROM \"\(schema)\".\"Player\" WHERE id = 1 FOR UPDATE")
            async let first = stores[0].update(Player.self).where { $0.team.name == "poor" }.set(\.goals, to: -11).run()
            let waiting =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event_type = 'Lock'"
            try await eventually { try await Server.psql(waiting) == "1" }
            try await stores[1].update(Team.self).where { $0.id == 1 }.set(\.name, to: "rich").run()
            let seen = try await stores[2].read { tx in
                (try tx.find(Team.self, key: 1)?.name, try tx.find(Player.self, key: 1)?.goals)
            }
            expect(seen == ("rich", 0))
            try await lock.end()
            try await expect(first, equals: 0)
            try await expect(stores[2].find(Player.self, key: 1)?.goals, equals: 0)
        }
    }

    private static func code(_ body: () async throws -> Void) async -> StorageError.Code? {
        do { try await body() } catch { return (error as? StorageError)?.code }
        return nil
    }

    @Test func `an observer is told of every commit of the others`() async throws {
        let times = TestExtent.count(10)
        try await Self.withStores(3) { stores, _ in
            let counts = stores[2].select(Pen.self).values(.count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, store) in stores[..<2].enumerated() {
                    group.addTask { for id in 0..<times { try await store.save(Pen(id: 2 * id + index)) } }
                }
                group.addTask {
                    // It ends only if the last commit is not missed.
                    for try await count in counts where count == 2 * times { return }
                }
                try await group.waitForAll()
            }
        }
    }
}

@Storable struct Later {
    var id: Int
}
