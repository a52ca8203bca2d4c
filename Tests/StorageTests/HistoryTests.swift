import ArchiveBackend
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable("Noted") private struct Noted: Equatable {
    var id: Int
    var text = ""
    var parts: [Notch] = []
}

@Storable("Notch") private struct Notch: Equatable {
    var depth: Int
}

/// `Noted` of a version that has renamed a property.
@Storable("Noted") private struct Renamed: Equatable {
    var id: Int
    @Field(renamedFrom: "text") var title = ""
    var parts: [Notch] = []
}

/// A model that refers to others and owns itself, and the same when it does neither any more.
@Storable("Linking") private struct Linking: Equatable {
    var id: Int
    var notes: [Ref<Noted>] = []
    @Reference(onDelete: .nullify) var main: Ref<Noted>?
    var below: [Linking]? = []
}
@Storable("Linking") private struct Unlinking {
    var id: Int
}

@Suite("History and undo")
struct HistoryTests {
    private func open(
        _ backend: Backend, _ folder: URL, named name: String = "test", models: [any Storable.Type] = [Noted.self],
        history: Store.HistoryOptions? = .init(records: [Noted.self])
    ) async throws -> Store {
        let path = folder.appending(path: name).path
        return switch backend {
        case .memory: try await Store(InMemoryBackend(), models: models, options: .init(history: history))
        case .sqlite:
            try await Store(
                SQLiteBackend(path: path, durability: .relaxed), models: models, options: .init(history: history))
        case .archive:
            try await Store(
                ArchiveBackend(path: path, durability: .relaxed), models: models, options: .init(history: history))
        case .sqliteInMemory:
            try await Store(SQLiteBackend(path: ":memory:"), models: models, options: .init(history: history))
        }
    }

    private func problems(_ store: Store) async throws -> [String] {
        var found: [String] = []
        try await store.verify { found.append($0.description) }
        return found
    }

    private func commits(_ store: Store) async throws -> [Int] {
        var commits: [Int] = []
        for try await entry in store.history() { commits.append(entry.commit) }
        return commits
    }

    private let samples = (1...5).map { Noted(id: $0, text: "t\($0)", parts: (0..<$0).map { Notch(depth: $0) }) }

    // MARK: Copies

    // Each engine once as the source and once as the target.
    @Test(arguments: [(Backend.memory, Backend.sqlite), (.sqlite, .archive), (.archive, .memory)])
    func `a copy takes the history along if it is asked to, and is another store`(_ from: Backend, _ to: Backend)
        async throws
    {
        try await withFolder { folder in
            let source = try await open(from, folder, named: "from")
            try await source.insert(samples)
            try await source.delete(Noted.self, keys: [1, 2])
            let token = try await source.historyToken()
            let target = try await open(to, folder, named: "to", models: [], history: nil)
            try await target.copy(from: source, history: true)
            try await expect(target.historyStatus(), equals: source.historyStatus())
            await expectError(.invalidValue) {
                for try await _ in target.history(since: token) {}
                return ()
            }
            try await expect(problems(target), equals: [])
            try await expect(target.undo(2), equals: 3)
            try await expect(target.select(Noted.self).all(), equals: samples)
            try await expect(commits(target).last, equals: 3)
            await expectError(.constraint) { try await target.copy(from: source, history: true) }
            await expectError(.configuration) { try await target.copy(["Noted"], from: source, history: true) }
            try await target.copy(from: source, replacing: true, history: true)
            try await expect(commits(target).last, equals: 2)
            try await expect(problems(target), equals: [])
            try await source.close()
            try await target.close()
        }
    }

    @Test
    func `what is copied into a model with a history is in it, and can be undone`() async throws {
        try await withFolder { folder in
            let source = try await open(.memory, folder, named: "from", models: [Noted.self], history: nil)
            try await source.insert((1...700).map { Noted(id: $0, parts: [Notch(depth: $0)]) })
            let target = try await open(.sqlite, folder)
            try await target.insert(samples)
            try await target.copy(from: source, replacing: true)
            try await expect(target.select(Noted.self).count(), equals: 700)
            try await expect(target.undo(2), equals: 3)
            try await expect(target.select(Noted.self).all(), equals: samples)
            try await target.undo(3)
            try await expect(target.select(Noted.self).count(), equals: 700)
            try await expect(problems(target), equals: [])
            try await target.close()
        }
    }

