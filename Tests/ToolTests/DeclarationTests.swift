import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// The files in Declared are what the tool has printed, and are compiled with these tests.
@Suite("storage schema --swift")
struct DeclarationTests {
    private func declared(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Declared")
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// Opens a store with types, and expects that there is nothing to change.
    private func expectNoChange(_ path: String, for types: [any Storable.Type]) async throws {
        let store = try await Store(SQLiteBackend(path: path))
        let before = try await store.schema()
        let plan = try await store.plan(for: types).filter { $0.kind != .note }.map(\.description)
        expect(plan, equals: [], "\(plan)")
        try await store.close()
        let opened = try await Store(url: "sqlite:\(path)", backends: [SQLiteBackend.self], models: types)
        try await expect(opened.schema(), equals: before)
        try await opened.close()
    }

    @Test func `structs of a database of other software open it without a change`() async throws {
        let tool = try Tool(folder: TemporaryFolder())
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = tool.folder.path("chinook.db")
        try FileManager.default.copyItem(
            atPath: root.appending(path: "Examples/Data/chinook/Chinook_Sqlite.sqlite").path, toPath: path)
        try await expect(tool.output("schema", "chinook.db", "--swift"), equals: declared("Chinook.swift"))
        let types: [any Storable.Type] = [
            Album.self, Artist.self, Customer.self, Employee.self, Genre.self, Invoice.self, InvoiceLine.self,
            MediaType.self, Playlist.self, PlaylistTrack.self, Track.self,
        ]
        try await expectNoChange(path, for: types)
        let store = try await Store(url: "sqlite:\(path)", backends: [SQLiteBackend.self], models: types)
        let album = try #require(try await store.select(Album.self).where { $0.title.hasPrefix("Let There") }.first())
        try await expect(store.find(album.artistId)?.name, equals: "AC/DC")
        try await expect(store.select(Track.self).where { $0.albumId == album.ref }.count(), equals: 8)
        try await store.close()
    }

    @Test func `structs of a store of every kind of property open it without a change`() async throws {
        let tool = try Tool(folder: TemporaryFolder())
        let path = tool.folder.path("workshop.db")
        let store = try await Store(SQLiteBackend(path: path))
        try await store.prepare(Workshop.schemas)
        try await store.close()
        try await expect(tool.output("schema", "workshop.db", "--swift"), equals: declared("Workshop.swift"))
        try await expectNoChange(path, for: [WorkBench.self, HandTool.self, Lamp.self])
    }
}

/// Models with what a declaration can say, under names that Swift does not have.
enum Workshop {
    static let schemas = [bench, tool, lamp]

    private static let bench = RecordSchema(
        name: "work bench",
        properties: [
            .init(name: "room", kind: .column(.int64), isKey: true),
            .init(name: "name", kind: .column(.string), isKey: true),
            .init(name: "class", kind: .column(.string), isUnique: true),
            .init(name: "2nd \"name\"", kind: .column(.array(of: .array(of: .decimal))), isOptional: true),
            .init(name: "until", kind: .column(.date), isOptional: true, isIndexed: true),
            .init(
                name: "top",
                kind: .child(RecordSchema(name: "Top", properties: [.init(name: "wood", kind: .column(.uuid))])),
                isOptional: true),
            .init(name: "drawers", kind: .children(drawer), isOptional: true),
        ])

    private static let drawer = RecordSchema(
        name: "Drawer",
        properties: [
            .init(name: "label", kind: .column(.url)), .init(name: "inner", kind: .ancestor("Drawer", isMany: true)),
            .init(name: "sizes", kind: .column(.vector), isOptional: true),
        ])

    private static let tool = RecordSchema(
        name: "Hand Tool",
        properties: [
            .init(name: "id", kind: .column(.int64), isKey: true),
            .init(name: "wear", kind: .column(.duration)), .init(name: "size", kind: .column(.int16), isIndexed: true),
        ], assignsKeys: true)

    private static let lamp = RecordSchema(
        name: "Lamp",
        properties: [
            .init(name: "id", kind: .column(.uuid), isKey: true),
            .init(
                name: "bench.room", kind: .column(.int64), isIndexed: true,
                reference: .init(model: "work bench", onDelete: .cascade)),
            .init(
                name: "bench.name", kind: .column(.string),
                reference: .init(model: "work bench", onDelete: .cascade, part: 1)),
            .init(
                name: "spare", kind: .column(.int64), isOptional: true, isIndexed: true,
                reference: .init(model: "Hand Tool", onDelete: .nullify)),
            .init(
                name: "tools",
                kind: .children(
                    RecordSchema(
                        name: "Hand Tool",
                        properties: [
                            .init(
                                name: "id", kind: .column(.int64), isIndexed: true,
                                reference: .init(model: "Hand Tool", onDelete: .unchecked, isElement: true))
                        ]))),
        ])
}
