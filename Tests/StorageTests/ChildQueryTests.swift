import Foundation
import StorageKit
import Testing

@Suite("Q3 Q2 Queries through children")
struct ChildQueryTests {
    @Storable struct City: Equatable {
        var id: Int
        var name: String
        var mayor: String?
        var twin: Twin?
        var streets: [Twin] = []
    }
    @Storable struct Twin: Equatable {
        var id: Int
        var name: String
    }
    @Storable struct Pen: Equatable {
        var id: Int
        var color: String
        var price: Double?
        var caps: [Twin] = []
    }
    @Storable struct Person: Equatable {
        var id: Int
        var home = City(id: 0, name: "home")
        var city: City?
        var pens: [Pen] = []
        var spares: [Pen]?
    }

    static let people = [
        Person(id: 1),
        Person(id: 2, city: City(id: 1, name: "Rome")),
        Person(
            id: 3,
            city: City(
                id: 1, name: "Oslo", mayor: "Ann", twin: Twin(id: 1, name: "Rome"), streets: [Twin(id: 1, name: "Main")]
            )),
        Person(id: 4, pens: [Pen(id: 1, color: "red", price: 1)], spares: []),
        Person(
            id: 5, pens: [Pen(id: 1, color: "red", price: 9), Pen(id: 1, color: "blue")],
            spares: [Pen(id: 1, color: "red", caps: [Twin(id: 1, name: "x")])]),
        Person(id: 6, home: City(id: 1, name: "far", mayor: "Bob"), pens: [Pen(id: 3, color: "blue", price: 5)]),
    ]

