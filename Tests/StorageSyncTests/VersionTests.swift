import MemoryBackend
import StorageKit
import StorageSync
import TestSupport
import Testing

/// A model in an earlier and a later version of a program.
enum Earlier {
    @Storable("Recipe") struct Recipe: Equatable {
        var id: String
        var title = ""
    }

    @Storable("Dish") struct Dish: Equatable {
        var id: String
        var title = ""
        var steps: [Step] = []
        var notes: [Note] = []
        var source: Note?
    }

    @Storable("Step") struct Step: Equatable {
        var id: String
        var text = ""
    }

    @Storable("Note") struct Note: Equatable {
        var text = ""
    }
}

enum Later {
    @Storable("Dish") struct Dish: Equatable {
        var id: String
        var title = ""
        var steps: [Step] = []
        var notes: [Note] = []
        var source: Note?
    }

    @Storable("Step") struct Step: Equatable {
        var id: String
        var text = ""
        var minutes = 0
    }

    @Storable("Note") struct Note: Equatable {
        var text = ""
        var page = 0
    }

    @Storable("Recipe") struct Recipe: Equatable {
        var id: String
        var title = ""
        var rating: Int?
    }
}

@Suite struct VersionTests {
    private let earlier: [any Storable.Type] = [Earlier.Recipe.self]
    private let later: [any Storable.Type] = [Later.Recipe.self]

    @Test func `an earlier program keeps the properties that it does not know`() async throws {
        let store = try await sharedStore(InMemoryBackend(), later)
        let hub = try await Hub(store, models: later)
        let old = try await Replica(sharedStore(InMemoryBackend(), earlier), models: earlier, to: LocalHub(hub))
        try await store.insert(Later.Recipe(id: "r", title: "Soup", rating: 5))
        try await old.sync()
        try await old.store.save(Earlier.Recipe(id: "r", title: "Stew"))
        try await old.store.insert(Earlier.Recipe(id: "s", title: "Pie"))
        try await old.sync()
        expect(
            try await store.select(Later.Recipe.self).order { $0.id }.all(),
            equals: [Later.Recipe(id: "r", title: "Stew", rating: 5), Later.Recipe(id: "s", title: "Pie")])
        // Its deletion takes a record of which it knows all but the new property.
        try await old.store.delete(Earlier.Recipe.self, key: "r")
        expect(try await old.sync().refused, equals: 0)
        expect(try await store.select(Later.Recipe.self).count(), equals: 1)
    }

    @Test func `an earlier program keeps the properties of owned records that it does not know`() async throws {
        let (earlier, later): ([any Storable.Type], [any Storable.Type]) = ([Earlier.Dish.self], [Later.Dish.self])
        let store = try await sharedStore(InMemoryBackend(), later)
        let hub = try await Hub(store, models: later)
        let old = try await Replica(sharedStore(InMemoryBackend(), earlier), models: earlier, to: LocalHub(hub))
        let dish = Later.Dish(
            id: "d", title: "Soup",
            steps: [.init(id: "1", text: "cut", minutes: 5), .init(id: "2", text: "boil", minutes: 20)],
            notes: [.init(text: "hot", page: 1), .init(text: "salt", page: 2)],
            source: .init(text: "book", page: 7))
        try await store.insert(dish)
        try await old.sync()
        var mine = try #require(try await old.store.find(Earlier.Dish.self, key: "d"))
        mine.steps = [mine.steps[1], .init(id: "1", text: "chop"), .init(id: "3", text: "serve")]
        mine.notes.removeFirst()
        mine.notes.append(.init(text: "pepper"))
        mine.source?.text = "the book"
        try await old.store.save(mine)
        let exchange = try await old.sync()
        expect(exchange.outcomes.map(\.result), equals: [.applied([])])
        let expected = Later.Dish(
            id: "d", title: "Soup",
            steps: [
                .init(id: "2", text: "boil", minutes: 20), .init(id: "1", text: "chop", minutes: 5),
                .init(id: "3", text: "serve"),
            ],
            notes: [.init(text: "salt", page: 2), .init(text: "pepper")],
            source: .init(text: "the book", page: 7))
        expect(try await store.find(Later.Dish.self, key: "d"), equals: expected)
        // Its deletion takes a record of which it knows all but the new properties.
        try await old.store.delete(Earlier.Dish.self, key: "d")
        expect(try await old.sync().refused, equals: 0)
        expect(try await store.select(Later.Dish.self).count(), equals: 0)
    }

