import Observation
import StorageKit
import StorageObservation
import TestSupport
import Testing

@MainActor @Suite struct LiveQueryTests {
    @Test func `records load when a property is first read, and follow each commit`() async throws {
        let store = try await filledStore(2)
        let live = LiveQuery(store.select(Note.self).order { $0.title })
        expect(live.isLoading)
        try await live.changes { $0.records.map(\.id) == [1, 2] }
        expect(!live.isLoading && live.error == nil && !live.hasMore)
        expect(live.difference.inserted, equals: [0, 1])
        try await store.save(Note(id: 3, title: "a"))
        try await live.changes { $0.records.map(\.id) == [3, 1, 2] }
        expect(live.difference.inserted == [0] && live.difference.removed.isEmpty)
        try await store.save(Note(id: 3, title: "z"))
        try await live.changes { $0.records.map(\.id) == [1, 2, 3] }
        expect(live.difference.moved.count, equals: 1)
        try await store.delete(Note.self, key: 1)
        try await live.changes { $0.records.map(\.id) == [2, 3] }
        expect(live.difference.removed.map(\.record.id), equals: [1])
    }

    @Test func `a query without readers runs no query`() async throws {
        let reads = ReadCounter()
        let store = try await filledStore(1, reads)
        let before = reads.count
        let live = LiveQuery(store.select(Note.self))
        try await store.save(Note(id: 2, title: "b"))
        expect(reads.count, equals: before)
        try await live.changes { $0.records.count == 2 }
        expect(reads.count, equals: before + 1)
    }

    @Test func `every difference reaches the closure, and they lead from one array to the next`() async throws {
        let store = try await filledStore(30)
        let live = LiveQuery(store.select(Note.self).order { $0.title }, pageSize: 10)
        let rows = Rows()
        live.onDifference = { [weak live] difference in
            guard let live else { return }
            difference.apply(to: &rows.titles) { live.records[$0].title }
        }
        try await live.changes { $0.records.count == 10 }
        for number in 0..<20 {
            try await store.save(Note(id: number * 7 % 31, title: Note.title(number * 11 % 40)))
            if number == 10 { live.loadMore() }
            if number % 5 == 0 { try await store.delete(Note.self, key: number + 1) }
            await Task.yield()
        }
        let expected = try await store.select(Note.self).order { $0.title }.limit(20).all()
        try await live.changes { $0.records == expected }
        expect(rows.titles, equals: expected.map(\.title))
    }

    @Test func `a commit that changes nothing that is read notifies no observer`() async throws {
        let reads = ReadCounter()
        let store = try await filledStore(40, reads)
        let live = LiveQuery(store.select(Note.self).where { $0.id <= 20 }, pageSize: 10)
        try await live.changes { $0.records.count == 10 && $0.hasMore }
        let before = reads.count
        let told = Told()
        withObservationTracking {
            _ = (live.records, live.state, live.hasMore, live.difference)
        } onChange: {
            told.note()
        }
        // The record after the page, one that is not selected, and one as it was.
        for (number, note) in [
            Note(id: 11, title: "changed"), Note(id: 30, title: "changed"), Note(id: 1, title: Note.title(1)),
        ].enumerated() {
            try await store.save(note)
            try await eventually { reads.count > before + number }
        }
        await settle()
        expect(!told.isTold)
        try await store.save(Note(id: 2, title: "changed"))
        try await live.changes { $0.records[1].title == "changed" }
        expect(told.isTold)
    }

    @Test func `who reads the state alone is not told of records`() async throws {
        let store = try await filledStore(1)
        let live = LiveQuery(store.select(Note.self))
        try await live.changes { $0.records.count == 1 }
        let told = Told()
        withObservationTracking {
            _ = (live.isLoading, live.hasMore)
        } onChange: {
            told.note()
        }
        try await store.save(Note(id: 2, title: "b"))
        try await live.changes { $0.records.count == 2 }
        expect(!told.isTold)
    }

    @Test func `an error is the state, the records stay, and a reload goes on`() async throws {
        let store = try await filledStore(3)
        let live = LiveQuery(store.select(Note.self).order { $0.title })
        try await live.changes { $0.records.count == 3 }
        live.show(store.select(Note.self).limit(-1))
        try await live.changes { $0.error?.code == .invalidQuery }
        expect(live.records.count, equals: 3)
        live.reload()
        expect(live.isLoading)
        try await live.changes { $0.error?.code == .invalidQuery }
        live.show(store.select(Note.self).where { $0.id == 1 })
        try await live.changes { $0.error == nil && $0.records.map(\.id) == [1] }
        try await store.close()
        try await live.changes { $0.error?.code == .closed }
        expect(live.records.map(\.id), equals: [1])
    }

    @Test func `when it is released, it observes no more and lets go of the store`() async throws {
        var store: Store? = try await filledStore(1)
        weak let kept = store
        var live: LiveQuery<Note>? = try LiveQuery(#require(store).select(Note.self))
        weak let released = live
        try await live?.changes { $0.records.count == 1 }
        live = nil
        store = nil
        // The task that has shown the records may have it for a moment, and then ends by itself.
        try await eventually { released == nil && kept == nil }
    }
}
