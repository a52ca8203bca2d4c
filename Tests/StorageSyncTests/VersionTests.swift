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
}

enum Later {
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
