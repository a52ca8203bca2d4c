internal import Foundation
internal import StorageAPI

extension Conformance {
    /// H12: copies of a store as it was.
    static let pastCases: [ConformanceCase] = [
        ConformanceCase(
            "past/copied", for: [.h12: [1, 2, 3]],
            "Copies as of each commit of a random program equal what was stored then, while others write."
        ) { t in
            let store = try await t.open(recordsOf: pastModels)
            var random = SeededGenerator(seed: t.seed)
            var states = [try await state(of: store.store)]
            for _ in 0..<30 {
                await step(store, &random)
                let commit = try await store.store.historyToken().commit
                if commit == states.count { states.append(try await state(of: store.store)) }
                // A call that changes nothing, or fails, is no commit.
                try t.expect(commit, equals: states.count - 1)
            }
            let copy = try await t.open([], options: .init(), ".init()", on: t.place.another().backend())
            let writer = Task {
                for number in 0..<100 { try await store.store.save(Pen(id: number % 7, color: "later \(number)")) }
            }
            for commit in states.indices.shuffled(using: &random).prefix(12) {
                t.note("try await \(copy.name).copy(from: \(store.name), asOf: .commit(\(commit)), replacing: true)")
                let past = try await copy.store.copy(from: store.store, asOf: .commit(commit), replacing: true)
                try t.expect(past.models, equals: states[commit], "As of commit \(commit).")
                try t.expect(try await state(of: copy.store), equals: states[commit], "Stored, as of \(commit).")
                try t.expect(past.commit, equals: commit)
                try t.expect(past.unkept, equals: [])
            }
            try await writer.value
            try t.expect(try await problems(of: copy), equals: [])
        },
        ConformanceCase(
            "past/recursive", for: [.h12: [2]],
            "Records that own others of their type, and arrays that were nil, are copied as they were."
        ) { t in
            let store = try await t.open(recordsOf: [Versioned<TagsOfTags>.self, Person.self])
            let first = [
                Versioned<TagsOfTags>(1, .records([[1, .records([[1, "a"], [2, "b"]])], [2, .records([])]])),
                Versioned<TagsOfTags>(3, .records([])),
            ]
            let people = (1...150).map(Samples.person)
            try await store.insert(first)
            try await store.insert(people)
            try await store.delete(Versioned<TagsOfTags>.self, key: 1)
            try await store.save(Versioned<TagsOfTags>(2, .records([[4, .records([[5, "c"]])]])))
            // Each second record, so that former and present rows take turns, and more than are read at once.
            try await store.save(
                (1...75).map {
                    Samples.person($0 * 2).with {
                        $0.pens = []; $0.city = nil
                    }
                })
            try await store.delete(Person.self, keys: [1, 75, 149, 150])
            let copy = try await t.open(
                [Versioned<TagsOfTags>.self, Person.self], options: .init(), ".init()",
                on: t.place.another().backend())
            t.note("try await \(copy.name).copy(from: \(store.name), asOf: .commit(2))")
            try await copy.store.copy(from: store.store, asOf: .commit(2))
            try t.expect(try await copy.all(Versioned<TagsOfTags>.self), equals: first)
            try t.expect(try await copy.all(Person.self), equals: people)
            try t.expect(try await problems(of: copy), equals: [])
        },
        ConformanceCase(
            "past/renamed", for: [.h12: [2]], needs: [.durability],
            "A copy has the current names, types and defaults, and the values of the commit."
        ) { t in
            var store = try await t.open(recordsOf: [Versioned<TitledTags>.self])
            try await store.insert([
                Versioned<TitledTags>(1, "a", .records([[1, "x"], [2, "y"]])),
                Versioned<TitledTags>(2, nil, .records([])), Versioned<TitledTags>(3, "same", .records([[1, "s"]])),
            ])
            try await store.save(Versioned<TitledTags>(1, "b", .records([[3, "z"]])))
            try await store.close()
            store = try await t.open(Versioned<NameAndLabels>.self)
            try await store.save(Versioned<NameAndLabels>(1, "c", .records([[4, "u"]])))
            try await store.delete(Versioned<NameAndLabels>.self, key: 2)
            try await store.close()
            store = try await t.open(Versioned<CallAndMarks>.self)
            try await store.save(
                Versioned<CallAndMarks>(1, "d", .records([[5, "v"]]), "new title", .records([[6, "w"]])))
            func record(_ id: Int, _ name: String?, tags: FieldValue) -> Versioned<CallAndMarks> {
                Versioned(.int(id), name.map(FieldValue.text) ?? .null, tags, nil, .records([]))
            }
            let two = record(2, nil, tags: .records([]))
            let three = record(3, "same", tags: .records([[1, "s"]]))
            let states = [
                [], [record(1, "a", tags: .records([[1, "x"], [2, "y"]])), two, three],
                [record(1, "b", tags: .records([[3, "z"]])), two, three],
                [record(1, "c", tags: .records([[4, "u"]])), two, three],
                [record(1, "c", tags: .records([[4, "u"]])), three],
            ]
            let place = try await t.place.another()
            let copy = try await t.open(
                [Versioned<CallAndMarks>.self], options: .init(), ".init()", on: place.backend())
            for (commit, state) in states.enumerated() {
                t.note("try await \(copy.name).copy(from: \(store.name), asOf: .commit(\(commit)), replacing: true)")
                try await copy.store.copy(from: store.store, asOf: .commit(commit), replacing: true)
                try t.expect(try await copy.all(Versioned<CallAndMarks>.self), equals: state, "As of \(commit).")
            }
        },
        ConformanceCase(
            "past/gone", for: [.h12: [5, 6]], needs: [.durability],
            "Where a property is gone that a record had, no copy leaves it out, and nothing is copied."
        ) { t in
            var store = try await t.open(recordsOf: [Versioned<TitleAndName>.self])
            try await store.insert(Versioned<TitleAndName>(1, "a", "b"))
            try await store.save(Versioned<TitleAndName>(1, "a", nil))
            try await store.close()
            // No record has a name by now, so the title gets it.
            store = try await t.open(Versioned<NameFromTitle>.self)
            let copy = try await t.open([Pen.self], options: .init(), ".init()", on: t.place.another().backend())
            let error = try await t.expectError(.schemaMismatch) {
                try await copy.store.copy(from: store.store, asOf: .commit(1))
            }
            try t.expect(error.key, equals: [.int(1)])
            try t.expect(try await copy.store.recordSchemas().map(\.name), equals: ["Pen"])
            try await copy.store.copy(from: store.store, asOf: .commit(2))
            try t.expect(try await copy.store.records("Note").count(), equals: 1)
        },
        ConformanceCase(
            "past/moments", for: [.h12: [1, 4, 6]],
            "A moment is a commit, a token or a time. If it is not kept, the copy is refused and changes nothing."
        ) { t in
            let clock = TrialClock()
            let start = clock.now
            let store = try await t.open(recordsOf: [Pen.self], keysOf: [City.self], clock: clock)
            try await store.insert(City(id: 1, name: "then"))
            var tokens = [try await store.store.historyToken()]
            for number in 1...4 {
                clock.advance(by: 10)
                try await store.save([Pen(id: number), Pen(id: 1, color: "\(number)")])
                tokens.append(try await store.store.historyToken())
            }
            clock.advance(by: 10)
            try await store.save(City(id: 1, name: "now"))
            let copy = try await t.open(
                [Pen.self, City.self], options: .init(), ".init()", on: t.place.another().backend())
            func pens(_ moment: Store.Moment, _ models: [String]? = ["Pen"], asNow: Bool = false) async throws -> Int {
                t.note(
                    "try await \(copy.name).copy(\(models ?? []), from: \(store.name), asOf: \(moment), replacing: true)"
                )
                let past = try await copy.store.copy(
                    models, from: store.store, asOf: moment, replacing: true, unkeptAsNow: asNow)
                let count = try await copy.select(Pen.self).count()
                try t.expect(past.commit, equals: count + 1)
                try t.expect(past.time, equals: past.commit == 0 ? nil : start + Double(count) * 10)
                return count
            }
            for number in 0...4 {
                try t.expect(try await pens(.token(tokens[number])), equals: number)
                try t.expect(try await pens(.date(start + Double(number) * 10)), equals: number)
                try t.expect(try await pens(.date(start + Double(number) * 10 + 9)), equals: number)
                try t.expect(try await pens(.commit(number + 1)), equals: number)
            }
            for (moment, code): (Store.Moment, StorageError.Code) in [
                (.commit(7), .invalidValue), (.commit(-1), .invalidValue), (.date(start - 1), .notKept),
                (.token(.init("00000000-0000-0000-0000-000000000000:1") ?? tokens[0]), .invalidValue),
            ] {
                try await t.expectError(code) { try await pens(moment) }
            }
            let error = try await t.expectError(.notKept) { try await pens(.commit(2), nil) }
            try t.expect(error.model, equals: "City")
            try t.expect(try await copy.select(Pen.self).count(), equals: 4)
            try t.expect(try await pens(.commit(2), nil, asNow: true), equals: 1)
            try t.expect(try await copy.all(City.self), equals: [City(id: 1, name: "now")])
            try await t.expectError(.configuration) { try await store.store.copy(from: store.store, asOf: .commit(1)) }
            try await t.expectError(.configuration) { try await store.store.copy(from: copy.store, asOf: .commit(1)) }
        },
        ConformanceCase(
            "past/pruned", for: [.h12: [4]], "A commit that the history no longer keeps is as unknown as its time."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(recordsOf: [Pen.self], keeping: .commits(40), clock: clock)
            for number in 1...200 {
                clock.advance(by: 1)
                try await store.save(Pen(id: number % 5, color: "\(number)"))
            }
            let first = try t.required(try await store.store.historyStatus()?.firstCommit)
            let copy = try await t.open([Pen.self], options: .init(), ".init()", on: t.place.another().backend())
            for moment in [Store.Moment.commit(first - 2), .date(clock.now - Double(200 - first + 1))] {
                try await t.expectError(.notKept) { try await copy.store.copy(from: store.store, asOf: moment) }
            }
            try await copy.store.copy(from: store.store, asOf: .commit(first - 1))
            let colors = try await copy.all(Pen.self).compactMap { Int($0.color) }
            try t.expect(colors.max(), equals: first - 1)
        },
    ]
}

