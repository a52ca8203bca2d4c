import MemoryBackend
import StorageKit
import TestSupport
import Testing

// Models in types of every access level, and properties that only their own type sees. That they compile is half of the test.

private enum Hidden {
    @Storable struct Person: Equatable {
        var id: Int
        private var pin = 1
        private var tags: [String]? = ["a"]
        fileprivate var level: Level = .low

        // The memberwise initialiser is as private as its most private property.
        static func numbered(_ id: Int) -> Self { Self(id: id) }

        static func count(in store: Store) async throws -> Int {
            try await store.select(Person.self).where { $0.pin == 1 && $0.tags.contains("a") && $0.level == .low }
                .order { $0.pin.descending }.count()
        }

        static func change(in store: Store) async throws {
            try await store.update(Person.self).where { $0.pin == 1 }.set(\.pin, to: 2).run()
        }
    }

    fileprivate enum Level: String { case low, high }
}

extension Hidden.Person {
    static func changed(in store: Store) async throws -> Int {
        try await store.select(Self.self).where { $0.pin == 2 }.count()
    }
}

private final class Box {
    @Storable struct Line: Equatable {
        @Key var order: String
        @Key var number: Int
        var person: Ref<Hidden.Person>?
    }
}

struct Outer {
    @Storable public struct Inner: Equatable {
        public var id: UInt8
        public var name = ""
    }

    @Storable package struct Second: Equatable {
        package var id: Int?
        var names: [String] = []
    }
}

@Suite struct AccessTests {
    @Test func `a model in a private type is stored, and so is a public one in an internal type`() async throws {
        let store = try await Store(InMemoryBackend())
        let person = Hidden.Person.numbered(1)
        try await store.save(person)
        try await store.save(Box.Line(order: "a", number: 1, person: person.ref))
        try await store.save(Outer.Inner(id: 7))
        try await expect(store.save(Outer.Second()).id, equals: 1)
        try await expect(store.find(Outer.Inner(id: 7).ref), equals: Outer.Inner(id: 7))
        try await expect(store.select(Box.Line.self).all().map(\.person), equals: [person.ref])
        expect(Box.Line(order: "a", number: 2).ref.key == ("a", 2))
    }

    @Test func `a type queries its private properties`() async throws {
        let store = try await Store(InMemoryBackend())
        try await store.save((1...3).map(Hidden.Person.numbered))
        try await expect(Hidden.Person.count(in: store), equals: 3)
        try await Hidden.Person.change(in: store)
        try await expect(Hidden.Person.changed(in: store), equals: 3)
    }
}
