import Foundation
import StorageKit
import Testing

@Suite("W Writing")
struct WriteTests {
    @Storable struct Item: Equatable {
        var id: Int
        var name = ""
        var note: String?
        var count: Int? = 0
        var tags: [String]? = []
    }
    @Storable struct Account: Equatable {
        var id: Int
        @Unique var email: String?
    }
    @Storable struct OnlyKey: Equatable {
        var id: String
    }

    @Test("W1 insert of an existing key is duplicateKey and leaves the first record", arguments: Backend.allCases)
    func insertDuplicate(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let first = Item(id: 1, name: "first", note: "n")
            #expect(try await store.insert(first) == first)
            let error = await expectError(.duplicateKey) { try await store.insert(Item(id: 1, name: "second")) }
            #expect(error?.key == [.int(1)])
            #expect(error?.model == "Item")
            #expect(error?.element == nil)
            #expect(try await store.select(Item.self).all() == [first])
        }
    }

    @Test("W2 save inserts, replaces everything, and twice is as once", arguments: Backend.allCases)
    func save(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let full = Item(id: 1, name: "a", note: "n", count: 5, tags: ["x"])
            try await store.save(full)
            #expect(try await store.find(Item.self, key: 1) == full)
            let bare = Item(id: 1, name: "", note: nil, count: nil, tags: nil)
            #expect(try await store.save(bare) == bare)
            try await store.save(bare)
            #expect(try await store.select(Item.self).all() == [bare])
            let mixed = [full, Item(id: 2, name: "new")]
            #expect(try await store.save(mixed) == mixed)
            #expect(try await store.select(Item.self).all() == mixed)
            try await store.save(OnlyKey(id: "k"))
            try await store.save([OnlyKey(id: "k"), OnlyKey(id: "l")])
            try await store.update(OnlyKey(id: "k"))
            await expectError(.notFound) { try await store.update(OnlyKey(id: "m")) }
            #expect(try await store.select(OnlyKey.self).keys() == ["k", "l"])
        }
    }

    @Test("W3 update replaces whole; a missing key is notFound and creates nothing", arguments: Backend.allCases)
    func update(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Item(id: 1, name: "a", note: "n"))
            try await store.update(Item(id: 1, name: "b", tags: nil))
            #expect(try await store.find(Item.self, key: 1) == Item(id: 1, name: "b", tags: nil))
            let error = await expectError(.notFound) { try await store.update(Item(id: 2)) }
            #expect(error?.key == [.int(2)])
            #expect(try await store.select(Item.self).count() == 1)
        }
    }

    @Test(
        "W4 the failing element is named and undoes the call: insert", arguments: Backend.allCases,
        [0, 1, 31, 500, 999])
    func atomicInsert(_ backend: Backend, _ bad: Int) async throws {
        try await withStore(backend) { store in
            try await store.insert(Item(id: bad, name: "old"))
            let error = await expectError(.duplicateKey) { try await store.insert((0..<1000).map { Item(id: $0) }) }
            #expect(error?.element == bad)
            #expect(error?.key == [.int(Int64(bad))])
            #expect(try await store.select(Item.self).all() == [Item(id: bad, name: "old")])
        }
    }

    @Test("W4 the failing element is named and undoes the call: update", arguments: Backend.allCases, [0, 300, 599])
    func atomicUpdate(_ backend: Backend, _ bad: Int) async throws {
        try await withStore(backend) { store in
            let items = (0..<600).map { Item(id: $0) }
            try await store.insert(items)
            try await store.delete(Item.self, key: bad)
            let error = await expectError(.notFound) {
                try await store.update(items.map { Item(id: $0.id, name: "x") })
            }
            #expect(error?.element == bad)
            #expect(try await store.select(Item.self).where { $0.name != "" }.count() == 0)
            #expect(try await store.select(Item.self).count() == 599)
        }
    }

    @Test("W4 a violated @Unique undoes the call, names the property; nil equals nothing", arguments: Backend.allCases)
    func atomicUnique(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Account(id: 1, email: "a"), Account(id: 2), Account(id: 3)])
            for verb in ["insert", "save"] {
                let accounts = [Account(id: 4, email: "b"), Account(id: 5, email: "a")]
                let error = await expectError(.constraint, Comment(rawValue: verb)) {
                    try await verb == "insert" ? store.insert(accounts) : store.save(accounts)
                }
                #expect(error?.element == 1)
                #expect(error?.property == "email")
            }
            await expectError(.constraint) { try await store.update(Account(id: 2, email: "a")) }
            await expectError(.constraint) { try await store.update(Account.self).set(\.email, to: "z").run() }
            #expect(try await store.select(Account.self).all().map(\.email) == ["a", nil, nil])
            try await store.save(Account(id: 1, email: "a"))
            try await store.insert(Account(id: 6, email: "A"))
        }
    }

    @Test("W4 an empty array does nothing", arguments: Backend.allCases)
    func emptyArrays(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            #expect(try await store.insert([Item]()) == [])
            #expect(try await store.save([Item]()) == [])
            try await store.update([Item]())
            #expect(try await store.delete([Item]()) == 0)
            #expect(try await store.delete(Item.self, keys: []) == 0)
            #expect(try await store.select(Item.self).all() == [])
        }
    }

    @Test("W4 one key twice in an array: insert refuses, save and update keep the last", arguments: Backend.allCases)
    func repeatedKeys(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let twice = [Item(id: 1, name: "a", note: "n"), Item(id: 2), Item(id: 1, name: "b")]
            let error = await expectError(.duplicateKey) { try await store.insert(twice) }
            #expect(error?.element == 2)
            #expect(try await store.select(Item.self).count() == 0)
            try await store.save(twice)
            #expect(try await store.find(Item.self, key: 1) == twice[2])
            try await store.update([Item(id: 1, name: "c", count: 9), Item(id: 1, name: "d")])
            #expect(try await store.find(Item.self, key: 1) == Item(id: 1, name: "d"))
        }
    }

    @Test("W4 a batch of 1,000 keeps the caller's order in what it returns", arguments: Backend.allCases)
    func largeBatch(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let items = (0..<1000).map { Item(id: ($0 * 7919) % 1000, name: "\($0)") }
            #expect(try await store.insert(items) == items)
            #expect(try await store.select(Item.self).all() == items.sorted { $0.id < $1.id })
        }
    }

    @Test("W6 delete by model, key and filter counts what went; a missing one is no error", arguments: Backend.allCases)
    func delete(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...10).map { Item(id: $0, count: $0) })
            #expect(try await store.delete(Item(id: 1, name: "other values")) == 1)
            #expect(try await store.delete(Item(id: 1)) == 0)
            #expect(try await store.delete([Item(id: 2), Item(id: 1), Item(id: 3)]) == 2)
            #expect(try await store.delete(Item.self, key: 4) == 1)
            #expect(try await store.delete(Item.self, keys: [4, 5, 5, 99]) == 1)
            #expect(try await store.delete(Item.self).where { $0.count >= 9 }.run() == 2)
            #expect(try await store.delete(Item.self).where { $0.count > 100 }.run() == 0)
            #expect(try await store.select(Item.self).keys() == [6, 7, 8])
            #expect(try await store.delete(Item.self).run() == 3)
            #expect(try await store.select(Item.self).exists() == false)
        }
    }

    @Test("W7 truncate empties one model and leaves the others", arguments: Backend.allCases)
    func truncate(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.truncate(Item.self)
            try await store.insert((1...300).map { Item(id: $0) })
            try await store.insert(OnlyKey(id: "k"))
            try await store.truncate(Item.self)
            #expect(try await store.select(Item.self).all() == [])
            #expect(try await store.select(OnlyKey.self).keys() == ["k"])
            try await store.insert(Item(id: 1))
        }
    }

    @Test("W9 Q8 what is read is a copy", arguments: Backend.allCases)
    func copies(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Item(id: 1, name: "a"))
            var copy = try #require(try await store.find(Item.self, key: 1))
            copy.name = "changed"
            #expect(try await store.find(Item.self, key: 1)?.name == "a")
        }
    }
}
