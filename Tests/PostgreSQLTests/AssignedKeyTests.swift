import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite(
    "Keys that PostgreSQL's stores assign",
    .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct AssignedKeyTests {
    private struct Undone: Error {}

    /// Imitates an earlier version of the store in one transaction, which has its number.
    private static func asEarlier(_ schema: String, _ statements: String...) async throws {
        let keys = "\"\(schema)\".storage_keys"
        let all = statements.map {
            $0.replacing("KEYS", with: keys).replacing("MODEL", with: "\"\(schema)\".\"Pair\"")
        }
        try await Server.psql(
            """
            BEGIN; LOCK TABLE "\(schema)".storage_info IN EXCLUSIVE MODE; SELECT nextval('"\(schema)".storage_commits');
            \(all.joined(separator: ";")); COMMIT
            """)
    }

    /// As it registers a key.
    private static func remembering(_ key: Int) -> String {
        """
        INSERT INTO KEYS AS k (name, greatest) VALUES ('Pair', \(key))
        ON CONFLICT (name) DO UPDATE SET greatest = excluded.greatest WHERE k.greatest < excluded.greatest
        """
    }

    @Test func `an earlier version and this one write in turn to one store`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Pair.self)
            func recorded() async throws -> String {
                try await Server.psql("SELECT greatest FROM \"\(schema)\".storage_keys")
            }
            func next() async throws -> Int? {
                let key = try await store.insert(Pair()).id
                // Reads as an earlier version does.
                try await expect(recorded(), equals: key.map(String.init))
                return key
            }
            try await expect(next(), equals: 1)
            try await expect(next(), equals: 2)
            try await Self.asEarlier(schema, "INSERT INTO MODEL VALUES (3, '')", Self.remembering(3))
            try await expect(next(), equals: 4)
            try await Self.asEarlier(schema, "DELETE FROM MODEL WHERE id >= 3")
            try await expect(next(), equals: 5)
            try await Self.asEarlier(schema, "DELETE FROM MODEL", "DELETE FROM KEYS WHERE name = 'Pair'")
            try await expect(next(), equals: 1)
            // A program that is no store takes no number.
            try await Server.psql("UPDATE \"\(schema)\".storage_keys SET greatest = 100")
            try await store.insert(Pair(id: 2))
            try await expect(recorded(), equals: "100")
            try await expect(next(), equals: 101)
            try await store.close()
        }
    }

    @Test func `what is undone leaves no key, and what is deleted keeps it`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Pair.self)
            try await store.insert([Pair(), Pair()])
            await #expect(throws: Undone.self) {
                try await store.transaction { tx in
                    try tx.insert([Pair(), Pair()])
                    throw Undone()
                }
            }
            let keys = try await store.transaction { tx in
                let third = try tx.insert(Pair()).id
                do {
                    try tx.savepoint {
                        try tx.insert(Pair(id: 50))
                        throw Undone()
                    }
                } catch is Undone {}
                return [third, try tx.insert(Pair()).id]
            }
            expect(keys, equals: [3, 4])
            await #expect(throws: StorageError.self) { try await store.insert([Pair(), Pair(id: 4)]) }
            try await expect(store.insert(Pair()).id, equals: 5)
            try await store.insert(Pair(id: 9))
            try await store.delete(Pair.self, key: 9)
            try await expect(store.insert(Pair()).id, equals: 10)
            try await store.truncate(Pair.self)
            try await expect(store.insert(Pair()).id, equals: 1)
            // Calls of many tasks share a transaction, which tells the server once.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 { group.addTask { try await store.insert(Pair()) } }
                try await group.waitForAll()
            }
            try await expect(store.select(Pair.self).keys(), equals: (1...65).map { $0 })
            try await store.close()
            let again = try await Store(Server.backend(schema), models: Pair.self)
            try await expect(again.insert(Pair()).id, equals: 66)
            try await again.close()
        }
    }

    /// The server finds the last version of a row by an index only by going over all versions that a snapshot keeps.
    @Test(arguments: [1, 2])
    func `nobody looks into the index of the keys beside a snapshot`(_ writers: Int) async throws {
        try await Server.withSchema { schema in
            var stores: [Store] = []
            for _ in 0..<writers { stores.append(try await Store(Server.backend(schema), models: Pair.self)) }
            let snapshot = try await Server.Session(
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM \"\(schema)\".\"Pair\"")
            for number in 0..<300 { try await stores[number % writers].insert(Pair()) }
            try await snapshot.end()
            try await expect(stores[0].select(Pair.self).count(), equals: 300)
            for store in stores { try await store.close() }
            let counts = """
                SELECT idx_scan FROM pg_stat_user_tables
                WHERE schemaname = '\(schema)' AND relname = 'storage_keys' AND n_tup_upd >= 299
                """
            var scans = ""
            try await eventually {
                scans = try await Server.psql(counts)
                return !scans.isEmpty
            }
            try expect(#require(Int(scans)) < 10)
        }
    }
}

@Storable struct Pair: Equatable {
    var id: Int?
    var name = ""
}
