import ArchiveBackend
import FaultyStorage
import Foundation
import StorageKit
import TestSupport
import Testing

/// A file of an earlier version, in which a value and owned records of one name had one key in each record's archive.
@Suite struct OneKeyTests {
    @Storable("Note") struct TaggedNote: Equatable {
        var id: Int
        var tags: [Tag] = []
    }

    @Storable("Note") struct TextNote: Equatable {
        var id: Int
        var tags: String?
    }

    @Storable struct Tag: Equatable {
        var id: Int
        var name = ""
    }

    private let notes = [TaggedNote(id: 1, tags: [Tag(id: 7, name: "a"), Tag(id: 8)]), TaggedNote(id: 2)]
    private let texts = [TextNote(id: 1, tags: "text"), TextNote(id: 2, tags: nil)]

    private func open(_ files: MemoryFiles) async throws -> Store {
        try await Store(FaultyArchive(backend: ArchiveBackend(path: "/a.karch", compaction: .manual), files: files))
    }

    @Test func `both are read, and each has a key of its own when the file is rewritten`() async throws {
        let name = "Fixtures/OneKey/two-kinds.karch"
        let files = MemoryFiles()
        files["/a.karch"] = Array(
            try Data(contentsOf: try #require(Bundle.module.url(forResource: name, withExtension: nil))))
        for _ in 1...2 {
            var store = try await open(files)
            try await expect(store.select(TaggedNote.self).all(), equals: notes)
            try await store.close()
            store = try await open(files)
            try await expect(store.select(TextNote.self).all(), equals: texts)
            try await store.compact()
            try await store.close()
        }
    }
}
