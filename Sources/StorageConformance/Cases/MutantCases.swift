internal import StorageAPI

extension Conformance {
    /// Cases for faults that no other case finds.
    static let mutantCases: [ConformanceCase] = [
        ConformanceCase(
            "write/key-twice-save-flat", for: [.w4: [4]],
            "save keeps the last of two with one key where nothing is owned."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.save([Pen(id: 1, color: "a", price: 1), Pen(id: 2), Pen(id: 1, color: "b")])
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "b"), Pen(id: 2)])
        },
        ConformanceCase(
            "write/key-twice-update-flat", for: [.w4: [4]], "update keeps the last of two with one key, nothing owned."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            try await store.update([Pen(id: 1, color: "a"), Pen(id: 2, price: 1), Pen(id: 1, color: "b")])
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "b"), Pen(id: 2, price: 1)])
        },
        ConformanceCase(
            "write/array-with-two-failures", for: [.w4: [2]],
            "The error of an array is that of its first failing element."
        ) {
            t in
            let store = try await t.open(Account.self)
            // The second has no key, which is known before the engine is asked; the first is missing.
            let error = try await t.expectError(.notFound) {
                try await store.update([Account(id: 5, name: "a"), Account(name: "b")])
            }
            try t.expect(error.element, equals: 0)
            try t.expect(error.key, equals: [.int(5)])
        },
        ConformanceCase(
            "write/patch-constraint-key", for: [.w13: [2], .w5: [1]],
            "A constraint that a partial update meets names the record."
        ) {
            t in
            let store = try await t.open(Member.self)
            try await store.insert([Member(id: 1), Member(id: 2), Member(id: 3, email: "c")])
            let error = try await t.expectError(.constraint) {
                try await store.update(Member.self) { $0.set(\.email, to: "z") }
            }
            try t.expect(error.key, equals: [.int(2)])
            try t.expect(error.element, equals: nil)
            try t.expect(try await store.all(Member.self).map(\.email), equals: [nil, nil, "c"])
        },
        ConformanceCase(
            "values/array-repeats", for: [.v2: [9]], "Equal elements of an array are kept, side by side and apart."
        ) {
            t in
            let store = try await t.open(Person.self)
            let person = Person(id: 1, tags: ["a", "a", "", "", "a"])
            try await store.insert(person)
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase("filters/nil-equals-nil", for: [.q2: [1]], "Two properties that are nil are equal.") { t in
            let store = try await t.open(House.self)
            try await store.insert([
                House(id: 1, door: Pen(id: 0)), House(id: 2, door: Pen(id: 0), front: Pen(id: 1, color: "a")),
                House(id: 3, door: Pen(id: 0), front: Pen(id: 1, color: "a"), back: Pen(id: 2, color: "a")),
                House(id: 4, door: Pen(id: 0), front: Pen(id: 1, color: "a"), back: Pen(id: 1, color: "b")),
            ])
            let equal = try await store.select(House.self) { $0.where { $0.front.color == $0.back.color } }.keys()
            try t.expect(equal, equals: [1, 3])
            let different = try await store.select(House.self) { $0.where { $0.front.color != $0.back.color } }.keys()
            try t.expect(different, equals: [2, 4])
        },
        ConformanceCase(
            "transactions/savepoint-rewritten", for: [.t2: [2]],
            "A savepoint that fails undoes all that it wrote, what it wrote several times too, and no more."
        ) { t in
            let store = try await t.open(Pen.self, Member.self)
            try await store.insert((1...4).map { Pen(id: $0, color: "stored") })
            try await store.insert([Member(id: 1, email: "a"), Member(id: 2, email: "b")])
            try await store.transaction { tx, recorded in
                try recorded.save(Pen(id: 1, color: "outer"))
                do {
                    try recorded.savepoint(tx) {
                        for color in ["once", "twice", "thrice"] {
                            for id in 1...2 { try recorded.save(Pen(id: id, color: color)) }
                        }
                        try recorded.delete(Pen.self, keys: [2, 3])
                        try recorded.insert([Pen(id: 3, color: "again"), Pen(id: 5)])
                        try recorded.update(Pen(id: 5, color: "new"))
                        try recorded.update(Pen.self) { $0.where { $0.id >= 3 }.set(\.color, to: "set") }
                        try recorded.savepoint(tx) { try recorded.save(Pen(id: 4, color: "inner")) }
                        // The values change their records, which an index of unique values has to follow both ways.
                        try recorded.update(Member(id: 1, email: nil))
                        try recorded.update(Member(id: 2, email: "a"))
                        try recorded.update(Member(id: 1, email: "b"))
                        throw Stop(reason: "savepoint")
                    }
                } catch is Stop {}
            }
            let pens = [Pen(id: 1, color: "outer")] + (2...4).map { Pen(id: $0, color: "stored") }
            try t.expect(try await store.all(Pen.self), equals: pens)
            try t.expect(try await store.select(Member.self) { $0.where { $0.email == "a" } }.keys(), equals: [1])
            try t.expect(try await store.select(Member.self) { $0.where { $0.email == "b" } }.keys(), equals: [2])
        },
        ConformanceCase(
            "schema/inserted-while-removed", for: [.s2: [5]], needs: [.durability],
            "A record that was inserted while a property with a default was removed has no value of it when it is back."
        ) { t in
            let bare = try await t.open(Versioned<Bare>.self)
            try await bare.insert([Versioned<Bare>(1), Versioned<Bare>(2)])
            try await bare.close()
            let first = try await t.open(Versioned<OptionalSize>.self)
            try await first.insert(Versioned<OptionalSize>(3, 8))
            try await first.close()
            let without = try await t.open(Versioned<Bare>.self)
            try await without.insert(Versioned<Bare>(4))
            try await without.save([Versioned<Bare>(2), Versioned<Bare>(5)])
            // So many that an engine may have another way for them.
            try await without.insert((1000..<3100).map { Versioned<Bare>(.int($0)) })
            try await without.close()
            let again = try await t.open(Versioned<OptionalSize>.self)
            try t.expect(
                try await again.all(Versioned<OptionalSize>.self) { $0.where { $0.id < 1000 } },
                equals: [.init(1, 3), .init(2, 3), .init(3, 8), .init(4, nil), .init(5, nil)])
            let sized = try await again.select(Versioned<OptionalSize>.self).run("where(text: \"size != nil\").count()")
            {
                try await $0.where(text: "size != nil").count()
            }
            try t.expect(sized, equals: 3)
        },
        ConformanceCase(
            "results/three-thousand", for: [.q8: [2], .q1: [1]], "A result has as many records as there are."
        ) {
            t in
            let store = try await t.open(Pen.self)
            let pens = (0..<3000).map { Pen(id: $0, color: "c\($0 % 3)") }
            try await store.insert(pens)
            try t.expect(try await store.all(Pen.self).count, equals: 3000)
            try t.expect(try await store.select(Pen.self) { $0.where { $0.color != "c0" } }.keys().count, equals: 2000)
            try t.expect(try await store.select(Pen.self).stream().count, equals: 3000)
        },
    ]
}

/// A property that is nil where nothing was stored, and has a value in the records from before it.
private enum OptionalSize: NoteVersion {
    static let properties = [VersionField("size", .int, isOptional: true, default: 3)]
}
