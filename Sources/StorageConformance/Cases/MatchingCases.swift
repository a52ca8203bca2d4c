internal import StorageAPI

extension Conformance {
    /// W12: saving by other properties than the key.
    static let matchingCases: [ConformanceCase] = [
        ConformanceCase(
            "matching/replaces", [.w12: [1]],
            "A record that is found keeps its key and gets all else of the value, also what it owns."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert((1...3).map(Samples.person))
            var person = Samples.person(9)
            (person.name, person.pens) = (Samples.person(2).name, [Pen(id: 70, color: "new")])
            let saved = try await store.saving(person, "\\.name") { try await $0.save($1, matching: \.name) }
            person.id = 2
            try t.expect(saved, equals: person)
            try t.expect(try await store.find(Person.self, key: 2), equals: person)
            try t.expect(try await store.select(Person.self).keys(), equals: [1, 2, 3])
        },
        ConformanceCase(
            "matching/several", [.w12: [2, 3]],
            "Of an array each record is found, or inserted with the next keys; of equal ones the last is kept."
        ) { t in
            let store = try await t.open(Account.self)
            func account(_ name: String, _ pen: Int) -> Account { Account(name: name, pens: [Pen(id: pen)]) }
            let first = try await store.insert([account("a", 10), account("b", 11)])
            let given = [account("c", 1), account("b", 2), account("c", 3), account("d", 4), account("b", 5)]
            let saved = try await store.saving(given, "\\.name") { try await $0.save($1, matching: \.name) }
            try t.expect(saved.map(\.id), equals: [3, first[1].id, 3, 4, first[1].id])
            let all = try await store.all(Account.self)
            try t.expect(all.map(\.name), equals: ["a", "b", "c", "d"])
            try t.expect(all.flatMap(\.pens).map(\.id), equals: [10, 5, 3, 4])
            try t.expect(saved[0], equals: all[2], "What was saved first is not what is stored.")
        },
        ConformanceCase(
            "matching/together", [.w12: [1, 2]], "Several properties match together, and a nil matches nothing."
        ) { t in
            let store = try await t.open(Pen.self, Member.self)
            try await store.insert([Pen(id: 1, color: "red", price: 1), Pen(id: 2, color: "red", price: 2)])
            let pens = [Pen(id: 8, color: "red", price: 2), Pen(id: 9, color: "red", price: 3)]
            try await store.saving(pens, "\\.color, \\.price") { try await $0.save($1, matching: \.color, \.price) }
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 2, 9])
            try await store.insert([Member(id: 1), Member(id: 2)])
            try await store.saving([Member(id: 3), Member(id: 4)], "\\.email") {
                try await $0.save($1, matching: \.email)
            }
            try t.expect(try await store.select(Member.self).keys(), equals: [1, 2, 3, 4])
        },
        ConformanceCase(
            "matching/refused", [.w12: [4, 5]],
            "Several stored records with the values, another record's key, and properties that cannot match are errors."
        ) { t in
            let store = try await t.open(Person.self, Pen.self)
            let pens = [Pen(id: 1, color: "red"), Pen(id: 2, color: "red"), Pen(id: 3, color: "blue")]
            try await store.insert(pens)
            let ambiguous = try await t.expectError(.constraint) {
                try await store.saving([Pen(id: 9, color: "green"), Pen(id: 8, color: "red")], "\\.color") {
                    try await $0.save($1, matching: \.color)
                }
            }
            try t.expect(ambiguous.property, equals: "color")
            let taken = try await t.expectError(.duplicateKey) {
                try await store.saving([Pen(id: 7, color: "blue"), Pen(id: 1, color: "green")], "\\.color") {
                    try await $0.save($1, matching: \.color)
                }
            }
            try t.expect(taken.element, equals: 1)
            try await t.expectError(.invalidQuery) {
                try await store.saving(pens, "\\.id") { try await $0.save($1, matching: \.id) }
            }
            try await t.expectError(.invalidQuery) {
                try await store.saving(Samples.person(1), "\\.pens") { try await $0.save($1, matching: \.pens) }
            }
            try t.expect(try await store.all(Pen.self), equals: pens, "A call that failed has stored something.")
            try t.expect(try await store.select(Person.self).count(), equals: 0)
        },
    ]
}
