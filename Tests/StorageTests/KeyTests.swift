import Foundation
import StorageKit
import Testing

@Suite("K Keys")
struct KeyTests {
    enum Kind: String, Sendable { case small, large, odd = "o'\"" }
    enum Number: Int, Sendable { case minus = -5, one = 1, big = 9_000_000_000 }

    @Storable struct Note: Equatable {
        var id: Int
        var text = ""
    }
    @Storable struct Other: Equatable {
        var id: Int
        var text = ""
    }
    @Storable struct Named: Equatable {
        @Key var name: String
        var value = 0
    }
    @Storable struct Unique: Equatable {
        var id: UUID
        var value = 0
    }
    @Storable struct ByKind: Equatable {
        @Key var kind: Kind
        var value = 0
    }
    @Storable struct ByNumber: Equatable {
        @Key var number: Number
        var value = 0
    }
    @Storable struct Wide: Equatable {
        var id: UInt64
        var value = 0
    }
    @Storable struct Pair: Equatable {
        @Key var first: String
        @Key var second: String
        var value = 0
    }
    @Storable struct Triple: Equatable {
        var value = 0
        @Key var uuid: UUID
        @Key var number: Int64
        var text = ""
        @Key var kind: Kind
    }

    @Test(arguments: Backend.allCases)
    func `K1 integer keys at their bounds, 0 and negative`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let ids = [Int.min, -1, 0, 1, (1 << 53) + 1, 1 << 53, .max]
            try await store.insert(ids.map { Note(id: $0, text: "\($0)") })
            for id in ids { #expect(try await store.find(Note.self, key: id)?.text == "\(id)") }
            #expect(try await store.select(Note.self).keys() == ids.sorted())
            #expect(try await store.find(Note.self, key: 2) == nil)
            #expect(try await store.delete(Note.self, keys: [.min, .max, 3]) == 2)
            let wide: [UInt64] = [0, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
            try await store.insert(wide.reversed().map { Wide(id: $0) })
            #expect(try await store.select(Wide.self).keys() == wide)
            for id in wide { #expect(try await store.find(Wide.self, key: id) == Wide(id: id)) }
            try await store.update(Wide(id: .max, value: 7))
            #expect(try await store.find(Wide.self, key: .max)?.value == 7)
            #expect(try await store.delete(Wide.self, key: .max) == 1)
            await expectError(.duplicateKey) { try await store.insert(Wide(id: UInt64(Int64.max) + 1)) }
        }
    }

    static let hostile: [String] = [
        "", " ", "/", ".", "..", "../../x", "/etc/passwd", "a/b", "CON", "a\0", "a\0b", "\0", "A", "a", "é", "e\u{301}",
        "👩‍👩‍👧", "'", "\"", "'; DROP TABLE Named; --", "NULL", "null", "%", "_", "*", "1", "01", "1.0", "\n", "a ", " a",
        "\\",
        String(repeating: "k", count: 1024), String(repeating: "é", count: 300), "\u{FEFF}", "\u{10FFFF}", "?1", ":a",
    ]

    @Test(arguments: Backend.allCases)
    func `K3 K4 any text is a key of its own: hostile, cased, in both normal forms`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let records = Self.hostile.enumerated().map { Named(name: $0.element, value: $0.offset) }
            try await store.insert(records)
            #expect(try await store.select(Named.self).count() == records.count)
            for record in records {
                #expect(try await store.find(Named.self, key: record.name)?.value == record.value)
                await expectError(.duplicateKey) { try await store.insert(record) }
                #expect(
                    try await store.update(Named.self).where { $0.name == record.name }.set(\.value, to: -1).run() == 1)
                try await store.save(record)
            }
            let stored = try await store.select(Named.self).keys().map { Array($0.utf8) }
            #expect(stored == Self.hostile.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
            for (index, record) in records.enumerated() {
                #expect(try await store.delete(Named.self, key: record.name) == 1)
                #expect(try await store.select(Named.self).count() == records.count - index - 1)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `K1 UUID and enum keys`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let ids = (0..<20).map { _ in UUID() }
            try await store.insert(ids.map { Unique(id: $0) })
            for id in ids { #expect(try await store.find(Unique.self, key: id) == Unique(id: id)) }
            let sorted = ids.sorted { $0.uuidString < $1.uuidString }
            #expect(try await store.select(Unique.self).keys() == sorted)
            #expect(try await store.delete(Unique.self, keys: Array(ids.prefix(5))) == 5)

            try await store.insert([ByKind(kind: .odd, value: 1), ByKind(kind: .large, value: 2)])
            #expect(try await store.find(ByKind.self, key: .odd)?.value == 1)
            #expect(try await store.find(ByKind.self, key: .small) == nil)
            #expect(try await store.select(ByKind.self).keys() == [.large, .odd])
            await expectError(.duplicateKey) { try await store.insert(ByKind(kind: .odd)) }

            try await store.insert([ByNumber(number: .big), ByNumber(number: .minus)])
            #expect(try await store.select(ByNumber.self).keys() == [.minus, .big])
            #expect(try await store.delete(ByNumber.self, key: .big) == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `K3 composite (ab, c) differs from (a, bc)`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let keys = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc"), ("a", "b"), ("a\0", "b"), ("a", "\0b")]
            try await store.insert(keys.enumerated().map { Pair(first: $1.0, second: $1.1, value: $0) })
            for (index, key) in keys.enumerated() {
                #expect(try await store.find(Pair.self, key: key)?.value == index)
                await expectError(.duplicateKey) { try await store.insert(Pair(first: key.0, second: key.1)) }
            }
            #expect(try await store.select(Pair.self).where { $0.first == "a" }.all().map(\.value) == [6, 4, 1])
            let sorted = try await store.select(Pair.self).keys().map { "\($0.0)|\($0.1)" }
            #expect(sorted == ["|abc", "a|\0b", "a|b", "a|bc", "a\0|b", "ab|c", "abc|"])
            try await store.update([
                Pair(first: "a", second: "b", value: 10), Pair(first: "ab", second: "c", value: 11),
            ])
            #expect(try await store.delete(Pair.self, keys: [("a", "b"), ("ab", "c"), ("a", "c"), ("ab", "bc")]) == 2)
            #expect(try await store.select(Pair.self).count() == 5)
        }
    }

