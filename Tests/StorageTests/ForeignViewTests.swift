import Foundation
import MemoryBackend
import SQLiteBackend
import StorageDriver
import StorageKit
import TestSupport
import Testing

/// Sales of each album, with rows that are equal, and computed columns.
private let music =
    chinook + [
        "INSERT INTO Album VALUES (5, 'Big Ones', 3), (6, 'Jagged Little Pill', 2), (7, 'Facelift', 1)",
        """
        CREATE VIEW listing AS SELECT a.AlbumId, a.Title, a.ArtistId, r.Name AS artist, length(a.Title) AS size,
            a.AlbumId * 1.5 AS price, upper(r.Name) AS loud, NULL AS blank, CAST(a.Title AS BLOB) AS raw
        FROM Album AS a JOIN Artist AS r ON r.ArtistId = a.ArtistId
        """,
        """
        CREATE VIEW totals AS SELECT ArtistId, count(*) AS albums FROM Album GROUP BY ArtistId ORDER BY albums DESC, ArtistId
        """,
        "CREATE VIEW artists AS SELECT ArtistId % 2 AS half FROM Album ORDER BY AlbumId",
    ]

@Suite("Views of SQLite databases are models that can be read")
struct ForeignViewTests {
    private func withStore(_ statements: [String] = music, _ body: (Store) async throws -> Void) async throws {
        try await withForeignDatabase(statements) { (path) async throws in
            try await Store(SQLiteBackend(path: path)).thenClose { store in try await body(store) }
        }
    }

    @Test
    func `a view follows the tables, with the types of its columns and its row number as key`() async throws {
        try await withStore { store in
            let tables = try await store.schema()
            let names = ["Artist", "Album", "Invoice", "PlaylistTrack", "listing", "totals", "artists"]
            expect(tables.map(\.name), equals: names)
            expect(tables.map(\.isReadOnly), equals: [false, false, false, false, true, true, true])
            let listing = try #require(tables.first { $0.name == "listing" })
            expect(listing.isForeign && listing.rowNumber == 0 && listing.key == [0] && !listing.assignsKeys)
            expect(
                listing.columns.map(\.name),
                equals: [
                    "rowid", "AlbumId", "Title", "ArtistId", "artist", "size", "price", "loud", "blank", "raw",
                ])
            expect(
                listing.columns.map(\.type),
                equals: [
                    .int64, .int64, .string, .int64, .string, .int64, .double, .string, .string, .data,
                ])
            let schemas = try await store.recordSchemas()
            expect(schemas.filter(\.isReadOnly).map(\.name), equals: ["listing", "totals", "artists"])
        }
    }

    @Test
    func `rows come in the view's order, and are filtered, sorted, grouped and found`() async throws {
        try await withStore { store in
            let totals = try await store.records("totals").all()
            expect(totals.map { $0.value("rowid") }, equals: [.int(1), .int(2), .int(3)])
            expect(totals.map { $0.value("ArtistId") }, equals: [.int(1), .int(2), .int(3)])
            expect(totals.map { $0.value("albums") }, equals: [.int(3), .int(2), .int(1)])
            try await expect(store.records("totals").find(key: [.int(2)])?.value("albums"), equals: .int(2))
            try await expect(store.records("totals").find(key: [.int(4)]) == nil)
            let found = try await store.records("totals").find(keys: [[.int(3)], [.int(9)], [.int(1)]])
            expect(found.map { $0?.value("ArtistId") }, equals: [.int(3), nil, .int(1)])

            let listing = store.records("listing")
            let sorted = try await listing.where(text: "size > 8 and loud beginswith 'AC/'").order(text: "Title desc")
                .all()
            expect(
                sorted.map { $0.value("Title") },
                equals: [.text("Let There Be Rock"), .text("For Those About To Rock")])
            // The number of a row does not depend on the condition.
            expect(sorted.map { $0.value("rowid") }, equals: [.int(3), .int(1)])
            try await expect(listing.where(text: "ArtistId == 1").count(), equals: 3)
            try await expect(listing.where(text: "rowid in (2, 3, 77)").count(), equals: 2)
            try await expect(
                listing.where(text: "rowid >= 5").order(text: "rowid desc").limit(1).all().map {
                    $0.value("AlbumId")
                }, equals: [.int(7)])
            var sums: [[Value]] = []
            for try await fields in listing.order(text: "AlbumId").limit(2).offset(1).only(["AlbumId", "price"])
                .stream()
            {
                sums.append(fields.map { if case .value(let value, _) = $0.content { value } else { .null } })
            }
            expect(sums, equals: [[.int(2), .double(3)], [.int(4), .double(6)]])
        }
    }

