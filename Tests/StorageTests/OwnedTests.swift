import StorageKit
import Testing

@Suite("C5 Roots and owned records of one type")
struct OwnedTests {
    @Storable struct Nib: Equatable {
        var id: Int
        var width = 0.5
    }
    @Storable struct Pen: Equatable {
        var id: Int
        var color = "black"
        var nibs: [Nib] = []
    }
    @Storable struct Person: Equatable {
        var id: Int
        var pens: [Pen] = []
        var best: Pen?
    }

    static let people = [
        Person(id: 2, pens: [Pen(id: 1, color: "red"), Pen(id: 1, color: "blue", nibs: [Nib(id: 1), Nib(id: 2)])]),
        Person(id: 1, pens: [Pen(id: 9, color: "red", nibs: [Nib(id: 3)])], best: Pen(id: 4, color: "gold")),
        Person(id: 3),
    ]

    @Test(arguments: Backend.allCases)
    func `roots and owned records do not meet`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.save(Self.people)
            try await store.save(Pen(id: 1, color: "root"))
            #expect(try await store.select(Pen.self).all() == [Pen(id: 1, color: "root")])
            try await store.truncate(Pen.self)
            #expect(try await store.select(Pen.self).owned(by: Person.self, \.pens).count() == 3)
            #expect(try await store.find(Person.self, key: 1) == Self.people[1])
        }
    }

    @Test(arguments: Backend.allCases)
    func `owned records come with their owners' keys, in the order of owners and positions`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            try await store.save(Self.people)
            let all = try await store.select(Pen.self).owned(by: Person.self, \.pens).all()
            #expect(all.map(\.owner) == [1, 2, 2])
            #expect(all.map(\.value) == Self.people[1].pens + Self.people[0].pens)
            let best = try await store.select(Pen.self).owned(by: Person.self, \.best).all()
            #expect(best.map(\.owner) == [1])
            #expect(best.map(\.value.color) == ["gold"])
        }
    }

    @Storable struct Reading: Equatable {
        var value: Double
        var remark: String?
    }
    @Storable struct Sensor: Equatable {
        var id: Int
        var last: Reading?
        var readings: [Reading] = []
    }

    /// The compiler warns of a save of a type without a key; a generic function is not warned of.
    private static func save<M: Storable>(_ model: M, in store: Store) async throws { try await store.save(model) }

    @Test(arguments: Backend.allCases)
    func `C8 owned records need no key, and a type without one is no model`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let readings = [Reading(value: 1, remark: "a"), Reading(value: 1, remark: "a"), Reading(value: 2)]
            let sensor = Sensor(id: 1, last: readings[2], readings: readings)
            try await store.save([sensor, Sensor(id: 2)])
            #expect(try await store.find(Sensor.self, key: 1) == sensor)
            #expect(try await store.select(Sensor.self).where { $0.last.value > 1 }.keys() == [1])
            let owned = try await store.select(Reading.self).owned(by: Sensor.self, \.readings)
                .where { $0.remark == "a" }.all()
            #expect(owned.map(\.value) == Array(readings.prefix(2)))
            let error = await expectError(.configuration) { try await Self.save(readings[0], in: store) }
            #expect(error?.model == "Reading" && error?.message.contains("@Key") == true)
        }
    }

    @Test(arguments: Backend.allCases)
    func `they are filtered, ordered and limited by their own properties`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.save(Self.people)
            let pens = store.select(Pen.self).owned(by: Person.self, \.pens)
            #expect(try await pens.where { $0.color == "red" }.all().map(\.owner) == [1, 2])
            let sorted = try await pens.order { $0.color.descending }.all()
            #expect(sorted.map(\.value.color) == ["red", "red", "blue"])
            #expect(sorted.map(\.owner) == [1, 2, 2])
            #expect(sorted.map(\.value.nibs.count) == [1, 0, 2])
            #expect(try await pens.order { $0.id.descending }.limit(1).all().map(\.value.id) == [9])
            #expect(try await pens.where { $0.nibs.any { $0.id == 2 } }.count() == 1)
            let inside = try await store.transaction { tx in
                try tx.select(Pen.self).owned(by: Person.self, \.pens).all().count
            }
            #expect(inside == 3)
        }
    }
}
