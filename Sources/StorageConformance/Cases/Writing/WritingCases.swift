internal import StorageAPI

extension Conformance {
    /// W1 to W4: records, one or many.
    static let writingCases: [ConformanceCase] = [
        ConformanceCase(
            "write/insert-then-find", for: [.w1: [1], .w9: [2]],
            "What insert returned from is found, equal in every property."
        ) { t in
            let store = try await t.open(Person.self)
            let person = Samples.person(7)
            try t.expect(try await store.insert(person), equals: person, "insert returned another record.")
            try t.expect(try await store.find(Person.self, key: 7), equals: person)
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase(
            "write/insert-existing", for: [.w1: [2], .e1: [1]],
            "insert of an existing key is duplicateKey and changes nothing."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1, color: "red", price: 1))
            let error = try await t.expectError(.duplicateKey) { try await store.insert(Pen(id: 1, color: "blue")) }
            try t.expect(error.model, equals: "Pen", "The error does not name the model.")
            try t.expect(error.key, equals: [.int(1)], "The error does not name the key.")
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "red", price: 1)])
        },
        ConformanceCase(
            "write/insert-existing-children", for: [.w1: [2], .c7: [1]], "A refused insert leaves the stored children."
        ) {
            t in
            let store = try await t.open(Person.self)
            let person = Samples.person(3)
            try await store.insert(person)
            try await t.expectError(.duplicateKey) {
                try await store.insert(Person(id: 3, pens: [Pen(id: 9)], spares: [Pen(id: 8)]))
            }
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase("write/save-absent", for: [.w2: [1], .w9: [2]], "save of a new key stores the record.") { t in
            let store = try await t.open(Pen.self)
            try t.expect(try await store.save(Pen(id: 1, color: "red")), equals: Pen(id: 1, color: "red"))
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "red")])
        },
        ConformanceCase(
            "write/save-replaces", for: [.w2: [2], .c3: [2]],
            "save replaces the whole record: optionals set to nil, children gone."
        ) {
            t in
            let store = try await t.open(Person.self)
            let neighbours = [Samples.person(1), Samples.person(3)]
            try await store.insert(neighbours + [Samples.person(2)])
            try await store.save(Person(id: 2))
            try t.expect(try await store.all(Person.self), equals: [neighbours[0], Person(id: 2), neighbours[1]])
        },
        ConformanceCase("write/save-twice", for: [.w2: [1, 2]], "Saving twice is saving once.") { t in
            let store = try await t.open(Person.self)
            let person = Samples.person(5)
            try await store.save(person)
            try await store.save(person)
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase(
            "write/save-batch-mixed", for: [.w2: [1], .w4: [1], .w9: [2]],
            "save takes new and stored records in one call."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert([Pen(id: 2, color: "old"), Pen(id: 4, color: "kept")])
            let pens = [Pen(id: 3, color: "c"), Pen(id: 2, color: "b"), Pen(id: 1, color: "a")]
            try t.expect(try await store.save(pens), equals: pens, "save returned others, or in another order.")
            try t.expect(try await store.all(Pen.self), equals: pens.reversed() + [Pen(id: 4, color: "kept")])
        },
        ConformanceCase("write/update-replaces", for: [.w3: [1]], "update replaces the whole record.") { t in
            let store = try await t.open(Person.self)
            try await store.insert([Samples.person(1), Samples.person(2)])
            let changed = Person(id: 2, name: "new", pens: [Pen(id: 1)])
            try await store.update(changed)
            try t.expect(try await store.all(Person.self), equals: [Samples.person(1), changed])
        },
        ConformanceCase(
            "write/update-missing", for: [.w3: [2, 3]], "update of a missing key is notFound, and inserts nothing."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(Person(id: 1))
            let error = try await t.expectError(.notFound) { try await store.update(Samples.person(2)) }
            try t.expect(error.model, equals: "Person")
            try t.expect(error.key, equals: [.int(2)])
            try t.expect(try await store.all(Person.self), equals: [Person(id: 1)])
            let orphans = try await store.select(Pen.self).run("owned(by: Person.self, \\.pens).count()") {
                try await $0.owned(by: Person.self, \.pens).count()
            }
            try t.expect(orphans, equals: 0, "Children of the refused record are stored.")
        },
        ConformanceCase(
            "write/batch-insert-undone", for: [.w4: [2]],
            "An insert whose later element fails stores none, and names it."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(Samples.person(5))
            let people = (1...9).map(Samples.person)
            let error = try await t.expectError(.duplicateKey) { try await store.insert(people) }
            try t.expect(error.element, equals: 4, "The error does not name the element.")
            try t.expect(error.key, equals: [.int(5)])
            try t.expect(try await store.all(Person.self), equals: [Samples.person(5)])
        },
        ConformanceCase(
            "write/batch-update-undone", for: [.w4: [2], .w3: [2]], "An update whose later element fails changes none."
        ) {
            t in
            let store = try await t.open(Pen.self)
            let pens = (1...40).map { Pen(id: $0, color: "old") }
            try await store.insert(pens)
            let changed = (1...60).map { Pen(id: $0, color: "new") }
            let error = try await t.expectError(.notFound) { try await store.update(changed) }
            try t.expect(error.element, equals: 40)
            try t.expect(try await store.all(Pen.self), equals: pens)
        },
        ConformanceCase(
            "write/batch-of-one-hundred-fails-late", for: [.w4: [2]],
            "A failure at any place of a batch undoes all of it."
        ) {
            t in
            let store = try await t.open(Pen.self)
            for place in [0, 1, 31, 32, 33, 63, 64, 99] {
                try await store.insert(Pen(id: place, color: "kept"))
                let batch = (0..<100).map { Pen(id: $0) }
                let error = try await t.expectError(.duplicateKey) { try await store.insert(batch) }
                try t.expect(error.element, equals: place)
                try t.expect(try await store.all(Pen.self), equals: [Pen(id: place, color: "kept")])
                try await store.delete(Pen.self, key: place)
            }
        },
        ConformanceCase("write/empty-arrays", for: [.w4: [3]], "An empty array does nothing and succeeds.") { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            try t.expect(try await store.insert([Pen]()), equals: [])
            try t.expect(try await store.save([Pen]()), equals: [])
            try await store.update([Pen]())
            try t.expect(try await store.delete([Pen]()), equals: 0)
            try t.expect(try await store.delete(Pen.self, keys: []), equals: 0)
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1)])
        },
        ConformanceCase(
            "write/key-twice-insert", for: [.w4: [4]], "insert refuses an array with one key twice, and stores nothing."
        ) { t in
            let store = try await t.open(Pen.self)
            let pens = [Pen(id: 1, color: "a"), Pen(id: 2), Pen(id: 1, color: "b")]
            let error = try await t.expectError(.duplicateKey) { try await store.insert(pens) }
            try t.expect(error.element, equals: 2)
            try t.expect(try await store.select(Pen.self).count(), equals: 0)
        },
        ConformanceCase(
            "write/key-twice-save", for: [.w4: [4]], "save keeps the last of two with one key, and its children."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.save([
                Person(id: 1, name: "a", pens: [Pen(id: 1), Pen(id: 2)], spares: [Pen(id: 5)]), Person(id: 2),
                Person(id: 1, name: "b", nickname: "n", pens: [Pen(id: 3)]),
            ])
            let last = Person(id: 1, name: "b", nickname: "n", pens: [Pen(id: 3)])
            try t.expect(try await store.all(Person.self), equals: [last, Person(id: 2)])
        },
        ConformanceCase("write/key-twice-update", for: [.w4: [4]], "update keeps the last of two with one key.") { t in
            let store = try await t.open(Person.self)
            try await store.insert(Samples.person(1))
            try await store.update([Person(id: 1, name: "a", pens: [Pen(id: 1)]), Person(id: 1, name: "b")])
            try t.expect(try await store.all(Person.self), equals: [Person(id: 1, name: "b")])
        },
        ConformanceCase(
            "write/batch-1000", for: [.w4: [1], .w9: [2]],
            "A batch of 1,000 is stored whole, and returned in the caller's order."
        ) {
            t in
            let store = try await t.open(Pen.self)
            let pens = (0..<1000).map { Pen(id: ($0 * 7919) % 1000, color: "\($0)") }
            try t.expect(try await store.insert(pens), equals: pens)
            try t.expect(try await store.all(Pen.self), equals: pens.sorted { $0.id < $1.id })
        },
        ConformanceCase(
            "write/unique", for: [.w13: [1, 2]], "A second record with a unique value is constraint, and undone."
        ) { t in
            let store = try await t.open(Member.self)
            let members = [Member(id: 1, email: "a"), Member(id: 2), Member(id: 3)]
            try await store.insert(members)
            let error = try await t.expectError(.constraint) {
                try await store.insert([Member(id: 4, email: "b"), Member(id: 5, email: "a")])
            }
            try t.expect(error.property, equals: "email")
            try t.expect(error.element, equals: 1)
            try await t.expectError(.constraint) { try await store.save(Member(id: 2, email: "a")) }
            try await t.expectError(.constraint) { try await store.update(Member(id: 2, email: "a")) }
            try await t.expectError(.constraint) { try await store.update(Member.self) { $0.set(\.email, to: "z") } }
            try t.expect(try await store.all(Member.self), equals: members)
        },
        ConformanceCase(
            "write/unique-freed", for: [.w13: [1]], "A unique value is free again where its record changed or went."
        ) { t in
            let store = try await t.open(Member.self)
            try await store.insert([Member(id: 1, email: "a"), Member(id: 2, email: "b")])
            try await store.save(Member(id: 1, email: "c"))
            try await store.insert(Member(id: 3, email: "a"))
            try await store.delete(Member.self, key: 2)
            try await store.insert([Member(id: 4, email: "b"), Member(id: 5, email: "A")])
            try await store.save(Member(id: 4, email: "b"))
            try t.expect(try await store.all(Member.self).map(\.email), equals: ["c", "a", "b", "A"])
        },
        ConformanceCase(
            "write/unique-in-order", for: [.w13: [3]],
            "A value is unique after each record of a call, so two records exchange theirs in several calls."
        ) { t in
            let store = try await t.open(Member.self, Item<Unique>.self)
            let members = [Member(id: 1, email: "a"), Member(id: 2, email: "b")]
            try await store.insert(members)
            let exchanged = [Member(id: 1, email: "b"), Member(id: 2, email: "a")]
            let errors = [
                try await t.expectError(.constraint) { try await store.save(exchanged) },
                try await t.expectError(.constraint) { try await store.update(exchanged) },
            ]
            for error in errors {
                try t.expect(error.element, equals: 0)
                try t.expect(error.key, equals: [.int(1)])
            }
            try t.expect(try await store.all(Member.self), equals: members)
            try await store.transaction { _, tx in
                try tx.save(Member(id: 1))
                for member in exchanged.reversed() { try tx.save(member) }
            }
            try t.expect(try await store.all(Member.self), equals: exchanged)
            let items = (1...5).map { Item<Unique>(id: $0, value: $0) }
            try await store.insert(items)
            let error = try await t.expectError(.constraint) {
                try await store.update(Item<Unique>.self) { $0.set(\.value) { $0.value + 1 } }
            }
            try t.expect(error.key, equals: [.int(1)])
            try t.expect(try await store.all(Item<Unique>.self), equals: items)
        },
        ConformanceCase(
            "write/argument-unchanged", for: [.w9: [1], .q8: [1]],
            "A model that is handed over, or was read, is a copy."
        ) { t in
            let store = try await t.open(Account.self)
            let account = Account(name: "a")
            let stored = try await store.insert(account)
            try t.expect(account.id == nil && stored.id == 1, "The argument has changed, or the result has no key.")
            var copy = try t.required(try await store.find(Account.self, key: 1))
            copy.name = "changed"
            copy.pens = [Pen(id: 1)]
            try t.expect(try await store.find(Account.self, key: 1), equals: stored)
        },
    ]
}
