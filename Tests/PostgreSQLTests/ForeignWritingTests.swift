import Foundation
import PostgreSQLBackend
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Suite("PostgreSQL databases of other software are written by models", .enabled(if: Server.isThere, "no server"))
struct ForeignWritingTests {
    private func error(_ code: StorageError.Code, _ body: () async throws -> Void) async -> StorageError? {
        let error = await #expect(throws: StorageError.self) { try await body() }
        expect(error?.code, equals: code, "\(error.map(String.init(describing:)) ?? "nil")")
        return error
    }

    @Storable("customer") struct Customer: Equatable {
        @Key @Field("customer_id") var id: Int?
        var name: String
        var balance: Decimal?
        @Field("since") var since: Date?
    }

    private static let customers = """
        CREATE TABLE customer (customer_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(8) NOT NULL UNIQUE,
          balance numeric(8,2), since timestamptz, score real DEFAULT 1.5, made timestamptz NOT NULL DEFAULT now(),
          changes integer NOT NULL DEFAULT 0, CHECK (name <> 'no'));
        CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN new.changes := old.changes + 1; RETURN new; END $$;
        CREATE TRIGGER counting BEFORE UPDATE OF name ON customer FOR EACH ROW EXECUTE FUNCTION counted();
        INSERT INTO customer (name, balance) VALUES ('one', 1), ('two', 2)
        """

    @Test func `all verbs write, columns that the model lacks keep their values, and the sequence goes on`()
        async throws
    {
        try await Server.withForeignSchema(Self.customers) { schema in
            let table = "\"\(schema)\".customer"
            let store = try await Store(Server.backend(schema), models: Customer.self)
            let since = Date(timeIntervalSinceReferenceDate: 0.125)
            let three = try await store.insert(Customer(name: "three", balance: 3.25, since: since))
            expect(three.id, equals: 3)
            try await expect(store.insert([Customer(name: "four"), Customer(name: "five")]).map(\.id), equals: [4, 5])
            try await Server.psql("INSERT INTO \(table) (name) VALUES ('six')")
            try await expect(store.insert(Customer(name: "seven")).id, equals: 7)
            try await store.save(Customer(id: 20, name: "twenty"))
            try await Server.psql("INSERT INTO \(table) (name) VALUES ('next')")
            try await expect(store.find(Customer.self, key: 21)?.name, equals: "next")
            try await store.update(Customer(id: 1, name: "ONE", balance: 9))
            try await store.save(Customer(id: 1, name: "One", balance: 9))
            try await expect(
                store.update(Customer.self).where { $0.balance > 2 }.set(\.balance, to: 0.5).run(), equals: 2)
            try await expect(store.delete(Customer.self, key: 2), equals: 1)
            try await expect(store.find(Customer.self, key: 3)?.since, equals: since)
            let rows = try await Server.psql(
                "SELECT customer_id, name, balance, since AT TIME ZONE 'UTC', score, changes FROM \(table) WHERE customer_id < 5 ORDER BY 1"
            )
            expect(rows, equals: "1|One|0.50||1.5|2\n3|three|0.50|2001-01-01 00:00:00.125|1.5|0\n4|four|||1.5|0")
            try await store.close()
        }
    }

    @Test func `what the table refuses has the contract's errors, with key and property`() async throws {
        try await Server.withForeignSchema(Self.customers) { schema in
            let store = try await Store(Server.backend(schema), models: Customer.self)
            let key = await error(.duplicateKey) { try await store.insert(Customer(id: 1, name: "x")) }
            expect(key?.key, equals: [.int(1)])
            let unique = await error(.constraint) {
                try await store.insert([Customer(id: 7, name: "x"), Customer(id: 8, name: "two")])
            }
            expect(unique?.property == "name" && unique?.key == [.int(8)])
            let check = await error(.constraint) { try await store.insert(Customer(id: 9, name: "no")) }
            expect(check?.key, equals: [.int(9)])
            _ = await error(.notFound) { try await store.update(Customer(id: 9, name: "x")) }
            for name in ["123456789", "1234567  ", "a\u{0}b"] {
                let error = await error(.invalidValue) { try await store.insert(Customer(id: 9, name: name)) }
                expect(error?.key, equals: [.int(9)])
            }
            let fine = await error(.invalidValue) { try await store.save(Customer(id: 1, name: "x", balance: 0.125)) }
            expect(fine?.property == "balance" && fine?.key == [.int(1)])
            _ = await error(.invalidValue) { try await store.save(Customer(id: 1, name: "x", balance: 10_000_000)) }
            _ = await error(.invalidValue) {
                try await store.update(Customer.self).set(\.balance, to: 0.001).run()
            }
            try await expect(store.select(Customer.self).all().map(\.name), equals: ["one", "two"])
            try await store.close()
        }
    }

