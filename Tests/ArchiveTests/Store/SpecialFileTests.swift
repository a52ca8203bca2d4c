import ArchiveBackend
import Foundation
import KeyedArchives
import StorageKit
import TestSupport
import Testing

/// Tests that anything but a file of bytes is refused before it is touched: as a store, and as the destination of one.
@Suite struct SpecialFileTests {
    enum Kind: String, CaseIterable {
        case folder, pipe, device, linkToNothing, linkToPipe

        /// Makes one; false where this user may not.
        func make(at path: String) throws -> Bool {
            switch self {
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .pipe: return mkfifo(path, 0o644) == 0
            // That of /dev/null.
            case .device: return mknod(path, S_IFCHR | 0o666, dev_t(1 << 8 | 3)) == 0
            case .linkToNothing: return symlink(path + "-nothing", path) == 0
            case .linkToPipe: return mkfifo(path + "-pipe", 0o644) == 0 && symlink(path + "-pipe", path) == 0
            }
            return true
        }
    }

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.karch")
    }

    private func type() throws -> FileAttributeType? {
        try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    }

    @Test(arguments: Kind.allCases, [ArchiveBackend.Access.readWrite, .readOnly, .salvage])
    func `none is opened as a store`(kind: Kind, access: ArchiveBackend.Access) async throws {
        guard try kind.make(at: path) else { return }
        let (before, names) = (try type(), try folder.names)
        let backend = ArchiveBackend(path: path, access: access)
        await expectError(.io) { _ = try await Store(backend, models: Note.self) }
        try expect(type(), equals: before)
        try expect(folder.names, equals: names)
    }

    @Test(arguments: Kind.allCases) func `none is replaced by a backup or an archive`(kind: Kind) async throws {
        guard try kind.make(at: path) else { return }
        let store = try await Store(ArchiveBackend(path: folder.path("store.karch")), models: Note.self)
        try await store.insert(Note(id: 1, title: "a"))
        let (before, names) = (try type(), try folder.names)
        await expectError(.io) { try await store.backUp(to: path, replacing: true) }
        let url = URL(fileURLWithPath: path)
        await expectError(.io) { try KeyedArchive.write(Note(id: 1, title: "a"), to: url) }
        await expectError(.io) { _ = try KeyedArchive.read(Note.self, from: url) }
        try expect(type(), equals: before)
        try expect(folder.names, equals: names)
        try await store.close()
    }

    @Test(arguments: ["-lock", ".tmp"])
    func `none is taken for what the store keeps beside its file`(suffix: String) async throws {
        expect(mkfifo(path + suffix, 0o644), equals: 0)
        await expectError(.io) { _ = try await Store(ArchiveBackend(path: path), models: Note.self) }
        try expect(folder.names.contains("a.karch" + suffix))
    }

    @Test func `a link to a file is the file`() async throws {
        let store = try await Store(ArchiveBackend(path: folder.path("store.karch")), models: Note.self)
        try await store.insert(Note(id: 1, title: "a"))
        let target = folder.path("target")
        try Data().write(to: URL(fileURLWithPath: target))
        expect(symlink(target, path), equals: 0)
        try await store.backUp(to: path, replacing: true)
        try await store.close()
        try expect(type(), equals: .typeSymbolicLink)
        let copy = try await Store(ArchiveBackend(path: target, access: .readOnly), models: Note.self)
        try await expect(copy.select(Note.self).keys(), equals: [1])
        try await copy.close()
    }
}
