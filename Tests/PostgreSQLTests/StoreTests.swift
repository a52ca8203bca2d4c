import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable struct Person: Equatable {
    var id: Int?
    @Indexed var name: String
    @Unique var email: String?
    var age = 0
    var price: Decimal = 0
    var big: UInt64 = 0
    var tags: [String] = []
    var pens: [Pen] = []
}

@Storable struct Pen: Equatable {
    var id: Int
    var color = ""
}

@Storable("Growing") struct Plain {
    var id: Int
}

@Storable("Growing") struct Wide: Equatable {
    var id: Int
    var text = "it's\u{0}"
    var flag = true
    var small: Int8 = -3
    var big: UInt64 = .max
    var single: Float = 0.1
    var number: Double = -.infinity
    var date = Date(timeIntervalSinceReferenceDate: 0.1)
    var price: Decimal = 1.5
    var data = Data([0, 255])
    var link: URL? = URL(string: "https://example.org")
    var words: [String] = ["a", "\u{0}"]
}

@Storable struct Triple {
    @Key var first: String
    @Key var second: String
    @Key var third: String
}

/// One model whose key was an `Int32`, and which no longer owns pens, and then does again.
enum OwnerOnce {
    @Storable("Owner") struct Owner {
        var id: Int32
        var pens: [Pen] = []
    }
}
enum OwnerSince {
    @Storable("Owner") struct Owner { var id: Int }
}
enum OwnerAgain {
    @Storable("Owner") struct Owner: Equatable {
        var id: Int
        var pens: [Pen] = []
    }
}

