internal import Foundation
internal import StorageAPI

/// The results that are requested for each group of people.
private struct Summary: Equatable, Sendable {
    let key: String?
    let count: Int
    let sum: Int
    let minimum: Double?
    let maximum: String?
    let mean: Double?
}

extension Conformance {
    private static let people = (1...30).map(Samples.person)

    /// The groups of people by their city's name, in the order of the names, made by Swift.
    private static func summaries(_ people: [Person]) -> [Summary] {
        let groups = Dictionary(grouping: people) { $0.city?.name }
        let keys = groups.keys.sorted { left, right in right.map { (left ?? "") < $0 } ?? false }
        return keys.map { key in
            let group = groups[key] ?? []
            return Summary(
                key: key, count: group.count, sum: group.reduce(0) { $0 + $1.age }, minimum: group.map(\.height).min(),
                maximum: group.compactMap(\.nickname).max(),
                mean: Double(group.reduce(0) { $0 + $1.age }) / Double(group.count))
        }
    }

    private static func summaries(
        _ query: RecordedSelect<Person>, _ part: String = "",
        _ choose: (Select<Person, Store>.Groups<String?>) -> Select<Person, Store>.Groups<String?> = { $0 }
    ) async throws -> [Summary] {
        try await query.run("group { $0.city.name }\(part).all { ($0.key, $0.count, $0.sum { $0.age }, …) }") {
            try await choose($0.group { $0.city.name }).all {
                (
                    $0.key, $0.count, $0.sum { $0.age }, $0.min { $0.height }, $0.max { $0.nickname },
                    $0.average { $0.age }
                )
            }.map { Summary(key: $0.0, count: $0.1, sum: $0.2, minimum: $0.3, maximum: $0.4, mean: $0.5) }
        }
    }