    @Storable("t") struct Narrow: Equatable {
        @Key var code: String
        var day: Date?
        var small: Int?
        var real: Double?
        var mood: String?
        var second: Date?
        var json: [String]?
    }

    @Test func `a value that a column would change is refused, and others come back as they were`() async throws {
        let sql = """
            CREATE TYPE mood AS ENUM ('ok', 'sad');
            CREATE TABLE t (code char(3) PRIMARY KEY, day date, small smallint, "real" real, mood mood, second timestamp(0), json jsonb)
            """
        try await Server.withForeignSchema(sql) { schema in
            let store = try await Store(Server.backend(schema), models: Narrow.self)
            let day = Date(timeIntervalSinceReferenceDate: -86_400 * 1000)
            let whole = Narrow(
                code: "ab", day: day, small: -32768, real: 0.1, mood: "ok", second: day + 1, json: ["a", "é"])
            try await store.save(whole)
            try await expect(store.find(Narrow.self, key: "ab"), equals: whole)
            try await expect(store.find(Narrow.self, key: "ab ") == nil)
            try await expect(
                store.select(Narrow.self).where { $0.real == 0.1 && $0.day == day && $0.mood == "ok" }.all()
                    == [whole])
            for wrong in [
                Narrow(code: "a "), Narrow(code: "abcd"), Narrow(code: "x", day: day + 1),
                Narrow(code: "x", small: 32768),
                Narrow(code: "x", real: 0.123456789), Narrow(code: "x", mood: "x"),
                Narrow(code: "x", second: day + 0.5),
            ] {
                _ = await error(.invalidValue) { try await store.save(wrong) }
            }
            try await expect(store.select(Narrow.self).all(), equals: [whole])
            try await expect(store.delete(Narrow.self, key: "ab "), equals: 0)
            try await expect(store.delete(whole), equals: 1)
            try await store.close()
        }
    }

    @Storable("expiring") struct Expiring: Equatable {
        var id: Int
        var day: Date?
        var local: Date?
        var moment: Date?
        var second: Date?
        var number: Date?
    }

    @Test func `what a column of days or moments has is saved again, infinity and the ends of its range too`()
        async throws
    {
        let sql = """
            CREATE TABLE expiring (id integer PRIMARY KEY, day date, local timestamp, moment timestamptz, second timestamptz(0),
              number float8);
            INSERT INTO expiring VALUES (1, 'infinity', 'infinity', 'infinity', 'infinity', 'infinity'),
              (2, '-infinity', '-infinity', '-infinity', '-infinity', '-infinity'),
              (3, '5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999Z', '294276-12-31 23:59:59Z', 0),
              (4, '4713-01-01 BC', '4713-01-01 BC', '4713-01-01 00:00:00Z BC', '4713-01-01 00:00:00Z BC', 0),
              (5, '1999-12-31', '1999-12-31 23:59:59.5', '2000-02-29 12:00:00.000001Z', '1969-12-31 23:59:59Z', 0)
            """
        try await Server.withForeignSchema(sql) { schema in
            func rows(_ condition: String = "true") async throws -> String {
                try await Server.psql(
                    "SET timezone = 'UTC'; SELECT * FROM \"\(schema)\".expiring WHERE \(condition) ORDER BY id")
            }
            let store = try await Store(Server.backend(schema), models: Expiring.self)
            let (before, records) = (try await rows(), try await store.select(Expiring.self).all())
            expect(records[0].day?.timeIntervalSinceReferenceDate, equals: Double.infinity)
            try await store.save(records)
            for record in records { try await store.update(record) }
            try await expect(rows(), equals: before)
            for record in records {
                try await store.update(Expiring.self).where { $0.id == 5 }
                    .set(\.day, to: record.day).set(\.local, to: record.local).set(\.moment, to: record.moment)
                    .set(\.second, to: record.second).set(\.number, to: record.number).run()
                var copy = record
                copy.id = 6
                try await store.insert(copy)
                let found = try await store.find(Expiring.self, key: 5)
                copy.id = 5
                expect(found, equals: copy)
                try await store.delete(Expiring.self, key: 6)
            }
            let far = Date(timeIntervalSinceReferenceDate: 9_223_339_708_801)
            for wrong in [
                Expiring(id: 1, day: far.addingTimeInterval(1e15)), Expiring(id: 1, local: far),
                Expiring(id: 1, moment: far),
            ] {
                _ = await error(.invalidValue) { try await store.save(wrong) }
            }
            try await expect(rows("id = 1") == before.split(separator: "\n")[0])
            try await store.close()
        }
    }

    @Storable("spelled") struct Spelled: Equatable {
        @Key var id: String
        var day: String?
        var moment: String?
        var second: String?
        var hour: String?
        var bits: String?
        var sizes: String?
        var label: String?
    }

