internal import Foundation
internal import StorageAPI
import StorageDriver

/// A group of elements: its key, the number of elements, and a sum over them.
private struct ElementGroup: Equatable, Sendable {
    let key: String?
    let count: Int
    let sum: Double
}

extension Conformance {
    /// The groups of elements, each with a value to sum, in the order of their keys, made by Swift.
    private static func expected(_ elements: [(key: String?, value: Double)]) -> [ElementGroup] {
        let groups = Dictionary(grouping: elements) { $0.key }
        let keys = groups.keys.sorted { left, right in right.map { (left ?? "") < $0 } ?? false }
        return keys.map { key in
            let group = groups[key] ?? []
            return ElementGroup(key: key, count: group.count, sum: group.reduce(0) { $0 + $1.value })
        }
    }

    private static func found(
        _ groups: [(key: String?, count: Int, sum: Double)]
    ) -> [ElementGroup] { groups.map { ElementGroup(key: $0.key, count: $0.count, sum: $0.sum) } }

    /// Checks that the elements of an array, of which the first comes twice, make the groups.
    private static func check<V: ScalarValue & Equatable>(
        _ list: [V], equal keys: [V], _ t: Trial
    ) async throws {
        let store = try await t.open(Holder<V>.self)
        try await store.insert((1...300).map { Holder(id: $0, value: list[0], list: list) })
        let groups = try await store.store.select(Holder<V>.self).group { $0.list.elements() }
            .all { ($0.key, $0.count) }
        try t.expect(groups.map(\.0), equals: keys)
        try t.expect(groups.map(\.1), equals: [600] + keys.dropFirst().map { _ in 300 })
    }

