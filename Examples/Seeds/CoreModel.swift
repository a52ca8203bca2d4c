import Foundation
import StorageKit

/// CoreModel: models become tables, graphs are stored and deleted whole, JSON is stored in one call.
enum CoreModelPort {
    /// Person as it is at first; `height` and the rest are added later.
    @Storable("Person") struct FirstPerson {
        var id: Int
        var name: String
        var age = 0
    }

    @Storable struct Person: Equatable {
        var id: Int
        var name: String
        var age = 0
        var height: CGFloat = 0
        var photoData: Data?
        var city: City?
        var tags: [String] = []
        var dreams: [Data] = []
        var pens: [Pen] = []
    }

    @Storable struct City: Equatable {
        var id: Int
        var cityName: String
        var spell: String
    }

    @Storable struct Pen: Equatable {
        var id: Int
        var color: String
        var price: Double
    }

    static func run(_ url: String) async throws {
        let first = try await open(url, [FirstPerson.self])
        expect(try await first.schema().map(\.name) == ["Person"], "opening makes the table")
        try await first.close()

        let store = try await open(url, [Person.self])
        expect(
            try await store.recordSchemas()[0].properties.contains { $0.name == "height" },
            "a property that is new is added when the store is opened")
        try await verbs(store)
        try await children(store)
        try await network(store)
        try await store.close()
    }

    private static func verbs(_ store: Store) async throws {
        try await store.insert(Person(id: 1, name: "冯成林", age: 28, height: 174))
        expect(
            try await throwing(.duplicateKey) { try await store.insert(Person(id: 1, name: "冯成林")) },
            "a second insert with the key throws duplicateKey")
        try await store.insert([
            Person(id: 2, name: "jack", age: 25, height: 180), Person(id: 3, name: "jim", age: 22, height: 172),
        ])
        try await store.update(Person(id: 1, name: "Charlin Feng", age: 28, height: 173.5))
        expect(
            try await throwing(.notFound) { try await store.update(Person(id: 9, name: "nobody")) },
            "an update of what is not there throws notFound, and inserts nothing")
        try await store.save([Person(id: 2, name: "杰克先生", age: 40), Person(id: 3, name: "吉姆先生", age: 38)])
        let deleted = try await store.delete(Person.self).where { $0.age >= 40 }.run()
        let left = try await store.select(Person.self).all()
        expect(deleted == 1 && left.map(\.name) == ["Charlin Feng", "吉姆先生"], "of three who are saved, one is over 40")
        expect(try await store.find(Person.self, key: 3)?.age == 38, "one is found by its key")
        try await store.truncate(Person.self)
        expect(try await store.select(Person.self).count() == 0, "truncate removes every record")
    }

    private static func children(_ store: Store) async throws {
        let photo = Data([0x89, 0x50, 0x4E, 0x47])
        try await store.save(Person(id: 1, name: "冯成林", age: 28, photoData: photo))
        expect(try await store.find(Person.self, key: 1)?.photoData == photo, "Data comes back as it was")

        var person = Person(id: 5, name: "张三", city: City(id: 1, cityName: "成都", spell: "ChengDu"))
        person.tags = ["工作狂", "电影迷, 成都范", ""]
        person.dreams = [photo, Data()]
        person.pens = [Pen(id: 1, color: "red", price: 12.5), Pen(id: 1, color: "blue", price: 9.8)]
        try await store.insert(person)
        expect(try await store.find(Person.self, key: 5) == person, "a graph is stored by one call, commas and all")

        person.pens.removeFirst()
        person.city = nil
        try await store.update(person)
        expect(
            try await store.find(Person.self, key: 5) == person, "what is left out of the graph goes with the update")
        let red = try await store.select(Person.self).where { $0.pens.any { $0.color == "red" } }.count()
        try await store.delete(Person.self, key: 5)
        expect(red == 0, "and can be asked for no more")
    }

    private static func network(_ store: Store) async throws {
        let json = Data(
            """
            {"data": {"dataData": {"person": {
                "id": 100, "name": "张三", "age": 18, "height": 185,
                "city": {"id": 100, "cityName": "成都", "spell": "ChengDu"},
                "pens": [{"id": 100, "color": "red", "price": 18.55}, {"id": 101, "color": "green", "price": 22.22}]
            }}}}
            """.utf8)
        try await store.save(json: json, as: Person.self, options: .init(at: "data.dataData.person"))
        let found = try await store.find(Person.self, key: 100)
        expect(
            found?.pens.map(\.color) == ["red", "green"] && found?.city?.spell == "ChengDu",
            "JSON is stored in one call")
    }
}
