import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable("ui") private struct Entry: Equatable {
    var id: Int?
    var k: String?
}

@Storable("only") private struct Only: Equatable {
    @Key var k: String
}

/// Rows that a table keeps out or replaces without an error of SQLite (clauses E5, W1 to W3): a call that returns has stored what it
/// was given.
@Suite("SQLite tables that keep rows out or replace them refuse the call")
struct ForeignRefusalTests {
    /// A declaration, and what storing a record that it refuses is: `a` under key 2, where key 1 has it.
    struct Declaration: Sendable, CustomTestStringConvertible {
        let sql: [String]
        let code: StorageError.Code
        var testDescription: String { sql[0] }

        init(_ table: String, _ others: String..., code: StorageError.Code = .constraint) {
            sql = ["CREATE TABLE ui (\(table))"] + others
            self.code = code
        }
    }

    private static let ignore = "BEGIN SELECT RAISE(IGNORE) WHERE new.k = 'a' AND new.id > 1; END"

    static let declarations = [
        Declaration("id INTEGER PRIMARY KEY, k TEXT UNIQUE ON CONFLICT IGNORE"),
        Declaration("id INTEGER PRIMARY KEY, k TEXT UNIQUE ON CONFLICT REPLACE"),
        Declaration("id INTEGER PRIMARY KEY, k TEXT UNIQUE ON CONFLICT FAIL"),
        Declaration("id INTEGER PRIMARY KEY, k TEXT UNIQUE ON CONFLICT ROLLBACK"),
        Declaration("id INTEGER PRIMARY KEY, k TEXT, other TEXT DEFAULT 'o', UNIQUE (k, other) ON CONFLICT REPLACE"),
        Declaration("id INTEGER PRIMARY KEY, k TEXT UNIQUE on/* */conflict\n replace"),
        Declaration(
            "id INTEGER PRIMARY KEY, k TEXT",
            "CREATE TRIGGER t BEFORE INSERT ON ui \(ignore)", "CREATE TRIGGER u BEFORE UPDATE ON ui \(ignore)"),
        Declaration(
            "id INTEGER PRIMARY KEY, k TEXT UNIQUE ON CONFLICT REPLACE",
            "CREATE TABLE log (id INTEGER PRIMARY KEY)",
            "CREATE TRIGGER t AFTER INSERT ON ui BEGIN INSERT INTO log VALUES (NULL); END"),
    ]

    private func withRecords(_ sql: [String], _ body: (Store, String) async throws -> Void) async throws {
        try await withForeignDatabase(sql + ["INSERT INTO ui (id, k) VALUES (1, 'a'), (5, 'e')"]) {
            (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Entry.self).thenClose { store in
                try await body(store, path)
            }
        }
    }

    private func expectUnchanged(_ path: String) throws {
        try expect(sqliteRows(path, "SELECT id, k FROM ui ORDER BY id"), equals: [["1", "a"], ["5", "e"]])
    }

