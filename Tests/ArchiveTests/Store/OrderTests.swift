import ArchiveBackend
import Foundation
import StorageKit
import TestSupport
import Testing

/// Records in an order of their own, so many that what holds them is split in all its parts.
@Suite struct OrderTests {
    /// Keys that differ late, and rows of which few fill a page.
    @Storable struct Letter: Equatable {
        var id: String
        @Indexed var rank: Double?
        var text: Data

        /// Ranks repeat, are on both sides of zero, and one in five is nil.
        static func sample(_ number: Int, size: Int = 700) -> Letter {
            Letter(
                id: "letter " + String(100_000 + number), rank: number % 5 == 0 ? nil : Double(number % 97) - 48.5,
                text: Data(repeating: UInt8(number & 255), count: size))
        }
    }

    private let folder = try? TemporaryFolder()

    private func open() async throws -> Store {
        let folder = try #require(folder)
        return try await Store(
            ArchiveBackend(path: folder.path("a.karch"), durability: .relaxed), models: Letter.self)
    }

    @Test func `whatever the order of writing, records stand in the order of keys and of an index`() async throws {
        var random = SystemRandomNumberGenerator()
        let store = try await open()
        var letters: [String: Letter] = [:]
        let numbers = (0..<12_000).shuffled(using: &random)
        for start in stride(from: 0, to: numbers.count, by: 1500) {
            let some = numbers[start..<start + 1500].map { Letter.sample($0) }
            try await store.insert(some)
            for letter in some { letters[letter.id] = letter }
        }
        try await expectStored(store, letters)
        for number in numbers.prefix(5000) {
            let letter = Letter.sample(number, size: number % 2 == 0 ? 2000 : 10)
            letters[letter.id] = number % 3 == 0 ? nil : letter
        }
        let changed = numbers.prefix(5000).map { Letter.sample($0).id }
        try await store.save(changed.compactMap { letters[$0] })
        let gone = changed.filter { letters[$0] == nil }
        try await store.delete(Letter.self).where { $0.id.isIn(gone) }.run()
        try await expectStored(store, letters)
        try await store.close()
        try await expectStored(try await open(), letters)
    }

    /// Keys that differ in their first bytes.
    @Storable struct Number: Equatable {
        var id: Int
        var text: Data

        init(_ id: Int) { (self.id, text) = (id, Data(repeating: UInt8(id & 255), count: 700)) }
    }

    @Test func `records are found by their numbers after whole ranges have gone and some have come back`() async throws
    {
        let folder = try #require(folder)
        let store = try await Store(
            ArchiveBackend(path: folder.path("a.karch"), durability: .relaxed), models: Number.self)
        var ids = Set(0..<12_000)
        let numbers = ids.shuffled()
        for start in stride(from: 0, to: numbers.count, by: 1500) {
            try await store.insert(numbers[start..<start + 1500].map { Number($0) })
        }
        try await expectStored(store, ids)
        for range in [0..<2000, 5000..<8000, 11_000..<12_000, 2000..<2001] {
            try await store.delete(Number.self).where { $0.id >= range.lowerBound && $0.id < range.upperBound }.run()
            ids.subtract(range)
            try await expectStored(store, ids)
        }
        for id in [1999, 6000, 6001, 0, 11_999, 7999, 12_500, 5000] + Array(6500..<7500).shuffled() {
            try await store.insert(Number(id))
            ids.insert(id)
        }
        try await expectStored(store, ids)
    }

    private func expectStored(_ store: Store, _ ids: Set<Int>) async throws {
        try await expect(store.select(Number.self).keys(), equals: ids.sorted())
        for id in 0..<12_600 {
            let found = try await store.find(Number.self, key: id)
            if found != (ids.contains(id) ? Number(id) : nil) { Issue.record("\(id) is \(found?.id as Any)") }
        }
    }

    private func expectStored(_ store: Store, _ letters: [String: Letter]) async throws {
        let sorted = letters.keys.sorted()
        try await expect(store.select(Letter.self).all(), equals: sorted.map { letters[$0] })
        for id in sorted.shuffled().prefix(500) {
            try await expect(store.find(Letter.self, key: id), equals: letters[id])
        }
        try await expect(store.find(Letter.self, key: "letter 1000000") == nil)
        let ranked = sorted.filter { letters[$0]?.rank ?? .nan < 0 }
        let found = try await store.select(Letter.self).where { $0.rank < 0 }.all()
        expect(found.map(\.id), equals: ranked)
    }
}
