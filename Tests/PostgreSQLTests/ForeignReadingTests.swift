import Foundation
import MemoryBackend
import PostgreSQLBackend
import SQLiteBackend
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Storable struct Album: Equatable {
    @Key @Field("AlbumId") var id: Int
    @Field("Title") var title: String
    @Field("ArtistId") @Indexed var artist: Int32
}

@Storable struct Invoice: Equatable {
    @Key @Field("InvoiceId") var id: Int
    @Field("CustomerId") var customer: Int
    @Field("InvoiceDate") var date: Date
    @Field("BillingCity") var city: String?
    @Field("Total") var total: Decimal
}

@Storable struct PlaylistTrack: Equatable {
    @Key @Field("PlaylistId") var playlist: Int
    @Key @Field("TrackId") var track: Int
}

@Suite("PostgreSQL databases of other software are read", .enabled(if: Server.isThere, "no server"))
struct ForeignReadingTests {
    @Test func `Chinook has the tables and records that it has as a file, and reading makes nothing`() async throws {
        let file = try await Store(chinook())
        try await Server.withSchema { schema in
            let sql = try await PlainSQL(file, schema: schema).text
            try await Server.run("CREATE SCHEMA \"\(schema)\";\n" + sql)
            let tables = try await file.schema()
            let store = try await Store(Server.backend(schema, "&readonly=true"))
            expect(store.info.lacking[.foreignCommits]?.contains("No store has written"), equals: true)
            let found = try await store.schema()
            expect(Set(found) == Set(tables) && found.count == 11)
            for table in tables {
                let rows = try await store.records(table.name).all()
                let wanted = try await file.records(table.name).all()
                expect(wanted, equals: rows, "\(table.name)")
            }
            let own =
                "SELECT count(*) FROM pg_class WHERE relname LIKE 'storage%' AND relnamespace = '\"\(schema)\"'::regnamespace"
            try await expect(Server.psql(own), equals: "0")
            let copy = try await Store(InMemoryBackend())
            try await copy.copy(from: store)
            try await expect(copy.records("Track").count(), equals: 3503)
            try await store.close()
            try await copy.close()
        }
        try await file.close()
    }

    @Test func `models mapped by name are selected, filtered, ordered, grouped and summed as everywhere`() async throws
    {
        let file = try await Store(chinook(), models: Album.self, Invoice.self, PlaylistTrack.self)
        try await Server.withSchema { schema in
            let sql = try await PlainSQL(file, schema: schema).text
            try await Server.run("CREATE SCHEMA \"\(schema)\";\n" + sql)
            let backend = try Server.backend(schema, "&readonly=true")
            let store = try await Store(backend, models: Album.self, Invoice.self, PlaylistTrack.self)
            let day = Date(timeIntervalSinceReferenceDate: 300_000_000)
            func both<T: Equatable>(_ query: (Store) async throws -> T) async throws {
                let (first, second) = (try await query(store), try await query(file))
                expect(first, equals: second)
            }
            try await both { try await $0.find(Album.self, key: 7) }
            try await both { try await $0.find(PlaylistTrack.self, key: (8, 3402)) }
            try await both { try await $0.select(PlaylistTrack.self).where { $0.track == 3402 }.all() }
            try await both { try await $0.select(Album.self).where { $0.artist == 90 && $0.title != "Killers" }.all() }
            try await both { try await $0.select(Album.self).where { $0.artist.isIn([1, 2, 90]) }.keys() }
            try await both {
                try await $0.select(Album.self).where { $0.title.hasPrefix("The ") }.order { $0.title.descending }.all()
            }
            try await both { try await $0.select(Album.self).where { $0.title == "Minas" }.keys() }
            try await both {
                try await $0.select(Album.self).where { $0.title.isIn(["Minas", "Tribute", "x"]) }.keys()
            }
            try await both { try await $0.select(Album.self).where { $0.title.like("%é%_") }.keys() }
            try await both {
                try await $0.select(Album.self).where { $0.title.contains("Rock") && $0.id * 2 > 9 }.keys()
            }
            try await both {
                try await $0.select(Invoice.self).where { $0.date >= day }.order { $0.total.descending }.keys()
            }
            try await both { try await $0.select(Invoice.self).where { $0.total > 13.86 || $0.city == nil }.keys() }
            try await both { try await $0.select(Invoice.self).sum { $0.total } }
            try await both { try await $0.select(Invoice.self).max { $0.date } }
            try await both { try await $0.select(Invoice.self).where { $0.city == "a\u{0}" }.count() }
            try await both { try await $0.select(Invoice.self).where { $0.city < "B\u{0}" }.count() }
            try await both { try await $0.records("Album").where(text: "Title > 'S' and ArtistId in (1, 50)").all() }
            try await both { store in
                try await store.select(Invoice.self).group { $0.city }.all { ($0.key, $0.count, $0.max { $0.date }) }
                    .map { "\($0)" }
            }
            try await store.close()
        }
        try await file.close()
    }

