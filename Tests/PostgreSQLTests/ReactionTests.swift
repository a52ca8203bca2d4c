import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable("parent") private struct Parent: Equatable {
    var id: Int
    var name: String
    var hits: Int = 0
}

@Storable("child") private struct Child: Equatable {
    var id: Int
    @Field("parent_id") var parent: Int?
}

@Storable("audit") private struct Audit: Equatable {
    var id: Int
    var what: String
}

@Storable("other") private struct Other: Equatable {
    var id: Int
}

/// Rows that the server changes by itself (clauses O1, O7, H1 and L1).
@Suite(
    "Observers, feed, history and layers with triggers, rules and foreign keys of PostgreSQL",
    .enabled(if: Server.isThere, "no server"))
struct ReactionTests {
    private static let tables = """
        CREATE TABLE parent (id integer PRIMARY KEY, name text NOT NULL UNIQUE, hits integer NOT NULL DEFAULT 0);
        CREATE TABLE audit (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what text NOT NULL);
        CREATE TABLE other (id integer PRIMARY KEY);
        INSERT INTO parent VALUES (1, 'a'), (2, 'b'), (3, 'c');
        """

    private static func child(_ action: String) -> String {
        """
        CREATE TABLE child (id integer PRIMARY KEY, parent_id integer REFERENCES parent \(action));
        INSERT INTO child VALUES (1, 1), (2, 1), (3, 2);
        """
    }

    private static func trigger(_ event: String, _ body: String) -> String {
        """
        CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN \(body) END $$;
        CREATE TRIGGER t \(event) EXECUTE FUNCTION act();
        """
    }

    private static let audited = trigger(
        "AFTER DELETE ON child FOR EACH ROW", "INSERT INTO audit (what) VALUES ('gone ' || old.id); RETURN old;")

    private func withTables(
        _ sql: String, _ options: String = "", store storeOptions: Store.Options = .init(),
        _ body: (Store, String) async throws -> Void
    ) async throws {
        try await Server.withForeignSchema(Self.tables + sql) { schema in
            let store = try await Store(
                Server.backend(schema, options), models: Parent.self, Child.self, Audit.self, Other.self,
                options: storeOptions)
            try await body(store, schema)
            try await store.close()
        }
    }

    private func error(_ code: StorageError.Code, _ body: () async throws -> Void) async -> StorageError? {
        let error = await #expect(throws: StorageError.self) { try await body() }
        expect(error?.code, equals: code, "\(error.map(String.init(describing:)) ?? "nil")")
        return error
    }

    @Test(arguments: ["", "&writers=many"])
    func `observers of each model give the results of one snapshot after a cascade with a trigger`(
        _ options: String
    ) async throws {
        try await withTables(Self.child("ON DELETE CASCADE") + Self.audited, options) { (store, _) in
            var children = store.select(Child.self).values().makeAsyncIterator()
            var audits = store.select(Audit.self).values().makeAsyncIterator()
            var count = store.select(Audit.self).values(.count).makeAsyncIterator()
            try await expect(children.next()?.count, equals: 3)
            try await expect(audits.next()?.count, equals: 0)
            try await expect(count.next(), equals: 0)
            var changes = store.changes().makeAsyncIterator()
            try await store.delete(Parent.self, key: 1)
            try await expect(children.next(), equals: [Child(id: 3, parent: 2)])
            try await expect(audits.next()?.map(\.what).sorted(), equals: ["gone 1", "gone 2"])
            try await expect(count.next(), equals: 2)
            try await expect(
                changes.next()?.shown, equals: ["audit everything", "child +[] ~[] -[1, 2]", "parent +[] ~[] -[1]"])
            try await store.insert(Audit(id: 500, what: "by hand"))
            try await expect(audits.next()?.count, equals: 3)
            try await expect(count.next(), equals: 3)
        }
    }

    struct Reaction: Sendable, CustomTestStringConvertible {
        let sql: String
        let told: [String]
        let write: @Sendable (Store) async throws -> Void
        var testDescription: String { sql }

        init(_ sql: String, told: [String], _ write: @escaping @Sendable (Store) async throws -> Void) {
            (self.sql, self.told, self.write) = (sql, told, write)
        }
    }

