import Foundation
import MemoryBackend
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable("Gauge") struct Gauge: Equatable {
    var id: Int
    @Indexed var time: Date? = nil
    var marks: [Pen] = []

    init(_ id: Int, day: Double? = nil) {
        self.id = id
        time = day.map { Date(timeIntervalSinceReferenceDate: $0 * 86_400) }
        if id % 5 == 0 { marks = [Pen(id: id), Pen(id: id + 1)] }
    }
}

@Storable("Glance") private struct Glance: Equatable {
    var id: UUID
    @Indexed var time = Date(timeIntervalSinceReferenceDate: 0)

    /// A UUID of version 7 of a day since 1970.
    init(day: Int, _ number: UInt8) {
        let time = UInt64(day) * 86_400_000
        let bytes = (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * UInt64($0))) }
        id = UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number
            ))
        self.time = Date(timeIntervalSince1970: Double(day) * 86_400)
    }
}

@Storable("Seat") private struct Seat: Equatable {
    @Key var hall: Int
    @Key @Unique var ticket: Int
    var name = ""
}

/// A clock whose unit is a day.
final class DayClock: Sendable {
    private let day = Mutex(0.0)
    var now: Double {
        get { day.withLock { $0 } }
        set { day.withLock { $0 = newValue } }
    }
    func options(days: Double = 10, history: Store.HistoryOptions? = nil) -> Store.Options {
        Store.Options(
            history: history, retention: [.init(Gauge.self, by: \.time, days: days)],
            clock: { Date(timeIntervalSinceReferenceDate: self.now * 86_400) })
    }
}

