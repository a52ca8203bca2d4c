import ArchiveBackend
import FaultyStorage
import Foundation
import StorageKit
import TestSupport
import Testing

/// Tests the contents of a store that is opened for salvage: all records of the commits that are whole.
@Suite(.repeatable) struct SalvageTests {
    private static let path = "/a.karch"

    private static func open(_ files: MemoryFiles, _ access: ArchiveBackend.Access) async throws -> Store {
        let backend = ArchiveBackend(path: path, access: access)
        return try await Store(FaultyArchive(backend: backend, files: files), models: Person.self)
    }

    /// The keys that salvage finds in these bytes.
    private static func salvage(_ bytes: [UInt8]) async throws -> [Int] {
        let files = MemoryFiles()
        files[path] = bytes
        let store = try await open(files, .salvage)
        let keys = try await store.select(Person.self).keys()
        try await store.close()
        expect(files[path], equals: bytes)
        return keys
    }

    @Test func `one changed byte costs the records of its commit at most, the schema's commit included`() async throws {
        let files = MemoryFiles()
        let store = try await Self.open(files, .readWrite)
        let schemaEnd = try #require(files[Self.path]).count
        for number in 0..<4 { try await store.insert(Person.sample(number)) }
        try await store.close()
        let bytes = try #require(files[Self.path])
        for index in TestExtent.share(Array(bytes.indices), oneOf: 51) {
            var bytes = bytes
            bytes[index] ^= 0x10
            let lost = Set(0..<4).subtracting(try await Self.salvage(bytes))
            try #require(lost.count <= (index < schemaEnd ? 0 : 1), "byte \(index) of \(schemaEnd): \(lost)")
        }
    }

    @Test func `every commit of a compacted store says what the schema is`() async throws {
        let files = MemoryFiles()
        let store = try await Self.open(files, .readWrite)
        let people = (0..<2200).map { number in
            Person(id: number, name: "", photo: Data(noiseBytes(8192)))
        }
        try await store.insert(people)
        try await store.compact()
        try await store.close()
        var bytes = try #require(files[Self.path])
        bytes[1000] ^= 1
        let keys = try await Self.salvage(bytes)
        expect(keys.last, equals: 2199)
        expect(keys.count > 100 && keys.count < 2200)
    }

    @Test func `the schema is repeated now and then`() async throws {
        let files = MemoryFiles()
        let store = try await Self.open(files, .readWrite)
        for number in 0..<300 { try await store.insert(Person.sample(number)) }
        let middle = try #require(files[Self.path]).count / 2
        for number in 300..<600 { try await store.insert(Person.sample(number)) }
        try await store.close()
        let bytes = try #require(files[Self.path])
        let damaged = [UInt8](repeating: 0, count: middle) + bytes[middle...]
        try await expect(Self.salvage(damaged).suffix(300), equals: Array(300..<600))
    }

    @Test func `a file without a whole commit that has the schema is corrupt`() async throws {
        let files = MemoryFiles()
        let store = try await Self.open(files, .readWrite)
        try await store.insert(Person.sample(1))
        try await store.close()
        var bytes = try #require(files[Self.path])
        for index in stride(from: 40, to: bytes.count - 88, by: 200) { bytes[index] ^= 1 }
        await expectError(.corrupt) { _ = try await Self.salvage(bytes) }
    }

    @Test func `an addition to the schema is known also where its commit is damaged`() async throws {
        let files = MemoryFiles()
        var store = try await Self.open(files, .readWrite)
        for number in 0..<2 { try await store.insert(Person.sample(number)) }
        try await store.close()
        let start = try #require(files[Self.path]).count
        let backend = ArchiveBackend(path: Self.path)
        store = try await Store(FaultyArchive(backend: backend, files: files), models: Person.self, Site.self)
        try await store.insert(Site(country: "FR", number: 1, text: "a"))
        try await store.close()
        files[Self.path]?[start + 600] ^= 1
        let salvage = ArchiveBackend(path: Self.path, access: .salvage)
        store = try await Store(FaultyArchive(backend: salvage, files: files), models: Person.self, Site.self)
        try await expect(store.select(Person.self).count(), equals: 2)
        try await expect(store.select(Site.self).count(), equals: 1)
        try await store.close()
    }
}