    /// Q7: groups by the elements of arrays.
    static let elementGroupCases: [ConformanceCase] = [
        ConformanceCase(
            "groups/elements", for: [.q7: [7]],
            "Elements of an array make groups: each is in its group once for each place, and a record without any is in none."
        ) { t in
            let store = try await t.open(Person.self)
            var people = (1...600).map(Samples.person)
            people[3].tags = ["t1", "t0", "t1", "", "Ä"]
            try await store.insert(people)
            func wanted(_ people: some Sequence<Person>) -> [ElementGroup] {
                expected(people.flatMap { person in person.tags.map { ($0, Double(person.age)) } })
            }
            func groups(_ query: RecordedSelect<Person>, _ least: Int = 0) async throws -> [ElementGroup] {
                try await query.run("group { $0.tags.elements() }.having { $0.count > \(least) }.all { … }") {
                    try await $0.group { $0.tags.elements() }.having { $0.count > least }
                        .all { ($0.key, $0.count, $0.sum { $0.age }) }
                }.map { ElementGroup(key: $0.0, count: $0.1, sum: Double($0.2)) }
            }
            try t.expect(try await groups(store.select(Person.self)), equals: wanted(people))
            let some = store.select(Person.self) { $0.where { $0.isMember && $0.pens.any { $0.color == "p1" } } }
            let chosen = people.filter { person in person.isMember && person.pens.contains { $0.color == "p1" } }
            try t.expect(try await groups(some), equals: wanted(chosen))
            // The select's order and limit choose records, not elements.
            let first = store.select(Person.self) { $0.order { $0.id.descending }.limit(7).offset(2) }
            try t.expect(try await groups(first), equals: wanted(people.reversed().dropFirst(2).prefix(7)))
            try t.expect(
                try await groups(store.select(Person.self), 150), equals: wanted(people).filter { $0.count > 150 })
            let pairs = store.store.select(Person.self).group { ($0.isMember, $0.tags.elements()) }
                .order { $0.count.descending }.limit(2)
            let keys = try await pairs.all { ($0.key.0, $0.key.1, $0.count) }
            try t.expect(keys.map(\.1), equals: ["t0", "t1"])
            try t.expect(try await groups(store.select(Person.self) { $0.where { $0.age < 0 } }), equals: [])
        },
        ConformanceCase(
            "groups/element-values", for: [.q7: [7]],
            "Elements are keys as values are: zeros are equal, and so is NaN, and nil elements are a group."
        ) { t in
            let store = try await t.open(Holder<Double>.self)
            try await store.insert((10...300).map { Holder<Double>(id: $0, value: 0, optionalList: [2]) })
            try await store.insert([
                Holder<Double>(id: 1, value: 0, list: [0.5, .nan, -0.0, .infinity], optionals: [nil, 1, nil]),
                Holder<Double>(id: 2, value: 0, list: [0, .nan], optionals: [1]), Holder<Double>(id: 3, value: 0),
            ])
            let query = store.store.select(Holder<Double>.self)
            let numbers = try await query.group { $0.list.elements() }.all { ($0.key, $0.count) }
            try t.expect(numbers.map(\.1), equals: [2, 1, 1, 2], "Groups of 0, 0.5, infinity and NaN.")
            let nils = try await query.group { $0.optionals.elements() }.all { ($0.key, $0.count) }
            try t.expect(nils.map(\.0), equals: [nil, 1])
            try t.expect(nils.map(\.1), equals: [2, 2])
            let some = try await query.group { $0.optionalList.elements() }.all { ($0.key, $0.count) }
            try t.expect(some.map(\.0), equals: [2])
            try t.expect(some.map(\.1), equals: [291])
        },
        ConformanceCase(
            "groups/element-dates", for: [.q7: [7]], "Dates in an array are keys of groups."
        ) { t in
            let day = Date(timeIntervalSinceReferenceDate: 0)
            try await check([day, day + 0.25, day], equal: [day, day + 0.25], t)
        },
        ConformanceCase(
            "groups/element-decimals", for: [.q7: [7]],
            "Decimals in an array are keys of groups, in the order of numbers."
        ) { t in
            let cent = Decimal(sign: .plus, exponent: -2, significand: 1)
            try await check([cent, cent * 1000, cent, cent * 200], equal: [cent, 2, 10], t)
        },
        ConformanceCase(
            "groups/element-records", for: [.q7: [7]],
            "Owned records and referred records of an array make groups by their properties, which may be aggregated too."
        ) { t in
            let store = try await t.open(Person.self, Volume.self)
            let people = (1...300).map(Samples.person)
            try await store.insert(people)
            let pens = try await store.store.select(Person.self).where { $0.age > 10 }
                .group { $0.pens.elements { $0.color } }
                .all { ($0.key, $0.count, $0.sum { $0.pens.elements { $0.price } }) }
            try t.expect(
                found(pens.map { ($0.0, $0.1, $0.2) }),
                equals: expected(people.filter { $0.age > 10 }.flatMap { $0.pens.map { ($0.color, $0.price ?? 0) } }))
            let spares = try await store.store.select(Person.self).group { $0.spares.elements { $0.id } }
                .all { ($0.key, $0.count) }
            try t.expect(spares.map(\.1), equals: [people.count { $0.spares?.isEmpty == false }])
            // An array of a type that owns itself has the children alone, not theirs.
            try await store.insert(
                Node(
                    id: 1, name: "root",
                    children: [
                        Node(id: 2, name: "a", children: [Node(id: 3, name: "deep")]), Node(id: 4, name: "b"),
                        Node(id: 5, name: "a"),
                    ]))
            let children = try await store.store.select(Node.self).group { $0.children.elements { $0.name } }
                .all { ($0.key, $0.count) }
            try t.expect(children.map(\.0), equals: ["a", "b"])
            try t.expect(children.map(\.1), equals: [2, 1])

            let labels = (0..<4).map { Label(name: "l\($0)", rank: $0 % 2) }
            try await store.insert(labels)
            try await store.insert(Writer(id: 1))
            try await store.insert(
                (1...20).map { id in
                    Volume(
                        id: id, year: id, author: Ref(key: 1), labels: (0..<id % 4).map { Ref(key: "l\($0)") })
                })
            let volumes = store.store.select(Volume.self)
            let keys = try await volumes.group { $0.labels.elements() }.all { ($0.key, $0.count, $0.sum { $0.year }) }
            try t.expect(keys.map { $0.0.key }, equals: ["l0", "l1", "l2"])
            try t.expect(keys.map(\.1), equals: [15, 10, 5])
            try t.expect(
                keys.map(\.2), equals: (0..<3).map { label in (1...20).reduce(0) { $0 + ($1 % 4 > label ? $1 : 0) } })
            let ranks = try await volumes.group { $0.labels.elements { $0.rank } }
                .all { ($0.key, $0.count, $0.max { $0.labels.elements { $0.name } }) }
            try t.expect(ranks.map(\.0), equals: [0, 1])
            try t.expect(ranks.map(\.1), equals: [20, 10])
            try t.expect(ranks.map(\.2), equals: ["l2", "l1"])
            try await t.expectError(.invalidQuery) {
                try await store.store.select(Person.self)
                    .group { ($0.tags.elements(), $0.pens.elements { $0.color }) }.all { $0.count }
            }
            try await t.expectError(.invalidQuery) {
                try await store.store.select(Person.self).where { $0.tags.elements() == "t0" }.count()
            }
        },
        ConformanceCase(
            "groups/element-texts", for: [.q7: [7]], "In text an array that is a key stands for its elements."
        ) { t in
            let store = try await t.open(Person.self, Volume.self)
            try await store.insert((1...320).map(Samples.person))
            try await store.insert([Label(name: "x", rank: 7)])
            try await store.insert(Writer(id: 1))
            try await store.insert([Volume(id: 1, year: 1990, author: Ref(key: 1), labels: [Ref(key: "x")])])
            func rows(
                _ model: String, by key: String, _ outputs: Store.RecordGroups.Output...
            ) async throws -> [[Value]] {
                let groups = try await store.store.records(model).groups(by: [key], computing: outputs)
                return groups.rows
            }
            let tags: [[Value]] = [[.text("t0"), .int(240)], [.text("t1"), .int(160)], [.text("t2"), .int(80)]]
            try t.expect(try await rows("Person", by: "tags", .count), equals: tags)
            try t.expect(
                try await rows("Person", by: "pens.color", .count).map { $0[0] },
                equals: ["p0", "p1", "p2", "p3"].map(Value.text))
            try t.expect(
                try await rows("Person", by: "pens.color", .max("pens.price")).map { $0[1] },
                equals: [0, 319, 638, 957].map { Value.double($0) })
            try t.expect(try await rows("Volume", by: "labels", .count), equals: [[.text("x"), .int(1)]])
            try t.expect(try await rows("Volume", by: "labels.rank", .sum("year")), equals: [[.int(7), .int(1990)]])
            for key in ["pens", "pens.colour", "tags.name", "city.districts.name"] {
                try await t.expectError(.invalidQuery) { try await rows("Person", by: key, .count) }
            }
        },
    ]
}
