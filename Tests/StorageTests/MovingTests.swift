import ArchiveBackend
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("S13 Steps that move data")
struct MovingTests {
    @Storable("Person") struct Whole {
        var id: Int
        var name = ""
    }
    @Storable("Person") struct Split: Equatable {
        var id: Int
        var first = ""
        var last = ""
    }

    private static let splitting = Store.Options.moving("split") { tx in
        for old in try tx.records("Person", withRemoved: true).all() {
            let parts = try old.value("name", as: String.self).split(separator: " ").map(String.init)
            try tx.save(Split(id: old.value("id", as: Int.self), first: parts[0], last: parts[1]))
        }
    }

    @Test(arguments: ["sqlite", "archive"])
    func `a read-only store that has not run a step is refused, naming it, and one that has run it opens`(
        _ engine: String
    ) async throws {
        try await withFolder { folder in
            let url = "\(engine):\(folder.appending(path: "a.store").path)"
            let backends: [any StorageBackend.Type] = [SQLiteBackend.self, ArchiveBackend.self]
            try await Store(url: url, backends: backends, models: Whole.self).thenClose { store in
                try await store.insert(Whole(id: 1, name: "Ada Lovelace"))
            }
            // The tables are as the program declares them, and only the step is missing.
            try await Store(url: url, backends: backends, models: Split.self).thenClose { _ in }
            let refused = await expectError(.schemaMismatch) {
                try await Store(
                    url: url + "?readonly=true", backends: backends, models: Split.self, options: Self.splitting)
            }
            expect(refused?.message.contains("split"), equals: true)
            let moved = [Split(id: 1, first: "Ada", last: "Lovelace")]
            for url in [url, url + "?readonly=true"] {
                try await Store(url: url, backends: backends, models: Split.self, options: Self.splitting).thenClose {
                    store in
                    let stored = try await store.select(Split.self).all()
                    expect(stored, equals: moved)
                }
            }
        }
    }

    @Test func `a store that is opened on the caller's thread runs its steps too`() throws {
        let place = InMemoryBackend.Place()
        let old = try Store.Blocking.open(InMemoryBackend(place), models: Whole.self)
        try old.blocking.insert(Whole(id: 1, name: "Ada Lovelace"))
        try old.blocking.close()
        let store = try Store.Blocking.open(InMemoryBackend(place), models: Split.self, options: Self.splitting)
        try expect(store.blocking.select(Split.self).all(), equals: [Split(id: 1, first: "Ada", last: "Lovelace")])
        try store.blocking.close()
    }

    @Test func `a value of a record without a type is of its type, or an error that names it`() async throws {
        let store = try await Store(InMemoryBackend(), models: Whole.self)
        try await store.insert(Whole(id: 1, name: "a"))
        let record = try #require(try await store.records("Person").first())
        try expect(record.value("name", as: String.self) == "a" && record.value("id", as: Int?.self) == 1)
        #expect(throws: StorageError.self) { _ = try record.value("name", as: Int.self) }
        do {
            _ = try record.value("nam", as: String.self)
            Issue.record("There is no such property.")
        } catch StorageError.code(.invalidQuery) {
        } catch {
            Issue.record("\(error)")
        }
        try await store.close()
    }
}