    @Test(arguments: [nil, "half", "half desc", "rowid desc"])
    func `pages pass every row once, also where rows are equal`(order: String?) async throws {
        try await withStore { store in
            var records = store.records("artists")
            if let order { records = records.order(text: order) }
            let all = try await records.all().map { $0.value("rowid") }
            expect(Set(all), equals: Set((1...6).map { .int($0) }))
            var (page, read) = (try await records.page(size: 2), [Value?]())
            while true {
                read += page.records.map { $0.value("rowid") }
                guard let next = page.next else { break }
                page = try await records.page(after: next, size: 2)
            }
            expect(read, equals: all)
            var back = page.records.map { $0.value("rowid") }
            while let previous = page.previous {
                page = try await records.page(before: previous, size: 2)
                back = page.records.map { $0.value("rowid") } + back
            }
            expect(back, equals: all)
        }
    }

    @Test
    func `a condition goes into the view if the number is not read`() async throws {
        try await withStore { store in
            let albums = store.records("listing").where(text: "ArtistId == 1")
            let passed = try await albums.only(["Title", "ArtistId"]).explain()
            expect(passed.access, equals: .index("ArtistId"))
            expect(passed.statement?.contains("row_number") == false && !passed.sorts)
            let counted = try await albums.explain()
            expect(counted.statement?.contains("row_number") == true && !counted.sorts)
        }
    }

    @Test
    func `the first rows of a large view take no longer than the first rows`() async throws {
        let rows = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i, i % 7 AS week FROM c"
        // A view without end: whoever reads more than the first rows never returns.
        try await withStore(["CREATE VIEW endless AS \(rows)", "CREATE TABLE t (k INTEGER PRIMARY KEY)"]) { store in
            let endless = store.records("endless")
            try await expect(endless.limit(3).all().map { $0.value("rowid") }, equals: [.int(1), .int(2), .int(3)])
            try await expect(
                endless.where(text: "week == 0").limit(2).all().map { $0.value("i") },
                equals: [
                    .text("7"), .text("14"),
                ])
            try await expect(endless.find(key: [.int(1000)])?.value("i"), equals: .text("1000"))
            var page = try await endless.page(size: 2)
            page = try await endless.page(after: #require(page.next), size: 2)
            expect(page.records.map { $0.value("i") }, equals: [.text("3"), .text("4")])
        }
    }

    @Test
    func `views that cannot be prepared are left out, and views whose types take long to find have text`() async throws
    {
        let endless = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT max(i) AS most FROM c"
        try await withStore([
            "CREATE TABLE t (k INTEGER PRIMARY KEY, v)", "CREATE TABLE gone (k INTEGER PRIMARY KEY)",
            "CREATE VIEW a AS SELECT * FROM gone", "CREATE VIEW b AS SELECT unknown(k) FROM t", "DROP TABLE gone",
            "CREATE VIEW c AS \(endless)", "CREATE VIEW d AS SELECT k FROM t",
        ]) { store in
            let tables = try await store.schema()
            expect(tables.map(\.name), equals: ["t", "c", "d"])
            expect(tables[1].columns.map(\.type), equals: [.int64, .string])
        }
    }

    @Test(
        arguments: [
            ("count(*) AS v", ColumnType.int64), ("COUNT( DISTINCT k ) v", .int64), ("avg(k) AS \"v\"", .double),
            ("total(k) [v]", .double), ("sum(k) /* , */ AS v", .decimal), ("max(k) AS v", .decimal),
            ("count(*) || 'x' AS v", .string), ("length(max('a,', k)) AS v -- sum(", .int64),
            ("(SELECT count(*) FROM t) AS v", .decimal), ("sum(k) + length('(') AS v", .decimal),
            ("row_number() OVER (ORDER BY k) AS v", .int64), ("count(*) FILTER (WHERE k > 1) AS v", .decimal),
        ])
    func `a function gives its column its type`(term: String, type: ColumnType) async throws {
        let view = "CREATE VIEW v AS SELECT 'x, count(' AS first, \(term)\n FROM t"
        try await withStore(["CREATE TABLE t (k INTEGER PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)", view]) {
            store in
            try await expect(store.schema().last?.columns.last?.type, equals: type)
            _ = try await store.records("v").all()
        }
    }

    @Test
    func `numbers that have a fraction only after the first hundred rows are read`() async throws {
        let rows = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200) SELECT i FROM c"
        try await withStore([
            "CREATE TABLE t (k INTEGER PRIMARY KEY)", "INSERT INTO t \(rows)",
            "CREATE VIEW v AS SELECT k, CASE WHEN k > 150 THEN k / 4.0 ELSE k END AS n FROM t",
        ]) { store in
            try await expect(
                store.records("v").where(text: "n > 49").order(text: "n desc").limit(2).all().map {
                    $0.value("n")
                }, equals: [.text("150"), .text("149")])
            try await expect(store.records("v").find(key: [.int(151)])?.value("n"), equals: .text("37.75"))
        }
    }

