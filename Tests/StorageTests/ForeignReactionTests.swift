import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// Rows that the database changes by itself (clauses O1, O7, H1 and L1).
@Suite("Observers, feed, history and layers with triggers and foreign keys of SQLite")
struct ForeignReactionTests {
    @Storable("parent") struct Parent: Equatable {
        var id: Int
        var name: String
        var hits: Int = 0
    }

    @Storable("child") struct Child: Equatable {
        var id: Int
        @Field("parent_id") var parent: Int?
    }

    /// The same table, whose reference the program declares as the table does.
    @Storable("child") struct ReferringChild: Equatable {
        var id: Int
        @Field("parent_id") @Reference(onDelete: .cascade) var parent: Ref<Parent>
    }

    @Storable("audit") struct Audit: Equatable {
        var id: Int
        var what: String
    }

    @Storable("other") struct Other: Equatable {
        var id: Int
    }

    static let tables = [
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL, hits INT NOT NULL DEFAULT 0)",
        "CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT NOT NULL)",
        "CREATE TABLE other (id INTEGER PRIMARY KEY)",
        "INSERT INTO parent VALUES (1, 'a', 0), (2, 'b', 0), (3, 'c', 0)",
    ]

    static func child(_ action: String, _ columns: String = "id INTEGER PRIMARY KEY") -> [String] {
        [
            "CREATE TABLE child (\(columns), parent_id INT REFERENCES parent (id) \(action))",
            "INSERT INTO child (id, parent_id) VALUES (1, 1), (2, 1), (3, 2)",
        ]
    }

    static let audited =
        "CREATE TRIGGER gone AFTER DELETE ON child BEGIN INSERT INTO audit (what) VALUES ('gone ' || old.id); END"

    func withTables(
        _ sql: [String], options: Store.Options = .init(), _ body: (Store, String) async throws -> Void
    ) async throws {
        try await withForeignDatabase(Self.tables + sql) { (path) async throws in
            try await Store(
                SQLiteBackend(path: path), models: Parent.self, Child.self, Audit.self, Other.self, options: options
            ).thenClose { store in try await body(store, path) }
        }
    }

    @Test
    func `observers of each model give the results of one snapshot after a cascade with a trigger`() async throws {
        try await withTables(Self.child("ON DELETE CASCADE") + [Self.audited]) { (store, _) in
            var children = store.select(Child.self).values().makeAsyncIterator()
            var audits = store.select(Audit.self).values().makeAsyncIterator()
            var count = store.select(Audit.self).values(.count).makeAsyncIterator()
            var steps = store.select(Child.self).order { $0.id.descending }.updates().makeAsyncIterator()
            var limited = store.select(Child.self).limit(9).values().makeAsyncIterator()
            try await expect(children.next()?.count, equals: 3)
            try await expect(audits.next()?.count, equals: 0)
            try await expect(count.next(), equals: 0)
            try await expect(steps.next()?.records.map(\.id), equals: [3, 2, 1])
            try await expect(limited.next()?.count, equals: 3)
            var changes = store.changes().makeAsyncIterator()
            try await store.delete(Parent.self, key: 1)
            try await expect(children.next(), equals: [Child(id: 3, parent: 2)])
            try await expect(audits.next()?.map(\.what).sorted(), equals: ["gone 1", "gone 2"])
            try await expect(count.next(), equals: 2)
            try await expect(steps.next()?.records.map(\.id), equals: [3])
            try await expect(limited.next()?.map(\.id), equals: [3])
            try await expect(changes.next()?.models, equals: ["audit", "child", "parent"])
            try await store.insert(Audit(id: 500, what: "by hand"))
            try await expect(audits.next()?.count, equals: 3)
            try await expect(count.next(), equals: 3)
            try await store.delete(Child.self, key: 3)
            try await expect(children.next(), equals: [])
            try await expect(audits.next()?.map(\.what).sorted(), equals: ["by hand", "gone 1", "gone 2", "gone 3"])
        }
    }

    @Test
    func `an observer of the other model alone learns of it`() async throws {
        try await withTables(Self.child("ON DELETE CASCADE") + [Self.audited]) { (store, _) in
            var audits = store.select(Audit.self).values().makeAsyncIterator()
            try await expect(audits.next()?.count, equals: 0)
            try await store.delete(Parent.self, key: 2)
            try await expect(audits.next()?.map(\.what), equals: ["gone 3"])
        }
    }

    /// A declaration, a write to it, and the models that it changes.
    struct Reaction: Sendable, CustomTestStringConvertible {
        let sql: [String]
        let write: @Sendable (Store) async throws -> Void
        /// The entries of the feed: keys where the store knows them.
        let told: [String]
        var testDescription: String { sql.last ?? "" }

        init(_ sql: [String], told: [String], _ write: @escaping @Sendable (Store) async throws -> Void) {
            (self.sql, self.told, self.write) = (sql, told, write)
        }
    }

    static let reactions: [Reaction] = [
        // What the store carries out itself, it knows by keys.
        Reaction(child("ON DELETE CASCADE"), told: ["child +[] ~[] -[1, 2]", "parent +[] ~[] -[1]"]) {
            try await $0.delete(Parent.self, key: 1)
        },
        Reaction(child("ON DELETE SET NULL"), told: ["child +[] ~[1, 2] -[]", "parent +[] ~[] -[1]"]) {
            try await $0.delete(Parent.self, key: 1)
        },
        Reaction(child("ON DELETE SET DEFAULT"), told: ["child everything", "parent +[] ~[] -[1]"]) {
            try await $0.delete(Parent.self, key: 1)
        },
        Reaction(child("ON DELETE CASCADE"), told: ["parent +[] ~[] -[3]"]) {
            try await $0.delete(Parent.self, key: 3)
        },
        Reaction(child("ON DELETE CASCADE"), told: ["child +[] ~[] -[1, 2, 3]", "parent +[] ~[] -[1, 2, 3]"]) {
            try await $0.delete(Parent.self).run()
        },
        // A foreign key to a column that is not the key, which an update may change.
        Reaction(
            [
                "CREATE UNIQUE INDEX names ON parent (name)",
                "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT, name TEXT REFERENCES parent (name) ON UPDATE CASCADE ON DELETE CASCADE)",
                "INSERT INTO child VALUES (1, 0, 'a')",
            ], told: ["child everything", "parent +[] ~[1] -[]"]
        ) { try await $0.update(Parent(id: 1, name: "z")) },
        Reaction(
            [
                "CREATE UNIQUE INDEX names ON parent (name)",
                "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT, name TEXT REFERENCES parent (name) ON DELETE CASCADE)",
                "INSERT INTO child VALUES (1, 0, 'a')",
            ], told: ["child everything", "parent +[] ~[] -[1]"]
        ) { try await $0.delete(Parent.self, key: 1) },
        // Triggers, of each event, in chains, and where they do nothing.
        Reaction(
            child("") + [
                "CREATE TRIGGER t AFTER INSERT ON child BEGIN UPDATE parent SET hits = hits + 1 WHERE id = new.parent_id; END"
            ],
            told: ["child +[9] ~[] -[]", "parent everything"]
        ) { try await $0.insert(Child(id: 9, parent: 1)) },
        Reaction(
            child("") + [
                "CREATE TRIGGER t AFTER INSERT ON child BEGIN UPDATE parent SET hits = hits + 1 WHERE id = new.parent_id; END"
            ],
            told: ["child +[9] ~[] -[]"]
        ) { try await $0.insert(Child(id: 9, parent: nil)) },
        Reaction(
            child("") + [
                "CREATE TRIGGER t BEFORE UPDATE OF parent_id ON child BEGIN INSERT INTO audit (what) VALUES ('moved'); END"
            ],
            told: ["audit everything", "child +[] ~[2] -[]"]
        ) { try await $0.update(Child.self).where { $0.id == 2 }.set(\.parent, to: 3).run() },
        Reaction(
            child("") + [
                "CREATE TRIGGER t AFTER DELETE ON child BEGIN DELETE FROM parent WHERE id = old.parent_id; END"
            ],
            told: ["child +[] ~[] -[3]", "parent everything"]
        ) { try await $0.delete(Child.self, key: 3) },
        Reaction(
            child("") + [
                "CREATE TRIGGER t AFTER INSERT ON parent BEGIN INSERT INTO audit (what) VALUES (new.name); END",
                "CREATE TRIGGER u AFTER INSERT ON audit BEGIN INSERT INTO other VALUES (new.id); END",
            ], told: ["audit everything", "other everything", "parent +[7, 8] ~[] -[]"]
        ) { try await $0.insert([Parent(id: 7, name: "x"), Parent(id: 8, name: "y")]) },
        Reaction(
            child("") + ["CREATE TRIGGER t AFTER INSERT ON parent BEGIN INSERT OR REPLACE INTO other VALUES (1); END"],
            told: ["other everything", "parent +[7] ~[] -[]"]
        ) { try await $0.insert(Parent(id: 7, name: "x")) },
        // A trigger that changes what is written, and nothing else, is no change of another record.
        Reaction(
            child("") + [
                "CREATE TRIGGER t AFTER UPDATE OF name ON parent BEGIN UPDATE parent SET hits = hits + 1 WHERE id = new.id; END"
            ],
            told: ["parent +[] ~[1, 2] -[]"]
        ) { try await $0.save([Parent(id: 1, name: "x"), Parent(id: 2, name: "y")]) },
        Reaction(
            child("") + [
                "CREATE TRIGGER t AFTER UPDATE OF name ON parent BEGIN UPDATE parent SET hits = hits + 1; END"
            ],
            told: ["parent everything"]
        ) { try await $0.save(Parent(id: 1, name: "x")) },
        Reaction(
            child("", "id INT NOT NULL PRIMARY KEY") + [
                "CREATE TRIGGER t AFTER UPDATE ON child BEGIN UPDATE child SET parent_id = 3 WHERE id = new.id; END"
            ], told: ["child everything"]
        ) { try await $0.update(Child(id: 1, parent: 2)) },
        Reaction(
            [
                "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT) WITHOUT ROWID",
                "INSERT INTO child VALUES (1, 1), (2, 1)",
                "CREATE TRIGGER t AFTER UPDATE ON child BEGIN UPDATE child SET parent_id = 3 WHERE id = 2; END",
            ], told: ["child everything"]
        ) { try await $0.update(Child(id: 1, parent: 2)) },
        // A record that refers to another one of its model.
        Reaction(
            [
                "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT REFERENCES child (id) ON DELETE CASCADE)",
                "INSERT INTO child VALUES (1, NULL), (2, 1), (3, 2), (4, 3), (5, NULL)",
            ], told: ["child +[] ~[] -[4, 3, 2, 1]"]
        ) { try await $0.delete(Child.self, key: 1) },
        Reaction(
            [
                "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT, a INT DEFAULT 7, b INT DEFAULT 7, c INT, d INT, "
                    + "UNIQUE (a, b), FOREIGN KEY (c, d) REFERENCES child (a, b) ON DELETE CASCADE)",
                "INSERT INTO child VALUES (1, 0, 1, 1, NULL, NULL), (2, 0, 2, 2, 1, 1)",
            ], told: ["child everything"]
        ) { try await $0.delete(Child.self, key: 1) },
        // These change no other row.
        Reaction(child("ON DELETE NO ACTION ON UPDATE RESTRICT"), told: ["parent +[] ~[] -[3]"]) {
            try await $0.delete(Parent.self, key: 3)
        },
        Reaction(
            child("") + ["CREATE TRIGGER t AFTER INSERT ON other BEGIN INSERT INTO audit (what) VALUES ('x'); END"],
            told: ["parent +[7] ~[] -[]"]
        ) { try await $0.insert(Parent(id: 7, name: "x")) },
        // Of an undone savepoint nothing is told.
        Reaction(
            child("") + ["CREATE TRIGGER t AFTER INSERT ON other BEGIN INSERT INTO audit (what) VALUES ('x'); END"],
            told: ["parent +[7] ~[] -[]"]
        ) { store in
            try await store.transaction { tx in
                try? tx.savepoint { () throws(StorageError) in
                    try tx.insert(Other(id: 1))
                    throw StorageError(.invalidValue, "No.")
                }
                try tx.insert(Parent(id: 7, name: "x"))
            }
        },
    ]

    @Test(arguments: reactions)
    func `the feed names every model that a commit has changed, and each observer has its records`(
        _ reaction: Reaction
    ) async throws {
        try await withTables(reaction.sql) { (store, path) in
            var parents = store.select(Parent.self).values().makeAsyncIterator()
            var children = store.select(Child.self).values().makeAsyncIterator()
            var audits = store.select(Audit.self).values().makeAsyncIterator()
            var others = store.select(Other.self).values().makeAsyncIterator()
            let last = (
                try await parents.next(), try await children.next(), try await audits.next(), try await others.next()
            )
            var changes = store.changes().makeAsyncIterator()
            try await reaction.write(store)
            try await expect(changes.next()?.shown, equals: reaction.told)
            // An observer whose result is the same has no next element.
            let now = (
                try await store.select(Parent.self).all(), try await store.select(Child.self).all(),
                try await store.select(Audit.self).all(), try await store.select(Other.self).all()
            )
            if now.0 != last.0 { try await expect(parents.next(), equals: now.0) }
            if now.1 != last.1 { try await expect(children.next(), equals: now.1) }
            if now.2 != last.2 { try await expect(audits.next(), equals: now.2) }
            if now.3 != last.3 { try await expect(others.next(), equals: now.3) }
            expect(store.info.has(.knownChanges), equals: !reaction.changesRows)
        }
    }

    @Test
    func `a unique column that replaces is refused, so no list has both records`() async throws {
        let sql = [
            "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT UNIQUE ON CONFLICT REPLACE)",
            "INSERT INTO child VALUES (2, 7)",
        ]
        try await withTables(sql) { (store, _) in
            var children = store.select(Child.self).values().makeAsyncIterator()
            try await expect(children.next()?.map(\.id), equals: [2])
            await expectError(.constraint) { try await store.insert(Child(id: 5, parent: 7)) }
            try await store.insert(Child(id: 6, parent: 8))
            try await expect(children.next()?.map(\.id), equals: [2, 6])
        }
    }

    @Test
    func `a cascade that the program declares as well is carried out once, and known`() async throws {
        try await withForeignDatabase(Self.tables + Self.child("ON DELETE CASCADE")) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Parent.self, ReferringChild.self).thenClose { store in
                var children = store.select(ReferringChild.self).values().makeAsyncIterator()
                try await expect(children.next()?.count, equals: 3)
                var changes = store.changes().makeAsyncIterator()
                try await expect(store.delete(Parent.self, key: 1), equals: 1)
                try await expect(children.next()?.map(\.id), equals: [3])
                try await expect(changes.next()?.shown, equals: ["child +[] ~[] -[1, 2]", "parent +[] ~[] -[1]"])
            }
        }
    }

    @Test
    func `a long chain of cascades is carried out level by level`() async throws {
        let sql = [
            "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT REFERENCES child (id) ON DELETE CASCADE)",
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) INSERT INTO child SELECT i, nullif(i - 1, 0) FROM n",
        ]
        try await withTables(sql) { (store, _) in
            var count = store.select(Child.self).values().makeAsyncIterator()
            try await expect(count.next()?.count, equals: 1200)
            try await store.delete(Child.self, key: 1)
            try await expect(count.next(), equals: [])
        }
    }
}

extension ForeignReactionTests.Reaction {
    /// True if the declarations can change rows by themselves.
    fileprivate var changesRows: Bool {
        sql.contains { $0.contains("CREATE TRIGGER") || $0.contains("SET ") || $0.contains("CASCADE") }
    }
}

extension Store.Changes.Element where Changed == [Store.ModelChanges] {
    /// The models of a commit in alphabetic order.
    fileprivate var models: [String] {
        if case .commit(let commit) = self { commit.changes.map(\.model).sorted() } else { ["gap"] }
    }

    /// What a commit has done to each model.
    var shown: [String] {
        guard case .commit(let commit) = self else { return ["gap"] }
        return commit.changes.map { model in
            switch model.changes {
            case .everything: "\(model.model) everything"
            case .keys(let inserted, let updated, let deleted):
                "\(model.model) +\(Self.shown(inserted)) ~\(Self.shown(updated)) -\(Self.shown(deleted))"
            }
        }.sorted()
    }

    private static func shown(_ keys: [[Value]]) -> String {
        "[" + keys.map { $0[0].description }.joined(separator: ", ") + "]"
    }
}