    /// Q7: groups.
    static let groupCases: [ConformanceCase] = [
        ConformanceCase(
            "groups/aggregates", for: [.q1: [1], .q7: [4]],
            "Each group has its count, sum, min, max and average; nil is a group of its own."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            try t.expect(try await summaries(store.select(Person.self)), equals: summaries(people))
            let some = store.select(Person.self) { $0.where { $0.age > 20 && $0.isMember } }
            try t.expect(try await summaries(some), equals: summaries(people.filter { $0.age > 20 && $0.isMember }))
            let first = store.select(Person.self) { $0.order { $0.id.descending }.limit(7).offset(2) }
            try t.expect(
                try await summaries(first), equals: summaries(people.reversed().dropFirst(2).prefix(7).map(\.self)))
        },
        ConformanceCase("groups/having", for: [.q1: [1]], "Conditions on a group choose groups, not records.") { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.select(Person.self)
            let all = summaries(people)
            let large = try await summaries(query, ".having { $0.count > 7 }") { $0.having { $0.count > 7 } }
            try t.expect(large, equals: all.filter { $0.count > 7 })
            let both = try await summaries(query, ".having { $0.sum { $0.age } > 200 && $0.key != nil }") {
                $0.having { $0.sum { $0.age } > 200 && $0.key != nil }
            }
            try t.expect(both, equals: all.filter { $0.sum > 200 && $0.key != nil })
            let twice = try await summaries(
                query, ".having { $0.key != \"c1\" }.having { $0.max { $0.nickname } == nil }"
            ) {
                $0.having { $0.key != Optional("c1") }.having { $0.max { $0.nickname } != nil }
            }
            try t.expect(twice, equals: all.filter { $0.key != "c1" && $0.maximum != nil })
            let none = try await summaries(query, ".having { $0.count < 0 }") { $0.having { $0.count < 0 } }
            try t.expect(none, equals: [])
        },
        ConformanceCase(
            "groups/order", for: [.q1: [1], .q5: [1]],
            "Groups come in the asked order, and equal ones in that of their keys; limit and offset take a part."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.select(Person.self)
            let all = summaries(people)
            let wanted = all.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map(
                \.element)
            let sorted = try await summaries(query, ".order { $0.count.descending }") {
                $0.order { $0.count.descending }
            }
            try t.expect(sorted, equals: wanted)
            let part = try await summaries(query, ".order { $0.count.descending }.limit(2).offset(1)") {
                $0.order { $0.count.descending }.limit(2).offset(1)
            }
            try t.expect(part, equals: Array(wanted.dropFirst().prefix(2)))
            let nils = try await summaries(query, ".order { $0.key.descending.nilsFirst }") {
                $0.order { $0.key.descending.nilsFirst }
            }
            try t.expect(nils, equals: all.filter { $0.key == nil } + all.filter { $0.key != nil }.reversed())
            try t.expect(try await summaries(query, ".limit(0)") { $0.limit(0) }, equals: [])
            try t.expect(try await summaries(query, ".offset(100)") { $0.offset(100) }, equals: [])
            try await t.expectError(.invalidQuery) { try await summaries(query, ".limit(-1)") { $0.limit(-1) } }
            try await t.expectError(.invalidQuery) { try await summaries(query, ".offset(-1)") { $0.offset(-1) } }
        },
        ConformanceCase(
            "groups/several-keys", for: [.q7: [4]], "Several keys make a group where they are all equal, nil to nil."
        ) {
            t in
            let store = try await t.open(Measure.self)
            let measures = (0..<60).map { number in
                Measure(
                    id: number, number: number % 3 == 0 ? nil : number % 3,
                    text: number % 4 == 0 ? nil : "t\(number % 4)",
                    flag: number % 2 == 0)
            }
            try await store.insert(measures)
            let query = store.select(Measure.self)
            let groups = try await query.run("group { ($0.number, $0.text) }.all { ($0.key.0, $0.key.1, $0.count) }") {
                let groups = $0.group { ($0.number, $0.text) }
                return try await groups.all { ($0.key.0, $0.key.1, $0.count) }
            }
            let numbers: [Int?] = [nil, 1, 2]
            let texts: [String?] = [nil, "t1", "t2", "t3"]
            let wanted = numbers.flatMap { number in texts.map { (number, $0) } }
            try t.expect(groups.map(\.0), equals: wanted.map(\.0))
            try t.expect(groups.map(\.1), equals: wanted.map(\.1))
            try t.expect(
                groups.map(\.2),
                equals: wanted.map { key in measures.count { $0.number == key.0 && $0.text == key.1 } })
        },
        ConformanceCase(
            "groups/overflow", for: [.q7: [3]],
            "A sum of one group that overflows is overflow; without that group there is no overflow."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert([
                Measure(id: 1, number: .max, flag: true), Measure(id: 2, number: 1, flag: true),
                Measure(id: 3, number: .max, flag: false), Measure(id: 4, number: .min, flag: false),
                Measure(id: 5, number: .max, flag: false),
            ])
            let sums: @Sendable (Select<Measure, Store>) async throws -> [Int] = {
                try await $0.group { $0.flag }.all { $0.sum { $0.number } }
            }
            let source = "group { $0.flag }.all { $0.sum { $0.number } }"
            try await t.expectError(.overflow) { try await store.select(Measure.self).run(source, sums) }
            let fitting = store.select(Measure.self) { $0.where { $0.flag == false } }
            // The parts of the sum leave its range, the sum as a whole does not.
            try t.expect(try await fitting.run(source, sums), equals: [.max - 1])
        },
        ConformanceCase(
            "groups/nothing", for: [.q7: [2]], "Over no record there is no group, and one aggregate of nothing."
        ) {
            t in
            let store = try await t.open(Person.self)
            try t.expect(try await summaries(store.select(Person.self)), equals: [])
            try await store.insert(people)
            try t.expect(try await summaries(store.select(Person.self) { $0.where { $0.age < 0 } }), equals: [])
            try t.expect(try await summaries(store.select(Person.self) { $0.limit(0) }), equals: [])
        },
        ConformanceCase(
            "groups/terms", for: [.q1: [1]], "Groups are made by computed terms, counts and conditions too."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.select(Person.self)
            let rests = try await query.run("group { $0.age % 5 }.all { ($0.key, $0.sum { $0.pens.count }) }") {
                try await $0.group { $0.age % 5 }.all { ($0.key, $0.sum { $0.pens.count }) }.map { [$0.0, $0.1] }
            }
            let wanted = Dictionary(grouping: people) { $0.age % 5 }.sorted { $0.key < $1.key }
            try t.expect(rests, equals: wanted.map { [$0.key, $0.value.reduce(0) { $0 + $1.pens.count }] })
            let flags = try await query.run("group { $0.pens.any { $0.price > 20 } }.all { ($0.key, $0.count) }") {
                try await $0.group { $0.pens.any { $0.price > 20 } }.all { ($0.key, $0.count) }
            }
            let rich = people.count { $0.pens.contains { ($0.price ?? 0) > 20 } }
            try t.expect(flags.map(\.0), equals: [false, true])
            try t.expect(flags.map(\.1), equals: [people.count - rich, rich])
        },
        ConformanceCase(
            "groups/exact-doubles", for: [.q7: [6]], "A sum of Doubles is exact and rounded once, whatever the order."
        ) {
            t in
            let store = try await t.open(Measure.self)
            let numbers: [Double] = [1e300, 1, -1e300, 1e-300, 0.1, 0.2, -0.3, 0x1p53, 1, 1]
            for (round, numbers) in [numbers, numbers.reversed(), numbers.sorted()].enumerated() {
                try await store.insert(
                    numbers.enumerated().map { Measure(id: round * 100 + $0.offset, number: round, real: $0.element) })
            }
            let query = store.select(Measure.self)
            let sums = try await query.run("group { $0.number }.all { ($0.sum { $0.real }, $0.average { $0.real }) }") {
                try await $0.group { $0.number }.all { ($0.sum { $0.real }, $0.average { $0.real }) }
            }
            // 2^53 + 3 and what is left of 0.1 + 0.2 - 0.3, whose exact sum is just above 0: a tie no more, rounded up.
            try t.expect(sums.map(\.0), equals: Array(repeating: 9_007_199_254_740_996, count: 3))
            try t.expect(sums.map(\.1), equals: Array(repeating: 900_719_925_474_099.6, count: 3))
            // Parts of the sum are beyond every Double, the sum is not.
            let large = [1e308, 1e308, 0.5, -1e308, -1e308]
            try await store.insert(large.enumerated().map { Measure(id: 400 + $0.offset, real: $0.element) })
            let some = store.select(Measure.self) { $0.where { $0.id >= 400 } }
            try t.expect(try await some.run("sum { $0.real }") { try await $0.sum { $0.real } }, equals: 0.5)
            let beyond = store.select(Measure.self) { $0.where { $0.real > 1e307 } }
            try t.expect(try await beyond.run("sum { $0.real }") { try await $0.sum { $0.real } }, equals: .infinity)
        },
    ]
}