    @Storable("listing") struct Listing: Equatable {
        @Key @Field("AlbumId") var id: Int
        @Field("Title") var title: String
        @Field("ArtistId") var artist: Int
        var size: Int
        var price: Double
    }

    @Storable("totals") struct Total: Equatable {
        @Key var rowid: Int
        @Field("ArtistId") var artist: Int
        var albums: Int
    }

    @Test
    func `a model declares the key and the types of a view's columns`() async throws {
        try await withForeignDatabase(music) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Listing.self, Total.self).thenClose {
                (store) async throws in
                let first = Listing(id: 1, title: "For Those About To Rock", artist: 1, size: 23, price: 1.5)
                try await expect(store.find(Listing.self, key: 1), equals: first)
                let byArtist = store.select(Listing.self).where { $0.artist == 1 }
                try await expect(byArtist.all().map(\.id), equals: [1, 4, 7])
                try await expect(byArtist.explain().access, equals: .index("ArtistId"))
                try await expect(
                    store.select(Listing.self).group { $0.artist }.all { ($0.key, $0.sum { $0.size }) }.map(\.1),
                    equals: [48, 35, 8])
                try await expect(
                    store.select(Total.self).all(),
                    equals: [
                        Total(rowid: 1, artist: 1, albums: 3), Total(rowid: 2, artist: 2, albums: 2),
                        Total(rowid: 3, artist: 3, albums: 1),
                    ])
            }
        }
    }

    @Storable("totals") struct Owning { @Key var rowid: Int; var tags: [Tag] }
    @Storable struct Tag { var name: String }

    @Test
    func `a view is not written, and owns nothing`() async throws {
        try await withForeignDatabase(music) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Total.self).thenClose { (store) async throws in
                let total = Total(rowid: 1, artist: 9, albums: 9)
                let record = try #require(await store.records("totals").find(key: [.int(1)]))
                let writes: [@Sendable () async throws -> Void] = [
                    { _ = try await store.insert(total) }, { _ = try await store.save(total) },
                    { try await store.update(total) }, { try await store.delete(total) },
                    { try await store.records("totals").set("albums", to: .int(3)).run() },
                    { try await store.delete(Total.self).where { $0.albums > 1 }.run() },
                    { try await store.truncate(Total.self) },
                    { _ = try await store.save(record) }, { try await store.truncate("totals") },
                    { try await store.transaction { tx in _ = try tx.save(total) } },
                ]
                for write in writes {
                    let error = await expectError(.unsupported) { try await write() }
                    expect(error?.model == "totals" && error?.message.contains("can only be read") ?? false)
                }
                try await expect(store.select(Total.self).sum { $0.albums }, equals: 6)
            }
            await expectError(.unsupported) {
                _ = try await Store(SQLiteBackend(path: path), models: Owning.self)
            }
        }
    }

    @Test
    func `copies, differences and checks are of the tables alone`() async throws {
        try await withStore { store in
            let copy = try await Store(InMemoryBackend())
            try await copy.copy(from: store)
            try await expect(
                copy.schema().map(\.name).sorted(),
                equals: [
                    "Album", "Artist", "Invoice", "PlaylistTrack",
                ])
            try await expect(store.differences(from: copy), equals: [])
            await expectError(.unsupported) { _ = try await store.digest(of: "listing") }
            await expectError(.unsupported) { try await copy.copy(["listing"], from: store) }
            try await store.verify { expect(Bool(false), "\($0)") }
            try await copy.close()
        }
    }
}
