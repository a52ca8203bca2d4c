import ArchiveBackend
import FaultyStorage
import Foundation
import Logging
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Storable("Item") private struct ItemV1: Equatable {
    var id: Int
    var name: String
    var count: Int
    var parts: [ItemPart] = []
}

@Storable private struct ItemPart: Equatable {
    var id: Int
    var label: String
}

/// A property more, with a default, and one optional.
@Storable("Item") private struct ItemV2: Equatable {
    var id: Int
    var name: String
    var count: Int
    var color: String = "blue"
    var weight: Double?
    var parts: [ItemPart] = []
}

/// A renamed property, a wider type, and an index.
@Storable("Item") private struct ItemV3: Equatable {
    var id: Int
    @Field(renamedFrom: "name") @Indexed var title: String
    var count: Double
    var color: String = "blue"
    var parts: [ItemPart] = []
}

/// A change that loses something.
@Storable("Item") private struct ItemBad: Equatable {
    var id: Int
    var name: Int
    var count: Int
}

/// S: each version of a program opens the store that the one before has left.
@Suite struct ArchiveSchemaTests {
    let folder: TemporaryFolder
    let backend: ArchiveBackend
    fileprivate let items = (0..<200).map { number in
        ItemV1(
            id: number, name: "item \(number)", count: number * 3,
            parts: (0..<number % 3).map { ItemPart(id: $0, label: "part \($0)") })
    }

    init() throws {
        folder = try TemporaryFolder()
        backend = ArchiveBackend(path: folder.path("items.karch"))
    }

    @discardableResult
    private func withStore<M: Storable, T>(
        _ model: M.Type, _ body: (Store) async throws -> T
    ) async throws -> T {
        let store = try await Store(backend, models: model)
        do {
            let result = try await body(store)
            try await store.close()
            return result
        } catch {
            try? await store.close()
            throw error
        }
    }

    @Test func `added properties have their default in old records, also after later commits and compaction`()
        async throws
    {
        try await withStore(ItemV1.self) { try await $0.insert(items) }
        let expected = items.map { ItemV2(id: $0.id, name: $0.name, count: $0.count, parts: $0.parts) }
        try await withStore(ItemV2.self) { (store) async throws in
            try await expect(store.select(ItemV2.self).all(), equals: expected)
            try await expect(store.select(ItemV2.self).where { $0.color == "blue" }.count(), equals: 200)
            try await store.update(ItemV2.self).where { $0.id == 5 }.set(\.color, to: "red").run()
        }
        try await withStore(ItemV2.self) { (store) async throws in
            try await expect(store.select(ItemV2.self).where { $0.color == "red" }.keys(), equals: [5])
            try await store.compact()
        }
        try await withStore(ItemV2.self) { (store) async throws in
            try await expect(store.select(ItemV2.self).where { $0.color == "blue" }.count(), equals: 199)
            try await expect(store.select(ItemV2.self).where { $0.weight == nil }.count(), equals: 200)
        }
    }

    @Test func `a rename and a wider type move the data, and the old program then meets newer names`() async throws {
        try await withStore(ItemV1.self) { try await $0.insert(items) }
        let expected = items.map { ItemV3(id: $0.id, title: $0.name, count: Double($0.count), parts: $0.parts) }
        for _ in 0..<2 {
            try await withStore(ItemV3.self) { (store) async throws in
                try await expect(store.select(ItemV3.self).all(), equals: expected)
                try await expect(store.select(ItemV3.self).where { $0.title == "item 7" }.first()?.id, equals: 7)
            }
        }
    }

    @Test func `a change that loses something is refused before the file is touched`() async throws {
        try await withStore(ItemV1.self) { try await $0.insert(items) }
        let before = try Data(contentsOf: URL(fileURLWithPath: backend.path))
        let error = await expectError(.schemaMismatch) { try await withStore(ItemBad.self) { _ in } }
        expect(error?.model == "Item" && error?.property == "name")
        try expect(Data(contentsOf: URL(fileURLWithPath: backend.path)), equals: before)
    }

    /// The tables as versions recorded them that did not record models.
    private func makeOlderStore<M: Storable>(_ model: M.Type) throws {
        let tables = try ModelRows(model).tables
        let engine = try backend.open(logger: Logger(label: "test"))
        try engine.write { (writer) throws(StorageError) in
            for var table in tables {
                (table.model, table.isMany) = (nil, nil)
                try writer.change(.create(table))
            }
        }
        try engine.close()
    }

    @Test func `a schema without models' names is taken as it is`() async throws {
        try makeOlderStore(ItemV1.self)
        let before = try Data(contentsOf: URL(fileURLWithPath: backend.path))
        try await withStore(ItemV1.self) { _ in }
        try expect(Data(contentsOf: URL(fileURLWithPath: backend.path)), equals: before)
        try await withStore(ItemV1.self) { try await $0.insert(items) }
        try await withStore(ItemV2.self) { (store) async throws in
            try await expect(store.select(ItemV2.self).where { $0.parts.count == 2 }.count(), equals: 66)
        }
        let engine = try backend.open(logger: Logger(label: "test"))
        try expect(engine.reader(.query).tables().map(\.model), equals: [nil, nil])
        try engine.close()
    }

    @Test func `a schema recorded before tables had models' names can be read`() throws {
        let id = ColumnSchema(name: "id", property: "id", type: .int64)
        let item = TableSchema(name: "Item", path: ["Item"], columns: [id], key: [0], assignsKeys: true)
        let json = String(decoding: try JSONEncoder().encode(item), as: UTF8.self)
        expect(!json.contains("model") && !json.contains("isMany"))
        try expect(JSONDecoder().decode(TableSchema.self, from: Data(json.utf8)), equals: item)
    }

    @Test func `a migration that fails at any system call leaves the old or the new`() async throws {
        let few = Array(items.prefix(20))
        let files = MemoryFiles()
        let backend = ArchiveBackend(path: "/items.karch")
        let faulty = FaultyArchive(backend: backend, files: files)
        var store = try await Store(faulty, models: ItemV1.self)
        try await store.insert(few)
        try await store.close()
        let path = try #require(files.names.first { $0.hasSuffix(".karch") })
        let before = try #require(files[path])
        files.set(nil)
        store = try await Store(faulty, models: ItemV3.self)
        try await store.close()
        for call in 0..<files.calls {
            let files = MemoryFiles()
            files[path] = before
            files.set(MemoryFiles.Fault(call: call))
            let faulty = FaultyArchive(backend: backend, files: files)
            let opened = try? await Store(faulty, models: ItemV3.self)
            try? await opened?.close()
            files.set(nil)
            let again = try await Store(faulty, models: ItemV3.self)
            let titles = try await again.select(ItemV3.self).all().map(\.title)
            try #require(titles == few.map(\.name), "call \(call)")
            try await again.close()
        }
        report("a migration's call fails", ["led to the old or the new": files.calls])
    }
}
