import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import Testing

/// One place that is opened again and again, each time with another version of a model.
enum Reopening: CaseIterable, Sendable {
    case memory, sqlite

    func run(_ body: (_ open: ([any Storable.Type]) async throws -> Store) async throws -> Void) async throws {
        try await withFolder { folder in
            let place = InMemoryBackend.Place()
            try await body { models in
                let store: Store
                switch self {
                case .memory: store = try await Store(InMemoryBackend(place))
                case .sqlite: store = try await Store(SQLiteBackend(path: folder.appending(path: "a.db").path))
                }
                // As naming them in `models:` does; the list is not known at compile time here.
                for model in models { _ = try await store.countAll(model) }
                return store
            }
        }
    }
}

extension Store {
    fileprivate func countAll<M: Storable>(_ model: M.Type) async throws -> Int {
        do {
            return try await select(model).count()
        } catch {
            try await close()
            throw error
        }
    }
}

@Suite("S Schema")
struct MigrationTests {
    @Storable("Person") struct V1: Equatable {
        var id: Int
        var name = ""
        var age: Int8 = 0
        var old = "kept"
        var pens: [Pen1] = []
    }
    @Storable("Pen") struct Pen1: Equatable {
        var id: Int
    }
    @Storable("Person") struct V2: Equatable {
        var id: Int
        @Field("title", renamedFrom: "name") var title = ""
        var age = 0
        var level = 1.5
        var nick: String?
        var tags: [String] = ["new"]
        @Field("pencils", renamedFrom: "pens") var pens: [Pen2]?
    }
    @Storable("Pen") struct Pen2: Equatable {
        var id: Int
        var color = "black"
    }

    @Test(arguments: Reopening.allCases)
    func `S1 opening again changes nothing`(_ backend: Reopening) async throws {
        try await backend.run { open in
            for round in 1...3 {
                let store = try await open([V1.self])
                try await store.insert(V1(id: round))
                #expect(try await store.select(V1.self).count() == round)
                try await store.close()
            }
        }
    }

    @Test(arguments: Reopening.allCases)
    func `S2 S3 added, removed, renamed and widened properties, of children too`(_ backend: Reopening) async throws {
        try await backend.run { open in
            let first = try await open([V1.self])
            try await first.insert([V1(id: 1, name: "a", age: 7, old: "x", pens: [Pen1(id: 5)]), V1(id: 2, name: "b")])
            try await first.close()
            let second = try await open([V2.self])
            let one = V2(
                id: 1, title: "a", age: 7, level: 1.5, nick: nil, tags: ["new"], pens: [Pen2(id: 5, color: "black")])
            #expect(try await second.find(V2.self, key: 1) == one)
            #expect(try await second.select(V2.self).where { $0.level == 1.5 && $0.nick == nil }.count() == 2)
            #expect(try await second.find(V2.self, key: 2)?.pens == [])
            try await second.save(V2(id: 3, title: "c", age: 1000, pens: nil))
            #expect(try await second.find(V2.self, key: 3)?.pens == nil)
            try await second.close()
            let refused = await expectError(.schemaMismatch) { try await open([V1.self]) }
            #expect(refused?.property == "age" || refused?.property == "pencils")
            let third = try await open([V2.self])
            #expect(try await third.select(V2.self).keys() == [1, 2, 3])
            try await third.close()
        }
    }

    @Storable("Thing") struct Wide: Equatable {
        var id: Int
        var amount = 0
        var note: String?
    }
    @Storable("Thing") struct Exact: Equatable {
        var id: Int
        var amount = 0.0
        var note = "none"
    }
    @Storable("Thing") struct Text: Equatable {
        var id: Int
        var amount = ""
    }
    @Storable("Thing") struct Demanding: Equatable {
        var id: Int
        var amount: Int
        var must: Int
    }
    @Storable("Thing") struct Rekeyed: Equatable {
        @Key var amount: Int
        var id: Int
    }

    @Test(arguments: Reopening.allCases)
    func `S3 what would lose something is refused before anything is touched`(_ backend: Reopening) async throws {
        try await backend.run { open in
            let store = try await open([Wide.self])
            let things = [Wide(id: 1, amount: 1 << 53, note: "n"), Wide(id: 2, amount: 1 << 53 + 1, note: "n")]
            try await store.insert(things)
            try await store.close()
            for model in [Exact.self, Text.self, Demanding.self, Rekeyed.self] as [any Storable.Type] {
                let error = await expectError(.schemaMismatch) { try await open([model]) }
                #expect(error?.model == "Thing" && error?.property != nil, "\(model)")
            }
            let again = try await open([Wide.self])
            #expect(try await again.select(Wide.self).all() == things)
            try await again.delete(things[1])
            try await again.close()
            let exact = try await open([Exact.self])
            #expect(try await exact.find(Exact.self, key: 1) == Exact(id: 1, amount: 9_007_199_254_740_992, note: "n"))
            try await exact.close()
        }
    }

    @Storable("Counted") struct Counted: Equatable {
        var id: Int?
        var value: Int8 = 0
    }
    @Storable("Counted") struct CountedWide: Equatable {
        var id: Int?
        var value = 0
        @Indexed var more = 0
    }

    @Test(arguments: Reopening.allCases)
    func `K2 keys that were assigned stay used when the table is rebuilt`(_ backend: Reopening) async throws {
        try await backend.run { open in
            let store = try await open([Counted.self])
            try await store.insert([Counted(), Counted(), Counted()])
            try await store.delete(Counted.self, keys: [2, 3])
            try await store.close()
            let wide = try await open([CountedWide.self])
            #expect(try await wide.insert(CountedWide()).id == 4)
            try await wide.close()
        }
    }

    @Storable("select") struct Odd: Equatable {
        var id: Int
        @Field("order") var a = 1
        @Field("GROUP\"; DROP TABLE x; --") var b = 2
        @Field("a.b[c]%?:'`") var c = 3
        @Field("name") var d = 4
        @Field("NAME") var e = 5
        @Field("表👍") var f: [Int] = [6]
        @Field("owner_id") var g: [OddChild] = []
    }
    @Storable("Select") struct OddChild: Equatable {
        var id: Int
        @Field("owner_id") var owner = "o"
        @Field("position") var position = 9
    }
    @Storable("sqlite_master") struct Reserved: Equatable {
        var id: String
    }
    @Storable("storage_tables") struct Own: Equatable {
        var id: String
    }

    @Test(arguments: Reopening.allCases)
    func `S6 any name works`(_ backend: Reopening) async throws {
        try await backend.run { open in
            let odd = Odd(id: 1, g: [OddChild(id: 1), OddChild(id: 1, owner: "p", position: 0)])
            for _ in 1...2 {
                let store = try await open([Odd.self, OddChild.self, Reserved.self, Own.self])
                try await store.save(odd)
                try await store.save(OddChild(id: 3))
                try await store.save(Reserved(id: "'; DROP TABLE \"select\"; --"))
                try await store.save(Own(id: "x"))
                #expect(try await store.select(Odd.self).where { $0.e == 5 && $0.b == 2 }.all() == [odd])
                #expect(try await store.select(OddChild.self).all() == [OddChild(id: 3)])
                #expect(try await store.select(Reserved.self).count() == 1)
                try await store.close()
            }
        }
    }
}