    @Test
    func `a copy that replaces a model has one entry for each record`() async throws {
        try await withFolder { folder in
            let source = try await open(.memory, folder, named: "from", models: [Noted.self], history: nil)
            try await source.insert(stride(from: 1, through: 1_400, by: 2).map { Noted(id: $0, text: "new") })
            let target = try await open(.sqlite, folder)
            try await target.insert((400...1_100).map { Noted(id: $0, text: "old") })
            try await target.copy(from: source, replacing: true)
            var kinds: [Int: Store.HistoryEntry<Int, Noted>.Kind] = [:]
            for try await entry in target.history(of: Noted.self) where entry.commit == 2 {
                expect(kinds.updateValue(entry.kind, forKey: try #require(entry.key)) == nil)
                try expect(entry.before?.text, equals: entry.kind == .inserted ? nil : "old")
            }
            expect(kinds.count, equals: 700 + 351)
            for (key, kind) in kinds {
                expect(kind, equals: !(400...1_100).contains(key) ? .inserted : key % 2 == 0 ? .deleted : .updated)
            }
            try await target.undo(2)
            try await expect(target.select(Noted.self).all(), equals: (400...1_100).map { Noted(id: $0, text: "old") })
            try await expect(problems(target), equals: [])
            try await target.close()
        }
    }

    // MARK: Schemas

    @Test func `a rename that an earlier version has not recorded is read as long as it is declared`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "test").path
            var store = try await open(.sqlite, folder)
            try await store.insert(samples)
            try await store.delete(Noted.self, key: 4)
            try await store.close()
            store = try await open(.sqlite, folder, named: "test", models: [Renamed.self], history: nil)
            try await store.close()
            try sqliteRun(path, "DELETE FROM storage_history_schemas")
            store = try await open(.sqlite, folder, named: "test", models: [], history: nil)
            await expectError(.schemaMismatch) {
                try await store.undo(2); return ()
            }
            var last: Store.HistoryEntry<[Value], DynamicRecord>?
            for try await entry in store.history() { last = entry }
            #expect(throws: StorageError.self) { try last?.before }
            try expect(last?.storedBefore?.value("text"), equals: .text("t4"))
            try await store.close()
            store = try await open(.sqlite, folder, named: "test", models: [Renamed.self], history: nil)
            try await store.undo(2)
            try await expect(
                store.find(Renamed.self, key: 4), equals: Renamed(id: 4, title: "t4", parts: samples[3].parts))
            try await store.close()
        }
    }

    @Test
    func `references and types that own themselves are restored where no program declares them any more`() async throws
    {
        try await withFolder { folder in
            let links = [
                Linking(
                    id: 1, notes: [2, 1, 2], main: 1,
                    below: [
                        .init(id: 7, notes: [3], main: nil, below: nil), .init(id: 8, below: [.init(id: 9, main: 2)]),
                    ]),
                Linking(id: 2, below: nil),
            ]
            try await open(.sqlite, folder, named: "test", models: [Noted.self, Linking.self], history: nil).thenClose {
                store in
                try await store.insert(samples)
                try await store.insert(links)
            }
            let history = Store.HistoryOptions(records: [Unlinking.self])
            try await open(.sqlite, folder, named: "test", models: [Noted.self, Unlinking.self], history: history)
                .thenClose { store in
                    try await store.delete(Unlinking.self, keys: [1, 2])
                    try await store.undo(1)
                    try await store.undo(2)
                    try await expect(store.select(Unlinking.self).count(), equals: 0)
                    try await store.undo(3)
                    try await expect(problems(store), equals: [])
                }
            try await open(.sqlite, folder, named: "test", models: [Noted.self, Linking.self], history: nil).thenClose {
                store in
                let stored = try await store.select(Linking.self).all()
                expect(stored, equals: links)
                try await expect(problems(store), equals: [])
            }
        }
    }

    @Test
    func `records without types are kept as well`() async throws {
        try await withFolder { folder in
            let store = try await open(.sqlite, folder)
            try await store.insert(samples)
            try await store.records("Noted").where(text: "id >= 4").set("text", to: .text("set")).run()
            try await store.records("Noted").where(text: "id == 1").delete()
            var texts: [Value?] = []
            for try await entry in store.history(ofRecords: "Noted") { texts.append(try entry.before?.value("text")) }
            expect(texts.suffix(3), equals: [.text("t4"), .text("t5"), .text("t1")])
            try await store.undo(3)
            try await store.undo(2)
            try await expect(store.select(Noted.self).all(), equals: samples)
            try await store.close()
        }
    }

    @Test func `what is too old goes as fast as commits of many records come`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "test").path
            let store = try await open(
                .sqlite, folder, named: "test", models: [Noted.self],
                history: .init(records: [Noted.self], keeping: .commits(2)))
            for round in 1...30 { try await store.save((1...400).map { Noted(id: $0, text: "\(round)") }) }
            try await expect(commits(store).first.map { $0 >= 28 }, equals: true)
            try await expect(problems(store), equals: [])
            try await store.close()
            let entries = try sqliteColumn(path, "SELECT count(*) FROM storage_history_changes")
            expect(entries.first.flatMap { Int($0) }.map { $0 <= 1200 }, equals: true, "\(entries) entries are left.")
        }
    }

    // MARK: Damage

    @Test func `a history goes on after any number of entries whose commit is missing`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "test").path
            var store = try await open(.sqlite, folder)
            try await store.insert(samples)
            try await store.insert((100..<800).map { Noted(id: $0) })
            try await store.delete(Noted.self, key: 3)
            try await store.close()
            try sqliteRun(path, "DELETE FROM storage_history_commits WHERE number = -2")
            store = try await open(.sqlite, folder)
            try await expect(commits(store).last, equals: 3)
            try await store.close()
        }
    }

    @Test func `damage of a history is found, and is no other error`() async throws {
        let damages = [
            "DELETE FROM storage_history_commits WHERE number = -2": "is of a commit that is not there",
            "UPDATE storage_history_changes SET record = x'0109ff' WHERE \"commit\" = 2": "record that cannot be read",
            "UPDATE storage_history_changes SET \"key\" = x'ff' WHERE \"commit\" = 2": "cannot be read",
            "UPDATE storage_history_commits SET time = -1e300 WHERE number = -2": "is earlier",
            "DELETE FROM storage_history_settings": "settings",
        ]
        for (sql, problem) in damages {
            try await withFolder { folder in
                let path = folder.appending(path: "test").path
                var store = try await open(.sqlite, folder)
                try await store.insert(samples)
                try await store.save(samples.map { Noted(id: $0.id) })
                try await store.delete(Noted.self, key: 3)
                try await store.close()
                try sqliteRun(path, sql)
                do {
                    store = try await open(.sqlite, folder, named: "test", models: [Noted.self], history: nil)
                } catch let error as StorageError {
                    expect(error.code == .corrupt && problem == "settings", "\(sql): \(error)")
                    return
                }
                let found = try await problems(store)
                expect(found.contains { $0.contains(problem) }, "\(sql): \(found)")
                for body in [{ try await store.undo(2) }, { try await store.undo(3) }] as [() async throws -> Int] {
                    do { _ = try await body() } catch let error as StorageError {
                        expect([.corrupt, .notFound, .conflict, .notKept].contains(error.code), "\(sql): \(error)")
                    }
                }
                try await expect(store.select(Noted.self).count() >= 4)
                try await store.close()
            }
        }
    }

    @Test func `a history of a later version is schemaNewer, and the file stays as it is`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "test").path
            try await open(.sqlite, folder).thenClose { try await $0.insert(samples) }
            // A later version may have settings that this one cannot read at all.
            try sqliteRun(path, #"UPDATE storage_history_settings SET settings = '{"version":3,"models":{}}'"#)
            let before = try Data(contentsOf: URL(filePath: path))
            for options in [nil, Store.HistoryOptions(records: [Noted.self])] {
                await expectError(.schemaNewer) {
                    try await open(.sqlite, folder, named: "test", models: [Noted.self], history: options)
                }
            }
            try expect(Data(contentsOf: URL(filePath: path)), equals: before)
            try sqliteRun(path, #"UPDATE storage_history_settings SET settings = '{"version":1,"models":{}}'"#)
            await expectError(.corrupt) { try await open(.sqlite, folder) }
        }
    }

    @Test func `a store that is opened read-only shows its history`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "test").path
            var store = try await open(.sqlite, folder)
            try await store.insert(samples)
            try await store.close()
            store = try await Store(url: "sqlite:\(path)?readonly=true", backends: [SQLiteBackend.self])
            try await expect(commits(store), equals: [1, 1, 1, 1, 1])
            await expectError(.unsupported) { try await store.undo(1) }
            try await store.close()
        }
    }
}
