import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("SQLite databases of other software are read")
struct ForeignReadingTests {
    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test
    func `opening, listing and reading change no byte and leave no file beside it`() async throws {
        try await withForeignDatabase { (path) async throws in
            let before = try bytes(path)
            let backend = SQLiteBackend(path: path)
            try await Store(backend, models: Artist.self, Album.self, Invoice.self, PlaylistTrack.self)
                .thenClose { (store) async throws in
                    try await expect(
                        store.schema().map(\.name), equals: ["Artist", "Album", "Invoice", "PlaylistTrack"])
                    try await expect(store.records("Invoice").all().count, equals: 4)
                    try await expect(store.select(Invoice.self).where { $0.total > 2 }.count(), equals: 2)
                }
            try expect(bytes(path), equals: before)
            let folder = URL(filePath: path).deletingLastPathComponent().path
            try expect(
                FileManager.default.contentsOfDirectory(atPath: folder), equals: [URL(filePath: path).lastPathComponent]
            )
        }
    }

    @Test
    func `types, keys and indexes come from the declarations`() async throws {
        try await withForeignDatabase { (path) async throws in
            try await Store(SQLiteBackend(path: path)).thenClose { (store) async throws in
                let tables = try await store.schema()
                let invoice = try #require(tables.first { $0.name == "Invoice" })
                expect(invoice.columns.map(\.type), equals: [.int64, .int64, .date, .string, .decimal])
                expect(invoice.columns.map(\.isOptional), equals: [false, false, false, true, false])
                expect(invoice.key == [0] && invoice.isForeign && !invoice.assignsKeys)
                let playlist = try #require(tables.first { $0.name == "PlaylistTrack" })
                expect(playlist.key, equals: [0, 1])
                let album = try #require(tables.first { $0.name == "Album" })
                expect(album.columns.map(\.isIndexed), equals: [false, false, true])
            }
        }
    }

    @Test
    func `records have the values as their types say`() async throws {
        try await withForeignDatabase { (path) async throws in
            try await Store(SQLiteBackend(path: path)).thenClose { (store) async throws in
                let invoices = try await store.records("Invoice").all()
                expect(
                    invoices[0].value("InvoiceDate")
                        == .double(try Date("2021-01-01T00:00:00Z").timeIntervalSinceReferenceDate))
                expect(
                    invoices.map { $0.value("Total") },
                    equals: [.text("1.98"), .text("3.96"), .text("2"), .text("13.86")])
                expect(invoices[2].value("BillingCity"), equals: .null)
                let pairs = try await store.records("PlaylistTrack").all().map {
                    [$0.value("PlaylistId"), $0.value("TrackId")]
                }
                expect(pairs, equals: [[.int(1), .int(3389)], [.int(1), .int(3402)], [.int(8), .int(3402)]])
                try await expect(store.records("Invoice").where(text: "Total >= 3.96").count(), equals: 2)
            }
        }
    }

    @Test
    func `models mapped by name are selected, filtered, ordered and summed as everywhere`() async throws {
        try await withForeignDatabase { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Artist.self, Invoice.self).thenClose {
                (store) async throws in
                try await expect(store.find(Artist.self, key: 3), equals: Artist(id: 3, name: "Antônio Carlos Jobim"))
                try await expect(store.find(Artist.self, key: 4), equals: Artist(id: 4, name: nil))
                let date = try Date("2021-01-02T00:00:00Z")
                let late = store.select(Invoice.self).where { $0.date >= date }
                try await expect(late.order { $0.total.descending }.all().map(\.id), equals: [4, 2, 3])
                try await expect(late.where { $0.total != Decimal(string: "3.96")! }.keys(), equals: [3, 4])
                try await expect(store.select(Invoice.self).sum { $0.total }, equals: Decimal(string: "21.8"))
                try await expect(store.select(Invoice.self).max { $0.date }, equals: Date("2021-01-06T13:30:00Z"))
                try await expect(store.select(Invoice.self).where { $0.city == nil }.keys(), equals: [3])
            }
        }
    }

    @Test
    func `a key and an index of the table are used`() async throws {
        try await withForeignDatabase { (path) async throws in
            try await Store(SQLiteBackend(path: path)).thenClose { (store) async throws in
                try await expect(
                    store.records("Album").where(text: "ArtistId = 1").explain().access, equals: .index("ArtistId"))
                try await expect(store.records("Album").where(text: "AlbumId = 1").explain().access, equals: .key)
                try await expect(
                    store.records("PlaylistTrack").where(text: "PlaylistId = 1").explain().access, equals: .key)
                try await expect(store.records("Album").where(text: "Title = 'x'").explain().access, equals: .scan)
            }
        }
    }

    @Test
    func `records that refer to nothing, and references that the database does not allow, are found`() async throws {
        let others = [
            "CREATE TABLE Shelf (Name TEXT PRIMARY KEY, Room TEXT REFERENCES Room (Number)) WITHOUT ROWID",
            "CREATE TABLE Room (Number TEXT, Floor INTEGER)",
            "CREATE TABLE Label (Name TEXT PRIMARY KEY, Owner TEXT REFERENCES Nobody) WITHOUT ROWID",
            "INSERT INTO Label VALUES ('red', 'me')", "INSERT INTO Shelf VALUES ('low', 'cellar')",
            "INSERT INTO Album VALUES (9, 'Nobody''s', 77)",
        ]
        try await withForeignDatabase(chinook + others) { (path) async throws in
            try await Store(SQLiteBackend(path: path)).thenClose { (store) async throws in
                var problems: [String] = []
                try await store.verify { problems.append($0.description) }
                expect(
                    problems,
                    equals: [
                        "store: Album, row 9: what it refers to in Artist is missing",
                        #"store: Shelf: its foreign keys cannot be checked: foreign key mismatch - "Shelf" referencing "Room""#,
                        "store: Label, a row: what it refers to in Nobody is missing",
                        // What the store knows as a reference, it finds by itself too.
                        "Album, key 9, property ArtistId: Artist 77, to which it refers, is not stored.",
                    ])
            }
        }
    }
}
