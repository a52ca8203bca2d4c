import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable struct Song: Equatable {
    var id: Int
}

@Storable struct SongBook: Equatable {
    @Key var shelf: String
    @Key var number: Int
    @Reference(onDelete: .nullify) var songs: [Ref<Song>] = []
    @Reference(onDelete: .unchecked) var wanted: [Ref<Song>] = []
}

/// Owns itself, so its references have numbers and no positions.
@Storable struct SongTree: Equatable {
    var id: Int
    var trees: [SongTree] = []
    @Reference(onDelete: .nullify) var songs: [Ref<Song>] = []
}

@Suite struct ListTests {
    private let book = Ref<SongBook>(key: ("a", 1))

    private func fill(_ store: Store, _ count: Int) async throws -> [Ref<Song>] {
        try await store.save((0..<count).map { Song(id: $0) })
        let songs = (0..<count).map { Ref<Song>(key: $0) }
        try await store.save(SongBook(shelf: "a", number: 1, songs: songs))
        return songs
    }

    /// The elements' positions, by order.
    private func positions(_ path: String) throws -> [Int64] {
        try sqliteColumn(path, "SELECT position FROM \"SongBook_songs\" ORDER BY 1").compactMap { Int64($0) }
    }

    @Test func `an array that an earlier version has written without gaps takes insertions`() async throws {
        try await withDatabase { path in
            let store = try await Store(SQLiteBackend(path: path), models: SongBook.self)
            var songs = try await fill(store, 500)
            try await store.close()
            try sqliteRun(path, "UPDATE \"SongBook_songs\" SET position = position / 1024")
            try expect(positions(path), equals: Array(0..<500))
            let again = try await Store(SQLiteBackend(path: path), models: SongBook.self)
            let list = again.list(\.songs, of: book)
            for place in [250, 251, 100, 500, 0] {
                try await list.insert(7, at: place)
                songs.insert(7, at: place)
                try await expect(list.refs(), equals: songs)
            }
            try await expect(again.find(SongBook.self, key: ("a", 1))?.songs, equals: songs)
            var problems: [String] = []
            try await again.verify { problems.append($0.description) }
            expect(problems.isEmpty)
            try await again.close()
        }
    }

    @Test func `at the ends of the range of positions an array is spread`() async throws {
        try await withDatabase { path in
            let store = try await Store(SQLiteBackend(path: path), models: SongBook.self)
            var songs = try await fill(store, 3)
            try await store.close()
            try sqliteRun(
                path, "UPDATE \"SongBook_songs\" SET position = \(Int64.max) WHERE position = 2",
                "UPDATE \"SongBook_songs\" SET position = \(Int64.min) WHERE position = 0")
            let again = try await Store(SQLiteBackend(path: path), models: SongBook.self)
            let list = again.list(\.songs, of: book)
            try await list.insert(1, at: 1)
            songs.insert(1, at: 1)
            try await expect(list.refs(), equals: songs)
            try await list.append(2)
            try await list.insert(2, at: 0)
            songs = [2] + songs + [2]
            try await expect(list.refs(), equals: songs)
            try await again.close()
        }
    }

    @Test
    func `unchecked references are not looked for, and records says which is missing`() async throws {
        try await withStore(.memory) { store in
            _ = try await fill(store, 3)
            let list = store.list(\.wanted, of: book)
            try await list.append([2, 99])
            try await expect(list.refs(), equals: [2, 99])
            try await expect(list.records(in: 0..<1), equals: [Song(id: 2)])
            let error = await expectError(.notFound) { _ = try await list.records(in: 0..<2) }
            expect(error?.model == "Song" && error?.key == [.int(99)])
        }
    }

    @Test
    func `the array of a record that owns itself is read and saved whole`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert((0..<4).map { Song(id: $0) })
            let tree = SongTree(id: 1, trees: [SongTree(id: 2, songs: [3, 1, 3])], songs: [1, 3, 2])
            try await store.insert(tree)
            await expectError(.unsupported) { try await store.list(\.songs, of: Ref<SongTree>(key: 1)).append(1) }
            await expectError(.unsupported) { _ = try await store.list(\.songs, of: Ref<SongTree>(key: 1)).count() }
            let digest = try await store.digest(of: "SongTree")
            try await store.delete(Song.self, key: 3)
            let left = SongTree(id: 1, trees: [SongTree(id: 2, songs: [1])], songs: [1, 2])
            try await expect(store.find(SongTree.self, key: 1), equals: left)
            try await store.insert(Song(id: 3))
            try await store.save(tree)
            try await expect(store.digest(of: "SongTree").bytes, equals: digest.bytes)
        }
    }
}
