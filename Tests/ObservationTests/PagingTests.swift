import Observation
import StorageKit
import StorageObservation
import TestSupport
import Testing

@MainActor @Suite struct PagingTests {
    @Test func `pages load one after the other, and know whether there are more`() async throws {
        let store = try await filledStore(25)
        let live = LiveQuery(store.select(Note.self).order { $0.title }, pageSize: 10)
        try await live.changes { $0.records.count == 10 }
        expect(live.hasMore)
        live.loadMore()
        // Asked for again while it is being loaded, as by a list that shows its end twice.
        live.loadMore()
        try await live.changes { $0.records.count == 20 }
        expect(live.hasMore && live.difference.inserted == Array(10..<20) && live.difference.changed.isEmpty)
        live.loadMore()
        try await live.changes { !$0.hasMore }
        expect(live.records.map(\.id), equals: Array(1...25))
        live.loadMore()
        try await store.save(Note(id: 26, title: Note.title(26)))
        try await live.changes { $0.records.count == 26 }
        expect(!live.hasMore)
    }

    @Test func `the query's own limit bounds all pages`() async throws {
        let store = try await filledStore(25)
        let live = LiveQuery(store.select(Note.self).limit(15), pageSize: 10)
        try await live.changes { $0.records.count == 10 }
        expect(live.hasMore)
        live.loadMore()
        try await live.changes { $0.records.count == 15 }
        expect(!live.hasMore)
    }

    @Test func `a record that is deleted lets the next one in`() async throws {
        let store = try await filledStore(11)
        let live = LiveQuery(store.select(Note.self), pageSize: 10)
        try await live.changes { $0.records.count == 10 && $0.hasMore }
        try await store.delete(Note.self, key: 3)
        try await live.changes { !$0.hasMore }
        expect(live.records.map(\.id), equals: [1, 2] + Array(4...11))
        expect(live.difference.removed.map(\.offset) == [2] && live.difference.inserted == [9])
    }

    @Test func `a search changes the records by their difference, without a state between`() async throws {
        let store = try await filledStore(30)
        let live = LiveQuery(store.select(Note.self).order { $0.title }, pageSize: 20)
        try await live.changes { $0.records.count == 20 }
        live.loadMore()
        try await live.changes { $0.records.count == 30 }
        let told = Told()
        withObservationTracking {
            _ = live.state
        } onChange: {
            told.note()
        }
        live.show(search("note 11", in: store))
        expect(live.records.count, equals: 30)
        try await live.changes { $0.records.map(\.id) == Array(10...19) }
        expect(live.difference.removed.count == 20 && live.difference.inserted.isEmpty)
        expect(live.difference.moved.isEmpty && live.difference.changed.isEmpty && !told.isTold)
        live.show(store.select(Note.self).order { $0.title })
        try await live.changes { $0.records.count == 20 && $0.hasMore }
    }

    @Test func `of many searches the last one is shown`() async throws {
        let store = try await filledStore(99)
        let live = LiveQuery(store.select(Note.self))
        try await live.changes { $0.records.count == 99 }
        for number in 1...99 { live.show(search(Note.title(number), in: store)) }
        try await live.changes { $0.records.map(\.id) == [99] }
        await settle()
        expect(live.records.map(\.id), equals: [99])
    }

    @Test func `the same query again runs nothing`() async throws {
        let reads = ReadCounter()
        let store = try await filledStore(9, reads)
        let live = LiveQuery(search("note", in: store))
        try await live.changes { $0.records.count == 9 }
        let before = reads.count
        live.show(search("note", in: store))
        await settle()
        expect(reads.count, equals: before)
        live.show(search("note 10", in: store))
        live.show(search("note 10", in: store).limit(5))
        try await live.changes { $0.records.count == 5 }
    }
}

private func search(_ text: String, in store: Store) -> Select<Note, Store> {
    store.select(Note.self).where { $0.title.contains(text) }.order { $0.title }
}
