import ArchiveBackend
import Foundation
import StorageKit
import Testing

/// Records in an order of their own, so many that what holds them is split in all its parts.
@Suite struct OrderTests {
    /// Keys that differ late, and rows of which few fill a page.
    @Storable struct Letter: Equatable {
        var id: String
        @Indexed var rank: Double?
        var text: Data

        /// Ranks repeat, are on both sides of zero, and one in five is none.
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
        try await expect(store, letters)
        for number in numbers.prefix(5000) {
            let letter = Letter.sample(number, size: number % 2 == 0 ? 2000 : 10)
            letters[letter.id] = number % 3 == 0 ? nil : letter
        }
        let changed = numbers.prefix(5000).map { Letter.sample($0).id }
        try await store.save(changed.compactMap { letters[$0] })
        let gone = changed.filter { letters[$0] == nil }
        try await store.delete(Letter.self).where { $0.id.isIn(gone) }.run()
        try await expect(store, letters)
        try await store.close()
        try await expect(try await open(), letters)
    }

    private func expect(_ store: Store, _ letters: [String: Letter]) async throws {
        let sorted = letters.keys.sorted()
        #expect(try await store.select(Letter.self).all() == sorted.map { letters[$0] })
        for id in sorted.shuffled().prefix(500) {
            #expect(try await store.find(Letter.self, key: id) == letters[id])
        }
        #expect(try await store.find(Letter.self, key: "letter 1000000") == nil)
        let ranked = sorted.filter { letters[$0]?.rank ?? .nan < 0 }
        let found = try await store.select(Letter.self).where { $0.rank < 0 }.all()
        #expect(found.map(\.id) == ranked)
    }
}