    @Test func `a later program sends what an earlier one did without what that did not know`() async throws {
        let (earlier, later): ([any Storable.Type], [any Storable.Type]) = ([Earlier.Dish.self], [Later.Dish.self])
        let place = InMemoryBackend.Place()
        let store = try await sharedStore(InMemoryBackend(), later)
        let hub = try await Hub(store, models: later)
        func dish(_ id: String) -> Later.Dish {
            Later.Dish(
                id: id, title: "Soup",
                steps: [.init(id: "1", text: "cut", minutes: 5), .init(id: "2", text: "boil", minutes: 20)],
                notes: [.init(text: "hot", page: 1), .init(text: "salt", page: 2)],
                source: .init(text: "book", page: 7))
        }
        try await store.insert([dish("changed"), dish("deleted"), dish("kept")])
        do {
            let old = try await sharedStore(InMemoryBackend(place), earlier)
            try await Replica(old, models: earlier, to: LocalHub(hub)).sync()
            var mine = try #require(try await old.find(Earlier.Dish.self, key: "changed"))
            mine.steps.removeFirst()
            mine.notes.removeFirst()
            mine.source?.text = "the book"
            try await old.save(mine)
            try await old.delete(Earlier.Dish.self, key: "deleted")
            try await old.insert(Earlier.Dish(id: "new", steps: [.init(id: "1", text: "fry")]))
            try await old.close()
        }
        let new = try await sharedStore(InMemoryBackend(place), later)
        let replica = try await Replica(new, models: later, to: LocalHub(hub))
        let exchange = try await replica.sync()
        expect(exchange.outcomes.map(\.result), equals: [.applied([]), .applied([]), .applied([])])
        var changed = dish("changed")
        changed.steps.removeFirst()
        changed.notes.removeFirst()
        changed.source?.text = "the book"
        let dishes = [changed, dish("kept"), Later.Dish(id: "new", steps: [.init(id: "1", text: "fry")])]
        expect(try await store.select(Later.Dish.self).order { $0.id }.all(), equals: dishes)
        try await replica.sync()
        expect(try await new.select(Later.Dish.self).order { $0.id }.all(), equals: dishes)
    }

    @Test func `a property of an owned record that the hub does not have waits until the hub has it`() async throws {
        let (earlier, later): ([any Storable.Type], [any Storable.Type]) = ([Earlier.Dish.self], [Later.Dish.self])
        let hub = try await Hub(sharedStore(InMemoryBackend(), earlier), models: earlier)
        let replica = try await Replica(sharedStore(InMemoryBackend(), later), models: later, to: LocalHub(hub))
        try await replica.sync()
        try await replica.store.insert(Later.Dish(id: "d", steps: [.init(id: "1", minutes: 5)]))
        let error = await #expect(throws: StorageError.self) { try await replica.sync() }
        expect(error?.code, equals: .schemaNewer)
        expect(error?.property, equals: "steps.minutes")
        expect(replica.status.waiting, equals: 1)
    }

    @Test func `a replica that gains a property reads the records again, with what waits on top`() async throws {
        let place = InMemoryBackend.Place()
        let store = try await sharedStore(InMemoryBackend(), later)
        let hub = try await Hub(store, models: later)
        try await store.save([Later.Recipe(id: "r", title: "Soup", rating: 5), Later.Recipe(id: "s", rating: 2)])
        do {
            let old = try await Replica(
                sharedStore(InMemoryBackend(place), earlier), models: earlier, to: LocalHub(hub))
            try await old.sync()
            try await old.store.save(Earlier.Recipe(id: "r", title: "Stew"))
            try await old.store.close()
        }
        let new = try await Replica(sharedStore(InMemoryBackend(place), later), models: later, to: LocalHub(hub))
        try await new.store.save(Later.Recipe(id: "s", title: "Pie"))
        try await new.sync()
        try await new.sync()
        let recipes = try await new.store.select(Later.Recipe.self).order { $0.id }.all()
        expect(
            recipes,
            equals: [Later.Recipe(id: "r", title: "Stew", rating: 5), Later.Recipe(id: "s", title: "Pie", rating: 2)])
        expect(try await store.select(Later.Recipe.self).order { $0.id }.all(), equals: recipes)
    }

