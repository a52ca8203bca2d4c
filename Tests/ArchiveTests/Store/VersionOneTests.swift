import ArchiveBackend
import FaultyStorage
import Foundation
import StorageKit
import TestSupport
import Testing

/// Files that were written by version 1 of the format, and what becomes of them.
@Suite(.repeatable) struct VersionOneTests {
    private static let notes = [1, 3, 4, 5, 6, 7].map { OldNote(id: $0, title: "note \($0)") }

    /// A copy of the fixture, on its way to a path of its own.
    private static func fixture(_ codec: ArchiveCodec) throws -> [UInt8] {
        let name = "Fixtures/Version1/\(codec.rawValue).karch"
        return Array(try Data(contentsOf: try #require(Bundle.module.url(forResource: name, withExtension: nil))))
    }

    private static func open(_ files: MemoryFiles, _ access: ArchiveBackend.Access = .readWrite) async throws -> Store {
        let backend = ArchiveBackend(path: "/a.karch", compaction: .manual, access: access)
        return try await Store(FaultyArchive(backend: backend, files: files), models: OldNote.self)
    }

    @Storable("Note") struct OldNote: Equatable {
        var id: Int
        var title: String
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a file of version 1 is read, added to as such, and rewritten as one of today`(
        codec: ArchiveCodec
    ) async throws {
        let files = MemoryFiles()
        let before = try Self.fixture(codec)
        files["/a.karch"] = before
        var store = try await Self.open(files, .readOnly)
        expect(store.info.format, equals: "store file 1")
        try await expect(store.select(OldNote.self).all(), equals: Self.notes)
        try await store.close()
        store = try await Self.open(files)
        try await store.insert(OldNote(id: 8, title: "note 8"))
        try await store.close()
        expect(files["/a.karch"]?.starts(with: before), equals: true)
        store = try await Self.open(files)
        expect(store.info.format, equals: "store file 1")
        try await expect(store.select(OldNote.self).keys(), equals: [1, 3, 4, 5, 6, 7, 8])
        try await store.compact()
        try await store.insert(OldNote(id: 9, title: "note 9"))
        try await store.close()
        store = try await Self.open(files)
        expect(store.info.format, equals: "store file 2")
        try await expect(store.select(OldNote.self).keys(), equals: [1, 3, 4, 5, 6, 7, 8, 9])
        try await store.close()
    }

    @Test(arguments: ArchiveCodec.allCases) func `damage before the last commit of version 1 is found`(
        codec: ArchiveCodec
    ) throws {
        let bytes = try Self.fixture(codec)
        let files = MemoryFiles()
        // The last commit is the seal that closing has written.
        let end = bytes.count - (codec == .zstd ? 88 : 1024)
        for place in TestExtent.share(Array(0..<end), oneOf: codec == .zstd ? 51 : 291) {
            files["/a.karch"] = bytes
            files["/a.karch"]?[place] ^= 4
            let error = #expect(throws: StorageError.self) { try openFile("/a.karch", .readOnly, layer: files) }
            try #require(error?.code == .corrupt, "byte \(place)")
        }
    }
}
