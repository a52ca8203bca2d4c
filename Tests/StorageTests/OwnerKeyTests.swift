import Foundation
import StorageKit
import Testing

@Suite("C K Owners with string, UUID, unsigned and composite keys")
struct OwnerKeyTests {
    @Storable struct Leaf: Equatable {
        var id: Int
        var text = ""
    }
    @Storable struct Branch: Equatable {
        var id: Int
        var leaves: [Leaf] = []
        var top: Leaf?
    }
    @Storable struct ByName: Equatable {
        @Key var name: String
        var branches: [Branch] = []
        var one: Leaf?
    }
    @Storable struct ByPair: Equatable {
        var note = ""
        @Key var second: Int
        var branches: [Branch]?
        @Key var first: String
        var one: Leaf?
    }
    @Storable struct ByUUID: Equatable {
        var id: UUID
        var branches: [Branch] = []
    }
    @Storable struct ByUnsigned: Equatable {
        var id: UInt64
        var branches: [Branch] = []
    }
    /// Its key and position columns would meet a property called position.
    @Storable struct Tricky: Equatable {
        @Key var position: Int
        var owner = ""
        var parts: [TrickyPart] = []
    }
    @Storable struct TrickyPart: Equatable {
        var id: Int
        var position: Int
        var owner: Int
        var node = 1
        var parent = 2
    }

    private func branches(_ count: Int) -> [Branch] {
        (0..<count).map { Branch(id: 1, leaves: (0..<$0).map { Leaf(id: 1, text: "\($0)") }, top: Leaf(id: $0)) }
    }

    private func expectWhole<M: Storable & Equatable>(
        _ models: [M], changed: [M], in store: Store, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await store.insert(models.shuffled())
        let stored = try await store.select(M.self).all()
        #expect(stored.count == models.count, sourceLocation: sourceLocation)
        #expect(models.allSatisfy(stored.contains), sourceLocation: sourceLocation)
        try await store.save(changed)
        let after = try await store.select(M.self).all()
        #expect(after.count == models.count, sourceLocation: sourceLocation)
        #expect(changed.allSatisfy(after.contains), sourceLocation: sourceLocation)
        #expect(try await store.delete(changed) == changed.count, sourceLocation: sourceLocation)
        #expect(try await store.select(M.self).count() == models.count - changed.count, sourceLocation: sourceLocation)
    }

    @Test(arguments: Backend.allCases)
    func `C2 string-keyed owners, hostile and in both normal forms`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let names = KeyTests.hostile
            let models = names.enumerated().map { ByName(name: $1, branches: branches($0 % 4), one: Leaf(id: $0)) }
            try await store.insert(models)
            for model in models {
                let found = try #require(try await store.find(ByName.self, key: model.name))
                #expect(found.branches == model.branches && found.one == model.one)
            }
            let sorted = models.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            let byOne = try await store.select(ByName.self).order { $0.one.id.descending }.all()
            #expect(byOne.map(\.one) == models.reversed().map(\.one))
            #expect(try await store.select(ByName.self).all().map(\.one) == sorted.map(\.one))
            for (index, model) in models.enumerated() {
                try await store.save(ByName(name: model.name, branches: branches(1)))
                let changed = try await store.select(ByName.self).where { $0.one == nil }.all()
                #expect(changed.count == index + 1)
                #expect(changed.allSatisfy { $0.branches == branches(1) })
            }
            #expect(try await store.delete(models) == models.count)
        }
    }

    @Test(arguments: Backend.allCases)
    func `C2 composite-keyed owners`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let keys = [("ab", 1), ("a", 1), ("a", 11), ("a1", 1), ("", 0), ("", .min), ("b", .max)]
            let models = keys.enumerated().map { index, key in
                ByPair(second: key.1, branches: index == 3 ? nil : branches(index), first: key.0, one: Leaf(id: index))
            }
            let changed = [
                ByPair(note: "x", second: 1, branches: nil, first: "a"),
                ByPair(note: "y", second: 11, branches: branches(4), first: "a"),
            ]
            try await expectWhole(models, changed: changed, in: store)
            #expect(try await store.find(ByPair.self, key: (1, "a1")) == models[3])
            #expect(try await store.find(ByPair.self, key: (1, "a")) == nil)
            let ordered = try await store.select(ByPair.self).order { $0.first }.all()
            #expect(ordered.map(\.one?.id) == [5, 4, 3, 0, 6])
        }
    }

    @Test(arguments: Backend.allCases)
    func `C2 UUID-keyed and unsigned-keyed owners`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let uuids = (0..<10).map { ByUUID(id: UUID(), branches: branches($0 % 4)) }
            try await expectWhole(
                uuids, changed: uuids.prefix(3).map { ByUUID(id: $0.id, branches: branches(3)) }, in: store)
            let border = UInt64(Int64.max)
            let numbers: [UInt64] = [0, 1, border, border + 1, border + 2, .max]
            let models = numbers.enumerated().map { ByUnsigned(id: $1, branches: branches($0 % 4)) }
            try await expectWhole(models, changed: [ByUnsigned(id: .max, branches: branches(2))], in: store)
        }
    }

    @Test(arguments: Backend.allCases)
    func `S6 a child's properties may be called position and owner`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let models = (0..<5).map { id in
                Tricky(
                    position: id, owner: "o\(id)",
                    parts: (0..<id).map { TrickyPart(id: 1, position: 9 - $0, owner: $0) })
            }
            try await expectWhole(models, changed: [Tricky(position: 4)], in: store)
            #expect(try await store.select(Tricky.self).where { $0.parts.any { $0.position == 7 } }.keys() == [3])
        }
    }
}