@Suite("PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct StoreTests {
    @Test func `a key that has become wider leaves alone what another record of the same lower half owned`()
        async throws
    {
        try await Server.withSchema { schema in
            let once = try await Store(Server.backend(schema), models: OwnerOnce.Owner.self)
            try await once.insert(OwnerOnce.Owner(id: 1, pens: [Pen(id: 7, color: "red")]))
            try await once.close()
            let since = try await Store(Server.backend(schema), models: OwnerSince.Owner.self)
            try await since.insert(OwnerSince.Owner(id: (1 << 32) + 1))
            try await since.delete(OwnerSince.Owner.self, key: (1 << 32) + 1)
            try await since.close()
            let again = try await Store(Server.backend(schema), models: OwnerAgain.Owner.self)
            try await expect(
                again.select(OwnerAgain.Owner.self).all(), equals: [.init(id: 1, pens: [Pen(id: 7, color: "red")])])
            try await again.close()
        }
    }

    @Test func `a model's table has the types that other programs expect`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Person.self)
            let ada = try await store.insert(
                Person(
                    name: "Ada\u{0}L", email: "ada@x", age: 36, price: 1.5, big: .max, tags: ["a", "b"],
                    pens: [Pen(id: 7, color: "red"), Pen(id: 8)]))
            try await expect(store.find(Person.self, key: 1), equals: ada)
            try await expect(
                store.select(Person.self).where { $0.name == "Ada\u{0}L" && $0.age > 35 }.all(), equals: [ada])
            let types = try await Server.psql(
                """
                SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position)
                FROM information_schema.columns WHERE table_schema = '\(schema)' AND table_name = 'Person'
                """)
            expect(
                types, equals: "id bigint, name text, email text, age bigint, price numeric, big numeric, tags json")
            let pens = try await Server.psql("SELECT * FROM \"\(schema)\".\"Person_pens\" ORDER BY 1, 2")
            expect(pens, equals: "1|0|7|red\n1|1|8|")
            try await store.close()
        }
    }

    @Test func `comments say what a table and a column are, also of what is added later`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Person.self, Player.self, Plain.self)
            let comments =
                """
                SELECT string_agg(coalesce(a.attname || ': ', '') || d.description, chr(10) ORDER BY c.relname, d.objsubid)
                FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
                LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
                WHERE c.relnamespace = '"\(schema)"'::regnamespace AND c.relname
                """
            let first = try await Server.psql("\(comments) LIKE 'P%'")
            expect(
                first,
                equals: """
                    Records of Person.
                    tags: An array of string.
                    The records that Person owns as pens.
                    owner_id: A part of the owning record's key.
                    position: The place in the owner's array, in ascending order.
                    Records of Player.
                    team: The key of a record of Team.
                    """)
            try await store.close()
            let wide = try await Store(Server.backend(schema), models: Wide.self)
            let added = try await Server.psql("\(comments) = 'Growing'")
            expect(
                added,
                equals: """
                    Records of Growing.
                    date: Seconds since 2001-01-01 00:00 UTC.
                    link: A URL.
                    words: An array of string.
                    """)
            try await wide.close()
        }
    }

    @Test func `a property of each type is added to stored records with its default`() async throws {
        try await Server.withSchema { schema in
            let first = try await Store(Server.backend(schema), models: Plain.self)
            try await first.insert(Plain(id: 1))
            try await first.close()
            let second = try await Store(Server.backend(schema), models: Wide.self)
            try await expect(second.find(Wide.self, key: 1), equals: Wide(id: 1))
            try await second.close()
        }
    }

    @Test func `a key of several texts has a limit for the whole of it`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Triple.self)
            let whole = store.info.limits.wholeKeyBytes
            let part = String(repeating: "k", count: whole / 3)
            let last = String(repeating: "k", count: whole - 2 * part.utf8.count)
            try await store.insert(Triple(first: part, second: part, third: last))
            let error = await #expect(throws: StorageError.self) {
                try await store.insert(Triple(first: part, second: part, third: last + "k"))
            }
            expect(error?.code, equals: .limitExceeded)
            try await expect(store.select(Triple.self).count(), equals: 1)
            try await store.close()
        }
    }

    @Test func `a backend that is ended while nobody uses it goes on with new connections`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, "&application_name=\(schema)"), models: Pen.self)
            try await store.save(Pen(id: 1))
            try await expect(store.find(Pen.self, key: 1) != nil)
            try await Server.psql(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(schema)'")
            try await expect(store.find(Pen.self, key: 1) != nil)
            try await store.save(Pen(id: 2))
            try await expect(store.select(Pen.self).count(), equals: 2)
            try await store.close()
        }
    }

    @Test func `no connection waits inside a transaction`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, "&application_name=\(schema)"), models: Pen.self)
            try await store.save(Pen(id: 1))
            try await expect(store.select(Pen.self).all().count, equals: 1)
            try await expect(store.read { tx in try tx.select(Pen.self).count() }, equals: 1)
            try await expect(store.transaction { tx in try tx.select(Pen.self).count() }, equals: 1)
            // The server answers in the order of its messages, so this follows the ends of the transactions.
            try await expect(store.select(Pen.self).count(), equals: 1)
            try await store.save(Pen(id: 2))
            let open = try await Server.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND state LIKE 'idle in%'")
            expect(open, equals: "0")
            try await store.close()
        }
    }

    @Test func `a bounded number of connections read, and one more is busy`() async throws {
        try await Server.withSchema { schema in
            try await Server.makeStore(schema, Pen.self)
            let store = try await Store(Server.backend(schema, "&connections=1&timeout=50"), models: Pen.self)
            try await store.save(Pen(id: 1))
            let error = await #expect(throws: StorageError.self) {
                try await store.read { tx in
                    _ = try tx.select(Pen.self).count()
                    _ = try store.blocking.find(Pen.self, key: 1)
                }
            }
            expect(error?.code, equals: .busy)
            try await expect(store.find(Pen.self, key: 1) != nil)
            try await store.close()
        }
    }

    @Test func `a test that fails in a transaction of the shell's ends with its failure`() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await Server.withSchema { schema in
                try await Server.psql("CREATE SCHEMA \"\(schema)\" CREATE TABLE t (id int)")
                let lock = try await Server.Session("LOCK TABLE \"\(schema)\".t IN ACCESS EXCLUSIVE MODE")
                try lock.send("SELECT 1;")
                throw Failure()
            }
        }
    }
}