    @Test func `a replica that gains a property of owned records reads the records again`() async throws {
        let (earlier, later): ([any Storable.Type], [any Storable.Type]) = ([Earlier.Dish.self], [Later.Dish.self])
        let place = InMemoryBackend.Place()
        let store = try await sharedStore(InMemoryBackend(), later)
        let hub = try await Hub(store, models: later)
        let dish = Later.Dish(id: "d", steps: [.init(id: "1", minutes: 5)], source: .init(text: "book", page: 7))
        try await store.insert(dish)
        do {
            let old = try await sharedStore(InMemoryBackend(place), earlier)
            try await Replica(old, models: earlier, to: LocalHub(hub)).sync()
            try await old.close()
        }
        let new = try await sharedStore(InMemoryBackend(place), later)
        try await Replica(new, models: later, to: LocalHub(hub)).sync()
        expect(try await new.find(Later.Dish.self, key: "d"), equals: dish)
    }

    @Test(arguments: [false, true])
    func `a model joins whose records were replaced as a whole before`(_ isKept: Bool) async throws {
        let place = InMemoryBackend.Place()
        let hubStore = try await sharedStore(InMemoryBackend(), Self.withRecipes)
        let hub = try await Hub(hubStore, models: Self.withRecipes)
        try await hubStore.insert(Later.Recipe(id: "theirs"))
        do {
            // The history may begin with the version that shares the model.
            let kept = isKept ? Self.withRecipes : sharedTypes
            let store = try await Store(
                InMemoryBackend(place), models: Self.withRecipes, options: .init(history: .init(records: kept)))
            try await Replica(store, models: sharedTypes, to: LocalHub(hub)).sync()
            try await store.insert(Later.Recipe(id: "before"))
            try await store.close()
        }
        let store = try await sharedStore(InMemoryBackend(place), Self.withRecipes)
        try await store.truncate(Later.Recipe.self)
        try await store.insert(Later.Recipe(id: "after"))
        try await store.insert(ShoppingList(id: "l"))
        let replica = try await Replica(store, models: Self.withRecipes, to: LocalHub(hub))
        try await replica.sync()
        try await replica.sync()
        expect(try await hubStore.select(Later.Recipe.self).order { $0.id }.keys(), equals: ["after", "theirs"])
        expect(try await store.select(Later.Recipe.self).order { $0.id }.keys(), equals: ["after", "theirs"])
        expect(try await hubStore.select(ShoppingList.self).keys(), equals: ["l"])
    }

    private static let withRecipes: [any Storable.Type] = sharedTypes + [Later.Recipe.self]

    @Test func `a commit with a property that the hub does not have waits until the hub has it`() async throws {
        let place = InMemoryBackend.Place()
        let old = try await sharedStore(InMemoryBackend(place), earlier)
        let way = FaultyWay(try await Hub(old, models: earlier))
        let replica = try await Replica(sharedStore(InMemoryBackend(), later), models: later, to: way)
        try await replica.sync()
        try await replica.store.insert(Later.Recipe(id: "r", title: "Soup", rating: 5))
        do {
            try await replica.sync()
            Issue.record("The hub takes a property that it does not have.")
        } catch { expect(error.code, equals: .schemaNewer) }
        expect(replica.status.waiting, equals: 1)
        try await old.close()
        let new = try await sharedStore(InMemoryBackend(place), later)
        way.move(to: try await Hub(new, models: later))
        try await replica.sync()
        expect(try await new.find(Later.Recipe.self, key: "r")?.rating, equals: 5)
    }
}
