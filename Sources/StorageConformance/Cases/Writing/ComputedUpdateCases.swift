internal import StorageAPI

extension Conformance {
    /// W11: partial updates that compute.
    static let computedUpdateCases: [ConformanceCase] = [
        ConformanceCase(
            "set/computed", for: [.w11: [1], .w5: [2]],
            "A property of the matching records is set to what is computed from them."
        ) { t in
            let store = try await t.open(Person.self)
            var people = (1...12).map(Samples.person)
            try await store.insert(people)
            let count = try await store.update(Person.self) {
                $0.where { $0.age > 12 }.set(\.age) { $0.age * 2 + 1 }.set(\.name, to: "older")
                    .set(\.isMember) { $0.age > 30 }
            }
            let matching = people.indices.filter { people[$0].age > 12 }
            for index in matching {
                people[index].isMember = people[index].age > 30
                people[index].age = people[index].age * 2 + 1
                people[index].name = "older"
            }
            try t.expect(count, equals: matching.count, "The count is not that of the matching records.")
            try t.expect(try await store.all(Person.self), equals: people)
        },
        ConformanceCase(
            "set/computed-from-before", for: [.w11: [1]],
            "Each property is computed from what was stored before the call."
        ) { t in
            let store = try await t.open(Person.self)
            var people = (1...9).map(Samples.person)
            people[3].nickname = nil
            try await store.insert(people)
            try await store.update(Person.self) {
                $0.set(\.nickname) { $0.name }.set(\.name) { $0.nickname ?? "none" }.set(\.height) { $0.height + 0.5 }
            }
            for index in people.indices {
                (people[index].name, people[index].nickname) = (people[index].nickname ?? "none", people[index].name)
                people[index].height += 0.5
            }
            try t.expect(try await store.all(Person.self), equals: people)
        },
        ConformanceCase(
            "set/computed-nil", for: [.w11: [1]],
            "What is computed from nil is nil, and sets an Optional property to it."
        ) { t in
            let store = try await t.open(Measure.self)
            let measures = (0..<8).map { Measure(id: $0, number: $0 % 3 == 0 ? nil : $0) }
            try await store.insert(measures)
            try await store.update(Measure.self) { $0.set(\.number) { $0.number - 4 } }
            let changed = measures.map { Measure(id: $0.id, number: $0.number.map { $0 - 4 }) }
            try t.expect(try await store.all(Measure.self), equals: changed)
        },
        ConformanceCase(
            "set/joined", for: [.w11: [1, 2], .q3: [10]],
            "A text is set to what is joined from others, by text as well; nil with a text is nil."
        ) { t in
            let store = try await t.open(Person.self)
            let texts = ["", "a", "e", "\u{301}", "a\0b", "\u{1}\u{2}", "👨", "\u{200D}👩", "'||'", "%", "e\u{301}"]
            var people = texts.enumerated().map { Person(id: $0, name: $1, nickname: $0 % 4 == 0 ? nil : $1 + "'") }
            try await store.insert(people)
            try await store.update(Person.self) {
                $0.set(\.name) { "<" + $0.name + ($0.nickname ?? "none") }
                    .set(\.nickname) { $0.nickname + $0.name + ">" }
            }
            for index in people.indices {
                let (name, nickname) = (people[index].name, people[index].nickname)
                people[index].name = "<" + name + (nickname ?? "none")
                people[index].nickname = nickname.map { $0 + name + ">" }
            }
            try t.expect(try await store.all(Person.self), equals: people)
            try await store.store.records("Person").set(text: "name = name + ' ' + nickname")
                .where(text: "nickname != nil").run()
            for index in people.indices {
                people[index].nickname.map { people[index].name += " " + $0 }
            }
            try t.expect(try await store.all(Person.self), equals: people)
            let error = try await t.expectError(.invalidValue) {
                try await store.store.records("Person").set(text: "name = nickname + 'x'").run()
            }
            try t.expect(error.property, equals: "name")
        },
        ConformanceCase(
            "set/joined-limit", for: [.w11: [2], .e4: [2]],
            "A joined text of the limit's size is set; one byte more is limitExceeded, and nothing is written."
        ) { t in
            var backend = CountingBackend(backend: try await t.place.backend(), counts: Counts())
            backend.valueBytes = 1000
            let store = try await Store(backend, models: Person.self)
            let half = String(repeating: "é", count: 250)
            let people = [Person(id: 1, name: half), Person(id: 2, name: half + "x")]
            try await store.insert(people)
            try await t.expectError(.limitExceeded) {
                try await store.update(Person.self).set(\.name) { $0.name + half }.run()
            }
            try t.expect(try await store.select(Person.self).all(), equals: people)
            try await store.update(Person.self).where { $0.id == 1 }.set(\.name) { $0.name + half }.run()
            try t.expect(try await store.find(Person.self, key: 1)?.name, equals: half + half)
            try await store.close()
        },
        ConformanceCase(
            "set/computed-overflow", for: [.w11: [2]],
            "A result beyond the property's range is overflow, and nothing is written."
        ) { t in
            let store = try await t.open(Person.self)
            let people = (1...6).map { Person(id: $0, age: $0 == 5 ? Int.max : $0) }
            try await store.insert(people)
            try await t.expectError(.overflow) {
                try await store.update(Person.self) { $0.set(\.age) { $0.age + 1 } }
            }
            try await t.expectError(.overflow) {
                try await store.update(Person.self) { $0.set(\.age) { $0.age / ($0.id - 3) } }
            }
            try t.expect(try await store.all(Person.self), equals: people)
        },
        ConformanceCase(
            "set/computed-range", for: [.w11: [2]],
            "A number that the property's type has not is overflow, by text as well."
        ) { t in
            let store = try await t.open(Item<AsInt8>.self)
            let items = [Item<AsInt8>(id: 1, value: 100), Item<AsInt8>(id: 2, value: 27)]
            try await store.insert(items)
            try await t.expectError(.overflow) {
                try await store.update(Item<AsInt8>.self) { $0.set(\.value) { $0.value + 28 } }
            }
            try await t.expectError(.overflow) {
                try await store.store.records("Item").set(text: "value = id * 1000").run()
            }
            try t.expect(try await store.all(Item<AsInt8>.self), equals: items)
            let count = try await store.store.records("Item").where(text: "value < 50").set(text: "value = value + 100")
                .run()
            try t.expect(count, equals: 1)
            try t.expect(try await store.find(Item<AsInt8>.self, key: 2)?.value, equals: 127)
        },
        ConformanceCase(
            "set/computed-unique", for: [.w13: [1, 2]],
            "What a computing update makes equal and must not be is a constraint."
        ) { t in
            let store = try await t.open(Item<Unique>.self)
            let items = (1...5).map { Item<Unique>(id: $0, value: $0) }
            try await store.insert(items)
            try await t.expectError(.constraint) {
                try await store.update(Item<Unique>.self) { $0.set(\.value) { $0.value / 2 } }
            }
            try t.expect(try await store.all(Item<Unique>.self), equals: items)
            try await store.update(Item<Unique>.self) { $0.set(\.value) { $0.value - 1 } }
            try t.expect(try await store.all(Item<Unique>.self).map(\.value), equals: [0, 1, 2, 3, 4])
        },
        ConformanceCase(
            "set/computed-refused", for: [.w11: [2], .w5: [3], .q9: [1]],
            "Keys, unknown names, other types and nil are refused by name."
        ) { t in
            let store = try await t.open(Person.self)
            let people = (1...3).map(Samples.person)
            try await store.insert(people)
            try await t.expectError(.invalidQuery) {
                try await store.update(Person.self) { $0.set(\.id) { $0.id + 1 } }
            }
            for text in [
                "agee = age + 1", "age = agee + 1", "age = name", "name = age", "name = name - 'x'", "name = name + 1",
                "age = name + 'x'", "age = 1 +", "age + 1",
            ] {
                let error = try await t.expectError(.invalidQuery) {
                    try await store.store.records("Person").set(text: text).run()
                }
                try t.expect(error.message.contains("(character "), "The error has no position: \(error)")
            }
            let error = try await t.expectError(.invalidValue) {
                try await store.store.records("Person").set(text: "name = nickname").where(text: "nickname = nil").run()
            }
            try t.expect(error.property, equals: "name")
            try t.expect(try await store.all(Person.self), equals: people)
        },
    ]
}
