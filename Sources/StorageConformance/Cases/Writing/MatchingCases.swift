internal import Foundation
internal import StorageAPI

extension Conformance {
    /// W12: saving by other properties than the key.
    static let matchingCases: [ConformanceCase] = [
        ConformanceCase(
            "matching/replaces", for: [.w12: [1]],
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
            "matching/several", for: [.w12: [2, 3]],
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
            "matching/together", for: [.w12: [1, 2]], "Several properties match together, and a nil matches nothing."
        ) { t in
            let store = try await t.open(Pen.self, Member.self)
            try await store.insert([Pen(id: 1, color: "red", price: 1), Pen(id: 2, color: "red", price: 2)])
            let pens = [2, 3, 1].map { Pen(id: 6 + Int($0), color: "red", price: $0) }
            try await store.saving(pens, "\\.color, \\.price") { try await $0.save($1, matching: \.color, \.price) }
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 2, 9])
            try await store.insert([Member(id: 1), Member(id: 2)])
            try await store.saving([Member(id: 3), Member(id: 4)], "\\.email") {
                try await $0.save($1, matching: \.email)
            }
            try t.expect(try await store.select(Member.self).keys(), equals: [1, 2, 3, 4])
        },
        ConformanceCase(
            "matching/refused", for: [.w12: [4, 5]],
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
        ConformanceCase(
            "matching/order", for: [.w12: [1, 2, 3], .w13: [3]],
            "Records are judged in the order of the call, whether they are found or inserted."
        ) { t in
            let store = try await t.open(Slot.self)
            try await store.insert([Slot(id: 1, line: 7, code: "a"), Slot(id: 2, line: 8, code: "b")])
            // What is found gives its unique value up to what is new.
            let given = [
                Slot(id: 91, line: 7, code: "c"), Slot(id: 3, line: 5, code: "a"), Slot(id: 92, line: 8),
                Slot(id: 4, line: 6, code: "b"), Slot(id: 93, line: 5, place: 1), Slot(id: 5, line: 4, code: "a"),
            ]
            let saved = try await store.saving(given, "\\.line") { try await $0.save($1, matching: \.line) }
            try t.expect(saved.map(\.id), equals: [1, 3, 2, 4, 3, 5])
            let expected = [
                Slot(id: 1, line: 7, code: "c"), Slot(id: 2, line: 8), Slot(id: 3, line: 5, place: 1),
                Slot(id: 4, line: 6, code: "b"), Slot(id: 5, line: 4, code: "a"),
            ]
            try t.expect(try await store.all(Slot.self), equals: expected)
            let turned = [Slot(id: 6, line: 3, code: "c"), Slot(id: 94, line: 7, code: "d")]
            let error = try await t.expectError(.constraint) {
                try await store.saving(turned, "\\.line") { try await $0.save($1, matching: \.line) }
            }
            try t.expect(error.element, equals: 0)
            try t.expect(try await store.all(Slot.self), equals: expected, "A call that failed has stored something.")
        },
        ConformanceCase(
            "matching/first-failure", for: [.w4: [2], .w12: [4, 5]],
            "Of several records that cannot be saved the error is about the first, whatever is wrong with each."
        ) { t in
            let store = try await t.open(Slot.self)
            let stored = [
                Slot(id: 1, line: 1, code: "a"), Slot(id: 2, line: 2, code: "b"), Slot(id: 3, line: 3),
                Slot(id: 4, line: 3),
            ]
            try await store.insert(stored)
            let wrong: [(Slot, StorageError.Code)] = [
                (Slot(id: 1, line: 9), .duplicateKey), (Slot(id: 9, line: 8, code: "a"), .constraint),
                (Slot(id: 90, line: 2, code: "a"), .constraint), (Slot(id: 91, line: 3), .constraint),
                (Slot(id: 10, line: 7, link: URL(string: "b", relativeTo: URL(string: "http://a/"))), .invalidValue),
            ]
            // One that is found, and one that is new.
            for right in [Slot(id: 92, line: 1, code: "a"), Slot(id: 11, line: 6)] {
                for (first, code) in wrong {
                    for (second, _) in wrong where second.id != first.id {
                        let error = try await t.expectError(code) {
                            try await store.saving([right, first, second], "\\.line") {
                                try await $0.save($1, matching: \.line)
                            }
                        }
                        try t.expect(error.element, equals: 1, "\(error)")
                    }
                }
            }
            try t.expect(try await store.all(Slot.self), equals: stored, "A call that failed has stored something.")
            // Each of many records matches two.
            try await store.insert((100..<1124).map { Slot(id: $0, line: $0 / 2) })
            let many = (50..<562).reversed().map { Slot(id: 9999, line: $0) }
            let error = try await t.expectError(.constraint) {
                try await store.saving(many, "\\.line") { try await $0.save($1, matching: \.line) }
            }
            try t.expect(error.element, equals: 0)
            try t.expect(error.key, equals: [.int(1123)])
        },
    ]
}
