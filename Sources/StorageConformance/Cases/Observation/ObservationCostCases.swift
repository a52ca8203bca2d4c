internal import StorageAPI

extension Conformance {
    /// O3 and O5: what observers cost the backend, counted between the store and its engine.
    static let observationCostCases: [ConformanceCase] = [
        ConformanceCase(
            "observing/no-query", for: [.o5: [2]],
            "Commits that cannot change the result cost no query, and give no element."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Pen.self, City.self)
            try await store.insert((1...10).map { Pen(id: $0, color: "c", price: Double($0)) })
            var values = store.select(Pen.self).where { $0.id <= 50 && $0.price < 100 }.values().makeAsyncIterator()
            _ = try await values.next()
            counts.reset()
            try await store.insert((1...20).map { City(id: $0) })
            try await store.delete(Pen.self, keys: [500, 501])
            for number in 51...60 { try await store.insert(Pen(id: number)) }
            try await store.update(Pen.self).where { $0.id > 50 }.set(\.color, to: "d").run()
            try await store.delete(Pen.self).where { $0.id > 50 }.run()
            let written = counts.reads
            try await store.delete(Pen.self, key: 10)
            let pens = try await values.next()
            try t.expect(pens?.map(\.id), equals: Array(1...9))
            try t.expect(counts.reads - written, equals: 0, "The observer has asked the engine.")
            try await store.close()
        },
        ConformanceCase(
            "observing/changed-records", for: [.o5: [3], .o3: [1]],
            "Of a long result only the changed records are read again."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Person.self)
            try await store.insert((1...400).map(Samples.person))
            var values = store.select(Person.self).order { $0.age }.values().makeAsyncIterator()
            _ = try await values.next()
            for number in 1...20 {
                try await store.update(Person.self).where { $0.id == number * 7 }.set(\.age, to: number * 3).run()
                counts.reset()
                try t.expect(try await values.next()?.count, equals: 400)
                // One query for each table, however many records the result has.
                try t.expect(counts.reads <= 10, "\(counts.reads) queries for one changed record.")
                try t.expect(counts.given <= 40, "\(counts.given) rows for one changed record.")
            }
            try t.expect(
                try await values.next(after: store), equals: try await store.select(Person.self).order { $0.age }.all())
            try await store.close()
        },
        ConformanceCase(
            "observing/no-element", for: [.o5: [1], .o8: [1]],
            "A commit that writes what is there, and one that is undone, give no element."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert((1...5).map(Samples.person))
            let query = store.select(Person.self) { $0.where { $0.id < 100 } }
            var values = query.observer("values()") { $0.values() }
            var counted = query.observer("values(.count)") { $0.values(.count) }
            var limited = query.observer("limit(3).values()") { $0.limit(3).values() }
            _ = (try await values.next(), try await counted.next(), try await limited.next())
            try await store.save(Samples.person(3))
            try await store.update(Person.self) { $0.where { $0.id == 4 }.set(\.age, to: Samples.person(4).age) }
            try await store.insert(Samples.person(200))
            try await t.expectError(.duplicateKey) { try await store.insert([Person(id: 6), Person(id: 1)]) }
            try await t.expectError(.constraint) {
                try await store.transaction { _, tx in
                    try tx.truncate(Person.self)
                    throw StorageError(.constraint, "It is undone.")
                }
            }
            // The next element is that of this commit, since none of the others gave one.
            try await store.delete(Person.self, key: 1)
            try t.expect(try await values.next()?.map(\.id), equals: [2, 3, 4, 5])
            try t.expect(try await counted.next(), equals: 4)
            try t.expect(try await limited.next()?.map(\.id), equals: [2, 3, 4])
        },
    ]
}

extension Store.Values<[Person]>.Iterator {
    /// The next element after a commit that changes it.
    fileprivate mutating func next(after store: Store) async throws -> [Person]? {
        try await store.delete(Person.self, key: 400)
        return try await next()
    }
}
