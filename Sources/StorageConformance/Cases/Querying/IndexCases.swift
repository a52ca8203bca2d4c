internal import StorageAPI

extension Conformance {
    /// Every third without a name, several with the same one.
    private static let people = (1...30).map { number in
        Person(id: number, name: number % 3 == 0 ? "" : "n\(number % 7)", age: number % 5)
    }

    /// Expects that a query by the name finds the people that Swift finds.
    private static func expectFound(_ people: [Person], in store: RecordedStore, _ t: Trial) async throws {
        let groups = Dictionary(grouping: people, by: \.name)
        for name in ["", "n1", "n2", "n6", "new"] {
            let keys = try await store.select(Person.self) { $0.where { $0.name == name } }.keys()
            try t.expect(keys, equals: (groups[name] ?? []).map(\.id))
        }
        let ordered = try await store.select(Person.self) { $0.where { $0.name >= "n2" }.order { $0.name } }.keys()
        let wanted = people.filter { $0.name >= "n2" }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        try t.expect(ordered, equals: wanted.map(\.id))
    }

    /// Q3 and Q5 where an index says which rows there are: no query may tell whether one is used.
    static let indexCases: [ConformanceCase] = [
        ConformanceCase(
            "indexes/conditions", for: [.q3: [1], .q5: [2]],
            "Conditions on an indexed property choose what they choose without an index, in key order.",
            over: people,
            pairs: [
                Equivalent({ $0.name == "n1" }, { $0.name == "n1" }),
                Equivalent({ "n1" == $0.name && $0.age > 1 }, { $0.name == "n1" && $0.age > 1 }),
                Equivalent({ $0.name > "n2" }, { $0.name > "n2" }),
                Equivalent({ "n2" < $0.name }, { $0.name > "n2" }),
                Equivalent({ "n2" >= $0.name }, { $0.name <= "n2" }),
                Equivalent({ $0.name >= "n2" && $0.name < "n5" }, { $0.name >= "n2" && $0.name < "n5" }),
                Equivalent({ $0.name > "n5" && $0.name < "n2" }, { _ in false }),
                Equivalent({ $0.name >= "n3" && $0.name > "n3" }, { $0.name > "n3" }),
                Equivalent({ $0.name == "n1" && $0.name == "n2" }, { _ in false }),
                Equivalent({ $0.name == "n1" || $0.age == 4 }, { $0.name == "n1" || $0.age == 4 }),
                Equivalent({ $0.name.isIn(["n6", "n1", "n6", "x"]) }, { ["n1", "n6"].contains($0.name) }),
                Equivalent({ $0.name.isIn([]) }, { _ in false }),
                Equivalent({ $0.name != "" && $0.name.hasPrefix("n") }, { $0.name.hasPrefix("n") }),
                Equivalent(
                    { $0.name == "n1" && ($0.age == 0 || 4 / $0.age > 1) },
                    { $0.name == "n1" && ($0.age == 0 || 4 / $0.age > 1) }),
            ]),
        ConformanceCase(
            "indexes/pages", for: [.q5: [1]], "Pages of rows that an index finds neither repeat nor skip."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let wanted = people.filter { $0.name >= "n2" }.map(\.id)
            for offset in stride(from: 0, through: wanted.count, by: 4) {
                let page = store.select(Person.self) { $0.where { $0.name >= "n2" }.limit(4).offset(offset) }
                try t.expect(try await page.keys(), equals: Array(wanted.dropFirst(offset).prefix(4)))
            }
            let last = store.select(Person.self) { $0.where { $0.name >= "n2" }.order { $0.name.descending }.limit(3) }
            let greatest = people.sorted { ($1.name, $0.id) < ($0.name, $1.id) }.prefix(3)
            try t.expect(try await last.all(), equals: Array(greatest))
        },
        ConformanceCase(
            "indexes/kept", for: [.q3: [1], .w2: [2], .w5: [1], .w6: [1]],
            "What is saved, set, deleted, undone or truncated is found by its present value and no other."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            try await expectFound(people, in: store, t)
            try await store.save([Person(id: 1, name: "new"), Person(id: 31, name: "n1")])
            try await store.delete(Person.self, keys: [2, 8])
            try await store.update(Person.self) { $0.where { $0.name == "n6" }.set(\.name, to: "n2") }
            var present = people.filter { ![1, 2, 8].contains($0.id) }
            for index in present.indices where present[index].name == "n6" { present[index].name = "n2" }
            present = [Person(id: 1, name: "new")] + present + [Person(id: 31, name: "n1")]
            try await expectFound(present, in: store, t)
            try await t.expectStop("mine") {
                try await store.transaction { _, tx in
                    try tx.update(Person.self) { $0.set(\.name, to: "new") }
                    try tx.delete(Person.self, keys: [4, 5])
                    throw Stop(reason: "mine")
                }
            }
            try await expectFound(present, in: store, t)
            try await store.truncate(Person.self)
            try await expectFound([], in: store, t)
        },
    ]
}
