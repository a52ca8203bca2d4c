import SQLiteBackend
import StorageKit
import StorageSync
import TestSupport
import Testing

@Suite struct FirstSynchronisationTests {
    private func filled(_ count: Int) async throws -> Devices {
        let devices = try await Devices(0)
        try await devices.store.insert(Shop(id: "s", name: "Corner"))
        try await devices.store.save((0..<count).map { ShoppingList(id: "l\($0)", code: "\($0)", shop: Ref(key: "s")) })
        return devices
    }

    @Test func `all records come in pages, which go on where they were interrupted`() async throws {
        let devices = try await filled(3000)
        let way = FaultyWay(devices.hub)
        let replica = try await Replica(sharedStore(), models: sharedTypes, to: way)
        way.next(.repeatQuestion, .repeatQuestion, .loseAnswer)
        await #expect(throws: StorageError.self) { try await replica.sync() }
        expect(replica.status.reading?.records, equals: 1025)
        let asked = way.questions.count
        // Values that must be unique change their owners between two pages.
        try await devices.store.transaction { tx in
            try tx.delete(ShoppingList.self, key: "l1")
            try tx.save(ShoppingList(id: "l2999", code: "1"))
            try tx.insert(ShoppingList(id: "new", code: "2999"))
        }
        let again = try await Replica(replica.store, models: sharedTypes, to: way)
        expect(try await again.sync().taken, equals: 3001)
        // Two pages of lists were missing, one of remarks, and the changes.
        expect(way.questions.count - asked <= 5, "\(way.questions.count - asked)")
        expect(again.status.reading == nil)
        for name in ["Shop", "ShoppingList"] {
            expect(try await again.store.digest(of: name), equals: try await devices.store.digest(of: name))
        }
        expect(try await again.sync().taken, equals: 0)
    }

    @Test func `a store that has records joins by their keys, and is told the differences`() async throws {
        let devices = try await filled(2)
        let store = try await sharedStore()
        try await store.insert(Shop(id: "t", name: "Market"))
        try await store.save([
            ShoppingList(id: "l0", title: "old", code: "0", shop: nil), ShoppingList(id: "mine", shop: Ref(key: "t")),
        ])
        let replica = try await Replica(store, models: sharedTypes, to: LocalHub(devices.hub))
        // A commit before the first exchange.
        try await store.save(ShoppingList(id: "mine", title: "newer", shop: Ref(key: "t")))
        let exchange = try await replica.sync()
        guard case .joined(let replaced)? = exchange.outcomes.first?.result else {
            Issue.record("The differences are not told: \(exchange.outcomes)")
            return
        }
        expect(replaced.map(\.property).sorted(), equals: ["shop", "title"])
        try await replica.sync()
        expect(try await devices.store.find(ShoppingList.self, key: "mine")?.title, equals: "newer")
        for name in ["Shop", "ShoppingList"] {
            expect(try await store.digest(of: name), equals: try await devices.store.digest(of: name))
        }
    }

    @Test func `a replica whose changes the hub has forgotten reads the records again, and keeps what waits`()
        async throws
    {
        let store = try await sharedStore(keeping: .commits(1))
        let hub = try await Hub(store, models: sharedTypes)
        let replica = try await Replica(sharedStore(), models: sharedTypes, to: LocalHub(hub))
        try await store.save([ShoppingList(id: "a"), ShoppingList(id: "b")])
        try await replica.sync()
        try await store.delete(ShoppingList.self, key: "a")
        for number in 0..<200 { try await store.save(ShoppingList(id: "b", title: "\(number)")) }
        try await replica.store.insert(ShoppingList(id: "c", title: "mine"))
        try await replica.store.save(ShoppingList(id: "b", color: "red"))
        try await replica.sync()
        try await replica.sync()
        let lists = try await store.select(ShoppingList.self).order { $0.id }.all()
        expect(
            lists, equals: [ShoppingList(id: "b", title: "199", color: "red"), ShoppingList(id: "c", title: "mine")])
        expect(try await replica.store.digest(of: "ShoppingList"), equals: try await store.digest(of: "ShoppingList"))
    }

    @Test func `nothing is synchronised that stands against it`() async throws {
        @Sendable func kinds(_ obstacles: [SyncObstacle]) -> [SyncObstacle.Kind] { obstacles.map(\.kind) }
        let store = try await sharedStore()
        expect(kinds(try await store.canSync(sharedTypes)).isEmpty)
        expect(
            kinds(try await store.canSync(["ShoppingList"])),
            equals: [.refersOutside(to: "Shop"), .referredFromOutside(by: "Remark")])
        expect(kinds(try await store.canSync(["Nothing"])), equals: [.unknownModel])
        let plain = try await Store(SQLiteBackend(path: ":memory:"), models: sharedTypes)
        expect(kinds(try await plain.canSync([Shop.self])), equals: [.noHistory, .referredFromOutside(by: "ShoppingList")])
        await #expect(throws: StorageError.self) { try await Hub(plain, models: sharedTypes) }
    }
}
