import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// Tests the messages and arguments of opening with models.
struct OpeningModelsTests {
    @Storable("Member") struct Member: Equatable {
        var id: UUID?
        var email: String?
        var ratio: CGFloat = 0.5
        var sizes: [CGFloat] = []
    }
    @Storable("Member") struct HousedMember {
        var id: UUID?
        var email: String?
        var house = House(id: 1)
    }
    @Storable struct House: Equatable {
        var id: Int
    }
    /// CGFloat was kept as JSON before it was a number.
    @Storable("Member") struct OldMember {
        var id: UUID
        var ratio: Embedded
    }
    struct Embedded: Codable, Equatable {
        var value: Double
        init(_ value: Double) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test
    func `a required child that is new says why its default does not help`() async throws {
        try await withFolder { folder in
            try await Backend.sqlite.open(in: folder).thenClose { _ = try await $0.insert(Member(email: "a")) }
            let error = try await Backend.sqlite.open(in: folder).thenClose { store in
                await expectError(.schemaMismatch) { _ = try await store.select(HousedMember.self).all() }
            }
            expect(error?.property, equals: "house")
            expect(error?.message.contains("default") == true && error?.message.contains("Optional") == true)
        }
    }

    @Storable("Member") struct UniqueMember {
        var id: UUID?
        @Unique var email: String?
    }
    @Storable("Member") struct PlainMember {
        var id: UUID?
        var email: String?
    }

    @Test
    func `a store that is opened read-only keeps the rules that the program removes`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: UniqueMember.self).thenClose { store in
                _ = try await store.insert(UniqueMember(email: "a"))
            }
            let reader = SQLiteBackend(path: path, isReadOnly: true)
            let options = Store.Options.removingRules(of: PlainMember.self, "email")
            try await Store(reader, models: PlainMember.self, options: options).thenClose { store in
                try await expect(store.select(PlainMember.self).count(), equals: 1)
            }
            try await Store(SQLiteBackend(path: path), models: PlainMember.self, options: options).thenClose { store in
                try await expect(store.insert([PlainMember(email: "a"), PlainMember(email: "a")]).count, equals: 2)
            }
        }
    }

    @Test
    func `a CGFloat is a number`() async throws {
        try await withStore(.memory) { store in
            let numbers: [CGFloat] = [0.1, -0.0, .infinity, .greatestFiniteMagnitude, 3]
            let members = try await store.insert(numbers.map { Member(ratio: $0, sizes: [$0, 7]) })
            expect(Set(members.map(\.id)).count, equals: 5)
            let select = store.select(Member.self)
            let middle = select.where { $0.ratio > 0.05 && $0.ratio * 2 < 7 }.order { $0.ratio }
            let found: [CGFloat] = try await middle.all().map(\.ratio)
            expect(found, equals: [0.1, 3])
            try await expect(select.where { $0.sizes.contains(3) }.all(), equals: members.filter { $0.ratio == 3 })
            try await expect(select.where { $0.ratio < 4 }.sum { $0.ratio }, equals: 3.1)
            try await expect(store.update(Member.self).where { $0.ratio == 3 }.set(\.ratio, to: 4).run(), equals: 1)
            try await expect(select.max { $0.ratio }, equals: .infinity)
        }
    }

    @Test
    func `a CGFloat that was kept as JSON becomes a number`() async throws {
        try await withFolder { folder in
            try await Backend.sqlite.open(in: folder).thenClose { store in
                try await store.insert([
                    OldMember(id: UUID(), ratio: Embedded(1.5)), OldMember(id: UUID(), ratio: Embedded(1e300)),
                ])
            }
            try await Backend.sqlite.open(in: folder).thenClose { store in
                let found: [CGFloat] = try await store.select(Member.self).order { $0.ratio }.all().map(\.ratio)
                expect(found, equals: [1.5, 1e300])
            }
        }
    }

    @Test func `models in an array are opened`() async throws {
        let kinds: [any Storable.Type] = [Member.self, House.self]
        let store = try await Store(InMemoryBackend(), models: kinds)
        try await expect(store.recordSchemas().map(\.name).sorted(), equals: ["House", "Member"])
        try await store.close()
        let other = try await Store(url: "memory:", backends: [InMemoryBackend.self], models: kinds)
        try await expect(other.recordSchemas().count, equals: 2)
        try await other.close()
        let empty = try await Store(InMemoryBackend(), models: [])
        try await expect(empty.recordSchemas(), equals: [])
        try await empty.close()
    }
}
