import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable("Reading") private struct Reading: Equatable {
    var id: Int
    @Indexed var place = ""
    var value: Double?
    var data = Data()
    var token = UUID()
    var marks: [Pen] = []
    var tags: [String] = []

    init(_ id: Int) {
        (self.id, place, value) = (id, "place \0 \(id % 10)", id % 3 == 0 ? nil : Double(id) / 7)
        (data, tags) = (Data([0, UInt8(id % 256)]), ["a", "\(id)"])
        if id % 100 == 0 { marks = [Pen(id: id), Pen(id: id + 1)] }
    }
}

@Storable("Amount") private struct Amount: Equatable {
    var id: Int
    var number: UInt64
}

enum CoinsBefore {
    @Storable("Coin") struct Coin: Equatable {
        var id: Int
        var number = 0
    }
}

enum CoinsAfter {
    @Storable("Coin") struct Coin: Equatable {
        var id: Int
        @Unique var number = 0
    }
    @Storable("Coin") struct Token: Equatable {
        var id: Int
        @Field("amount", renamedFrom: "number") var amount = 0
        var name: String?
    }
}

@Suite("Large tables of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct LargeTableTests {
    private static func statements(_ schema: String, _ body: (Store, CuttingProxy) async throws -> Void) async throws {
        let proxy = try CuttingProxy(to: Server.socket())
        defer { proxy.stop() }
        let url =
            "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&durability=relaxed&sslmode=disable"
            + "&timeout=60000"
        let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Reading.self, Amount.self)
        try await body(store, proxy)
        try await store.close()
    }

    @Test func `many records are copied as they are, in few round trips, and the table is analyzed`() async throws {
        try await Server.withSchema { schema in
            try await Self.statements(schema) { store, proxy in
                let readings = (1...20_000).map(Reading.init)
                let before = proxy.roundTrips
                try await store.insert(readings)
                let trips = proxy.roundTrips - before
                expect(trips < 60, "of 79 batches: \(trips)")
                let stored = try await store.select(Reading.self).order(by: \.id).all()
                expect(stored, equals: readings)
                let analyzed = "SELECT reltuples FROM pg_class WHERE oid = '\"\(schema)\".\"Reading\"'::regclass"
                try await expect(Server.psql(analyzed), equals: "20000")
                // Numbers that cross as digits are inserted by statements.
                let amounts = (1...3000).map { Amount(id: $0, number: UInt64.max - UInt64($0)) }
                try await store.insert(amounts)
                try await expect(store.select(Amount.self).order(by: \.id).all(), equals: amounts)
            }
        }
    }

    @Test func `the row that the server refuses among those that are copied is named, and nothing is stored`()
        async throws
    {
        try await Server.withSchema { schema in
            try await Self.statements(schema) { store, _ in
                try await store.insert(Reading(4000))
                let error = await #expect(throws: StorageError.self) {
                    try await store.insert((1...5000).map(Reading.init))
                }
                expect(error?.code == .duplicateKey && error?.key == [.int(4000)] && error?.element == 3999)
                try await expect(store.select(Reading.self).keys(), equals: [4000])
                // The connection is as good as before.
                try await store.insert((5001...8000).map(Reading.init))
                try await expect(store.select(Reading.self).count(), equals: 3001)
            }
        }
    }

    @Test func `a connection that is lost while rows are copied stores all of them or none`() async throws {
        try await Server.withSchema { schema in
            let application = "copying_" + UUID().uuidString.prefix(8)
            let store = try await Store(
                Server.backend(schema, "&application_name=\(application)&timeout=600000"), models: Reading.self)
            // A row in the middle waits for a transaction that has removed another one with its key.
            var other = Reading(5001)
            other.tags = []
            try await store.insert(other)
            let turn = try await Server.Session("DELETE FROM \"\(schema)\".\"Reading\" WHERE id = 5001")
            let loading = Task.detached { try await store.insert((0..<10_000).map(Reading.init)) }
            let sql =
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                + "WHERE application_name = '\(application)' AND query LIKE 'COPY%' AND wait_event_type = 'Lock'"
            try await eventually { try await Server.psql(sql) == "1" }
            try turn.send("COMMIT;")
            try await turn.end()
            // The store may repeat the call by itself.
            let count: Int
            switch await loading.result {
            case .success: count = 10_000
            case .failure(let error):
                expect((error as? StorageError)?.code == .io)
                count = 0
            }
            try await expect(store.select(Reading.self).count(), equals: count)
            try await store.close()
        }
    }

    @Test func `a table with partitions has its records as any other, with those that they own beside them`()
        async throws
    {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, "&partitions=4"), models: Reading.self, Person.self)
            let readings = (1...3000).map(Reading.init)
            try await store.insert(readings)
            try await expect(store.select(Reading.self).order(by: \.id).all(), equals: readings)
            try await expect(store.find(Reading.self, key: 200), equals: readings[199])
            let kinds = try await Server.psql(
                """
                SELECT count(*) FILTER (WHERE relkind = 'p'), count(*) FILTER (WHERE relispartition AND relkind = 'r')
                FROM pg_class WHERE relnamespace = '"\(schema)"'::regnamespace
                  AND (relname LIKE 'Reading%' OR relispartition)
                """)
            expect(kinds.hasPrefix("2|"), "the records and their marks: \(kinds)")
            let spread = try await Server.psql("SELECT count(DISTINCT tableoid) FROM \"\(schema)\".\"Reading\"")
            expect(spread, equals: "4")
            var changed = readings[99]
            (changed.value, changed.marks) = (1, [])
            try await store.save(changed)
            try await expect(store.delete(Reading.self, key: 200), equals: 1)
            try await expect(store.find(Reading.self, key: 200) == nil)
            try await expect(store.find(Reading.self, key: 100), equals: changed)
            try await store.close()

            // A later opening keeps the existing partitions, whatever the option says.
            let plain = try await Store(Server.backend(schema), models: Reading.self)
            try await expect(plain.select(Reading.self).count(), equals: 2999)
            try await plain.truncate(Reading.self)
            try await expect(plain.select(Reading.self).count(), equals: 0)
            try await plain.close()
        }
    }

    @Test func `a unique property leaves a new table whole, and is refused in one with partitions`() async throws {
        try await Server.withSchema { schema in
            func partitioned() async throws -> String {
                try await Server.psql(
                    "SELECT coalesce(string_agg(relname, ','), '') FROM pg_class "
                        + "WHERE relnamespace = '\"\(schema)\"'::regnamespace AND relkind = 'p'")
            }
            let unique = try await Store(Server.backend(schema, "&partitions=4"), models: CoinsAfter.Coin.self)
            try await expect(partitioned(), equals: "")
            try await unique.close()
            try await Server.psql("SET client_min_messages = warning; DROP SCHEMA \"\(schema)\" CASCADE")

            let store = try await Store(Server.backend(schema, "&partitions=4"), models: CoinsBefore.Coin.self)
            try await store.insert([CoinsBefore.Coin(id: 1, number: 5), CoinsBefore.Coin(id: 2, number: 6)])
            try await store.close()
            try await expect(partitioned(), equals: "Coin")
            let error = await #expect(throws: StorageError.self) {
                try await Store(Server.backend(schema), models: CoinsAfter.Coin.self)
            }
            expect(error?.code, equals: .unsupported)
            // A renamed and a new property keep it.
            let renamed = try await Store(Server.backend(schema), models: CoinsAfter.Token.self)
            try await expect(partitioned(), equals: "Coin")
            try await expect(renamed.select(CoinsAfter.Token.self).count(), equals: 2)
            try await renamed.close()
        }
    }
}
