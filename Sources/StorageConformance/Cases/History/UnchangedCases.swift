internal import StorageAPI

extension Conformance {
    /// H2 and O7: what changes nothing is no change.
    static let unchangedCases: [ConformanceCase] = [
        ConformanceCase(
            "history/unchanged", for: [.h2: [2, 5], .h5: [2]],
            "A record that a commit leaves as it was has no entry, of records and of keys, and is in the way of no undo."
        ) { t in
            let store = try await t.open(recordsOf: [Person.self], keysOf: [Pen.self])
            try await store.insert((1...3).map(Samples.person))
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            var changed = Samples.person(2)
            changed.pens = [Pen(id: 9)]
            try await store.save([Samples.person(1), changed, Samples.person(3)])
            try await store.save([Pen(id: 1), Pen(id: 2, color: "new"), Pen(id: 3)])
            try await store.update(Person.self) { $0.where { $0.id == 3 }.set(\.name, to: Samples.person(3).name) }
            try await store.transaction { _, tx in
                try tx.save(Person(id: 1))
                try tx.save(Pen(id: 1, color: "between"))
                try tx.save(Samples.person(1))
                try tx.update(Pen(id: 1))
                // Which is an update, whatever is inserted.
                try tx.delete(Person.self, keys: [3])
                try tx.insert(Samples.person(3))
            }
            try await store.truncate(City.self)
            try t.expect(
                try await store.history().filter { $0.commit > 2 }.map(\.text),
                equals: ["3 Person updated 2", "4 Pen updated 2", "4 Pen inserted 3", "6 Person updated 3"])
            try await store.delete(Person.self, keys: [1, 3])
            try await store.undo(3)
            try t.expect(try await store.all(Person.self), equals: [Samples.person(2)])
        },
        ConformanceCase(
            "history/unchanged-savepoint", for: [.h2: [5]],
            "Neither a savepoint that was undone nor a record that went in between hides a change."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self], keysOf: [City.self])
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            try await store.insert([City(id: 1), City(id: 2)])
            try await store.transaction { handle, tx in
                try? tx.savepoint(handle) {
                    try tx.save(Pen(id: 1, color: "undone"))
                    try tx.save(City(id: 1, name: "undone"))
                    throw StorageError(.invalidValue, "The savepoint is undone.")
                }
                try tx.save(Pen(id: 1))
                try tx.save(City(id: 1))
                try tx.delete(Pen.self, keys: [2])
                try tx.delete(City.self, keys: [2])
                try tx.insert(Pen(id: 2, color: "other"))
                try tx.insert(City(id: 2, name: "other"))
                try tx.save(Pen(id: 2, color: "other"))
                try tx.save(City(id: 2, name: "other"))
            }
            try t.expect(
                try await store.history().filter { $0.commit == 3 }.map(\.text),
                equals: ["3 Pen updated 2", "3 City updated 2"])
        },
        ConformanceCase(
            "feed/unchanged", for: [.o7: [1, 3]],
            "What changes nothing is nothing in the feed: saves and updates of what is there, and a truncation of nothing."
        ) { t in
            let store = try await t.open(Person.self)
            var feed = store.feed(of: Person.self)
            t.note("var all = store.changes().makeAsyncIterator()")
            var all = store.store.changes().makeAsyncIterator()
            try await store.truncate(Person.self)
            try await store.insert([Samples.person(1), Samples.person(2)])
            try await store.save(Samples.person(1))
            try await store.update(Samples.person(2))
            try await store.update(Person.self) { $0.where { $0.id == 1 }.set(\.name, to: Samples.person(1).name) }
            try await store.transaction { _, tx in
                try tx.save(Person(id: 1))
                try tx.save(Samples.person(1))
            }
            var changed = Samples.person(2)
            changed.pens = []
            try await store.save([Samples.person(1), changed])
            try await store.delete(Person.self, keys: [1, 2])
            try await store.truncate(Person.self)
            try await store.insert(Samples.person(7))
            try t.expect(try await feed.text(), equals: "+[1, 2] ~[] -[]")
            try t.expect(try await feed.text(), equals: "+[] ~[2] -[]")
            try t.expect(try await feed.text(), equals: "+[] ~[] -[1, 2]")
            try t.expect(try await feed.text(), equals: "+[7] ~[] -[]")
            for _ in 1...4 {
                guard case .commit(let commit)? = try await all.next() else {
                    return try t.expect(false, "A commit is not known.")
                }
                try t.expect(commit.changes.map(\.model), equals: ["Person"])
            }
        },
        ConformanceCase(
            "feed/unchanged-cost", for: [.o7: [3]],
            "Knowing what is unchanged costs a query before and one after for each table, and no query without observers."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Pen.self)
            try await store.insert((1...100).map { Pen(id: $0) })
            counts.reset()
            try await store.save((1...100).map { Pen(id: $0, color: "a") })
            try t.expect(counts.reads, equals: 0, "A save without observers asks the engine.")
            let feed = store.changes(of: Pen.self).makeAsyncIterator()
            try await store.save((1...100).map { Pen(id: $0, color: "b") })
            try t.expect(counts.reads <= 2, "\(counts.reads) queries for a save of 100 records.")
            counts.reset()
            try await store.insert((101...200).map { Pen(id: $0) })
            try t.expect(counts.reads, equals: 0, "An insert asks the engine.")
            withExtendedLifetime(feed) {}
            try await store.close()
        },
    ]
}