    static let reactions: [Reaction] = [
        Reaction(child("ON DELETE SET NULL"), told: ["child +[] ~[1, 2] -[]", "parent +[] ~[] -[1]"]) {
            try await $0.delete(Parent.self, key: 1)
        },
        Reaction(child("ON DELETE SET DEFAULT"), told: ["child everything", "parent +[] ~[] -[1]"]) {
            try await $0.delete(Parent.self, key: 1)
        },
        Reaction(child("ON DELETE CASCADE"), told: ["parent +[] ~[] -[3]"]) {
            try await $0.delete(Parent.self, key: 3)
        },
        Reaction(
            """
            CREATE TABLE child (id integer PRIMARY KEY, parent_id integer, name text REFERENCES parent (name) ON UPDATE CASCADE);
            INSERT INTO child VALUES (1, 0, 'a');
            """, told: ["child everything", "parent +[] ~[1] -[]"]
        ) { try await $0.update(Parent(id: 1, name: "z")) },
        Reaction(
            child("")
                + trigger(
                    "AFTER INSERT ON child FOR EACH ROW",
                    "UPDATE parent SET hits = hits + 1 WHERE id = new.parent_id; RETURN new;"),
            told: ["child +[9] ~[] -[]", "parent everything"]
        ) { try await $0.insert(Child(id: 9, parent: 1)) },
        Reaction(
            child("")
                + trigger(
                    "AFTER INSERT ON child FOR EACH ROW",
                    "UPDATE parent SET hits = hits + 1 WHERE id = new.parent_id; RETURN new;"),
            told: ["child +[9] ~[] -[]"]
        ) { try await $0.insert(Child(id: 9, parent: nil)) },
        Reaction(
            child("")
                + trigger(
                    "AFTER INSERT OR UPDATE ON parent FOR EACH STATEMENT",
                    "INSERT INTO audit (what) VALUES ('x'); RETURN NULL;"),
            told: ["audit everything", "parent +[7, 8] ~[1] -[]"]
        ) { try await $0.save([Parent(id: 7, name: "x"), Parent(id: 8, name: "y"), Parent(id: 1, name: "z")]) },
        // A trigger that changes the row that is written is no change of another.
        Reaction(
            child("") + trigger("BEFORE UPDATE ON parent FOR EACH ROW", "new.hits := old.hits + 1; RETURN new;"),
            told: ["parent +[] ~[1] -[]"]
        ) { try await $0.update(Parent(id: 1, name: "x")) },
        Reaction(
            child("")
                + trigger(
                    "AFTER UPDATE OF name ON parent FOR EACH ROW",
                    "UPDATE parent SET hits = hits + 1 WHERE id <> new.id; RETURN new;"),
            told: ["parent everything"]
        ) { try await $0.update(Parent(id: 1, name: "x")) },
        Reaction(
            child("") + "CREATE RULE r AS ON INSERT TO other DO ALSO INSERT INTO audit (what) VALUES ('rule');",
            told: ["audit everything", "other +[4] ~[] -[]"]
        ) { try await $0.insert(Other(id: 4)) },
        // Rows of partitions belong to their table.
        Reaction(
            child("") + """
                DROP TABLE other; CREATE TABLE other (id integer PRIMARY KEY) PARTITION BY HASH (id);
                CREATE TABLE other_0 PARTITION OF other FOR VALUES WITH (MODULUS 1, REMAINDER 0);
                """ + trigger("AFTER INSERT ON parent FOR EACH ROW", "INSERT INTO other VALUES (new.id); RETURN new;"),
            told: ["other everything", "parent +[7] ~[] -[]"]
        ) { try await $0.insert(Parent(id: 7, name: "x")) },
        Reaction(
            child("")
                + trigger("AFTER INSERT ON other FOR EACH ROW", "INSERT INTO audit (what) VALUES ('x'); RETURN new;"),
            told: ["parent +[7] ~[] -[]"]
        ) { try await $0.insert(Parent(id: 7, name: "x")) },
        // Each call of a group is told by itself.
        Reaction(
            child("")
                + trigger("AFTER INSERT ON other FOR EACH ROW", "INSERT INTO audit (what) VALUES ('x'); RETURN new;"),
            told: ["audit everything", "other +[1] ~[] -[]", "parent +[7] ~[] -[]"]
        ) { store in
            try await store.transaction { tx in
                try tx.insert(Parent(id: 7, name: "x"))
                try tx.insert(Other(id: 1))
            }
        },
    ]

