import Foundation
import StorageKit
import Testing

@Suite("K2 Assigned keys")
struct AssignedKeyTests {
    @Storable struct Entry: Equatable {
        var id: Int?
        var text = ""
    }
    @Storable struct Tiny: Equatable {
        var id: Int8?
        var text = ""
    }
    @Storable struct Unsigned: Equatable {
        var id: UInt64?
        var text = ""
    }
    @Storable struct Sheet: Equatable {
        var id: Int?
        var lines: [Entry] = []
    }

    @Test("K2 nil is assigned 1, 2, … and returned; the given model stays as it is", arguments: Backend.allCases)
    func assigns(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let given = Entry(text: "a")
            #expect(try await store.insert(given) == Entry(id: 1, text: "a"))
            #expect(given.id == nil)
            #expect(try await store.save(Entry(text: "b")).id == 2)
            let many = try await store.insert([Entry(text: "c"), Entry(id: 10, text: "d"), Entry(text: "e")])
            #expect(many.map(\.id) == [3, 10, 11])
            #expect(many.map(\.text) == ["c", "d", "e"])
            let thousand = try await store.save((0..<1000).map { Entry(text: "\($0)") })
            #expect(thousand.map(\.id) == (12..<1012).map(Optional.some))
            #expect(try await store.find(Entry.self, key: 1011)?.text == "999")
        }
    }

    @Test(
        "K2 a key is never used again after a delete, though its record was the greatest", arguments: Backend.allCases)
    func neverReused(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Entry(), Entry(), Entry()])
            #expect(try await store.delete(Entry.self, key: 3) == 1)
            #expect(try await store.insert(Entry()).id == 4)
            try await store.delete(Entry.self).run()
            #expect(try await store.insert(Entry()).id == 5)
            try await store.save(Entry(id: 100))
            try await store.delete(Entry.self, key: 100)
            #expect(try await store.insert(Entry()).id == 101)
            try await store.insert(Entry(id: 50))
            #expect(try await store.insert(Entry()).id == 102)
        }
    }

    @Test("K2 what was rolled back leaves no gap and no duplicate", arguments: Backend.allCases)
    func afterRollback(_ backend: Backend) async throws {
        struct Stop: Error {}
        try await withStore(backend) { store in
            try await store.insert(Entry())
            await #expect(throws: Stop.self) {
                try await store.transaction { tx in
                    try tx.insert([Entry(), Entry(id: 77)])
                    throw Stop()
                }
            }
            #expect(try await store.insert(Entry()).id == 2)
            await expectError(.duplicateKey) { try await store.insert([Entry(), Entry(id: 1)]) }
            #expect(try await store.insert(Entry()).id == 3)
        }
    }

    @Test("K2 truncate begins at 1 again", arguments: Backend.allCases)
    func truncateRestarts(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Entry(id: 1000), Entry()])
            try await store.truncate(Entry.self)
            #expect(try await store.insert(Entry()).id == 1)
        }
    }

    @Test("K2 no key is left: overflow, and nothing is stored", arguments: Backend.allCases)
    func overflow(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Tiny(id: 126))
            #expect(try await store.insert(Tiny()).id == 127)
            await expectError(.overflow) { try await store.insert(Tiny()) }
            await expectError(.overflow) { try await store.save([Tiny(id: 1), Tiny()]) }
            #expect(try await store.select(Tiny.self).keys() == [126, 127])
            try await store.insert(Entry(id: .max))
            await expectError(.overflow) { try await store.insert(Entry()) }
        }
    }

    @Test("K2 an unsigned key is assigned as well", arguments: Backend.allCases)
    func unsignedKeys(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            #expect(try await store.insert([Unsigned(), Unsigned()]).map(\.id) == [1, 2])
            #expect(try await store.insert(Unsigned()).id == 3)
            try await store.delete(Unsigned.self).run()
            #expect(try await store.insert(Unsigned(id: 9)).id == 9)
            #expect(try await store.insert(Unsigned()).id == 10)
        }
    }

    @Test("K2 after negative keys alone the first assigned is 1", arguments: Backend.allCases)
    func negativeKeys(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Entry(id: -5), Entry(id: .min)])
            #expect(try await store.insert(Entry()).id == 1)
        }
    }

    @Test("K2 a key beyond Int64.max is limitExceeded where keys are assigned", arguments: Backend.allCases)
    func unsignedKeysBeyondInt64(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            await expectError(.limitExceeded) { try await store.insert([Unsigned(id: 7), Unsigned(id: 1 << 63)]) }
            #expect(try await store.select(Unsigned.self).count() == 0)
            #expect(try await store.insert(Unsigned()).id == 1)
        }
    }

    @Test("K2 a nil key on update and delete is missingKey", arguments: Backend.allCases)
    func missingKey(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Entry(text: "stays"))
            await expectError(.missingKey) { try await store.update(Entry(text: "x")) }
            await expectError(.missingKey) { try await store.delete(Entry()) }
            let error = await expectError(.missingKey) {
                try await store.update([Entry(id: 1, text: "x"), Entry(text: "y")])
            }
            #expect(error?.element == 1)
            await expectError(.missingKey) { try await store.delete([Entry(id: 1), Entry()]) }
            #expect(try await store.select(Entry.self).all() == [Entry(id: 1, text: "stays")])
        }
    }

    @Test("K2 assigned owners have their children; a child's nil key is data", arguments: Backend.allCases)
    func ownersWithAssignedKeys(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let lines = [Entry(text: "x"), Entry(id: 5, text: "y"), Entry(text: "z")]
            let stored = try await store.insert([Sheet(lines: lines), Sheet(), Sheet(lines: lines.reversed())])
            #expect(stored.map(\.id) == [1, 2, 3])
            #expect(stored.map(\.lines) == [lines, [], lines.reversed()])
            #expect(try await store.select(Sheet.self).all() == stored)
        }
    }
}
