import Foundation
import SQLiteBackend
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Suite("Tables of every kind that other software makes")
struct ForeignTableTests {
    private func schema(_ statements: String...) async throws -> [TableSchema] {
        try await withForeignDatabase(statements) { (path) async throws in
            try await Store(SQLiteBackend(path: path)).thenClose { try await $0.schema() }
        }
    }

    @Test(
        arguments: [
            ("INT", ColumnType.int64), ("BIGINT UNSIGNED", .int64), ("TINYINT(1)", .int64), ("VARCHAR(255)", .string),
            ("nvarchar(10)", .string), ("CLOB", .string), ("REAL", .double), ("DOUBLE PRECISION", .double),
            ("float(5)", .double), ("NUMERIC", .decimal), ("Decimal(10, 2)", .decimal), ("MONEY", .decimal),
            ("DATE", .date), ("datetime", .date), ("TIMESTAMP WITH TIME ZONE", .date), ("TIME", .string),
            ("BOOLEAN", .bool), ("bit", .bool), ("BLOB", .data), ("", .string), ("UUID", .uuid), ("JSON", .string),
            ("STRING", .string), ("UNIQUEIDENTIFIER", .uuid), ("YEAR", .int64),
        ])
    func `declared types`(declared: String, type: ColumnType) async throws {
        let tables = try await schema("CREATE TABLE t (k INTEGER PRIMARY KEY, v \(declared))")
        expect(tables.first?.columns.last?.type, equals: type)
    }

    @Test
    func `a table whose primary key cannot be a key has its row number as one`() async throws {
        let tables = try await schema(
            "CREATE TABLE a (x, y)", "CREATE TABLE b (d DATE PRIMARY KEY)", "CREATE TABLE c (rowid TEXT, n INT)",
            "CREATE TABLE d (name TEXT COLLATE NOCASE PRIMARY KEY)",
            "CREATE TABLE e (name TEXT PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE f (d DATE PRIMARY KEY) WITHOUT ROWID", "CREATE TABLE g (rowid, _rowid_, oid)")
        expect(tables.map(\.name), equals: ["a", "b", "c", "d", "e", "f", "g"])
        let keys = tables.map { table in table.key.map { table.columns[$0].property } }
        expect(keys, equals: [["rowid"], ["rowid"], ["_rowid_"], ["rowid"], ["name"], ["rowid"], ["row_number"]])
        expect(tables.filter(\.isReadOnly).map(\.name), equals: ["f", "g"])
    }

    @Test
    func `virtual tables, generated columns and SQLite's own tables are left out`() async throws {
        let tables = try await schema(
            "CREATE TABLE t (k INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT, b TEXT AS (a || '!') STORED, c AS (a))",
            "CREATE VIRTUAL TABLE f USING fts5(a)",
            "INSERT INTO t (a) VALUES ('x')", "ANALYZE")
        expect(tables.map(\.name), equals: ["t"])
        expect(tables[0].columns.map(\.name) == ["k", "a"] && tables[0].assignsKeys)
    }

    @Test
    func `only indexes of all rows by bytes count, and only single unique columns are unique`() async throws {
        let tables = try await schema(
            "CREATE TABLE t (k INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT, c TEXT, d TEXT, e TEXT, UNIQUE (b, c))",
            "CREATE UNIQUE INDEX p ON t (d) WHERE d > 'x'", "CREATE UNIQUE INDEX q ON t (e COLLATE NOCASE)",
            "CREATE INDEX r ON t (lower(c))")
        let columns = try #require(tables.first).columns
        expect(columns.map(\.isIndexed), equals: [false, true, true, false, false, false])
        expect(columns.map(\.isUnique), equals: [false, true, false, false, false, false])
    }

    @Storable("Ta\"ble '; [x]") struct Odd: Equatable {
        @Key @Field("k\"'") var key: Int
        @Field("a b.c") var text: String
        @Field("数") var number: Double
    }

