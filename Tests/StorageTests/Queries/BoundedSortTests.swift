import Foundation
import SQLiteBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

/// The work of a store's queries.
private final class CountedWork: Sendable {
    private let amount = Mutex(0)

    func take() -> Int {
        amount.withLock { amount in
            defer { amount = 0 }
            return amount
        }
    }

    func counting(_ base: SQLiteBackend) -> WatchedQueries {
        WatchedQueries(base) { [self] (reader, plan, arguments) throws(StorageError) in
            guard let session = reader as? any WorkCountingSession else { return try reader.rows(plan, arguments) }
            let counted = QueryWork()
            var cursor = try session.rows(plan, arguments, counting: counted)
            var rows: [[Value]] = []
            while try cursor.next() { rows.append((0..<plan.query.width).map { cursor.cells[$0].value }) }
            amount.withLock { $0 += counted.amount }
            var next = rows.makeIterator()
            return Cursor(columns: plan.query.width) { () throws(StorageError) in next.next() }
        }
    }
}

@Suite("Q4 Sorts by a column without an index, of many rows", .repeatable)
struct BoundedSortTests {
    @Storable struct Reading: Equatable {
        var id: Int
        /// Rises with the key.
        var rising: Int
        /// In no order of the key, with ties, and nil for every tenth.
        var rank: Int?
        var name: String
        /// With NaN.
        var ratio: Double
        var isOpen: Bool
        var amount: Decimal
        var large: UInt64
        /// Nil for nearly all.
        var rare: String?
        @Indexed var kind: Int
    }

    private static let count = 110_000

    /// Fills the table as another program does, since that is quick. The key is an expression of n, from 1 on.
    private func fill(_ path: String, key: String, _ count: Int = count) throws {
        try sqliteRun(
            path,
            """
            INSERT INTO "Reading"
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
            SELECT \(key), n, CASE WHEN n % 10 = 0 THEN NULL ELSE n * 7919 % 50021 END, 'name ' || (n * 104729 % 1000003),
            CASE WHEN n % 1000 = 0 THEN 'NaN' ELSE n * 31 % 10007 / 8.0 END, n % 3 = 0, (n * 613 % 997) || '.5',
            CASE WHEN n % 5 = 0 THEN '1844674407370955' || (1000 + n * 17 % 615) ELSE n * 17 % 4099 END,
            CASE WHEN n % 4000 = 0 THEN 'rare ' || n END, n % 7 FROM number
            """)
    }

    private func withReadings(
        key: String = "n", _ count: Int = count, _ body: (Store, String, CountedWork) async throws -> Void
    ) async throws {
        try await withDatabase { path in
            let work = CountedWork()
            try await Store(work.counting(SQLiteBackend(path: path)), models: Reading.self).thenClose { store in
                try fill(path, key: key, count)
                try await body(store, path, work)
            }
        }
    }

    /// Orders as texts, and as SQL that another program sorts by.
    private static let orders = [
        ("rising", "rising, id"), ("rising desc", "rising DESC, id"), ("rank", "rank, id"),
        ("rank desc", "rank DESC, id"), ("rank desc, id desc", "rank DESC, id DESC"), ("rank, id", "rank, id"),
        ("rank, id desc", "rank, id DESC"), ("name", "name, id"), ("name desc", "name DESC, id"),
        ("ratio", "ratio, id"), ("ratio desc", "ratio DESC, id"), ("isOpen", "isOpen, id"),
        ("isOpen desc", "isOpen DESC, id"), ("isOpen desc, id desc", "isOpen DESC, id DESC"),
        ("amount", "CAST(amount AS REAL), id"), ("amount desc", "CAST(amount AS REAL) DESC, id"),
        ("large", "large, id"), ("large desc", "large DESC, id"), ("rare", "rare, id"), ("rare desc", "rare DESC, id"),
        ("isOpen, name", "isOpen, name, id"), ("kind", "kind, id"), ("id desc", "id DESC"),
    ]

    private func ids(_ select: Select<DynamicRecord, Store>) async throws -> [String] {
        try await select.only(["id"]).all().map { fields in
            fields.compactMap { if case .value(.int(let id), _) = $0.content { String(id) } else { nil } }[0]
        }
    }

