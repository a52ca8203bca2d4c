import Foundation
import MemoryBackend
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable struct Heavy: Equatable {
    var id: Int
    var price: Double
    var tiny: Double
    var amount: Decimal
    var time: Duration
    @Indexed var name: String
    var group: Ref<Pen>?
    var content: Data

    init(_ id: Int, bytes: Int) {
        (self.id, price, tiny) = (id, Double(id) / 10, Double(id) / 1e12)
        (amount, time, name) = (Decimal(id) / 8, .milliseconds(id), "name \(id)")
        group = id % 5 == 0 ? nil : Ref(key: id % 100)
        content = Data(repeating: UInt8(truncatingIfNeeded: id), count: bytes)
    }
}

@Suite("What PostgreSQL sends", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct CostTests {
    /// Stores of so many records, on the server through a proxy and in memory.
    private static func withStores(
        _ count: Int, bytes: Int, _ body: (CuttingProxy, Store, Store) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&durability=relaxed&timeout=60000"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Heavy.self, Pen.self)
            let memory = try await Store(InMemoryBackend(), models: Heavy.self, Pen.self)
            for target in [store, memory] {
                try await target.insert((0..<100).map { Pen(id: $0, color: "color \($0)") })
                try await target.insert((0..<count).map { Heavy($0, bytes: bytes) })
            }
            try await body(proxy, store, memory)
            try await store.close()
            try await memory.close()
        }
    }

    @Test func `what is computed of a property fetches nothing of the others`() async throws {
        try await Self.withStores(16, bytes: 100_000) { proxy, store, memory in
            func sums(_ store: Store) async throws -> [String] {
                let heavy = store.select(Heavy.self)
                var sums = ["\(try await heavy.sum { $0.price }) \(try await heavy.average { $0.price } ?? -1)"]
                // A condition without an exact form in SQL is computed here.
                sums.append("\(try await heavy.sum { $0.tiny }) \(try await heavy.average { $0.tiny } ?? -1)")
                sums.append("\(try await heavy.sum { $0.amount }) \(try await heavy.average { $0.amount } ?? -1)")
                sums.append("\(try await heavy.sum { $0.time }) \(try await heavy.sum { $0.id * 2 })")
                sums.append("\(try await heavy.where { $0.id * 2 > 9 && $0.group.color != nil }.count())")
                sums.append("\(try await heavy.where { $0.name.contains("NAME 1", ignoring: .case) }.keys())")
                return sums
            }
            let before = proxy.answeredBytes
            let answers = try await sums(store)
            expect(proxy.answeredBytes - before < 100_000)
            let expected = try await sums(memory)
            expect(answers, equals: expected)
        }
    }

    @Test func `of large records few come at a time`() async throws {
        let records = TestExtent.isLarge ? 48 : 20
        try await Self.withStores(records, bytes: 1_000_000) { proxy, store, _ in
            let heavy = store.select(Heavy.self)
            for select in [heavy, heavy.limit(1000), heavy.where { $0.id * 2 >= 0 }] {
                for limit in [1, records] {
                    let before = proxy.answeredBytes
                    var count = 0
                    for try await record in select.stream() {
                        expect(record.id == count && record.content.count == 1_000_000)
                        count += 1
                        // The rows that have arrived, and the rows of the next answer.
                        expect(proxy.answeredBytes - before < (count + 9) * 1_000_000)
                        if count == limit { break }
                    }
                    expect(count, equals: limit)
                }
            }
        }
    }

    @Test func `a condition through a reference begins with the records that it refers to`() async throws {
        try await Self.withStores(4000, bytes: 1) { _, store, memory in
            try await Server.psql("ANALYZE")
            let explained = try await store.select(Heavy.self).where { $0.group.color == "color 7" }.explain()
            expect(explained.access, equals: .index("group"))
            let conditions: [(Heavy.Columns) -> QueryExpression<Bool>] = [
                { $0.group.color == "color 7" }, { $0.group.color.isIn(["color 7", "color 8"]) },
                { $0.group.color.hasPrefix("color 77") },
                { $0.group.color != "color 7" }, { $0.group.color == nil }, { $0.group.color != nil },
                { !($0.group.color == "color 7") }, { !($0.group.color < "color 7") },
                { $0.group.color == nil || $0.group.color > "color 97" },
            ]
            for condition in conditions {
                let found = try await store.select(Heavy.self).where(condition).keys()
                let expected = try await memory.select(Heavy.self).where(condition).keys()
                expect(found, equals: expected)
            }
        }
    }

    @Test func `an order through a reference joins the records, whatever the conditions are`() async throws {
        try await Self.withStores(400, bytes: 1) { _, store, memory in
            let conditions: [(Heavy.Columns) -> QueryExpression<Bool>] = [
                { $0.id >= 0 }, { $0.group.color > "color 2" }, { $0.group.color != "color 7" },
                { $0.group.color == nil || $0.group.color > "color 97" }, { !($0.group.color < "color 7") },
            ]
            for condition in conditions {
                let query = store.select(Heavy.self).where(condition).order { $0.group.color }.limit(30)
                let statement = try await query.explain().statement ?? ""
                expect(statement.contains(" LEFT JOIN ") && !statement.contains("(SELECT "), "\(statement)")
                let expected = try await memory.select(Heavy.self).where(condition).order { $0.group.color }.limit(30)
                    .keys()
                try await expect(query.keys(), equals: expected)
            }
        }
    }

    @Storable("Item") struct Item: Equatable {
        var id: Int
        @Indexed var number: Int
        var name = ""
    }

    @Test func `reads without a limit read the rows of the index that serves their condition, and explain says so`()
        async throws
    {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Item.self)
            try await Server.psql(
                """
                INSERT INTO "\(schema)"."Item" (id, number, name)
                  SELECT i, i % 1000, 'name ' || i FROM generate_series(1, 50000) AS i;
                ANALYZE "\(schema)"."Item"
                """)
            let items = store.select(Item.self).where { $0.number.isIn([1, 2, 3, 4, 5]) }
            try await expect(items.explain().access, equals: .index("number"))
            try await expect(items.all().count, equals: 250)
            try await expect(items.keys().count, equals: 250)
            try await expect(items.only { $0.name }.all().count, equals: 250)
            try await expect(items.order { $0.name }.all().count, equals: 250)
            var count = 0
            for try await _ in items.stream() { count += 1 }
            expect(count, equals: 250)
            // A condition that SQL cannot express is computed here.
            try await expect(items.where { $0.name.contains("NAME", ignoring: .case) }.all().count, equals: 250)
            try await store.close()
            let counts = "FROM pg_stat_user_tables WHERE schemaname = '\(schema)' AND relname = 'Item'"
            try await eventually { try await Server.psql("SELECT idx_scan >= 6 \(counts)") == "t" }
            let read = try await Server.psql("SELECT seq_tup_read + idx_tup_fetch \(counts)")
            expect(Int(read).map { $0 < 5000 }, equals: true, "\(read) rows")
        }
    }

    @Test func `the ends of an indexed property are read from the index`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Person.self)
            try await store.insert((0..<5000).map { Person(name: "n\($0)", email: $0 % 2 == 0 ? nil : "\($0)@x") })
            try await Server.psql("ANALYZE \"\(schema)\".\"Person\"")
            let people = store.select(Person.self)
            try await expect(people.max { $0.name }, equals: "n999")
            try await expect(people.min { $0.name }, equals: "n0")
            try await expect(people.min { $0.email }, equals: "1001@x")
            try await expect(people.where { $0.id < 0 }.max { $0.name } == nil)
            try await store.close()
            // The server counts the reads of a connection when it has ended.
            let counts = """
                SELECT seq_tup_read FROM pg_stat_user_tables
                WHERE schemaname = '\(schema)' AND relname = 'Person' AND idx_scan >= 3
                """
            var read = ""
            try await eventually {
                read = try await Server.psql(counts)
                return !read.isEmpty
            }
            expect(read, equals: "0")
        }
    }

    @Test func `parameters are numbered without looking at those before`() {
        /// A value that counts how often it is compared.
        struct Counted: Hashable {
            static let comparisons = Mutex(0)
            let value: Int
            static func == (left: Counted, right: Counted) -> Bool {
                comparisons.withLock { $0 += 1 }
                return left.value == right.value
            }
            func hash(into hasher: inout Hasher) { hasher.combine(value) }
        }
        var list = DistinctList<Counted>()
        // One check, because 16,000 checks would take longer than the list.
        expect((0..<16_000).allSatisfy { list.index(of: Counted(value: $0)) == $0 })
        expect(list.index(of: Counted(value: 7)), equals: 7)
        list.removeAll(after: 15_000)
        expect(list.elements.count == 15_000 && list.index(of: Counted(value: 15_500)) == 15_000)
        expect(Counted.comparisons.withLock { $0 } < 160_000)
    }
}