    @Test(arguments: declarations)
    func `a record that is kept out is an error on every path, and nothing of the call is stored`(
        _ declaration: Declaration
    ) async throws {
        try await withRecords(declaration.sql) { (store, path) in
            let code = declaration.code
            let one = await expectError(code) { try await store.insert(Entry(id: 2, k: "a")) }
            expect(one?.key == [.int(2)] && one?.model == "ui")
            await expectError(code) { try await store.insert(Entry(id: nil, k: "a")) }
            await expectError(code) { try await store.save(Entry(id: 2, k: "a")) }
            await expectError(code) { try await store.save(Entry(id: 5, k: "a")) }
            await expectError(code) { try await store.update(Entry(id: 5, k: "a")) }
            await expectError(code) { try await store.update(Entry.self).where { $0.id == 5 }.set(\.k, to: "a").run() }
            await expectError(code) {
                try await store.update(Entry.self).where { $0.id == 5 }.set(text: #"k = "a""#).run()
            }
            await expectError(code) { try store.blocking.insert(Entry(id: 2, k: "a")) }
            await expectError(code) {
                try await store.transaction { tx in
                    try tx.insert(Entry(id: 9, k: "n"))
                    try tx.insert(Entry(id: 2, k: "a"))
                }
            }
            try expectUnchanged(path)
            // In batches, in statements of several rows, and in JSON: the error names the element.
            for place in [0, 1, 40, 69] {
                var records = (0..<70).map { Entry(id: 100 + $0, k: "n\($0)") }
                records[place].k = "a"
                let inserted = await expectError(code) { try await store.insert(records) }
                expect(inserted?.element == place && inserted?.key == [.int(Int64(100 + place))])
                let saved = await expectError(code) { try await store.save(records) }
                expect(saved?.element, equals: place)
                try expectUnchanged(path)
            }
            await expectError(code) {
                try await store.save(json: #"[{"id": 2, "k": "a"}, {"id": 3, "k": "x"}]"#.data, as: Entry.self)
            }
            try expectUnchanged(path)
            // What is not refused is stored, the given record itself among it.
            try await store.save([Entry(id: 1, k: "a"), Entry(id: 6, k: "f")])
            try await expect(store.update(Entry.self).where { $0.id == 6 }.set(\.k, to: "g").run(), equals: 1)
            try await expect(store.select(Entry.self).all().map(\.k), equals: ["a", "e", "g"])
        }
    }

    @Test(arguments: ["IGNORE", "REPLACE", "FAIL", "ROLLBACK", "ABORT"])
    func `the insert of a stored key is duplicateKey, whatever the key declares`(_ clause: String) async throws {
        for table in [
            "CREATE TABLE ui (id INTEGER PRIMARY KEY ON CONFLICT \(clause), k TEXT)",
            "CREATE TABLE ui (id INT NOT NULL, k TEXT, PRIMARY KEY (id) ON CONFLICT \(clause))",
        ] {
            try await withRecords([table]) { (store, path) in
                let error = await expectError(.duplicateKey) { try await store.insert(Entry(id: 1, k: "z")) }
                expect(error?.key, equals: [.int(1)])
                await expectError(.duplicateKey) {
                    try await store.insert([Entry(id: 7, k: "y"), Entry(id: 5, k: "z")])
                }
                try expectUnchanged(path)
                try await store.save(Entry(id: 1, k: "b"))
                try await expect(store.find(Entry.self, key: 1), equals: Entry(id: 1, k: "b"))
                await expectError(.notFound) { try await store.update(Entry(id: 3, k: "b")) }
            }
        }
    }

    @Test(arguments: ["IGNORE", "REPLACE", "FAIL"])
    func `a nil that the column does not accept is constraint`(_ clause: String) async throws {
        let table = "CREATE TABLE ui (id INTEGER PRIMARY KEY, k TEXT NOT NULL ON CONFLICT \(clause) DEFAULT 'd')"
        try await withRecords([table]) { (store, path) in
            await expectError(.constraint) { try await store.insert(Entry(id: 2, k: nil)) }
            await expectError(.constraint) { try await store.save([Entry(id: 2, k: "b"), Entry(id: 5, k: nil)]) }
            await expectError(.constraint) { try await store.update(Entry(id: 5, k: nil)) }
            await expectError(.constraint) { try await store.update(Entry.self).set(\.k, to: nil).run() }
            try expectUnchanged(path)
        }
    }

    @Test
    func `records that are nothing but a key are saved again, and those that a trigger keeps out are not`() async throws
    {
        let sql = [
            "CREATE TABLE only (k TEXT PRIMARY KEY)",
            "CREATE TRIGGER t BEFORE INSERT ON only WHEN new.k = 'no' BEGIN SELECT RAISE(IGNORE); END",
        ]
        try await withForeignDatabase(sql) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Only.self).thenClose { store in
                try await store.save([Only(k: "a"), Only(k: "b")])
                try await store.save([Only(k: "a"), Only(k: "c")])
                try await store.save((0..<40).map { Only(k: "k\($0)") })
                try await store.save((0..<40).map { Only(k: "k\($0)") })
                await expectError(.constraint) { try await store.save(Only(k: "no")) }
                let error = await expectError(.constraint) {
                    try await store.save((0..<40).map { Only(k: $0 == 33 ? "no" : "l\($0)") })
                }
                expect(error?.element, equals: 33)
                try await expect(store.select(Only.self).count(), equals: 43)
            }
        }
    }