    @Test(arguments: reactions)
    func `the feed names every model that a commit has changed, and each observer has its records`(
        _ reaction: Reaction
    ) async throws {
        try await withTables(reaction.sql) { (store, _) in
            var parents = store.select(Parent.self).values().makeAsyncIterator()
            var children = store.select(Child.self).values().makeAsyncIterator()
            var audits = store.select(Audit.self).values().makeAsyncIterator()
            var others = store.select(Other.self).values().makeAsyncIterator()
            let last = (
                try await parents.next(), try await children.next(), try await audits.next(), try await others.next()
            )
            // The server's counts include earlier work of a session until it reports it.
            try await store.save(Parent(id: 3, name: "c"))
            var changes = store.changes().makeAsyncIterator()
            try await reaction.write(store)
            try await expect(changes.next()?.shown, equals: reaction.told)
            let now = (
                try await store.select(Parent.self).all(), try await store.select(Child.self).all(),
                try await store.select(Audit.self).all(), try await store.select(Other.self).all()
            )
            if now.0 != last.0 { try await expect(parents.next(), equals: now.0) }
            if now.1 != last.1 { try await expect(children.next(), equals: now.1) }
            if now.2 != last.2 { try await expect(audits.next(), equals: now.2) }
            if now.3 != last.3 { try await expect(others.next(), equals: now.3) }
            expect(!store.info.has(.knownChanges))
        }
    }

    @Storable fileprivate struct Own: Equatable {
        var id: Int?
        var text: String
        var parts: [Part] = []
    }
    @Storable fileprivate struct Part: Equatable { var n: Int }
    @Storable fileprivate struct Log: Equatable {
        var id: Int
        var text: String
    }

    @Test
    func `a trigger on the store's own tables is known when it is opened, and graphs that it does not touch have keys`()
        async throws
    {
        try await Server.withSchema { schema in
            let first = try await Store(Server.backend(schema), models: Own.self, Log.self)
            expect(first.info.has(.knownChanges))
            try await first.close()
            try await Server.psql(
                """
                SET search_path TO "\(schema)";
                CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                  INSERT INTO "Log" (id, text) VALUES (new.id, 'new ' || new.text); RETURN new; END $$;
                CREATE TRIGGER t AFTER INSERT ON "Own" FOR EACH ROW WHEN (new.text <> 'plain') EXECUTE FUNCTION act();
                """)
            let store = try await Store(Server.backend(schema), models: Own.self, Log.self)
            expect(store.info.lacking[.knownChanges]?.contains("Own"), equals: true)
            var logs = store.select(Log.self).values().makeAsyncIterator()
            try await expect(logs.next(), equals: [])
            var changes = store.changes().makeAsyncIterator()
            try await store.insert(Own(text: "plain", parts: [Part(n: 1), Part(n: 2)]))
            try await expect(changes.next()?.shown, equals: ["Own +[1] ~[] -[]"])
            try await store.save(Own(id: 1, text: "plain", parts: [Part(n: 2)]))
            try await expect(changes.next()?.shown, equals: ["Own +[] ~[1] -[]"])
            try await store.insert(Own(text: "b", parts: [Part(n: 1)]))
            try await expect(changes.next()?.shown, equals: ["Log everything", "Own +[2] ~[] -[]"])
            try await expect(logs.next(), equals: [Log(id: 2, text: "new b")])
            try await store.close()
        }
    }