    @Test func `dates and UUIDs as text are stored as the server writes them, or not at all`() async throws {
        let sql = """
            CREATE TABLE spelled (id uuid PRIMARY KEY, day date, moment timestamp, second timestamptz(0), hour time(0),
              bits varbit(3), sizes numeric(3,1)[], label name)
            """
        try await Server.withForeignSchema(sql) { schema in
            let store = try await Store(Server.backend(schema), models: Spelled.self)
            let id = "c0ffee00-0000-4000-8000-00000000000a"
            let right = Spelled(
                id: id, day: "2024-02-29", moment: "2024-02-29 12:00:00.5", second: "infinity", hour: "23:59:59",
                bits: "101", sizes: "{1.5,2.0}", label: String(repeating: "a", count: 63))
            try await store.save(right)
            try await expect(store.select(Spelled.self).all(), equals: [right])
            for wrong in [
                Spelled(id: id.uppercased()), Spelled(id: id, day: "yesterday"), Spelled(id: id, day: "2024-2-29"),
                Spelled(id: id, moment: "2024-02-29T12:00:00.5"), Spelled(id: id, moment: "2024-02-30 12:00:00"),
                Spelled(id: id, second: "2024-02-29 12:00:00.5+00"),
                Spelled(id: id, hour: "23:59:59.5"), Spelled(id: id, bits: "1010"), Spelled(id: id, sizes: "{1.25}"),
                Spelled(id: id, label: String(repeating: "é", count: 32)),
            ] {
                _ = await error(.invalidValue) { try await store.save(wrong) }
            }
            let patch = await error(.invalidValue) {
                try await store.update(Spelled.self).set(\.day, to: "29 February 2024").run()
            }
            expect(patch?.message.contains("the server writes 2024-02-29, not 29 February 2024"), equals: true)
            try await expect(store.update(Spelled.self).set(\.day, to: "2024-03-01").run(), equals: 1)
            try await store.save(Spelled(id: id, day: "2024-03-02", hour: "1:00", sizes: "{ 1.0 }"))
            let other = try await store.find(Spelled.self, key: id)
            expect(other, equals: Spelled(id: id, day: "2024-03-02", hour: "01:00:00", sizes: "{1.0}"))
            try await expect(store.select(Spelled.self).count(), equals: 1)
            try await store.close()
        }
    }

    @Storable("artist") struct Painter: Equatable {
        var id: Int
        var name: String
        var works: [Work] = []
    }
    @Storable struct Work: Equatable { var id: Int; var title: String }
    @Storable("artist") struct Lacking { var id: Int; var country: String? }
    @Storable("artist") struct Mistyped { var id: Int; var name: Date }
    @Storable("artist") struct Miskeyed { @Key var name: String }

    @Test func `owned records stand beside it, foreign keys hold, and what the table lacks is schemaMismatch`()
        async throws
    {
        let sql = """
            CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL); INSERT INTO artist VALUES (1, 'a'), (2, 'b');
            CREATE TABLE album (id integer PRIMARY KEY, artist integer REFERENCES artist); INSERT INTO album VALUES (1, 1)
            """
        try await Server.withForeignSchema(sql) { schema in
            let painter = Painter(id: 2, name: "B", works: [Work(id: 1, title: "one"), Work(id: 2, title: "two")])
            let store = try await Store(Server.backend(schema), models: Painter.self)
            try await store.save(painter)
            try await expect(store.find(Painter.self, key: 2), equals: painter)
            try await expect(
                store.select(Painter.self).where { $0.works.any { $0.title == "two" } }.all(), equals: [painter])
            _ = await error(.constraint) { try await store.delete(Painter.self, key: 1) }
            try await expect(store.delete(painter), equals: 1)
            try await expect(Server.psql("SELECT count(*) FROM \"\(schema)\".\"artist_works\""), equals: "0")
            _ = await error(.schemaMismatch) { _ = try await Store(Server.backend(schema), models: Lacking.self) }
            _ = await error(.schemaMismatch) { _ = try await Store(Server.backend(schema), models: Miskeyed.self) }
            let mistyped = try await Store(Server.backend(schema), models: Mistyped.self)
            let type = await error(.schemaMismatch) { _ = try await mistyped.find(Mistyped.self, key: 1) }
            expect(type?.property, equals: "name")
            try await mistyped.close()
            try await Server.psql("ALTER TABLE \"\(schema)\".artist RENAME COLUMN name TO title")
            let read = await error(.schemaMismatch) { _ = try await store.select(Painter.self).all() }
            expect(read?.message.contains("open the store again"), equals: true)
            _ = await error(.schemaMismatch) { try await store.save(painter) }
            try await store.close()
        }
    }
}