@Suite(
    "Partitions by ranges of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct RangeTests {
    /// The bounds of a table's partitions, in order.
    static func ranges(_ schema: String, _ table: String = "Gauge") async throws -> [String] {
        let text = try await Server.psql(
            """
            SELECT translate(substr(pg_get_expr(c.relpartbound, c.oid), 17), '()''', '')
            FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
            WHERE h.inhparent = '"\(schema)"."\(table)"'::regclass
            """)
        let bounds = text.replacing(" TO ", with: " ").split(separator: "\n").map(String.init)
        func lower(_ bound: String) -> Int { Int(bound.prefix { $0 != " " }) ?? .min }
        return bounds.sorted { lower($0) < lower($1) }
    }

    static func withStore(
        _ options: String = "", _ body: (Store, _ schema: String, DayClock) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            let clock = DayClock()
            let store = try await Store(
                Server.backend(schema, "&ranges=Gauge:100\(options)"), models: Gauge.self, Pen.self,
                options: clock.options())
            try await body(store, schema, clock)
            try await store.close()
        }
    }

    @Test(arguments: ["", "&writers=many"])
    func `a write adds the partitions that its records need, and its owned records`(_ options: String) async throws {
        try await Self.withStore(options) { store, schema, _ in
            try await expect(Self.ranges(schema), equals: ["0 100"])
            try await store.insert([Gauge(-1), Gauge(5), Gauge(105), Gauge(950)])
            try await expect(Self.ranges(schema), equals: ["-100 0", "0 100", "100 200", "900 1000"])
            let owned = try await Server.psql(
                "SELECT relname FROM pg_class WHERE relnamespace = '\"\(schema)\"'::regnamespace AND relkind = 'p' "
                    + "AND relname LIKE 'Gauge_%'")
            try await expect(Self.ranges(schema, owned).count, equals: 3)
            try await store.save(Gauge(310, day: 1))
            try await expect(store.find(Gauge.self, key: 310), equals: Gauge(310, day: 1))
            // Copied rows.
            let many = (1000..<4000).map { Gauge($0, day: 2) }
            try await store.insert(many)
            try await expect(store.select(Gauge.self).where { $0.id >= 1000 }.all(), equals: many)
            try await expect(store.delete(Gauge.self).where { $0.id < 6 }.run(), equals: 2)
            try await expect(store.select(Gauge.self).count(), equals: 3003)
            // A key that is taken is refused as in a table without partitions.
            let error = await #expect(throws: StorageError.self) { try await store.insert(Gauge(105)) }
            expect(error?.code == .duplicateKey && error?.key == [.int(105)])
        }
    }

    @Test func `partitions are there before their rows, also of an undone transaction or savepoint`() async throws {
        try await Self.withStore { store, schema, _ in
            struct Undone: Error {}
            await #expect(throws: Undone.self) {
                try await store.transaction { tx in
                    try tx.insert(Gauge(205))
                    throw Undone()
                }
            }
            try await expect(Self.ranges(schema), equals: ["0 100", "200 300"])
            try await store.transaction { tx in
                do {
                    try tx.savepoint {
                        try tx.insert(Gauge(305))
                        throw Undone()
                    }
                } catch is Undone {}
                try tx.insert(Gauge(206))
                try tx.insert(Gauge(207))
            }
            try await expect(store.select(Gauge.self).keys(), equals: [206, 207])
            try await store.insert(Gauge(208))
            try await expect(Self.ranges(schema), equals: ["0 100", "200 300", "300 400"])
        }
    }

    @Test(arguments: ["", "&writers=many"])
    func `a transaction that has emptied or changed a table adds its partitions too`(_ options: String) async throws {
        try await Self.withStore(options) { store, schema, _ in
            try await store.insert(Gauge(5))
            try await store.transaction { tx in
                try tx.truncate(Gauge.self)
                try tx.insert([Gauge(405), Gauge(6)])
            }
            try await expect(store.select(Gauge.self).all(), equals: [Gauge(6), Gauge(405)])
            try await expect(Self.ranges(schema), equals: ["0 100", "400 500"])
            try await store.verify { Issue.record("\($0)") }
        }
    }

    @Test func `a program without the option adds partitions, also after another one has added or dropped some`()
        async throws
    {
        try await Self.withStore { store, schema, clock in
            let plain = try await Store(Server.backend(schema), models: Gauge.self)
            for id in stride(from: 50, to: 2000, by: 50) {
                try await (id % 100 == 0 ? store : plain).insert(Gauge(id, day: 1))
            }
            clock.now = 20
            try await expect(store.removeExpired(), equals: 37)
            try await expect(Self.ranges(schema), equals: ["1900 2000"])
            // Its range was dropped; in a transaction the insert is not repeated.
            try await plain.transaction { tx in try tx.insert(Gauge(60)) }
            try await plain.insert([Gauge(160), Gauge(1960)])
            try await store.insert(Gauge(70))
            try await expect(store.select(Gauge.self).keys(), equals: [60, 70, 160, 1900, 1950, 1960])
            try await plain.close()
        }
    }

    @Test func `the doctor says how many partitions a table has`() async throws {
        try await Self.withStore { store, schema, _ in
            try await store.insert([Gauge(1), Gauge(101)])
            let url = "\(Server.url ?? "")&schema=\(schema)&durability=relaxed"
            let told = try await Doctor.findings(url).0.filter { $0.check == "partitions" }
            expect(told.map(\.severity), equals: ["note", "note"])
            expect(told.first?.message.contains("Gauge has 2 partitions") == true, "\(told)")
        }
    }

    @Test func `UUIDs of version 7 have partitions by their time, and others are refused`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(
                Server.backend(schema, "&ranges=Glance:1d"), models: Glance.self,
                options: .init(
                    retention: [.init(Glance.self, by: \.time, days: 2)],
                    clock: { Date(timeIntervalSince1970: 20_003.5 * 86_400) }))
            let glances = (20_000...20_003).flatMap { day in (0..<10).map { Glance(day: day, $0) } }
            try await store.insert(glances)
            // That of the day in which the table was made, too.
            try await expect(Self.ranges(schema, "Glance").count, equals: 5)
            try await expect(store.select(Glance.self).order(by: \.id).all(), equals: glances)
            try await expect(store.removeExpired(), equals: 20)
            try await expect(store.select(Glance.self).count(), equals: 20)
            var random = Glance(day: 20_003, 11)
            random.id = UUID()
            let given = random
            let error = await #expect(throws: StorageError.self) { try await store.insert(given) }
            expect(error?.code == .invalidValue && error?.property == "id", "\(String(describing: error))")
            try await store.close()
        }
    }

    @Test func `only the owner of the table adds a partition`() async throws {
        try await Server.withRole { role in
            try await Self.withStore { store, schema, _ in
                try await Server.psql(
                    """
                    GRANT USAGE ON SCHEMA "\(schema)" TO "\(role)";
                    GRANT ALL ON ALL TABLES IN SCHEMA "\(schema)" TO "\(role)";
                    GRANT ALL ON ALL SEQUENCES IN SCHEMA "\(schema)" TO "\(role)"
                    """)
                let guest = try await Store(Server.backend(schema, "&user=\(role)"), models: Gauge.self)
                try await guest.insert(Gauge(1))
                let error = await #expect(throws: StorageError.self) { try await guest.insert(Gauge(101)) }
                expect(error?.code == .io && error?.message.contains("owner") == true)
                try await store.insert(Gauge(102))
                try await guest.insert(Gauge(103))
                try await guest.close()
                try await expect(store.select(Gauge.self).keys(), equals: [1, 102, 103])
            }
        }
    }

    @Test func `keys that are far apart are refused before they make too many partitions`() async throws {
        try await Self.withStore { store, schema, _ in
            let error = await #expect(throws: StorageError.self) {
                try await store.insert((0..<1000).map { Gauge($0 * 1000) })
            }
            expect(error?.code, equals: .limitExceeded)
            try await expect(store.select(Gauge.self).count(), equals: 0)
            try await expect(Self.ranges(schema), equals: ["0 100"])
            try await store.insert([Gauge(.min), Gauge(.max)])
            try await expect(store.select(Gauge.self).keys(), equals: [.min, .max])
        }
    }

    @Test func `a unique part of the key keeps its rule in partitions`() async throws {
        try await Server.withSchema { schema in
            for options in ["", "&partitions=4"] {
                let store = try await Store(Server.backend(schema, options), models: Seat.self)
                try await store.insert((1...20).map { Seat(hall: $0 % 3, ticket: $0) })
                try await expect(
                    Server.psql("SELECT relkind FROM pg_class WHERE oid = '\"\(schema)\".\"Seat\"'::regclass"),
                    equals: options.isEmpty ? "r" : "p")
                // The same error as in a table without partitions.
                let error = await #expect(throws: StorageError.self) {
                    try await store.insert([Seat(hall: 7, ticket: 21), Seat(hall: 7, ticket: 5)])
                }
                expect(error?.code == .constraint && error?.property == "ticket" && error?.element == 1, "\(options)")
                expect(error?.key, equals: [.int(7), .int(5)])
                try await store.update(Seat(hall: 5 % 3, ticket: 5, name: "changed"))
                try await expect(store.find(Seat.self, key: (2, 5))?.name, equals: "changed")
                try await expect(store.select(Seat.self).count(), equals: 20)
                try await store.close()
                try await Server.psql("SET client_min_messages = warning; DROP SCHEMA \"\(schema)\" CASCADE")
            }
        }
    }

    @Test(
        arguments: [
            ("Gauge", "key"), ("Gauge:", "value"), ("Gauge:0", "value"), ("Gauge:1x", "value"),
            ("Gauge:1,Gauge:2", "value"), (":5", "value"),
        ])
    func `an option that is no list of ranges is an error`(_ ranges: String, _: String) {
        let error = #expect(throws: StorageError.self) { try Server.backend("a", "&ranges=\(ranges)") }
        expect(error?.code, equals: .configuration)
    }

    @Test func `ranges that a table cannot have are an error, and nothing is made`() async throws {
        for (option, model) in [
            ("Gauge:1d", Gauge.self as any Storable.Type), ("Glance:5", Glance.self),
            ("Coin:100", CoinsAfter.Coin.self),
        ] {
            try await Server.withSchema { schema in
                let error = await #expect(throws: StorageError.self) {
                    try await Store(Server.backend(schema, "&ranges=\(option)"), models: [model])
                }
                expect(error?.code == .configuration && error?.message.contains("ranges") == true, "\(option)")
                let store = try await Store(Server.backend(schema), models: [model])
                try await store.close()
            }
        }
    }

    @Test func `a model of the option that neither the store has nor the program opens is an error`() async throws {
        try await Server.withSchema { schema in
            func expectRefusal(
                _ word: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
            ) async {
                let error = await #expect(throws: StorageError.self, sourceLocation: sourceLocation) {
                    try await body()
                }
                let isTold = ["ranges", "Guage", word].allSatisfy { error?.message.contains($0) == true }
                expect(
                    error?.code == .configuration && isTold, "\(String(describing: error))",
                    sourceLocation: sourceLocation)
            }
            let misspelt = try Server.backend(schema, "&ranges=Gauge:100,Guage:100")
            await expectRefusal("did you mean Gauge?") { _ = try await Store(misspelt, models: Gauge.self, Pen.self) }
            await expectRefusal("Gauge, Pen") { _ = try Store.Blocking.open(misspelt, models: Gauge.self, Pen.self) }
            // At the first use of a model, and for one without a type.
            let open = try await Store(misspelt)
            await expectRefusal("Gauge") { try await open.insert(Gauge(1)) }
            let source = try await Store(InMemoryBackend(), models: Gauge.self, Pen.self)
            try await source.insert([Gauge(1), Gauge(101)])
            let schemas = try await source.recordSchemas()
            await expectRefusal("Gauge") { try await open.prepare(schemas) }
            await expectRefusal("Gauge") { try await open.migrate(to: schemas) }
            await expectRefusal("Gauge") { _ = try await open.copy(from: source) }
            try await expect(open.recordSchemas().map(\.name), equals: [])
            try await open.close()
            // A copy makes the tables one after the other, and counts as one.
            let right = try await Store(Server.backend(schema, "&ranges=Gauge:100,Pen:100"))
            try await right.copy(from: source)
            try await right.close()
            try await source.close()
            try await expect(Self.ranges(schema).count, equals: 2)
            // The store has the model, which the program does not open.
            let other = try await Store(Server.backend(schema, "&ranges=Gauge:100"), models: Pen.self)
            try await other.close()
            await expectRefusal("Gauge") { _ = try await Store(misspelt, models: Pen.self) }
            // Without models there is nothing to make, and nothing to compare with.
            try await Store(misspelt).close()
        }
    }

    @Test func `a table without ranges stays as it is, and its older records are removed one by one`() async throws {
        try await Server.withSchema { schema in
            let first = try await Store(Server.backend(schema), models: Gauge.self)
            try await first.insert((0..<1500).map { Gauge($0, day: Double($0)) })
            try await first.close()
            let clock = DayClock()
            clock.now = 1209
            let store = try await Store(
                Server.backend(schema, "&ranges=Gauge:100"), models: Gauge.self, options: clock.options())
            try await expect(store.removeExpired(), equals: 1200)
            try await expect(store.select(Gauge.self).keys().first, equals: 1200)
            try await store.insert(Gauge(100_000))
            try await store.close()
        }
    }
}
