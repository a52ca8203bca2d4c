import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

extension ForeignReactionTests {
    // MARK: Schemas that change

    @Storable fileprivate struct Own: Equatable {
        var id: Int
        var text: String
        var parts: [Part] = []
    }
    @Storable fileprivate struct Part: Equatable { var n: Int }
    @Storable fileprivate struct Log: Equatable {
        var id: Int
        var text: String
    }

    @Test
    func `a trigger that is added to the store's own tables is noticed at the next write, and one that goes too`()
        async throws
    {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Own.self, Log.self).thenClose { store in
                try await store.insert(Own(id: 1, text: "a", parts: [Part(n: 1)]))
                var logs = store.select(Log.self).values().makeAsyncIterator()
                var owns = store.select(Own.self).values().makeAsyncIterator()
                try await expect(logs.next(), equals: [])
                try await expect(owns.next()?.count, equals: 1)
                expect(store.info.has(.knownChanges))
                try sqliteRun(
                    path,
                    "CREATE TRIGGER t AFTER INSERT ON Own BEGIN INSERT INTO Log VALUES (new.id, 'new ' || new.text); END",
                    "CREATE TRIGGER u AFTER DELETE ON Own_parts BEGIN UPDATE Own SET text = 'less' WHERE id = 2; END")
                try await store.insert(Own(id: 2, text: "b"))
                try await expect(logs.next(), equals: [Log(id: 2, text: "new b")])
                expect(store.info.lacking[.knownChanges]?.contains("trigger t, trigger u"), equals: true)
                while try await owns.next()?.count != 2 {}
                try await store.save(Own(id: 1, text: "c"))
                while try await owns.next()?.map(\.text) != ["c", "less"] {}
                try sqliteRun(path, "DROP TRIGGER t", "DROP TRIGGER u")
                // What another program has changed is a gap in the feed, which may take commits with it.
                try await store.refresh()
                var changes = store.changes().makeAsyncIterator()
                try await store.insert(Own(id: 3, text: "d"))
                expect(store.info.has(.knownChanges))
                try await expect(changes.next()?.shown, equals: ["Own +[3] ~[] -[]"])
            }
        }
    }

    @Test
    func `what triggers change in owned records and in their owner is returned`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Own.self, Log.self).thenClose { store in
                try await store.withUnsafeSQLiteHandle { database in
                    for sql in [
                        "CREATE TRIGGER t AFTER INSERT ON Own_parts WHEN new.n = 1 BEGIN UPDATE Own_parts SET n = 10 WHERE n = 1; END",
                        "CREATE TRIGGER u AFTER INSERT ON Own_parts WHEN new.n = 2 BEGIN UPDATE Own SET text = 'two'; END",
                    ] { try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK) }
                }
                expect(!store.info.has(.knownChanges))
                let first = Own(id: 1, text: "a", parts: [Part(n: 1), Part(n: 3)])
                try await expect(store.insert(first), equals: Own(id: 1, text: "a", parts: [Part(n: 10), Part(n: 3)]))
                let second = Own(id: 2, text: "b", parts: [Part(n: 2)])
                try await expect(store.save([second]), equals: [Own(id: 2, text: "two", parts: [Part(n: 2)])])
            }
        }
    }

    // MARK: History and layers

    @Test
    func `a history of keys has an entry of everything, and one of records refuses what it cannot record`() async throws
    {
        let trigger = "CREATE TRIGGER t AFTER INSERT ON other BEGIN INSERT INTO audit (what) VALUES ('x'); END"
        let sql = Self.child("ON DELETE CASCADE") + [trigger]
        try await withTables(sql, options: .init(history: .init(keys: [Audit.self, Child.self]))) { (store, _) in
            try await store.insert(Other(id: 1))
            try await store.delete(Parent.self, key: 1)
            var entries: [String] = []
            for try await entry in store.history() { entries.append("\(entry.model) \(entry.kind) \(entry.key ?? [])") }
            expect(entries.prefix(1), equals: ["audit everything []"])
            expect(entries.dropFirst().sorted(), equals: ["child deleted [1]", "child deleted [2]"])
        }
        try await withTables(sql, options: .init(history: .init(records: [Audit.self, Child.self]))) { (store, _) in
            let error = await expectError(.unsupported) { try await store.insert(Other(id: 1)) }
            expect(error?.model == "audit" && error?.message.contains("the history cannot know") == true)
            try await expect(store.select(Audit.self).count(), equals: 0)
            try await expect(store.select(Other.self).count(), equals: 0)
            try await store.insert(Audit(id: 7, what: "by hand"))
            // A cascade is carried out by the store, so its records are known.
            try await store.delete(Parent.self, key: 1)
            var befores: [Int?] = []
            for try await entry in store.history(of: Child.self) { befores.append(try entry.before?.id) }
            expect(befores, equals: [1, 2])
        }
    }

    @Test
    func `the undo of a cascade restores all records, and that of an insert removes them`() async throws {
        let options = Store.Options(history: .init(records: [Parent.self, Child.self]))
        try await withTables(Self.child("ON DELETE CASCADE"), options: options) { (store, _) in
            try await store.delete(Parent.self, key: 1)
            try await store.undo(1)
            try await expect(store.select(Parent.self).keys(), equals: [1, 2, 3])
            try await expect(store.select(Child.self).all().map(\.parent), equals: [1, 1, 2])
            try await store.undo(2)
            try await expect(store.select(Parent.self).keys(), equals: [2, 3])
            try await expect(store.select(Child.self).keys(), equals: [3])
            try await store.transaction { tx in
                try tx.insert(Parent(id: 7, name: "x"))
                try tx.insert(Child(id: 7, parent: 7))
            }
            try await store.undo(4)
            try await expect(store.select(Parent.self).keys(), equals: [2, 3])
            try await expect(store.select(Child.self).keys(), equals: [3])
        }
    }

    @Test(arguments: ["ON DELETE CASCADE", "ON DELETE SET NULL", "ON DELETE RESTRICT"])
    func `an undo deletes no records by foreign keys that its commit has not inserted`(_ action: String) async throws {
        let sql = Self.child(action) + ["CREATE UNIQUE INDEX names ON parent (name)"]
        try await withTables(sql, options: .init(history: .init(records: [Parent.self]))) { (store, _) in
            try await store.update(Parent(id: 1, name: "z"))
            try await store.undo(1)
            try await expect(store.find(Parent.self, key: 1)?.name, equals: "a")
            try await expect(store.select(Child.self).all().map(\.parent), equals: [1, 1, 2])
            try await store.insert(Parent(id: 7, name: "x"))
            try await store.insert(Child(id: 7, parent: 7))
            let error = await expectError(.conflict) { try await store.undo(3) }
            expect(error?.message.contains("child 7"), equals: true)
            try await expect(store.find(Child.self, key: 7)?.parent, equals: 7)
        }
    }

    /// Notes the records of two models.
    private struct Noting: Store.RecordLayer {
        let models: [any Storable.Type]?
        func didChange(_ change: Store.RecordChange, in transaction: borrowing Store.Transaction) throws(StorageError) {
            if case .int(let id) = change.key[0] { try transaction.save(Other(id: Int(id))) }
        }
    }

    /// A layer that keeps no record from being deleted.
    private struct Deleting: Store.DeletionLayer {
        var models: [any Storable.Type]? { [Audit.self] }
        func willDelete(
            _ record: Store.RecordChange, in transaction: borrowing Store.Transaction
        ) throws(StorageError) -> Store.DeletionDecision { .delete }
    }

    @Test
    func `a layer is asked about each record that a cascade deletes, and a call is refused where it cannot be`()
        async throws
    {
        let sql = Self.child("ON DELETE CASCADE") + [Self.audited]
        try await withTables(sql, options: .init(layers: [Noting(models: [Child.self])])) { (store, _) in
            try await store.delete(Parent.self, key: 1)
            try await expect(store.select(Other.self).keys(), equals: [1, 2])
            try await expect(store.select(Audit.self).count(), equals: 2)
        }
        for layer in [Noting(models: [Audit.self]), Noting(models: nil), Deleting()] as [any Store.Layer] {
            try await withTables(sql, options: .init(layers: [layer])) { (store, _) in
                let error = await expectError(.unsupported) { try await store.delete(Parent.self, key: 1) }
                expect(error?.model == "audit" && error?.message.contains("a layer of the application") == true)
                try await expect(store.select(Child.self).count(), equals: 3)
                try await store.delete(Parent.self, key: 3)
            }
        }
    }

    @Test
    func `a commit layer is told that the other model has changed`() async throws {
        let layer = Telling()
        try await withTables(Self.child("ON DELETE SET DEFAULT"), options: .init(layers: [layer])) { (store, _) in
            try await store.delete(Parent.self, key: 1)
            expect(layer.models.all, equals: [["child", "parent"]])
        }
    }

    private final class Collected: Sendable {
        private let state = Mutex<[[String]]>([])
        var all: [[String]] { state.withLock { $0 } }
        func add(_ models: [String]) { state.withLock { $0.append(models) } }
    }

    private struct Telling: Store.CommitLayer {
        let models = Collected()
        func didCommit(_ commit: Store.Commit<[Store.ModelChanges]>) {
            models.add(commit.changes.map(\.model).sorted())
        }
    }
}
