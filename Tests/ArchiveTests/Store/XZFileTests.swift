import ArchiveBackend
import FaultyStorage
import Foundation
import StorageKit
import TestSupport
import Testing

/// Files that builds before 0.1 have compressed with xz, in both versions of the format.
@Suite struct XZFileTests {
    private static let path = "/a.karch"
    private static let notes = [1, 3, 4, 5, 6, 7].map { Note(id: $0, title: "note \($0)") }

    @Storable struct Note: Equatable {
        var id: Int
        var title: String
    }

    private static func files(_ folder: String) throws -> (files: MemoryFiles, bytes: [UInt8]) {
        let name = "Fixtures/\(folder)/xz.karch"
        let url = try #require(Bundle.module.url(forResource: name, withExtension: nil))
        let (files, bytes) = (MemoryFiles(), [UInt8](try Data(contentsOf: url)))
        files[path] = bytes
        return (files, bytes)
    }

    private static func open(_ files: MemoryFiles, _ access: ArchiveBackend.Access = .readWrite) async throws -> Store {
        let backend = ArchiveBackend(path: path, compaction: .manual, access: access)
        return try await Store(FaultyArchive(backend: backend, files: files), models: Note.self)
    }

    @Test(arguments: ["Version1", "XZ"])
    func `opening to write rewrites the file with zstd, and keeps every record`(folder: String) async throws {
        let files = try Self.files(folder).files
        var store = try await Self.open(files)
        expect(files[Self.path]?.starts(with: [0x28, 0xB5, 0x2F, 0xFD]), equals: true)
        try await expect(store.select(Note.self).all(), equals: Self.notes)
        try await store.insert(Note(id: 8, title: "note 8"))
        try await store.close()
        store = try await Self.open(files, .readOnly)
        expect(store.info.format, equals: "store file 2")
        try await expect(store.select(Note.self).all(), equals: Self.notes + [Note(id: 8, title: "note 8")])
        try await store.close()
    }

    @Test(arguments: ["Version1", "XZ"], [ArchiveBackend.Access.readOnly, .salvage])
    func `opening to read is refused with the way out`(folder: String, access: ArchiveBackend.Access) async throws {
        let (files, bytes) = try Self.files(folder)
        let error = await #expect(throws: StorageError.self) { try await Self.open(files, access) }
        expect(error?.code, equals: .unsupported)
        expect(error?.message.contains("for writing once"), equals: true)
        expect(files[Self.path], equals: bytes)
    }

    @Test(arguments: ["Version1", "XZ"])
    func `a commit that a crash has cut off is kept beside the file`(folder: String) async throws {
        let (files, bytes) = try Self.files(folder)
        files[Self.path]?.append(contentsOf: bytes.prefix(300))
        let store = try await Self.open(files)
        try await expect(store.select(Note.self).all(), equals: Self.notes)
        expect(store.info.remarks.count, equals: 1)
        try await store.close()
        expect(files.names.contains { $0.hasPrefix("\(Self.path).torn-") })
    }

    @Test(arguments: ["Version1", "XZ"])
    func `damage is found, and a cut leaves whole commits or is found`(folder: String) throws {
        let (files, bytes) = try Self.files(folder)
        let whole = try openFile(Self.path, layer: files).items
        // In version 1 the last commit is the one without entries by which closing marks the end.
        let end = folder == "XZ" ? bytes.count : bytes.count - 1080
        for place in TestExtent.share(Array(0..<end), oneOf: 97) {
            files[Self.path] = bytes
            files[Self.path]?[place] ^= 4
            expect(code { try openFile(Self.path, layer: files) }, equals: .corrupt, "byte \(place)")
            let cut = Array(bytes.prefix(place))
            files[Self.path] = cut
            do throws(StorageError) {
                let opened = try openFile(Self.path, layer: files)
                expect(folder != "XZ" || cut.isEmpty, "cut at \(place)")
                expect(opened.items, equals: Array(whole.prefix(opened.items.count)), "cut at \(place)")
            } catch {
                expect(error.code, equals: .corrupt, "cut at \(place): \(error)")
                expect(files[Self.path], equals: cut)
            }
        }
    }
}
