import Foundation
import PostgreSQLBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

private enum Before {
    @Storable("Coin") struct Coin: Equatable {
        var id: Int
        var number = 0
        var place = ""
    }
}

private enum Indexed {
    @Storable("Coin") struct Coin: Equatable {
        var id: Int
        @Indexed var number = 0
        var place = ""
    }
}

private enum Wider {
    @Storable("Coin") struct Coin: Equatable {
        var id: Int
        @Indexed var number = 0
        var place = ""
        @Indexed var year: Int?
    }
}

private enum Unique {
    @Storable("Coin") struct Coin: Equatable {
        var id: Int
        @Unique var number = 0
        var place = ""
    }
}

private enum Renamed {
    @Storable("Coin") struct Coin: Equatable {
        var id: Int
        @Indexed @Field("amount", renamedFrom: "number") var amount = 0
        var place = ""
        @Indexed var year: Int?
    }
}

@Suite(
    "Indexes that PostgreSQL makes beside writers",
    .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct IndexBuildingTests {
    /// A backend for which every table is large.
    private static func backend(_ schema: String, _ options: String = "&timeout=60000") throws -> PostgreSQLBackend {
        var backend = try Server.backend(schema, options)
        backend.largeTableBytes = 0
        return backend
    }

    private static func open(_ schema: String, _ model: any Storable.Type) async throws -> Store {
        try await Store(backend(schema), models: [model])
    }

    private static func makeCoins(_ schema: String, _ options: String = "") async throws {
        let store = try await Store(Server.backend(schema, options), models: Before.Coin.self)
        try await store.insert((1...100).map { Before.Coin(id: $0, number: $0) })
        try await store.close()
    }

    /// The indexes of the coins besides that of the key, and whether each is valid.
    private static func indexes(_ schema: String) async throws -> [String] {
        try await Server.psql(
            """
            SELECT indisunique || ' ' || indisvalid FROM pg_index
            WHERE indrelid = '"\(schema)"."Coin"'::regclass AND NOT indisprimary ORDER BY 1
            """
        ).split(separator: "\n").map(String.init)
    }

    private static func unbuilt(_ schema: String) async throws -> String {
        try await Server.psql("SELECT count(*) FROM \"\(schema)\".storage_info WHERE key LIKE 'index %'")
    }

    /// Waits until the server makes an index and waits for a transaction of others.
    private static func waitForBuild(_ schema: String) async throws {
        let sql =
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE%INDEX CONCURRENTLY%\(schema)%' "
            + "AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()"
        try await eventually { try await Server.psql(sql) == "1" }
    }

    /// A transaction of another program that has written to the table, for which the server waits.
    private static func holder(_ schema: String) async throws -> Server.Session {
        try await Server.Session("UPDATE \"\(schema)\".\"Coin\" SET place = 'held' WHERE id = 100")
    }

    private static func write(_ id: Int, numbered number: Int? = nil, to store: Store) async throws {
        try await store.insert(Before.Coin(id: id, number: number ?? id))
    }

    @Test func `others write, and open the store, while an index is made`() async throws {
        try await Server.withSchema { schema in
            try await Self.makeCoins(schema)
            let old = try await Self.open(schema, Before.Coin.self)
            let holder = try await Self.holder(schema)
            let opening = Task.detached { try await Self.open(schema, Indexed.Coin.self) }
            try await Self.waitForBuild(schema)
            try await expect(Self.indexes(schema), equals: ["false false"])
            try await Self.write(101, to: old)
            // One program makes the index, and others do not wait for it.
            let second = try await Self.open(schema, Indexed.Coin.self)
            try await second.insert(Indexed.Coin(id: 102, number: 102))
            try await expect(second.select(Indexed.Coin.self).where { $0.number == 101 }.keys(), equals: [101])
            try await expect(Self.indexes(schema), equals: ["false false"])
            try await holder.end()
            let first = try await opening.value
            try await expect(Self.indexes(schema), equals: ["false true"])
            try await expect(Self.unbuilt(schema), equals: "0")
            try await expect(first.select(Indexed.Coin.self).where { $0.number >= 101 }.keys(), equals: [101, 102])
            for store in [first, second, old] { try await store.close() }
        }
    }

    @Test func `others write while a unique index is made, and the rule binds when it is recorded`() async throws {
        try await Server.withSchema { schema in
            try await Self.makeCoins(schema)
            let old = try await Self.open(schema, Before.Coin.self)
            let holder = try await Self.holder(schema)
            let opening = Task.detached { try await Self.open(schema, Unique.Coin.self) }
            try await Self.waitForBuild(schema)
            try await Self.write(101, to: old)
            // A program that declares nothing new neither waits nor takes the index away.
            try await Self.open(schema, Before.Coin.self).close()
            try await holder.end()
            let store = try await opening.value
            try await expect(Self.indexes(schema), equals: ["true true"])
            try await expect(Self.unbuilt(schema), equals: "0")
            let refusals = [
                await #expect(throws: StorageError.self) {
                    try await store.insert(Unique.Coin(id: 103, number: 101))
                },
                await #expect(throws: StorageError.self) { try await Self.write(104, numbered: 101, to: old) },
            ]
            for error in refusals {
                expect(error?.code == .constraint && error?.property == "number")
            }
            try await store.close()
            try await old.close()
        }
    }

    @Test func `equal values leave no index and no rule`() async throws {
        try await Server.withSchema { schema in
            try await Self.makeCoins(schema)
            let old = try await Self.open(schema, Before.Coin.self)
            try await old.insert(Before.Coin(id: 101, number: 7))
            let error = await #expect(throws: StorageError.self) { try await Self.open(schema, Unique.Coin.self) }
            expect(error?.code == .constraint && error?.storedValue == .int(7) && error?.model == "Coin")
            try await expect(Self.indexes(schema), equals: [])
            try await old.insert(Before.Coin(id: 102, number: 7))
            try await old.delete(Before.Coin.self, keys: [101, 102])
            // The next opening finds the row of the failed index, and no index.
            let store = try await Self.open(schema, Unique.Coin.self)
            try await expect(Self.indexes(schema), equals: ["true true"])
            try await expect(Self.unbuilt(schema), equals: "0")
            try await store.close()
            try await old.close()
        }
    }

    @Test func `a cancelled opening leaves the index to the next one`() async throws {
        try await Server.withSchema { schema in
            try await Self.makeCoins(schema)
            let holder = try await Self.holder(schema)
            let opening = Task.detached { try await Self.open(schema, Indexed.Coin.self) }
            try await Self.waitForBuild(schema)
            opening.cancel()
            let error = await #expect(throws: StorageError.self) { try await opening.value }
            expect(error?.code, equals: .cancelled)
            try await expect(Self.unbuilt(schema), equals: "1")
            try await holder.end()
            // A program that has the schema already makes the index too.
            let store = try await Self.open(schema, Indexed.Coin.self)
            try await expect(Self.indexes(schema), equals: ["false true"])
            try await expect(Self.unbuilt(schema), equals: "0")
            try await store.close()
        }
    }

    @Test func `a first use waits for transactions of others no longer than the timeout`() async throws {
        try await Server.withSchema { schema in
            try await Self.makeCoins(schema)
            let store = try await Store(Self.backend(schema, "&timeout=500"), models: [])
            let holder = try await Self.holder(schema)
            try await expect(store.select(Indexed.Coin.self).where { $0.number == 7 }.keys(), equals: [7])
            try await expect(Self.unbuilt(schema), equals: "1")
            try await holder.end()
            try await store.buildIndexes()
            try await expect(Self.indexes(schema), equals: ["false true"])
            try await expect(Self.unbuilt(schema), equals: "0")
            try await store.close()
        }
    }

    @Test func `an invalid index is made again, and one that no table records is dropped`() async throws {
        try await Server.withSchema { schema in
            try await Self.makeCoins(schema)
            try await Self.open(schema, Indexed.Coin.self).close()
            let name = try await Server.psql(
                "SELECT relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid "
                    + "WHERE indrelid = '\"\(schema)\".\"Coin\"'::regclass AND NOT indisprimary")
            try await Server.psql(
                """
                UPDATE pg_index SET indisvalid = false WHERE indexrelid = '"\(schema)"."\(name)"'::regclass;
                CREATE UNIQUE INDEX storage_unique_left ON "\(schema)"."Coin" (place) WHERE id < 0;
                INSERT INTO "\(schema)".storage_info VALUES ('index \(name)', ''), ('index storage_unique_left', '')
                """)
            let store = try await Store(Self.backend(schema), models: [])
            try await expect(Self.indexes(schema), equals: ["false true"])
            try await expect(Self.unbuilt(schema), equals: "0")
            try await store.close()
        }
    }

    @Test func `the index of an added property and those of partitions are made after the change`() async throws {
        for options in ["", "&partitions=4"] {
            try await Server.withSchema { schema in
                try await Self.makeCoins(schema, options)
                let steps = Mutex<[IndexProgress]>([])
                var backend = try Self.backend(schema)
                backend.largeTableBytes = 1
                let store = try await Store(
                    backend, models: Wider.Coin.self,
                    options: .init(indexBuilding: { step in steps.withLock { $0.append(step) } }))
                try await expect(Self.indexes(schema), equals: ["false true", "false true"])
                try await expect(Self.unbuilt(schema), equals: "0")
                try await store.insert(Wider.Coin(id: 101, number: 5, year: 1899))
                try await expect(store.select(Wider.Coin.self).where { $0.year == 1899 }.keys(), equals: [101])
                try await store.buildIndexes()
                try await store.close()
            }
        }
    }

    @Test func `a renamed property keeps its index as it is`() async throws {
        try await Server.withSchema { schema in
            try await Self.makeCoins(schema)
            try await Self.open(schema, Wider.Coin.self).close()
            let files =
                "SELECT string_agg(indexrelid::text, ',' ORDER BY indexrelid) FROM pg_index "
                + "WHERE indrelid = '\"\(schema)\".\"Coin\"'::regclass"
            let before = try await Server.psql(files)
            let store = try await Self.open(schema, Renamed.Coin.self)
            try await expect(Server.psql(files), equals: before)
            try await expect(store.select(Renamed.Coin.self).where { $0.amount == 7 }.keys(), equals: [7])
            try await store.close()
        }
    }
}