    @Test
    func `a deletion that a trigger keeps out is not counted`() async throws {
        let trigger = "CREATE TRIGGER t BEFORE DELETE ON ui WHEN old.k = 'a' BEGIN SELECT RAISE(IGNORE); END"
        try await withRecords([Self.declarations[0].sql[0], trigger]) { (store, _) in
            try await expect(store.delete(Entry.self, keys: [1, 5]), equals: 1)
            try await expect(store.select(Entry.self).keys(), equals: [1])
        }
    }

    @Test
    func `a verb returns what a trigger has made of the record, and one that removes it is an error`() async throws {
        let sql = [
            "CREATE TABLE ui (id INTEGER PRIMARY KEY, k TEXT)",
            "CREATE TRIGGER t AFTER INSERT ON ui WHEN new.k <> 'no' BEGIN UPDATE ui SET k = upper(k) WHERE id = new.id; END",
            "CREATE TRIGGER u AFTER INSERT ON ui WHEN new.k = 'no' BEGIN DELETE FROM ui WHERE id = new.id; END",
        ]
        try await withRecords(sql) { (store, path) in
            try await expect(store.insert(Entry(id: 2, k: "b")), equals: Entry(id: 2, k: "B"))
            try await expect(store.insert([Entry(id: nil, k: "c")]), equals: [Entry(id: 6, k: "C")])
            let error = await expectError(.constraint) { try await store.insert(Entry(id: 8, k: "no")) }
            expect(error?.key, equals: [.int(8)])
            await expectError(.constraint) {
                try await store.save(json: #"[{"id": 8, "k": "no"}]"#.data, as: Entry.self)
            }
            try expect(sqliteColumn(path, "SELECT k FROM ui ORDER BY id"), equals: ["A", "B", "E", "C"])
        }
    }

    @Storable fileprivate struct Own: Equatable {
        var id: Int
        var k: String
        var parts: [Part] = []
    }
    @Storable fileprivate struct Part: Equatable { var text: String }

    @Test
    func `the store's own tables are counted as well, where someone has added a trigger`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Own.self).thenClose { store in
                try await store.insert(Own(id: 1, k: "a", parts: [Part(text: "p")]))
                try sqliteRun(
                    path,
                    "CREATE TRIGGER t BEFORE INSERT ON Own WHEN new.k = 'no' BEGIN SELECT RAISE(IGNORE); END",
                    "CREATE TRIGGER u BEFORE UPDATE ON Own WHEN new.k = 'no' BEGIN SELECT RAISE(IGNORE); END",
                    "CREATE TRIGGER v BEFORE INSERT ON Own_parts WHEN new.text = 'no' BEGIN SELECT RAISE(IGNORE); END")
                await expectError(.constraint) { try await store.insert(Own(id: 2, k: "no")) }
                await expectError(.constraint) { try await store.save(Own(id: 1, k: "no")) }
                await expectError(.constraint) { try await store.update(Own(id: 1, k: "no")) }
                await expectError(.constraint) { try await store.update(Own.self).set(\.k, to: "no").run() }
                await expectError(.constraint) { try await store.insert(Own(id: 2, k: "b", parts: [Part(text: "no")])) }
                try await expect(store.select(Own.self).all(), equals: [Own(id: 1, k: "a", parts: [Part(text: "p")])])
                await expectError(.notFound) { try await store.update(Own(id: 3, k: "no")) }
            }
        }
    }
}
