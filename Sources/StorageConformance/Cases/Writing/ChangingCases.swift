internal import StorageAPI

extension Conformance {
    /// W5 to W7: partial updates, deletes, truncation.
    static let changingCases: [ConformanceCase] = [
        ConformanceCase(
            "set/only-named", for: [.w5: [1]],
            "A partial update changes the named properties of the matching records alone."
        ) {
            t in
            let store = try await t.open(Person.self)
            var people = (1...8).map(Samples.person)
            try await store.insert(people)
            let count = try await store.update(Person.self) {
                $0.where { $0.age >= 12 }.set(\.name, to: "new").set(\.age, to: 1)
            }
            let matching = people.indices.filter { people[$0].age >= 12 }
            for index in matching {
                people[index].name = "new"
                people[index].age = 1
            }
            try t.expect(count, equals: matching.count, "The count is not that of the matching records.")
            try t.expect(try await store.all(Person.self), equals: people)
        },
        ConformanceCase(
            "set/zero-values", for: [.w5: [1], .v3: [1]], "A partial update sets nil, 0, false, \"\" and [] as well."
        ) {
            t in
            let store = try await t.open(Person.self)
            var person = Person(id: 1, name: "a", age: 3, height: 1, nickname: "n", isMember: true, tags: ["t"])
            try await store.insert(person)
            try await store.update(Person.self) {
                $0.set(\.name, to: "").set(\.age, to: 0).set(\.height, to: 0).set(\.nickname, to: nil)
                    .set(\.isMember, to: false).set(\.tags, to: [])
            }
            person = Person(id: 1)
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase(
            "set/matched-not-changed", for: [.w5: [2]], "The count is of matched records, changed by it or not."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert((1...5).map { Pen(id: $0, color: "red") })
            let count = try await store.update(Pen.self) { $0.where { $0.id <= 3 }.set(\.color, to: "red") }
            try t.expect(count, equals: 3)
        },
        ConformanceCase(
            "set/no-match", for: [.w5: [2]], "A partial update that matches nothing returns 0 and changes nothing."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1, color: "red"))
            let count = try await store.update(Pen.self) { $0.where { $0.color == "none" }.set(\.color, to: "x") }
            try t.expect(count, equals: 0)
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "red")])
        },
        ConformanceCase(
            "set/filter-changes", for: [.w5: [1, 2]],
            "A record is changed once, also of thousands, and also where the change decides what matches."
        ) { t in
            let store = try await t.open(Measure.self, Writer.self)
            try await store.insert((0..<100).map { Measure(id: $0, number: $0 % 10) })
            let count = try await store.update(Measure.self) { $0.where { $0.number == 3 }.set(\.number, to: 4) }
            try t.expect(count, equals: 10)
            try t.expect(try await store.select(Measure.self) { $0.where { $0.number == 4 } }.count(), equals: 20)
            // Keys are held 4,096 at a time, and what a condition asks is what was stored before all of them.
            try await store.store.insert((0...5000).map { Writer(id: $0, mentor: $0 == 0 ? nil : Ref(key: $0 - 1)) })
            let named = try await store.update(Writer.self) { $0.where { $0.mentor.name == "" }.set(\.name, to: "x") }
            try t.expect(named, equals: 5000)
            try t.expect(try await store.select(Writer.self) { $0.where { $0.name == "" } }.keys(), equals: [0])
        },
        ConformanceCase("set/children-stay", for: [.w5: [1]], "A partial update leaves the owned records.") { t in
            let store = try await t.open(Person.self)
            var person = Samples.person(7)
            try await store.insert(person)
            try await store.update(Person.self) { $0.where { $0.id == 7 }.set(\.name, to: "new") }
            person.name = "new"
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase(
            "set/last-counts", for: [.w5: [1]],
            "Of several values for one property the last counts; none changes nothing."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert((1...3).map { Pen(id: $0, color: "old", price: 1) })
            let count = try await store.update(Pen.self) {
                $0.where { $0.id != 2 }.set(\.price, to: 5).set(\.color, to: "x").set(\.price, to: 6)
            }
            try t.expect(count, equals: 2)
            try t.expect(try await store.all(Pen.self).map(\.price), equals: [6, 1, 6])
            try t.expect(try await store.update(Pen.self) { $0.where { $0.id != 2 } }, equals: 2)
            try t.expect(try await store.all(Pen.self).map(\.color), equals: ["x", "old", "x"])
        },
        ConformanceCase(
            "set/child-filter", for: [.w5: [1], .q3: [4]], "A partial update may ask about the owned records."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert([
                Person(id: 1, pens: [Pen(id: 1, color: "red")]), Person(id: 2, pens: [Pen(id: 1, color: "blue")]),
                Person(id: 3),
            ])
            let count = try await store.update(Person.self) {
                $0.where { $0.pens.any { $0.color == "red" } }.set(\.age, to: 9)
            }
            try t.expect(count, equals: 1)
            try t.expect(try await store.all(Person.self).map(\.age), equals: [9, 0, 0])
        },
        ConformanceCase(
            "set/key-refused", for: [.w5: [3]], "A key property cannot be set: invalidQuery, and nothing changes."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1, color: "red"))
            let error = try await t.expectError(.invalidQuery) {
                try await store.update(Pen.self) { $0.set(\.color, to: "x").set(\.id, to: 2) }
            }
            try t.expect(error.property, equals: "id")
            try t.expect(error.operation, equals: "update")
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "red")])
            try await t.expectError(.invalidQuery) { try await store.update(Pair.self) { $0.set(\.second, to: "b") } }
        },
        ConformanceCase("delete/model", for: [.w6: [1]], "delete takes a model by its key, and returns how many went.")
        {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert((1...5).map { Pen(id: $0) })
            try t.expect(try await store.delete(Pen(id: 1, color: "other values")), equals: 1)
            try t.expect(try await store.delete([Pen(id: 2), Pen(id: 1), Pen(id: 3), Pen(id: 3)]), equals: 2)
            try t.expect(try await store.select(Pen.self).keys(), equals: [4, 5])
        },
        ConformanceCase(
            "delete/keys", for: [.w6: [1, 2]],
            "delete takes keys; a missing one is no error, a repeated one counts once."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert((1...5).map { Pen(id: $0) })
            try t.expect(try await store.delete(Pen.self, key: 9), equals: 0)
            try t.expect(try await store.delete(Pen.self, keys: [5, 5, 9, -1, 2]), equals: 2)
            try t.expect(try await store.delete(Pen.self, keys: [5, 2]), equals: 0)
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 3, 4])
        },
        ConformanceCase("delete/many-keys", for: [.w6: [1]], "delete takes 10,000 keys.") { t in
            let store = try await t.open(Pen.self)
            try await store.insert((0..<3000).map { Pen(id: $0) })
            try t.expect(try await store.delete(Pen.self, keys: Array(1000..<11_000)), equals: 2000)
            try t.expect(try await store.select(Pen.self).count(), equals: 1000)
        },
        ConformanceCase("delete/filter", for: [.w6: [1]], "delete by a filter takes exactly the matching records.") {
            t in
            let store = try await t.open(Person.self)
            let people = (1...20).map(Samples.person)
            try await store.insert(people)
            let count = try await store.delete(Person.self) { $0.where { $0.nickname == nil || $0.age > 40 } }
            let left = people.filter { !($0.nickname == nil || $0.age > 40) }
            try t.expect(count, equals: 20 - left.count)
            try t.expect(try await store.all(Person.self), equals: left)
            try t.expect(try await store.delete(Person.self) { $0.where { $0.age > 1000 } }, equals: 0)
            // Keys are held 4,096 at a time; 150 of these have the same first part.
            try await store.store.insert((0..<4500).map { Pair(first: "\($0 / 150)", second: "\($0 % 150)") })
            try t.expect(try await store.update(Pair.self) { $0.set(\.note, to: "all") }, equals: 4500)
            try t.expect(try await store.delete(Pair.self) { $0.where { $0.second != "77" } }, equals: 4470)
            let pairs = try await store.all(Pair.self)
            try t.expect(pairs.map(\.note), equals: Array(repeating: "all", count: 30))
            try t.expect(Set(pairs.map(\.second)), equals: ["77"])
        },
        ConformanceCase(
            "delete/child-filter", for: [.w6: [1], .q3: [4]], "delete by a filter over owned records takes the owners."
        ) {
            t in
            let store = try await t.open(Person.self)
            let people = (1...20).map(Samples.person)
            try await store.insert(people)
            let count = try await store.delete(Person.self) { $0.where { $0.pens.any { $0.color == "p2" } } }
            let left = people.filter { !$0.pens.contains { $0.color == "p2" } }
            try t.expect(count, equals: 20 - left.count)
            try t.expect(try await store.all(Person.self), equals: left)
        },
        ConformanceCase("delete/all", for: [.w6: [1]], "delete without a filter takes every record, and counts them.") {
            t in
            let store = try await t.open(Person.self)
            try await store.insert((1...10).map(Samples.person))
            try t.expect(try await store.delete(Person.self) { $0 }, equals: 10)
            try t.expect(try await store.select(Person.self).exists(), equals: false)
            try t.expect(try await store.delete(Person.self) { $0 }, equals: 0)
        },
        ConformanceCase(
            "delete/no-ghosts", for: [.w6: [3]], "A record inserted with a deleted one's key has none of its children."
        ) {
            t in
            let store = try await t.open(Person.self)
            let people = (1...12).map(Samples.person)
            let bare = people.map { person in
                Person(id: person.id, city: City(id: 1, districts: [District(id: 1, lamps: [])]), spares: [])
            }
            let deletions: [() async throws -> Int] = [
                { try await store.delete(people) },
                { try await store.delete(Person.self, keys: people.map(\.id)) },
                { try await store.delete(Person.self) { $0.where { $0.id > 0 } } },
            ]
            for delete in deletions {
                try await store.insert(people)
                try t.expect(try await delete(), equals: people.count)
                try await store.insert(bare)
                try t.expect(try await store.all(Person.self), equals: bare, "Parts of deleted records came back.")
                try await store.delete(bare)
            }
        },
        ConformanceCase(
            "truncate/all", for: [.w7: [1, 2]], "truncate removes every record of the model, and of no other."
        ) {
            t in
            let store = try await t.open(Person.self, Pen.self)
            try await store.truncate(Person.self)
            try await store.insert((1...10).map(Samples.person))
            try await store.insert(Pen(id: 1, color: "root"))
            try await store.truncate(Person.self)
            try t.expect(try await store.all(Person.self), equals: [])
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "root")])
        },
        ConformanceCase(
            "truncate/no-ghosts", for: [.w7: [1]], "After truncate no child of a removed record comes back."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert((1...12).map(Samples.person))
            try await store.truncate(Person.self)
            let bare = (1...12).map {
                Person(id: $0, city: City(id: 1, districts: [District(id: 1, lamps: [])]), spares: [])
            }
            try await store.insert(bare)
            try t.expect(try await store.all(Person.self), equals: bare)
        },
        ConformanceCase("truncate/keys-restart", for: [.w7: [1]], "After truncate assigned keys begin at 1 again.") {
            t in
            let store = try await t.open(Account.self, Ticket.self)
            try await store.insert([Account(), Account(), Account()])
            try await store.insert([Ticket(), Ticket()])
            try await store.truncate(Account.self)
            try t.expect(try await store.insert(Account()).id, equals: 1)
            try t.expect(try await store.insert(Ticket()).id, equals: 3, "Another model's keys begin again.")
        },
    ]
}
