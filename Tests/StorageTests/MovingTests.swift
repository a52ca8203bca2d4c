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

    /// Filled beside writers, after opening.
    @Storable("Person") struct Filled: Equatable {
        var id: Int
        var first: String? = nil
    }

    /// Fills what is nil, and continues after a key: the pattern of the page "Splitting a property".
    ///
    /// - Returns: the key of the last record of this part; nil if there is none.
    private static func fill(_ store: Store, after last: Int) async throws -> Int? {
        try await store.transaction { tx in
            let open = try tx.records("Person", withRemoved: true)
                .where(text: "first == null and id > \(last)").order(text: "id").limit(10).all()
            for old in open {
                let id = try old.value("id", as: Int.self)
                let name = try old.value("name", as: String.self)
                try tx.update(Filled.self).where { $0.id == id }.set(\.first, to: name.prefix { $0 != " " } + "").run()
            }
            return try open.last?.value("id", as: Int.self)
        }
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

    @Test(arguments: ["sqlite", "archive"])
    func
        `an Optional property is filled in parts beside writers of both versions, and a part that is undone is filled again`(
            _ engine: String
        ) async throws
    {
        try await withFolder { folder in
            let url = "\(engine):\(folder.appending(path: "a.store").path)"
            let backends: [any StorageBackend.Type] = [SQLiteBackend.self, ArchiveBackend.self]
            try await Store(url: url, backends: backends, models: Whole.self).thenClose { store in
                try await store.insert((1...25).map { Whole(id: $0, name: "A\($0) B") })
            }
            try await Store(url: url, backends: backends, models: Filled.self).thenClose { store in
                try await expect(Self.fill(store, after: 0), equals: 10)
                // A writer's value stays, before it is filled and after, and so does a new record's.
                try await store.save([Filled(id: 5, first: "Own"), Filled(id: 15, first: "Own")])
                try await store.insert(Filled(id: 30, first: "New"))
            }
            // The program was ended, and begins with the first record again.
            try await Store(url: url, backends: backends, models: Filled.self).thenClose { store in
                var (last, parts) = (0, [Int]())
                while let next = try await Self.fill(store, after: last) {
                    last = next
                    parts.append(next)
                }
                expect(parts, equals: [21, 25])
                let expected =
                    (1...25).map { Filled(id: $0, first: $0 % 10 == 5 && $0 < 25 ? "Own" : "A\($0)") }
                    + [Filled(id: 30, first: "New")]
                try await expect(store.select(Filled.self).all(), equals: expected)
            }
            // An earlier version keeps what it does not know.
            try await Store(url: url, backends: backends, models: Whole.self).thenClose { store in
                try await store.save(Whole(id: 1, name: "Changed"))
                try await store.insert(Whole(id: 26, name: "Late B"))
            }
            try await Store(url: url, backends: backends, models: Filled.self).thenClose { store in
                try await expect(Self.fill(store, after: 0), equals: 26)
                try await expect(store.find(Filled.self, key: 1)?.first, equals: "A1")
                try await expect(store.find(Filled.self, key: 26)?.first, equals: "Late")
            }
        }
    }
}
