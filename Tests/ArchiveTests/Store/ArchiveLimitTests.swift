import ArchiveBackend
import Foundation
import StorageKit
import TestSupport
import Testing

@Storable private struct Blob: Equatable {
    var id: Int
    var text: String = ""
    var data: Data = Data()
    var tags: [String] = []
    var numbers: [Int] = []
}

@Storable private struct Album: Equatable {
    var id: Int
    var title: String = ""
    var pages: [AlbumPage] = []
}

@Storable private struct AlbumPage: Equatable {
    var id: Int
    var scan: Data
}

/// E4: the declared limits hold exactly.
@Suite(.serialized) struct ArchiveLimitTests {
    let folder: TemporaryFolder
    let path: String
    private static let maximum = 48 << 20

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.karch")
    }

    private func open<M: Storable>(_ model: M.Type) async throws -> Store {
        try await Store(ArchiveBackend(path: path, durability: .relaxed), models: model)
    }

    /// A kind of value, and the record that has one of so many bytes.
    enum Kind: String, CaseIterable, Sendable {
        case beyondASCII, data, tags, ascii, numbers

        /// The slower ones only where all is run.
        static var tested: [Kind] { TestExtent.isLarge ? allCases : [data] }

        fileprivate func record(_ bytes: Int) -> Blob {
            switch self {
            case .ascii: Blob(id: 1, text: String(repeating: "a", count: bytes))
            case .beyondASCII: Blob(id: 1, text: "é" + String(repeating: "a", count: bytes - 2))
            case .data: Blob(id: 1, data: Data(repeating: 7, count: bytes))
            // ["aaa…"]
            case .tags: Blob(id: 1, tags: [String(repeating: "a", count: bytes - 4)])
            // [1,1,1,…,1] or [11,1,1,…,1]
            case .numbers:
                Blob(
                    id: 1, numbers: [bytes.isMultiple(of: 2) ? 11 : 1] + Array(repeating: 1, count: (bytes - 1) / 2 - 1)
                )
            }
        }
    }

    @Test(arguments: Kind.tested) func `a value of the largest size is stored, and one byte more is refused alone`(
        kind: Kind
    ) async throws {
        var store = try await open(Blob.self)
        expect(store.info.limits.valueBytes, equals: Self.maximum)
        let largest = kind.record(Self.maximum)
        try await store.insert(largest)
        await expectError(.limitExceeded) { try await store.save(kind.record(Self.maximum + 1)) }
        try await store.insert(Blob(id: 2))
        try await store.close()
        store = try await open(Blob.self)
        let isSame = try await store.find(Blob.self, key: 1) == largest
        expect(isSame)
        try await expect(store.select(Blob.self).keys(), equals: [1, 2])
        try await store.close()
    }

    @Test func `an array's text stays text above 1 MiB, and comes back equal on both sides`() async throws {
        let blobs = [(1 << 20), (1 << 20) + 1].enumerated().map { index, bytes in
            Blob(id: index, numbers: Kind.numbers.record(bytes).numbers)
        }
        var store = try await open(Blob.self)
        try await store.insert(blobs)
        try await store.close()
        store = try await open(Blob.self)
        let isSame = try await store.select(Blob.self).all() == blobs
        expect(isSame)
        try await store.close()
    }

    /// Pages of 33 MiB.
    private static func album(_ id: Int, pages: Int) -> Album {
        let scan = Data(repeating: 1, count: 33 << 20)
        return Album(id: id, pages: (0..<pages).map { AlbumPage(id: $0, scan: scan) })
    }

    @Test func `a record whose children are too large together is refused alone, in a transaction and in a group`()
        async throws
    {
        var store = try await open(Album.self)
        try await store.insert(Self.album(1, pages: 1))
        let large = Self.album(2, pages: 4)
        let error = await expectError(.limitExceeded) { try await store.insert(large) }
        expect(error?.model == "Album" && error?.key == [.int(2)])
        try await store.transaction { tx in
            try tx.insert(Album(id: 3))
            #expect(throws: StorageError.self) { try tx.save(large) }
            try tx.insert(Album(id: 4))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 10..<20 { group.addTask { [store] in try await store.insert(Album(id: id)) } }
            group.addTask { [store] in await expectError(.limitExceeded) { try await store.insert(large) } }
            try await group.waitForAll()
        }
        let keys = [1, 3, 4] + Array(10..<20)
        try await expect(store.select(Album.self).keys(), equals: keys)
        try await store.compact()
        try await store.close()
        store = try await open(Album.self)
        try await expect(store.select(Album.self).keys(), equals: keys)
        try await expect(store.find(Album.self, key: 1)?.pages.count, equals: 1)
        try await store.close()
    }
}