    @Test
    func `odd names, and names that a store keeps for itself`() async throws {
        try await withForeignDatabase([
            "CREATE TABLE \"Ta\"\"ble '; [x]\" (\"k\"\"'\" INTEGER PRIMARY KEY, \"a b.c\" TEXT, \"数\" REAL)",
            "INSERT INTO \"Ta\"\"ble '; [x]\" VALUES (1, 'x', 2)",
            "CREATE TABLE storage_info (id INTEGER PRIMARY KEY, place TEXT)",
            "INSERT INTO storage_info VALUES (1, 'shed')",
            "CREATE TABLE storage_units (id INTEGER PRIMARY KEY)",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Odd.self).thenClose { (store) async throws in
                try await expect(
                    store.schema().map(\.name), equals: ["Ta\"ble '; [x]", "storage_info", "storage_units"])
                try await store.save(Odd(key: 2, text: "y", number: .infinity))
                try await expect(
                    store.select(Odd.self).order { $0.number.descending }.all().map(\.key), equals: [2, 1])
                try await expect(store.records("storage_info").all().first?.value("place"), equals: .text("shed"))
                // A model of ours would need the table that the name is taken for.
                await expectError(.schemaMismatch) { try await store.insert(Label(id: 1)) }
            }
        }
    }

    @Storable struct Label: Equatable { var id: Int }

    @Test
    func `our own tables and other software's tables stand side by side`() async throws {
        try await withForeignDatabase { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Label.self, Artist.self).thenClose {
                (store) async throws in
                try await store.insert(Label(id: 1))
                try await store.transaction { tx in
                    try tx.save(Artist(id: 1, name: "changed"))
                    try tx.insert(Label(id: 2))
                }
                try await expect(store.schema().map(\.isForeign), equals: [false, true, true, true, true])
            }
            try expect(sqliteColumn(path, "SELECT Name FROM Artist WHERE ArtistId = 1"), equals: ["changed"])
        }
    }

    @Storable("t") struct Folded: Equatable {
        @Key var rowid: Int?
        var name: String
    }

    @Test
    func `text under a collation of the table's is compared by bytes, and a row number may be assigned`() async throws {
        try await withForeignDatabase([
            "CREATE TABLE t (name TEXT COLLATE NOCASE)", "INSERT INTO t VALUES ('b'), ('A'), ('a'), ('B')",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Folded.self).thenClose { (store) async throws in
                try await expect(store.select(Folded.self).where { $0.name == "a" }.keys(), equals: [3])
                try await expect(store.select(Folded.self).where { $0.name.isIn(["B", "b"]) }.keys(), equals: [1, 4])
                try await expect(
                    store.select(Folded.self).order { $0.name }.all().map(\.name), equals: ["A", "B", "a", "b"])
                try await expect(store.insert(Folded(name: "c")).rowid, equals: 5)
                try await expect(store.select(Folded.self).group { $0.name }.all { $0.count }.count, equals: 5)
            }
        }
    }

    @Storable("t") struct Text: Equatable {
        @Key var k: Int
        var v: String
    }

    @Test
    func
        `a column whose type says nothing is text that may be a number, and text that would become another is refused`()
        async throws
    {
        try await withForeignDatabase([
            "CREATE TABLE t (k INTEGER PRIMARY KEY, v STRING)",
            "INSERT INTO t VALUES (1, 'x'), (2, '007'), (3, 1.5), (4, 2)",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Text.self).thenClose { (store) async throws in
                try await expect(store.select(Text.self).all().map(\.v), equals: ["x", "7", "1.5", "2"])
                try await expect(store.select(Text.self).where { $0.v == "7" }.keys(), equals: [2])
                try await store.save(Text(k: 5, v: "8"))
                for text in ["007", "1.0", " 1", "1e3", "+1"] {
                    await expectError(.invalidValue) { try await store.save(Text(k: 6, v: text)) }
                }
                try await expect(store.select(Text.self).keys(), equals: [1, 2, 3, 4, 5])
            }
        }
    }

    @Test
    func `a database of UTF-16 text is refused`() async throws {
        try await withForeignDatabase(["PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (k INTEGER PRIMARY KEY)"]) {
            (path) async throws in
            await expectError(.unsupported) { try await Store(SQLiteBackend(path: path)) }
        }
    }

    @Test
    func `a key that is null is typeMismatch`() async throws {
        try await withForeignDatabase([
            "CREATE TABLE t (name TEXT PRIMARY KEY, n INT)", "INSERT INTO t VALUES ('a', 1), (NULL, 2)",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path)).thenClose { (store) async throws in
                let error = await expectError(.typeMismatch) { try await store.records("t").all() }
                expect(error?.property == "name" && error?.model == "t")
                try await expect(store.records("t").where(text: "n = 1").all().count, equals: 1)
            }
        }
    }
}