    @Test(
        arguments: [
            ("smallint", "-3", ColumnType.int64, Value.int(-3)), ("bigint", "\(Int64.max)", .int64, .int(.max)),
            ("real", "0.1", .double, .double(0.1)), ("double precision", "'-Infinity'", .double, .double(-.infinity)),
            ("numeric", "1.5", .decimal, .text("1.5")), ("numeric(5,2)", "-100.10", .decimal, .text("-100.1")),
            ("money", "12.30", .decimal, .text("12.3")), ("boolean", "true", .bool, .int(1)),
            ("text", "E'a\\x01\\x02b'", .string, .text("a\u{1}\u{2}b")), ("varchar(9)", "'é'", .string, .text("é")),
            ("char(4)", "'ab'", .string, .text("ab")), ("bytea", "'\\x00ff'", .data, .blob([0, 255])),
            ("uuid", "'00000000-0000-0000-0000-0000000000ff'", .uuid, .blob([UInt8](repeating: 0, count: 15) + [255])),
            ("date", "'2001-01-03'", .date, .double(172_800)),
            ("timestamp", "'2001-01-01 00:00:01.25'", .date, .double(1.25)),
            ("timestamptz", "'2001-01-01 01:00:00+02'", .date, .double(-3600)),
            ("time", "'01:02'", .string, .text("01:02:00")),
            ("interval", "'1 day'", .string, .text("1 day")), ("jsonb", "'{\"a\":1}'", .string, .text("{\"a\": 1}")),
            ("inet", "'10.0.0.1'", .string, .text("10.0.0.1/32")), ("text[]", "'{a,b}'", .string, .text("{a,b}")),
            ("mood", "'sad'", .string, .text("sad")), ("age", "7", .int64, .int(7)),
            ("point", "'(1,2)'", .string, .text("(1,2)")),
        ])
    func `a type is read, and what was read is written as it was`(
        declared: String, stored: String, type: ColumnType, value: Value
    ) async throws {
        let sql = """
            CREATE TYPE mood AS ENUM ('ok', 'sad'); CREATE DOMAIN year AS integer; CREATE DOMAIN age AS year CHECK (VALUE < 200);
            CREATE TABLE t (k integer PRIMARY KEY, v \(declared)); INSERT INTO t VALUES (1, \(stored)), (2, NULL)
            """
        try await Server.withForeignSchema(sql) { schema in
            let text = "SELECT v FROM \"\(schema)\".t ORDER BY k"
            let before = try await Server.psql(text)
            let store = try await Store(Server.backend(schema))
            try await expect(store.schema().first?.columns.last?.type, equals: type)
            let records = try await store.records("t").all()
            expect(records.map { $0.value("v") }, equals: [value, .null])
            try await store.save(records)
            try await expect(Server.psql(text), equals: before)
            try await store.close()
        }
    }

    /// Columns that a model declares by another type than the one that they are read as without it.
    @Storable("t") struct Converted: Equatable {
        @Key var k: Int
        var flag: Int?
        var whole: Bool?
        var ratio: Double?
        var amount: Decimal?
        var seconds: Date?
        var single: Float?
        var exact: Decimal?
        var wide: Decimal?
        var moment: Date?
        var number: Double?
        var count: Int?
        var isThere: Bool?
        var name: String?
        var stamp: String?
        var mark: UUID?
    }