    @Test(arguments: ["", "&writers=many"])
    func `triggers that are added while a store is open are known to its next write`(_ options: String) async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, options), models: Own.self, Log.self)
            try await store.insert([Own(id: 1, text: "a")])
            try await store.insert([Log(id: 1, text: "first")])
            var logs = store.select(Log.self).values().makeAsyncIterator()
            try await expect(logs.next()?.count, equals: 1)
            expect(store.info.has(.knownChanges))
            try await Server.psql(
                """
                SET search_path TO "\(schema)";
                CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                  INSERT INTO "Log" (id, text) VALUES (new.id, 'new ' || new.text); RETURN new; END $$;
                CREATE TRIGGER t AFTER INSERT ON "Own" FOR EACH ROW EXECUTE FUNCTION act();
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
                CREATE TRIGGER u BEFORE INSERT ON "Log" FOR EACH ROW WHEN (new.text = 'no') EXECUTE FUNCTION refuse();
                """)
            try await store.insert([Own(id: 2, text: "b")])
            try await expect(logs.next(), equals: [Log(id: 1, text: "first"), Log(id: 2, text: "new b")])
            expect(!store.info.has(.knownChanges))
            let error = await error(.constraint) { try await store.insert([Log(id: 3, text: "no")]) }
            expect(error?.key, equals: [.int(3)])
            try await store.close()
        }
    }

    @Test
    func `a history of keys has an entry of everything, and one of records refuses what it cannot record`() async throws
    {
        let sql =
            Self.child("ON DELETE CASCADE")
            + Self.trigger("AFTER INSERT ON other FOR EACH ROW", "INSERT INTO audit (what) VALUES ('x'); RETURN new;")
        try await withTables(sql, store: .init(history: .init(keys: [Audit.self, Child.self]))) { (store, _) in
            try await store.insert(Other(id: 1))
            try await store.delete(Parent.self, key: 1)
            var entries: [String] = []
            for try await entry in store.history() { entries.append("\(entry.model) \(entry.kind) \(entry.key ?? [])") }
            expect(entries, equals: ["audit everything []", "child deleted [1]", "child deleted [2]"])
        }
        try await withTables(sql, store: .init(history: .init(records: [Audit.self, Child.self]))) { (store, _) in
            let error = await error(.unsupported) { try await store.insert(Other(id: 1)) }
            expect(error?.model, equals: "audit")
            try await expect(store.select(Other.self).count(), equals: 0)
            try await store.insert(Audit(id: 7, what: "by hand"))
            try await store.delete(Parent.self, key: 1)
            var befores: [Int?] = []
            for try await entry in store.history(of: Child.self) { befores.append(try entry.before?.id) }
            expect(befores, equals: [1, 2])
        }
    }

    private struct Noting: Store.RecordLayer {
        let models: [any Storable.Type]?
        func didChange(_ change: Store.RecordChange, in transaction: borrowing Store.Transaction) throws(StorageError) {
            if case .int(let id) = change.key[0] { try transaction.save(Other(id: Int(id))) }
        }
    }

    @Test
    func `a layer is asked about each record that a cascade deletes, and a call is refused where it cannot be`()
        async throws
    {
        let sql = Self.child("ON DELETE CASCADE") + Self.audited
        try await withTables(sql, store: .init(layers: [Noting(models: [Child.self])])) { (store, _) in
            try await store.delete(Parent.self, key: 1)
            try await expect(store.select(Other.self).keys(), equals: [1, 2])
        }
        try await withTables(sql, store: .init(layers: [Noting(models: [Audit.self])])) { (store, _) in
            let error = await error(.unsupported) { try await store.delete(Parent.self, key: 1) }
            expect(error?.model, equals: "audit")
            try await expect(store.select(Child.self).count(), equals: 3)
            try await store.delete(Parent.self, key: 3)
        }
    }

    @Test
    func `a verb returns what a trigger has made of the record`() async throws {
        let sql =
            Self.child("")
            + Self.trigger(
                "BEFORE INSERT OR UPDATE ON parent FOR EACH ROW", "new.name := upper(new.name); RETURN new;")
        try await withTables(sql) { (store, _) in
            try await expect(store.insert(Parent(id: 7, name: "x")).name, equals: "X")
            try await expect(store.save([Parent(id: 7, name: "y")]).map(\.name), equals: ["Y"])
        }
    }
}

extension Store.Changes.Element where Changed == [Store.ModelChanges] {
    /// The changes that a commit has made to each model.
    fileprivate var shown: [String] {
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
