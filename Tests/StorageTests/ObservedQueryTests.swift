import StorageKit
import Testing

@Storable
private struct Player: Equatable {
    var id: Int
    var name: String
    var score: Int
    var medals: [Medal] = []
}

@Storable
private struct Medal: Equatable {
    var color: String
}

@Storable
private struct Venue: Equatable {
    var id: Int
}

/// Queries that are observed, on every engine.
@Suite struct ObservedQueryTests {
    @Test(arguments: Backend.allCases)
    func `values are the present result, and then each that differs`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...5).map { Player(id: $0, name: "p\($0)", score: $0 * 10) })
            let query = store.select(Player.self).where { $0.score >= 30 }.order { $0.score.descending }
            var values = query.values().makeAsyncIterator()
            #expect(try await values.next()?.map(\.id) == [5, 4, 3])
            try await store.update(Player.self).where { $0.id == 1 }.set(\.score, to: 45).run()
            #expect(try await values.next()?.map(\.id) == [5, 1, 4, 3])
            // None of these changes the result.
            try await store.update(Player.self).where { $0.id == 2 }.set(\.score, to: 25).run()
            try await store.save(Venue(id: 1))
            try await store.save(Player(id: 3, name: "p3", score: 30))
            try await store.insert(Player(id: 9, name: "p9", score: 0))
            try await store.save(Player(id: 3, name: "p3", score: 30, medals: [Medal(color: "gold")]))
            #expect(try await values.next()?.map(\.medals.count) == [0, 0, 0, 1])
            try await store.delete(Player.self, keys: [5, 2])
            #expect(try await values.next()?.map(\.id) == [1, 4, 3])
            try await store.truncate(Player.self)
            #expect(try await values.next()?.map(\.id) == [])
        }
    }

    @Test(arguments: Backend.allCases)
    func `every form of result is observed`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Player(id: 1, name: "a", score: 1), Player(id: 2, name: "b", score: 2)])
            try await store.truncate(Venue.self)
            let query = store.select(Player.self)
            var first = query.order { $0.score.descending }.values(.first).makeAsyncIterator()
            var count = query.values(.count).makeAsyncIterator()
            var exists = query.where { $0.score > 9 }.values(.exists).makeAsyncIterator()
            var keys = query.limit(2).values(.keys).makeAsyncIterator()
            var sum = query.values(.sum { $0.score }).makeAsyncIterator()
            var average = query.values(.average { $0.score }).makeAsyncIterator()
            var greatest = query.values(.max { $0.name }).makeAsyncIterator()
            var names = query.only { ($0.id, $0.name) }.values().makeAsyncIterator()
            var groups = query.group { $0.name }.values { ($0.key, $0.count) }.makeAsyncIterator()
            var medals = store.select(Medal.self).owned(by: Player.self, \.medals).values().makeAsyncIterator()
            var partial = query.withoutChildren().values().makeAsyncIterator()
            var both = store.observe { snapshot throws(StorageError) in
                (try snapshot.select(Player.self).count(), try snapshot.select(Venue.self).count())
            }.makeAsyncIterator()
            #expect(try await first.next()??.id == 2)
            #expect(try await count.next() == 2)
            #expect(try await exists.next() == false)
            #expect(try await keys.next() == [1, 2])
            #expect(try await sum.next() == 3)
            #expect(try await average.next() == 1.5)
            #expect(try await greatest.next() == "b")
            #expect(try await names.next()?.map(\.1) == ["a", "b"])
            #expect(try await groups.next()?.map(\.1) == [1, 1])
            #expect(try await medals.next()?.count == 0)
            #expect(try await partial.next()?.count == 2)
            #expect(try await both.next()! == (2, 0))
            try await store.save([Player(id: 0, name: "b", score: 10, medals: [Medal(color: "red")])])
            #expect(try await first.next()??.id == 0)
            #expect(try await count.next() == 3)
            #expect(try await exists.next() == true)
            #expect(try await keys.next() == [0, 1])
            #expect(try await sum.next() == 13)
            #expect(try await average.next() == 13.0 / 3)
            #expect(try await names.next()?.map(\.1) == ["b", "a", "b"])
            #expect(try await groups.next()?.map(\.1) == [1, 2])
            #expect(try await medals.next()?.map(\.owner) == [0])
            #expect(try await partial.next()?.count == 3)
            #expect(try await both.next()! == (3, 0))
            try await store.save(Venue(id: 1))
            #expect(try await both.next()! == (3, 1))
            try await store.save(Player(id: 3, name: "c", score: 10))
            #expect(try await greatest.next() == "c")
        }
    }

    @Test(arguments: Backend.allCases)
    func `chosen properties of records without types are followed`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Player(id: 1, name: "a", score: 1), Player(id: 2, name: "b", score: 2)])
            let query = store.records("Player").where(text: "score < 10").only(["name", "medals"])
            var fields = query.values().makeAsyncIterator()
            func names(_ fields: [[DynamicRecord.Field]]?) -> [[String]]? { fields?.map { $0.map(\.name) } }
            let first = try await fields.next()
            #expect(names(first) == [["name", "medals"], ["name", "medals"]])
            try await store.save(Player(id: 1, name: "a", score: 11))
            #expect(try await fields.next()?.first?.first?.content == .value(.text("b"), .string))
            var none = store.records("Player").only(["nose"]).values().makeAsyncIterator()
            await expectError(.invalidQuery) { _ = try await none.next() }
        }
    }

    @Test(arguments: Backend.allCases)
    func `a difference leads from the element before to this one`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...6).map { Player(id: $0, name: "p", score: $0) })
            var steps = store.select(Player.self).where { $0.score < 100 }.order { $0.score }.updates()
                .makeAsyncIterator()
            var rows: [Int] = []
            func follow() async throws -> RecordDifference<Player>? {
                guard let step = try await steps.next() else { return nil }
                #expect(step.difference.apply(to: &rows) { step.records[$0].id })
                #expect(rows == step.records.map(\.id))
                return step.difference
            }
            #expect(try await follow()?.inserted == [0, 1, 2, 3, 4, 5])
            try await store.transaction { tx in
                try tx.delete(Player.self, key: 2)
                try tx.save([
                    Player(id: 1, name: "p", score: 50), Player(id: 4, name: "q", score: 4),
                    Player(id: 7, name: "p", score: 0), Player(id: 6, name: "p", score: 100),
                ])
            }
            let difference = try await follow()
            #expect(rows == [7, 3, 4, 5, 1])
            #expect(difference?.removed.map(\.offset) == [1, 5])
            #expect(difference?.removed.map(\.record.id) == [2, 6])
            #expect(difference?.inserted == [0])
            #expect(difference?.moved.map { [$0.from, $0.to] } == [[0, 4]])
            #expect(difference?.changed.map { [$0.from, $0.to] } == [[3, 2], [0, 4]])
        }
    }

    @Test(arguments: Backend.allCases)
    func `closing the store ends every observer, and cancelling ends one`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.save(Venue(id: 1))
            let cancelled = Task { try await ended(store.select(Venue.self).values()) }
            let all = (0..<1_000).map { number in
                Task {
                    let query = store.select(Venue.self).where { $0.id > number % 10 }
                    return try await number % 2 == 0 ? ended(query.values()) : ended(query.updates())
                }
            }
            let feed = Task { try await ended(store.changes(of: Venue.self)) }
            cancelled.cancel()
            #expect(try await cancelled.value <= 1)
            try await store.close()
            for task in all { #expect(try await task.value <= 1) }
            #expect(try await feed.value == 0)
        }
    }
}

/// Returns the number of elements until the sequence ends.
private func ended<T>(_ sequence: some AsyncSequence<T, StorageError>) async throws -> Int {
    var count = 0
    for try await _ in sequence { count += 1 }
    return count
}