    @Test func `columns are read and written as the types that a model declares, and compared in them`() async throws {
        let sql = """
            CREATE TABLE t (k integer PRIMARY KEY, flag boolean, whole integer, ratio integer, amount bigint, seconds bigint,
              single double precision, exact real, wide double precision, moment double precision, number numeric(12,3),
              count numeric, "isThere" numeric, name uuid, stamp timestamp, mark bytea);
            INSERT INTO t VALUES (1, true, 1, -3, 9007199254740993, 978307200, 0.5, 0.1, 1e21, 978307200.25, 1234.5, 12, 1,
              '00000000-0000-0000-0000-0000000000ff', '2001-01-01 00:00:01', '\\x000000000000000000000000000000ff');
            INSERT INTO t (k) VALUES (2)
            """
        let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000FF"))
        let first = Converted(
            k: 1, flag: 1, whole: true, ratio: -3, amount: Decimal(string: "9007199254740993"),
            seconds: Date(timeIntervalSinceReferenceDate: 0), single: 0.5, exact: Decimal(string: "0.1"),
            wide: Decimal(string: "1000000000000000000000"), moment: Date(timeIntervalSinceReferenceDate: 0.25),
            number: 1234.5, count: 12, isThere: true, name: "00000000-0000-0000-0000-0000000000ff",
            stamp: "2001-01-01 00:00:01", mark: id)
        try await Server.withForeignSchema(sql) { schema in
            let store = try await Store(Server.backend(schema), models: Converted.self)
            try await expect(store.select(Converted.self).all(), equals: [first, Converted(k: 2)])
            let isFirst = store.select(Converted.self)
                .where { $0.flag == 1 && $0.whole == true && $0.ratio == -3 && $0.amount == first.amount }
                .where { $0.seconds == first.seconds && $0.single == 0.5 && $0.exact == first.exact }
                .where { $0.wide == first.wide && $0.moment == first.moment && $0.number == 1234.5 }
                .where { $0.count == 12 && $0.isThere == true && $0.name == first.name && $0.mark == id }
                .where { $0.stamp == first.stamp }
            try await expect(isFirst.keys(), equals: [1])
            try await expect(store.select(Converted.self).where { $0.mark.isIn([id, UUID()]) }.keys(), equals: [1])
            try await expect(store.select(Converted.self).where { $0.ratio < -2.5 && $0.flag > 0 }.keys(), equals: [1])
            var other = first
            other.k = 3
            (other.flag, other.whole, other.isThere, other.ratio, other.mark) = (0, false, false, 8, UUID())
            other.seconds = Date(timeIntervalSinceReferenceDate: 60)
            try await store.save(other)
            try await expect(store.find(Converted.self, key: 3), equals: other)
            let table = "\"\(schema)\".t"
            try await expect(
                Server.psql("SELECT flag, whole, ratio, seconds, \"isThere\" FROM \(table) WHERE k = 3")
                    == "f|0|8|978307260|0")
            let wrongs: [(inout Converted) -> Void] = [
                { $0.flag = 2 }, { $0.ratio = 1.5 }, { $0.amount = Decimal(string: "1.5") },
                { $0.exact = Decimal(string: "0.123456789") }, { $0.wide = Decimal(string: "0.12345678901234567") },
                { $0.number = 0.0001 }, { $0.name = "none" }, { $0.stamp = "no moment" },
            ]
            for (index, wrong) in wrongs.enumerated() {
                var record = Converted(k: 9)
                wrong(&record)
                let error = await #expect(throws: StorageError.self) { try await store.save(record) }
                expect(error?.code, equals: .invalidValue, "\(index): \(error.map(String.init(describing:)) ?? "nil")")
            }
            // A type that a model cannot have is reported when it is read.
            for change in ["whole = 7", "mark = '\\x00'", "count = 1.5"] {
                try await Server.psql("UPDATE \(table) SET \(change) WHERE k = 2")
                let error = await #expect(throws: StorageError.self) { try await store.find(Converted.self, key: 2) }
                expect(error?.code == .typeMismatch && error?.key == [.int(2)], "\(change)")
                try await Server.psql("UPDATE \(table) SET whole = NULL, mark = NULL, count = NULL WHERE k = 2")
            }
            try await store.close()
        }
    }

    @Test func `partitions, generated columns and tables without columns are left out`() async throws {
        let sql = """
            CREATE TABLE a (k integer PRIMARY KEY, v integer, w integer GENERATED ALWAYS AS (v + 1) STORED);
            CREATE TABLE c (v integer); CREATE TABLE d (at date PRIMARY KEY); CREATE TABLE e (k integer UNIQUE, code text NOT NULL UNIQUE);
            CREATE TABLE f (k integer PRIMARY KEY, v text UNIQUE, w text) PARTITION BY HASH (k)
            """.replacing("v text UNIQUE, w text", with: "v text")
        try await Server.withForeignSchema(
            sql, "CREATE TABLE f0 PARTITION OF f FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
            "CREATE TABLE g (k integer PRIMARY KEY, u text UNIQUE, p text, x text); CREATE UNIQUE INDEX ON g (p) WHERE p > 'x'",
            "CREATE INDEX ON g (lower(x)); CREATE TABLE h (k serial PRIMARY KEY, a integer REFERENCES a ON DELETE CASCADE)",
            "CREATE TABLE i (); CREATE TABLE j (v integer GENERATED ALWAYS AS (1) STORED)"
        ) { schema in
            let store = try await Store(Server.backend(schema, "&readonly=true"))
            let tables = try await store.schema()
            expect(tables.map(\.name), equals: ["a", "c", "d", "e", "f", "g", "h"])
            expect(tables.filter(\.isReadOnly).map(\.name), equals: ["c", "d"])
            expect(tables[0].columns.map(\.name), equals: ["k", "v"])
            expect(tables[3].key, equals: [1])
            expect(tables[5].columns.map(\.isUnique), equals: [false, true, false, false])
            expect(tables[5].columns.map(\.isIndexed), equals: [false, true, false, false])
            expect(tables.map(\.assignsKeys), equals: [false, false, false, false, false, false, true])
            expect(tables[6].columns[1].reference, equals: ReferenceSchema(model: "a", onDelete: .cascade))
            try await store.close()
        }
    }
}
