import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("SQLite databases of other software are written by models")
struct ForeignWritingTests {
    @Test
    func `all verbs write the table's own form, and no record of ours is made`() async throws {
        try await withForeignDatabase { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Invoice.self).thenClose { (store) async throws in
                let date = try Date("2022-03-04T05:06:07Z")
                try await store.insert(Invoice(id: 9, customer: 1, date: date, city: nil, total: 5))
                try await store.save(Invoice(id: 1, customer: 7, date: date + 0.25, city: "Ulm", total: 0.99))
                try await store.update(Invoice(id: 2, customer: 7, date: date, city: "Ulm", total: 1))
                try await expect(store.delete(Invoice.self, key: 3), equals: 1)
                try await expect(
                    store.update(Invoice.self).where { $0.total > 5 }.set(\.city, to: "Rom").run(), equals: 1)
                try await expect(store.find(Invoice.self, key: 1)?.date, equals: date + 0.25)
                await expectError(.duplicateKey) {
                    try await store.insert(Invoice(id: 9, customer: 1, date: date, city: nil, total: 5))
                }
                await expectError(.notFound) {
                    try await store.update(Invoice(id: 3, customer: 1, date: date, city: nil, total: 5))
                }
            }
            let rows = try sqliteRows(
                path, "SELECT InvoiceId, CustomerId, InvoiceDate, BillingCity, Total, typeof(Total) FROM Invoice")
            expect(
                rows,
                equals: [
                    ["1", "7", "2022-03-04 05:06:07.250", "Ulm", "0.99", "real"],
                    ["2", "7", "2022-03-04 05:06:07", "Ulm", "1", "integer"],
                    ["4", "14", "2021-01-06 13:30:00", "Rom", "13.86", "real"],
                    ["9", "1", "2022-03-04 05:06:07", "nil", "5", "integer"],
                ])
            try expect(sqliteColumn(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'storage%'"), equals: [])
        }
    }

    @Test
    func `a reference to a record that is missing, and from one that goes, is a constraint`() async throws {
        try await withForeignDatabase { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Artist.self, Album.self)
                .thenClose { (store) async throws in
                    let error = await expectError(.constraint) {
                        try await store.insert(Album(id: 9, title: "x", artist: 99))
                    }
                    expect(error?.key, equals: [.int(9)])
                    await expectError(.constraint) { try await store.delete(Artist.self, key: 1) }
                    try await expect(store.select(Album.self).count(), equals: 3)
                    try await expect(store.delete(Artist.self, key: 4), equals: 1)
                }
        }
    }

    @Storable("Customer") struct Named: Equatable {
        @Key @Field("CustomerId") var id: Int?
        @Field("Name") var name: String
    }

    private static let customers = [
        """
        CREATE TABLE Customer (CustomerId INTEGER PRIMARY KEY, Name TEXT NOT NULL UNIQUE, Score REAL DEFAULT 1.5,
            Made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, Changes INTEGER NOT NULL DEFAULT 0, CHECK (Name <> 'no'))
        """,
        """
        CREATE TRIGGER Counting AFTER UPDATE OF Name ON Customer
        BEGIN UPDATE Customer SET Changes = Changes + 1 WHERE CustomerId = new.CustomerId; END
        """,
        "INSERT INTO Customer (CustomerId, Name, Score, Made) VALUES (5, 'five', 7, '2020-01-01 00:00:00')",
    ]

    @Test
    func
        `columns that the model does not have keep their values on save and update, and take their defaults on insert`()
        async throws
    {
        try await withForeignDatabase(Self.customers) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Named.self).thenClose { (store) async throws in
                try await store.update(Named(id: 5, name: "5"))
                try await store.save(Named(id: 5, name: "V"))
                try await expect(store.insert(Named(id: nil, name: "six")).id, equals: 6)
                let unique = await expectError(.constraint) { try await store.insert(Named(id: 7, name: "V")) }
                expect(unique?.property == "Name" && unique?.key == [.int(7)])
                await expectError(.constraint) { try await store.insert(Named(id: 8, name: "no")) }
            }
            let sql = "SELECT CustomerId, Name, Score, Changes, Made LIKE '____-__-__ __:__:__' FROM Customer"
            try expect(sqliteRows(path, sql), equals: [["5", "V", "7.0", "2", "1"], ["6", "six", "1.5", "0", "1"]])
        }
    }

    @Storable("Artist") struct Painter: Equatable {
        @Key @Field("ArtistId") var id: Int
        @Field("Name") var name: String?
        var works: [Work] = []
    }
    @Storable struct Work: Equatable { var id: Int; var title: String }

    @Test
    func `owned records of a model on such a table are tables of ours beside it`() async throws {
        try await withForeignDatabase { (path) async throws in
            let painter = Painter(id: 4, name: "Four", works: [Work(id: 1, title: "one"), Work(id: 2, title: "two")])
            try await Store(SQLiteBackend(path: path), models: Painter.self).thenClose { (store) async throws in
                try await store.save(painter)
                try await expect(store.find(Painter.self, key: 4), equals: painter)
            }
            try await Store(SQLiteBackend(path: path), models: Painter.self).thenClose { (store) async throws in
                let found = try await store.select(Painter.self).where { $0.works.any { $0.title == "two" } }.all()
                expect(found, equals: [painter])
                try await expect(store.records("Artist").where(text: "ArtistId = 4").all().first?["works"] != nil)
                try await expect(store.delete(painter), equals: 1)
            }
            try expect(sqliteColumn(path, "SELECT count(*) FROM Artist_works"), equals: ["0"])
            try expect(sqliteColumn(path, "SELECT name FROM storage_tables"), equals: ["Artist_works"])
        }
    }

    @Storable("Artist") struct Lacking: Equatable {
        @Key @Field("ArtistId") var id: Int
        var country: String?
    }
    @Storable("Artist") struct Mistyped: Equatable {
        @Key @Field("ArtistId") var id: Int
        @Field("Name") var name: Int
    }
    @Storable("Artist") struct Miskeyed: Equatable {
        @Key @Field("Name") var name: String
    }
    @Storable("Album") struct TitledOnce: Equatable {
        @Key @Field("AlbumId") var id: Int
        @Field("Title") @Unique var title: String
    }

    @Test
    func `what the table does not have is schemaMismatch, and nothing is changed`() async throws {
        try await withForeignDatabase { (path) async throws in
            let before = try Data(contentsOf: URL(filePath: path))
            let backend = SQLiteBackend(path: path)
            let lacking = await expectError(.schemaMismatch) { try await Store(backend, models: Lacking.self) }
            expect(lacking?.property == "country" && lacking?.message.contains("ArtistId, Name") == true)
            await expect(
                expectError(.schemaMismatch) { try await Store(backend, models: Mistyped.self) }?.property
                    == "Name")
            await expectError(.schemaMismatch) { try await Store(backend, models: Miskeyed.self) }
            await expectError(.schemaMismatch) { try await Store(backend, models: TitledOnce.self) }
            try expect(Data(contentsOf: URL(filePath: path)), equals: before)
        }
    }
}
