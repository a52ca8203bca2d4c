import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable struct House: Equatable {
    var id: Int
    var name = ""
    var rooms: [Pen] = []
    var doors: [Pen] = []
    var windows: [Pen] = []

    init(_ id: Int) {
        self.id = id
        rooms = [Pen(id: 1), Pen(id: 2)]
        doors = [Pen(id: 3)]
        windows = [Pen(id: 4), Pen(id: 5)]
    }
}

@Suite("Round trips to PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct RoundTripTests {
    /// A store whose round trips are counted, and whose statements are prepared.
    private static func withProxy(_ body: (CuttingProxy, Store, String) async throws -> Void) async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&durability=relaxed&timeout=60000"
            let store = try await Store(
                PostgreSQLBackend(url: StorageURL(url)), models: Pen.self, Person.self, House.self)
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            try await store.save(House(1))
            try await body(proxy, store, schema)
            try await store.close()
        }
    }

    @Test func `calls take no more round trips than they need`() async throws {
        try await Self.withProxy { proxy, store, _ in
            func trips(_ call: () async throws -> Void) async throws -> Int {
                try await call()
                let before = proxy.roundTrips
                try await call()
                return proxy.roundTrips - before
            }
            let house = try await store.find(House.self, key: 1)
            let houses = store.select(House.self).where { $0.name == "" }.limit(9)
            let found = try await houses.all()
            expect(house == House(1) && found == [House(1)])
            var counts: [String: Int] = [:]
            counts["find"] = try await trips { _ = try await store.find(Pen.self, key: 1) }
            counts["count"] = try await trips { _ = try await store.select(Pen.self).count() }
            counts["find a graph"] = try await trips { _ = try await store.find(House.self, key: 1) }
            counts["select graphs"] = try await trips { _ = try await houses.all() }
            counts["save"] = try await trips { _ = try await store.save(Pen(id: 1)) }
            counts["save a graph"] = try await trips { _ = try await store.save(House(1)) }
            counts["save one graph twice"] = try await trips { _ = try await store.save([House(1), House(1)]) }
            counts["assign a key"] = try await trips { _ = try await store.insert(Person(name: "Ada")) }
            counts["update a graph"] = try await trips { try await store.update(House(1)) }
            counts["delete a graph"] = try await trips { _ = try await store.delete(House.self, key: 9) }
            expect(
                counts,
                equals: [
                    "find": 1, "count": 1, "find a graph": 1, "select graphs": 2, "save": 2, "save a graph": 2,
                    "save one graph twice": 2, "assign a key": 2, "update a graph": 3, "delete a graph": 3,
                ])
        }
    }

    @Test func `saves of many tasks share round trips, and one that fails fails alone`() async throws {
        try await Self.withProxy { proxy, store, schema in
            let before = proxy.roundTrips
            // All save while none can, so that they find each other on a machine of any speed.
            let turn = try await Server.Session("LOCK TABLE \"\(schema)\".storage_info IN EXCLUSIVE MODE")
            let called = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<64 {
                    group.addTask {
                        called.add()
                        try await store.save(House(id))
                    }
                }
                try await eventually { called.value == 64 }
                try await turn.end()
                try await group.waitForAll()
            }
            // Alone they take two each.
            expect(proxy.roundTrips - before <= 32)
            let failed = await withTaskGroup(of: Int?.self) { group in
                for id in 1...64 {
                    group.addTask {
                        do throws(StorageError) {
                            try await store.insert(Pen(id: id))
                            return nil
                        } catch {
                            return error.code == .duplicateKey ? id : 0
                        }
                    }
                }
                return await group.reduce(into: Set<Int>()) { if let id = $1 { $0.insert(id) } }
            }
            expect(failed, equals: [1, 2])
            try await expect(store.select(Pen.self).count(), equals: 64)
            try await expect(store.select(House.self).count(), equals: 64)
        }
    }
}
