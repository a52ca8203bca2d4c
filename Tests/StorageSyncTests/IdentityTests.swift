import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import StorageSync
import TestSupport
import Testing

@Suite final class IdentityTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storage-sync-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }
    private func open(_ name: String) async throws -> Store { try await sharedStore(SQLiteBackend(path: path(name))) }

    private func refusal(_ body: () async throws -> Void) async throws -> SyncRefusal? {
        do { try await body() } catch let error as StorageError {
            return error.underlying as? SyncRefusal
        }
        return nil
    }

    @Test func `a hub that was restored from a backup gets back what it has lost`() async throws {
        let first = try await open("hub.db")
        let way = FaultyWay(try await Hub(first, models: sharedTypes))
        let ann = try await Replica(sharedStore(), models: sharedTypes, to: way)
        let bob = try await Replica(sharedStore(), models: sharedTypes, to: way)
        try await ann.store.save([ShoppingList(id: "a"), ShoppingList(id: "gone"), ShoppingList(id: "both")])
        try await ann.sync()
        try await bob.sync()
        try await first.backUp(to: path("backup.db"))
        // Lost: one insert, one change, one deletion, and a change of what is changed after the restoration too.
        try await ann.store.insert(ShoppingList(id: "b", title: "late"))
        try await ann.store.delete(ShoppingList.self, key: "gone")
        try await ann.store.save(ShoppingList(id: "a", title: "changed"))
        try await ann.store.save(ShoppingList(id: "both", title: "lost"))
        try await ann.sync()
        try await bob.sync()
        try await bob.store.insert(ShoppingList(id: "waits"))
        try await bob.store.save(ShoppingList(id: "b", title: "later"))
        try await first.close()
        let second = try await open("backup.db")
        for number in 0..<9 { try await second.save(ShoppingList(id: "both", title: "\(number)")) }
        way.move(to: try await Hub(second, models: sharedTypes))
        let exchange = try await bob.sync()
        expect(exchange.hubWentBack)
        expect(exchange.refused, equals: 0)
        expect(try await second.find(ShoppingList.self, key: "a")?.title, equals: "changed")
        expect(try await second.find(ShoppingList.self, key: "b")?.title, equals: "later")
        expect(try await second.find(ShoppingList.self, key: "gone") == nil)
        expect(try await second.find(ShoppingList.self, key: "both")?.title, equals: "8")
        expect(try await second.find(ShoppingList.self, key: "waits") != nil)
        for replica in [ann, bob, ann] { try await replica.sync() }
        for replica in [ann, bob] {
            expect(
                try await replica.store.digest(of: "ShoppingList"), equals: try await second.digest(of: "ShoppingList"))
            expect(try await replica.sync().hubWentBack == false)
        }
    }

    @Test(arguments: [0, 3])
    func `a hub that is restored between two pages is noticed, and nothing of the earlier pages is stored`(
        _ later: Int
    ) async throws {
        let first = try await open("hub.db")
        try await first.insert(Shop(id: "s", name: "Corner"))
        let way = FaultyWay(try await Hub(first, models: sharedTypes))
        let store = try await sharedStore()
        let backup = path("backup.db")
        // The pages are of shops, lists and remarks.
        let moves = MovingWay(
            way,
            before: [
                1: {
                    try await first.backUp(to: backup)
                    try await first.insert(ShoppingList(id: "lost"))
                },
                2: {
                    try await first.close()
                    let second = try await sharedStore(SQLiteBackend(path: backup))
                    for number in 0..<later { try await second.save(ShoppingList(id: "kept", title: "\(number)")) }
                    way.move(to: try await Hub(second, models: sharedTypes))
                },
            ])
        let exchange = try await Replica(store, models: sharedTypes, to: moves).sync()
        expect(exchange.hubWentBack)
        expect(try await store.select(Shop.self).keys(), equals: ["s"])
        expect(try await store.select(ShoppingList.self).keys(), equals: later == 0 ? [] : ["kept"])
    }

    @Test func `what a new version adds is not told as replaced by what a restored hub has`() async throws {
        let (earlier, later): ([any Storable.Type], [any Storable.Type]) = ([Earlier.Recipe.self], [Later.Recipe.self])
        let first = try await sharedStore(SQLiteBackend(path: path("hub.db")), later)
        let way = FaultyWay(try await Hub(first, models: later))
        try await first.insert(Later.Recipe(id: "r", title: "Soup", rating: 5))
        let place = InMemoryBackend.Place()
        do {
            let store = try await sharedStore(InMemoryBackend(place), earlier)
            let replica = try await Replica(store, models: earlier, to: way)
            try await replica.sync()
            try await first.backUp(to: path("backup.db"))
            try await store.save(Earlier.Recipe(id: "r", title: "Stew"))
            try await replica.sync()
            try await store.close()
        }
        try await first.close()
        let second = try await sharedStore(SQLiteBackend(path: path("backup.db")), later)
        try await second.save(Later.Recipe(id: "r", title: "Broth", rating: 9))
        way.move(to: try await Hub(second, models: later))
        let replica = try await Replica(sharedStore(InMemoryBackend(place), later), models: later, to: way)
        let exchange = try await replica.sync()
        expect(exchange.hubWentBack)
        let told = exchange.outcomes.flatMap { outcome in
            if case .joined(let values) = outcome.result { values.map(\.property) } else { ["\(outcome)"] }
        }
        expect(told, equals: ["title"])
    }

    @Test func `what a new version adds is not taken for what a restored hub has lost`() async throws {
        let (earlier, later): ([any Storable.Type], [any Storable.Type]) = (
            [Earlier.Recipe.self], [Later.Recipe.self, Later.Dish.self]
        )
        let first = try await sharedStore(SQLiteBackend(path: path("hub.db")), later)
        let way = FaultyWay(try await Hub(first, models: later))
        try await first.insert(Later.Recipe(id: "r", title: "Soup", rating: 5))
        try await first.insert(Later.Dish(id: "d", title: "of others"))
        let place = InMemoryBackend.Place()
        do {
            let store = try await sharedStore(InMemoryBackend(place), earlier)
            let replica = try await Replica(store, models: earlier, to: way)
            try await replica.sync()
            try await first.backUp(to: path("backup.db"))
            try await store.save(Earlier.Recipe(id: "r", title: "Stew"))
            try await replica.sync()
            try await store.close()
        }
        try await first.close()
        let second = try await sharedStore(SQLiteBackend(path: path("backup.db")), later)
        for number in 0..<9 { try await second.save(Later.Dish(id: "other", title: "\(number)")) }
        way.move(to: try await Hub(second, models: later))
        let store = try await sharedStore(InMemoryBackend(place), later)
        let replica = try await Replica(store, models: later, to: way)
        expect(try await replica.sync().hubWentBack)
        for _ in 0..<2 { try await replica.sync() }
        expect(
            try await second.find(Later.Recipe.self, key: "r"), equals: Later.Recipe(id: "r", title: "Stew", rating: 5))
        expect(try await second.select(Later.Dish.self).order { $0.id }.keys(), equals: ["d", "other"])
        for name in ["Recipe", "Dish"] {
            expect(try await store.digest(of: name), equals: try await second.digest(of: name))
        }
    }

    @Test func `a replica that has sent nothing gives losses back too when a later version reads all models again`()
        async throws
    {
        let (earlier, later): ([any Storable.Type], [any Storable.Type]) = ([Earlier.Recipe.self], [Later.Recipe.self])
        let first = try await sharedStore(SQLiteBackend(path: path("hub.db")), later)
        let way = FaultyWay(try await Hub(first, models: later))
        try await first.insert(Later.Recipe(id: "r", title: "Soup", rating: 5))
        try await first.backUp(to: path("backup.db"))
        try await first.insert(Later.Recipe(id: "lost", title: "Stew", rating: 1))
        let place = InMemoryBackend.Place()
        do {
            let store = try await sharedStore(InMemoryBackend(place), earlier)
            try await Replica(store, models: earlier, to: way).sync()
            try await store.close()
        }
        try await first.close()
        let second = try await sharedStore(SQLiteBackend(path: path("backup.db")), later)
        way.move(to: try await Hub(second, models: later))
        let store = try await sharedStore(InMemoryBackend(place), later)
        let replica = try await Replica(store, models: later, to: way)
        expect(try await replica.sync().hubWentBack)
        for _ in 0..<2 { try await replica.sync() }
        expect(try await second.select(Later.Recipe.self).order { $0.id }.keys(), equals: ["lost", "r"])
        expect(try await store.select(Later.Recipe.self).order { $0.id }.keys(), equals: ["lost", "r"])
    }

    @Test func `two programs that exchange for one store at the same time are not taken for copies`() async throws {
        let devices = try await Devices(0)
        let (store, way) = (try await sharedStore(), InterruptedWay(devices.hub))
        let one = try await Replica(store, models: sharedTypes, to: way)
        let two = try await Replica(store, models: sharedTypes, to: LocalHub(devices.hub))
        try await one.sync()
        try await store.insert(ShoppingList(id: "a"))
        way.beforeNext {
            try await two.sync()
            try await store.insert(ShoppingList(id: "b"))
            try await two.sync()
        }
        expect(try await one.sync().refused, equals: 0)
        expect(try await devices.store.select(ShoppingList.self).order { $0.id }.keys(), equals: ["a", "b"])
        expect(try await store.digest(of: "ShoppingList"), equals: try await devices.store.digest(of: "ShoppingList"))
    }

    /// A way on which something happens before the questions of some numbers.
    private final class MovingWay: SyncTransport {
        private let way: FaultyWay
        private let before: [Int: @Sendable () async throws -> Void]

        init(_ way: FaultyWay, before: [Int: @Sendable () async throws -> Void]) {
            (self.way, self.before) = (way, before)
        }

        func exchange(_ message: [UInt8]) async throws -> [UInt8] {
            try await before[way.questions.count]?()
            return try await way.exchange(message)
        }
    }

    /// A way on which each question has the same answer.
    private struct SameAnswer: SyncTransport {
        let answer: [UInt8]
        func exchange(_ message: [UInt8]) async throws -> [UInt8] { answer }
    }

    @Test func `a refusal of another question is no refusal`() async throws {
        let (old, new) = (try await Devices(0), try await Devices(0))
        let (store, way) = (try await sharedStore(), FaultyWay(old.hub))
        let replica = try await Replica(store, models: sharedTypes, to: way)
        try await replica.sync()
        let late = SameAnswer(answer: try await new.hub.answer(try #require(way.questions.last)))
        try await store.insert(ShoppingList(id: "a"))
        let again = try await Replica(store, models: sharedTypes, to: late)
        let error = await #expect(throws: StorageError.self) { try await again.sync() }
        expect(error?.code, equals: .corrupt)
        expect(error?.underlying == nil)
    }

    @Test(arguments: 0..<8)
    func `the losses of a restored hub are given back after a new beginning at any message`(_ number: Int) async throws
    {
        let first = try await open("hub.db")
        let way = FaultyWay(try await Hub(first, models: sharedTypes))
        let ann = try await Replica(sharedStore(), models: sharedTypes, to: way)
        try await ann.store.insert(ShoppingList(id: "a"))
        try await ann.sync()
        try await first.backUp(to: path("backup.db"))
        try await ann.store.insert(ShoppingList(id: "lost"))
        try await ann.sync()
        try await ann.store.insert(ShoppingList(id: "waits"))
        try await first.close()
        let second = try await open("backup.db")
        way.move(to: try await Hub(second, models: sharedTypes))
        way.next([FaultyWay.Fault](repeating: .repeatQuestion, count: number) + [.loseAnswer])
        _ = try? await ann.sync()
        way.next([])
        try await ann.beginAgain()
        for _ in 0..<2 { try await ann.sync() }
        expect(
            try await second.select(ShoppingList.self).all().map(\.id).sorted(), equals: ["a", "lost", "waits"])
        expect(try await ann.store.digest(of: "ShoppingList"), equals: try await second.digest(of: "ShoppingList"))
    }

    @Test func `a replica that was restored from a backup is refused, and begins again with what waits`() async throws {
        let devices = try await Devices(1)
        let first = try await open("replica.db")
        let replica = try await Replica(first, models: sharedTypes, to: LocalHub(devices.hub))
        try await first.insert(ShoppingList(id: "a"))
        try await replica.sync()
        try await first.backUp(to: path("old.db"))
        try await first.insert(ShoppingList(id: "b"))
        try await replica.sync()
        try await first.close()
        let second = try await open("old.db")
        let restored = try await Replica(second, models: sharedTypes, to: LocalHub(devices.hub))
        try await second.insert(ShoppingList(id: "c"))
        let commits = try await devices.store.historyToken()
        expect(try await refusal { try await restored.sync() }, equals: .identityReused)
        expect(try await devices.store.historyToken(), equals: commits)
        try await restored.beginAgain()
        try await restored.sync()
        expect(try await second.select(ShoppingList.self).all().map(\.id).sorted(), equals: ["a", "b", "c"])
        try await devices.settle()
        expect(try await second.digest(of: "ShoppingList"), equals: try await devices.store.digest(of: "ShoppingList"))
    }

    @Test func `two replicas of one name are noticed when both have written`() async throws {
        let devices = try await Devices(0)
        let first = try await open("one.db")
        let one = try await Replica(first, models: sharedTypes, to: LocalHub(devices.hub))
        try await first.insert(ShoppingList(id: "a"))
        try await first.backUp(to: path("two.db"))
        let second = try await open("two.db")
        let two = try await Replica(second, models: sharedTypes, to: LocalHub(devices.hub))
        try await first.insert(ShoppingList(id: "b"))
        try await second.insert(ShoppingList(id: "c"))
        try await one.sync()
        expect(try await refusal { try await two.sync() }, equals: .identityReused)
        try await two.beginAgain()
        let outcomes = try await two.sync().outcomes
        expect(outcomes.map(\.result), equals: [.applied([]), .applied([])])
        try await one.sync()
        for store in [first, second] {
            expect(try await store.select(ShoppingList.self).all().map(\.id).sorted(), equals: ["a", "b", "c"])
        }
    }

    @Test func `another hub is refused, and joined by beginning again`() async throws {
        let (old, new) = (try await Devices(0), try await Devices(0))
        let way = FaultyWay(old.hub)
        let replica = try await Replica(sharedStore(), models: sharedTypes, to: way)
        try await replica.store.insert(ShoppingList(id: "a"))
        try await replica.sync()
        try await replica.store.insert(ShoppingList(id: "b"))
        way.move(to: new.hub)
        expect(try await refusal { try await replica.sync() }, equals: .anotherHub)
        try await replica.beginAgain(isJoining: true)
        try await replica.sync()
        try await replica.sync()
        expect(try await new.store.select(ShoppingList.self).all().map(\.id).sorted(), equals: ["a", "b"])
        expect(
            try await replica.store.digest(of: "ShoppingList"), equals: try await new.store.digest(of: "ShoppingList"))
    }
}