    @Test(arguments: Backend.allCases)
    func `K1 three key properties of three types, not first in the struct`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let id = UUID()
            let records = [Kind.small, .large].flatMap { kind in
                [Int64.min, 0, .max].map { Triple(value: 1, uuid: id, number: $0, text: "x", kind: kind) }
            }
            try await store.insert(records)
            #expect(try await store.find(Triple.self, key: (id, .max, .large)) == records[5])
            #expect(try await store.find(Triple.self, key: (UUID(), .max, .large)) == nil)
            try await store.save(Triple(value: 9, uuid: id, number: 0, text: "y", kind: .small))
            #expect(try await store.select(Triple.self).where { $0.value == 9 }.all().map(\.text) == ["y"])
            #expect(try await store.delete(records[0]) == 1)
            #expect(try await store.select(Triple.self).count() == 5)
        }
    }

    @Test(arguments: Backend.allCases)
    func `K3 the keys of two models are independent`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Note(id: 1, text: "note"))
            try await store.insert(Other(id: 1, text: "other"))
            #expect(try await store.delete(Note.self, key: 1) == 1)
            #expect(try await store.find(Other.self, key: 1)?.text == "other")
        }
    }

    @Test(arguments: Backend.allCases)
    func `of many records that each match several the error is about the first`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((0..<1024).map { Note(id: $0, text: "\($0 / 2)") })
            let notes = (0..<512).reversed().map { Note(id: 9999, text: "\($0)") }
            let error = await expectError(.constraint) { try await store.save(notes, matching: \.text) }
            #expect(error?.element == 0)
            #expect(error?.key == [.int(1023)])
        }
    }
}
