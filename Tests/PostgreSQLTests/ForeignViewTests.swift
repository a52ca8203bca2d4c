import MemoryBackend
import PostgreSQLBackend
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Suite("Views of PostgreSQL databases are models that can be read", .enabled(if: Server.isThere, "no server"))
struct ForeignViewTests {
    private static let sql = """
        CREATE TABLE album (id integer PRIMARY KEY, title text NOT NULL, artist integer);
        INSERT INTO album SELECT i, 'album ' || i, i % 10 FROM generate_series(1, 2000) AS i;
        CREATE INDEX ON album (artist);
        CREATE VIEW listing AS SELECT id, title, artist, length(title) AS size, id * 1.5 AS price, upper(title) AS loud FROM album;
        CREATE VIEW totals AS SELECT artist, count(*) AS albums FROM album WHERE id <= 33 GROUP BY artist ORDER BY 2 DESC, 1;
        CREATE MATERIALIZED VIEW kept AS SELECT artist % 2 AS half FROM album WHERE id <= 6;
        CREATE MATERIALIZED VIEW unfilled AS SELECT 1 AS one WITH NO DATA;
        CREATE TABLE loose (word text); INSERT INTO loose VALUES ('b'), ('a'), ('b')
        """

    private func withStore(_ options: String = "", _ body: (Store) async throws -> Void) async throws {
        try await Server.withForeignSchema(Self.sql) { schema in
            let store = try await Store(Server.backend(schema, options))
            do { try await body(store) } catch {
                try? await store.close()
                throw error
            }
            try await store.close()
        }
    }

    @Test func `views, materialized views and tables without a key have their row number as key`() async throws {
        try await withStore("&readonly=true") { store in
            let tables = try await store.schema()
            expect(Set(tables.map(\.name)), equals: ["album", "listing", "totals", "kept", "loose"])
            expect(Set(tables.filter(\.isReadOnly).map(\.name)), equals: ["listing", "totals", "kept", "loose"])
            let listing = try #require(tables.first { $0.name == "listing" })
            expect(listing.columns.map(\.name), equals: ["rowid", "id", "title", "artist", "size", "price", "loud"])
            expect(
                listing.columns.map(\.type),
                equals: [.int64, .int64, .string, .int64, .int64, .decimal, .string])
            expect(listing.key == [0] && listing.rowNumber == 0 && listing.isForeign)
            expect(store.info.lacking[.knownChanges] == nil)
        }
    }

    @Test func `rows come in the view's order, and are filtered, sorted, grouped and found`() async throws {
        try await withStore { store in
            let totals = try await store.records("totals").all()
            expect(totals.prefix(4).map { $0.value("rowid") }, equals: [.int(1), .int(2), .int(3), .int(4)])
            expect(totals.prefix(4).map { $0.value("artist") }, equals: [.int(1), .int(2), .int(3), .int(0)])
            try await expect(store.records("totals").find(key: [.int(4)])?.value("albums"), equals: .int(3))
            let found = try await store.records("totals").find(keys: [[.int(3)], [.int(99)], [.int(1)]])
            expect(found.map { $0?.value("artist") }, equals: [.int(3), nil, .int(1)])
            let listing = store.records("listing").where(text: "artist == 4 and size < 9")
            let sorted = try await listing.order(text: "title desc").limit(2).all()
            expect(sorted.map { $0.value("loud") }, equals: [.text("ALBUM 94"), .text("ALBUM 84")])
            expect(sorted.map { $0.value("rowid") }, equals: [.int(94), .int(84)])
            try await expect(listing.count(), equals: 10)
            // The server has no exact form of this condition.
            try await expect(
                store.records("listing").where(text: "title ==[c] 'ALBUM 12'").all().map { $0.value("rowid") },
                equals: [.int(12)])
            try await expect(store.records("loose").where(text: "word == 'b'").count(), equals: 2)
            let words = try await store.records("loose").order(text: "word").all()
            expect(words.map { $0.value("rowid") }, equals: [.int(2), .int(1), .int(3)])
        }
    }

    @Test(arguments: [nil, "half", "half desc", "rowid desc"])
    func `pages pass every row once, also where rows are equal`(order: String?) async throws {
        try await withStore { store in
            var records = store.records("kept")
            if let order { records = records.order(text: order) }
            let all = try await records.all().map { $0.value("rowid") }
            expect(Set(all), equals: Set((1...6).map { .int($0) }))
            var (page, read) = (try await records.page(size: 4), [Value?]())
            read = page.records.map { $0.value("rowid") }
            page = try await records.page(after: #require(page.next), size: 4)
            expect(read + page.records.map { $0.value("rowid") }, equals: all)
            page = try await records.page(before: #require(page.previous), size: 4)
            expect(page.records.map { $0.value("rowid") }, equals: read)
        }
    }

    @Test func `a condition goes into the view if the number is not read`() async throws {
        try await withStore { store in
            let listing = store.records("listing").where(text: "id == 7")
            let passed = try await listing.only(["title"]).explain().statement
            expect(passed?.contains("row_number"), equals: false)
            let counted = try await listing.explain().statement
            expect(counted?.contains("row_number"), equals: true)
            // Without an order the server need not sort rows that it has counted.
            try await expect(store.records("listing").limit(3).explain().sorts, equals: false)
        }
    }

    @Storable("listing") struct Listing: Equatable {
        @Key var id: Int
        var title: String
        var artist: Int
        var size: Int
        var price: Double
    }

    @Storable("kept") struct Kept: Equatable {
        @Key var rowid: Int
        var half: Int
    }

    @Test func `a model declares the key of a view, which is not written`() async throws {
        try await Server.withForeignSchema(Self.sql) { schema in
            let store = try await Store(Server.backend(schema), models: Listing.self, Kept.self)
            let seventh = Listing(id: 7, title: "album 7", artist: 7, size: 7, price: 10.5)
            try await expect(store.find(Listing.self, key: 7), equals: seventh)
            try await expect(
                store.select(Listing.self).where { $0.artist == 7 }.order { $0.price.descending }.limit(1).keys(),
                equals: [1997])
            try await expect(store.select(Kept.self).sum { $0.half }, equals: 3)
            let writes: [@Sendable () async throws -> Void] = [
                { _ = try await store.save(seventh) }, { _ = try await store.insert(Kept(rowid: 9, half: 1)) },
                { try await store.delete(seventh) }, { try await store.truncate(Kept.self) },
                { try await store.delete(Listing.self).where { $0.size > 1 }.run() },
            ]
            for write in writes {
                let error = await #expect(throws: StorageError.self) { try await write() }
                expect(error?.code == .unsupported && error?.message.contains("can only be read") ?? false)
            }
            try await store.close()
        }
    }

    @Test func `copies, differences and checks are of the tables alone`() async throws {
        try await withStore { store in
            let copy = try await Store(InMemoryBackend())
            try await copy.copy(from: store)
            try await expect(copy.schema().map(\.name), equals: ["album"])
            try await expect(store.differences(from: copy), equals: [])
            try await store.verify { expect(Bool(false), "\($0)") }
            try await copy.close()
        }
    }
}