    private func expect(
        _ wanted: [Int], on backend: Backend, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (Person.Columns) -> QueryExpression<Bool>
    ) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.people)
            let select = store.select(Person.self)
            let found = try await select.where(condition).all()
            #expect(found == Self.people.filter { wanted.contains($0.id) }, sourceLocation: sourceLocation)
            let not = try await select.where { !condition($0) }.keys()
            #expect(not == (1...6).filter { !wanted.contains($0) }, "not", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 a child's property is nil where the child is`(_ backend: Backend) async throws {
        try await expect([2], on: backend) { $0.city.name == "Rome" }
        try await expect([1, 3, 4, 5, 6], on: backend) { $0.city.name != "Rome" }
        try await expect([1, 4, 5, 6], on: backend) { $0.city.name == nil }
        try await expect([1, 4, 5, 6], on: backend) { $0.city == nil }
        try await expect([2, 3], on: backend) { $0.city != nil }
        try await expect([3], on: backend) { $0.city.name < "P" }
        try await expect([1, 2, 4, 5, 6], on: backend) { $0.city.mayor.isNil }
        try await expect([3], on: backend) { $0.city.mayor == "Ann" && $0.city.name.hasPrefix("Os") }
        try await expect([3], on: backend) { $0.city.twin.name == "Rome" }
        try await expect([1, 2, 4, 5, 6], on: backend) { $0.city.twin.name == nil }
        try await expect([6], on: backend) { $0.home.name == "far" }
        try await expect([6], on: backend) { $0.home.mayor.contains("ob") }
        try await expect([3], on: backend) { $0.city.name.isIn(["Oslo", "Bern"]) }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 a child of a child is nil or not`(_ backend: Backend) async throws {
        try await expect([3], on: backend) { $0.city.twin != nil }
        try await expect([1, 2, 4, 5, 6], on: backend) { $0.city.twin == nil }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 any, all and none over the array of an optional child`(_ backend: Backend) async throws {
        try await expect([3], on: backend) { $0.city.streets.any { $0.name == "Main" } }
        try await expect([1, 2, 4, 5, 6], on: backend) { $0.city.streets.none { $0.name == "Main" } }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 any, all and none, over empty arrays too`(_ backend: Backend) async throws {
        try await expect([4, 5], on: backend) { $0.pens.any { $0.color == "red" } }
        try await expect([1, 2, 3, 4], on: backend) { $0.pens.all { $0.color == "red" } }
        try await expect([1, 2, 3, 6], on: backend) { $0.pens.none { $0.color == "red" } }
        try await expect([5], on: backend) { $0.pens.any { $0.price == nil } }
        try await expect([1, 2, 3, 4], on: backend) { $0.pens.all { $0.price < 5 } }
        try await expect([1, 2, 3, 4, 6], on: backend) { $0.pens.none { !($0.price > 0) } }
        try await expect([5], on: backend) { $0.pens.any { $0.color == "red" && $0.price > 5 } }
        try await expect([], on: backend) { $0.pens.any { $0.color == "blue" && $0.price > 5 } }
        try await expect([5], on: backend) { $0.spares.any { $0.caps.any { $0.name == "x" } } }
        try await expect([1, 2, 3, 4, 6], on: backend) { $0.spares.all { $0.caps.none { $0.id >= 0 } } }
        try await expect([5], on: backend) {
            $0.pens.any { $0.color.isIn(["red"]) } && !($0.pens.all { $0.price == 1 })
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q2 an optional array: nil, empty and full`(_ backend: Backend) async throws {
        try await expect([1, 2, 3, 6], on: backend) { $0.spares == nil }
        try await expect([4, 5], on: backend) { $0.spares != nil }
        try await expect([5], on: backend) { $0.spares.any { $0.color == "red" } }
    }

    @Test(arguments: Backend.allCases)
    func `Q5 owners sort by a child's property, without a child first`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.people)
            let select = store.select(Person.self)
            #expect(try await select.order { $0.city.name }.keys() == [1, 4, 5, 6, 3, 2])
            #expect(try await select.order { $0.city.name.descending }.keys() == [2, 3, 1, 4, 5, 6])
            #expect(try await select.order { $0.home.name }.all().map(\.id) == [6, 1, 2, 3, 4, 5])
            #expect(try await select.order { $0.city.twin.name.descending }.first()?.id == 3)
        }
    }

    @Test(arguments: Backend.allCases)
    func `W6 update and delete by a condition on children`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.people)
            #expect(try await store.delete(Person.self).where { $0.pens.any { $0.price >= 5 } }.run() == 2)
            #expect(try await store.delete(Person.self).where { $0.city.mayor != nil }.run() == 1)
            #expect(try await store.select(Person.self).keys() == [1, 2, 4])
        }
    }

    @Test(arguments: Backend.allCases)
    func `what was left out is loaded when it is needed, of one record or of many`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws -> Void in
            try await store.insert(Self.people)
            let light = try await store.select(Person.self).order { $0.id.descending }.withoutChildren().all()
            let people = Array(Self.people.reversed())
            #expect(try await store.load(\.pens, of: light) == people.map(\.pens))
            #expect(try await store.load(\.spares, of: light) == people.map(\.spares))
            #expect(try await store.load(\.home, of: light) == people.map(\.home))
            #expect(try await store.load(\.city, of: light[3]) == Self.people[2].city)
            #expect(try await store.load(\.pens, of: [light[0], light[1], light[0]]).map(\.count) == [1, 2, 1])
            #expect(try await store.load(\.pens, of: light.prefix(0).map(\.self)).isEmpty)
            let inside = try await store.read { snapshot in try snapshot.load(\.pens, of: light[1]) }
            #expect(inside == Self.people[4].pens)
            await expectError(.invalidQuery) { try await store.load(\.id, of: light) }
            try await store.delete(Person.self, key: 4)
            let gone = await expectError(.notFound) { try await store.load(\.pens, of: light) }
            #expect(gone?.key == [.int(4)])
        }
    }

    @Storable struct Part {
        @Key var box: String
        @Key var number: Int
        var labels: [Twin] = []
    }

    @Test(arguments: Backend.allCases)
    func `what a record with a key of several parts owns is loaded by that`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws -> Void in
            try await store.insert([
                Part(box: "a", number: 2, labels: [Twin(id: 1, name: "x")]), Part(box: "a", number: 1),
                Part(box: "b", number: 2, labels: [Twin(id: 2, name: "y")]),
            ])
            let light = try await store.select(Part.self).where { $0.number == 2 }.withoutChildren().all()
            #expect(try await store.load(\.labels, of: light).map { $0.map(\.name) } == [["x"], ["y"]])
        }
    }
}