private let pastModels: [any Storable.Type] = [
    Person.self, Pen.self, Writer.self, Volume.self, Label.self, Seat.self, Keyed<UUID>.self,
]

/// The digests of all models.
private func state(of store: Store) async throws -> [ModelDigest] {
    var digests: [ModelDigest] = []
    for schema in try await store.recordSchemas() { digests.append(try await store.digest(of: schema.name)) }
    return digests
}

private func problems(of store: RecordedStore) async throws -> [String] {
    var problems: [StoreProblem] = []
    try await store.store.verify { problems.append($0) }
    return problems.map(\.description)
}

/// A call that changes some records, or none; it may break a rule, and fail.
private func step(_ store: RecordedStore, _ random: inout SeededGenerator) async {
    func number(_ end: Int, _ random: inout SeededGenerator) -> Int { Int.random(in: 1...end, using: &random) }
    let (one, other, third) = (number(9, &random), number(9, &random), number(9, &random))
    let label = ["art", "Äpfel", "new", "war", "wart"][number(5, &random) - 1]
    let id = UUID(uuidString: "00000000-0000-\(one)000-8000-00000000000\(other)") ?? UUID()
    do {
        switch number(14, &random) {
        case 1, 2: try await store.save((one...(one + other)).map { Samples.person($0).with { $0.age = third } })
        case 3: try await store.delete(Person.self, keys: [one, other, third])
        case 4: try await store.update(Person.self) { $0.where { $0.age > other }.set(\.name, to: "set \(third)") }
        case 5: try await store.save([Pen(id: one, color: label), Pen(id: other, price: Double(third))])
        case 6: try await store.save([Writer(id: one, name: label), Writer(id: other, mentor: Ref(key: one))])
        case 7, 8:
            try await store.save(
                Volume(
                    id: third, title: label, author: Ref(key: one), editor: Ref(key: other),
                    labels: [Ref(key: "art"), Ref(key: label)],
                    chapters: [Chapter(title: "\(other)", sources: [Ref(key: third)])]))
        case 9: try await store.delete(Writer.self, key: one)
        case 10: try await store.save([Label(name: label, rank: one), Label(name: "art", rank: other)])
        case 11: try await store.delete(Label.self, key: label)
        case 12: try await store.save(Seat(bank: one % 3, letter: label, price: Double(other)))
        case 13:
            try await store.transaction { _, tx in
                try tx.truncate(Pen.self)
                try tx.save(Keyed(id: id, note: label, pens: [Pen(id: other)]))
                try tx.delete(Seat.self, keys: [(other % 3, label)])
                if third > 6 { try tx.truncate(Person.self) }
            }
        default: try await store.delete(Keyed<UUID>.self, key: id)
        }
    } catch {}
}

extension Person {
    fileprivate func with(_ change: (inout Person) -> Void) -> Person {
        var person = self
        change(&person)
        return person
    }
}