    private func expectSame(
        _ store: Store, _ path: String, condition: (text: String, sql: String)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (order, sql) in TestExtent.share(Self.orders, oneOf: 3) {
            for (limit, offset) in [(101, 0), (20, 60)] {
                var select = store.records("Reading").order(text: order).limit(limit).offset(offset)
                if let condition { select = select.where(text: condition.text) }
                let found = try await ids(select)
                let filter = condition.map { "WHERE \($0.sql) " } ?? ""
                let expected = try sqliteColumn(
                    path, "SELECT id FROM Reading \(filter)ORDER BY \(sql) LIMIT \(limit) OFFSET \(offset)")
                expect(found, equals: expected, "\(order) \(limit) \(offset)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [
        // Dense, far from each other, below 0, and most of them in a small part of all numbers.
        "n", "n * 1000000007 + n % 5 - 90000000000000", "CASE WHEN n < 55000 THEN n ELSE n * 4000000007 END",
        "CASE WHEN n = 1 THEN -9223372036854775807 ELSE n * 83848836698678 END",
    ])
    func `a limited sort gives the first rows in every order, whatever the keys are`(_ key: String) async throws {
        try await withReadings(key: key) { store, path, _ in try await expectSame(store, path) }
    }

    @Test(arguments: [
        ("rank > 40000", "rank > 40000"), ("name beginswith \"name 77\"", "name >= 'name 77' AND name < 'name 78'"),
        ("rising < 90000 and not isOpen", "rising < 90000 AND NOT isOpen"), ("rare != nil", "rare IS NOT NULL"),
        ("kind == 3", "kind = 3"),
    ])
    func `a limited sort of the rows that meet a condition gives the first of them`(
        _ text: String, _ sql: String
    ) async throws {
        try await withReadings { store, path, _ in try await expectSame(store, path, condition: (text, sql)) }
    }

    @Test func `a limited sort leaves most rows out by one comparison`() async throws {
        let count = 150_000
        try await withReadings(count) { store, _, work in
            for order in ["rising desc", "rank desc", "isOpen", "isOpen desc", "name", "name desc"] {
                let select = store.records("Reading").order(text: order)
                _ = work.take()
                _ = try await select.limit(100).only(["id"]).all()
                let bounded = work.take()
                // A limit of so many has no bound.
                _ = try await select.limit(1025).only(["id"]).all()
                let plain = work.take()
                // Rows with the value of the bound take a second comparison, by their keys.
                let maximum = order.hasPrefix("isOpen") ? count * 13 / 2 : count * 5
                expect(bounded < maximum && plain > count * 6, "\(order): \(bounded) instead of \(plain)")
            }
        }
    }

    @Test func `a small table is sorted without a sample`() async throws {
        try await withReadings(1000) { store, path, work in
            _ = work.take()
            _ = try await store.records("Reading").order(text: "rank").limit(10).only(["id"]).all()
            let first = work.take()
            _ = try await store.records("Reading").order(text: "rank").limit(1024).only(["id"]).all()
            expect(first < work.take())
            try await expectSame(store, path)
        }
    }

    @Test func `a transaction sorts what it has written`() async throws {
        try await withReadings { store, _, _ in
            try await store.transaction { transaction in
                try transaction.update(Reading.self).where { $0.rising <= 50 }.set(\.rank, to: 60_000).run()
                let found = try transaction.select(Reading.self).order { $0.rank.descending }.limit(60).all()
                expect(found.map(\.id).prefix(50), equals: Array(1...50)[...])
                expect(found.count == 60 && found[50].rank == 50_020)
            }
        }
    }

    @Test func `tables of other software are sorted alike`() async throws {
        try await withDatabase { path in
            let number = "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 130000)"
            try sqliteRun(
                path, "CREATE TABLE number(id INTEGER PRIMARY KEY, title TEXT, size)",
                "INSERT INTO number \(number) SELECT n, 't' || (n * 7919 % 100003), n * 13 % 5003 FROM number",
                "CREATE TABLE code(id TEXT PRIMARY KEY, title TEXT COLLATE NOCASE NOT NULL)",
                "INSERT INTO code \(number) SELECT 'k' || (n * 31 % 130003), CASE n % 2 WHEN 0 THEN 'T' ELSE 't' END"
                    + " || (n * 7919 % 100003) FROM number",
                "CREATE TABLE keyless(title TEXT)",
                "INSERT INTO keyless \(number) SELECT 't' || (n * 7919 % 100003) FROM number",
                "CREATE TABLE ordered(id TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID",
                "INSERT INTO ordered SELECT id, title FROM code")
            try await Store(SQLiteBackend(path: path)).thenClose { store in
                for (table, key) in [("number", "id"), ("code", "id"), ("keyless", "rowid"), ("ordered", "id")] {
                    for direction in ["asc", "desc"] {
                        let found = try await store.records(table).order(text: "title \(direction)").limit(101).all()
                        let expected = try sqliteColumn(
                            path,
                            "SELECT title FROM \(table) ORDER BY title COLLATE BINARY \(direction), \(key) LIMIT 101")
                        let titles = found.map { record in
                            if case .text(let title)? = record.value("title") { title } else { "" }
                        }
                        expect(titles, equals: expected, "\(table) \(direction)")
                    }
                }
            }
        }
    }
}
