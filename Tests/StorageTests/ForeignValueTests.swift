import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("Values of other software's columns")
struct ForeignValueTests {
    @Storable("t") struct Dated: Equatable {
        @Key var k: Int
        var at: Date?
    }

    @Test(
        arguments: [
            ("'2021-01-02'", "2021-01-02T00:00:00Z"), ("'2021-01-02 03:04'", "2021-01-02T03:04:00Z"),
            ("'2021-01-02 03:04:05'", "2021-01-02T03:04:05Z"), ("'2021-01-02T03:04:05Z'", "2021-01-02T03:04:05Z"),
            ("'2021-01-02 03:04:05+02:00'", "2021-01-02T01:04:05Z"),
            ("'2021-01-02 03:04:05 -0230'", "2021-01-02T05:34:05Z"),
            ("'2000-02-29 23:59:59.5'", "2000-02-29T23:59:59.5Z"), ("1609556645", "2021-01-02T03:04:05Z"),
            ("-1", "1969-12-31T23:59:59Z"), ("julianday('2021-01-02 03:04:05')", "2021-01-02T03:04:05Z"),
        ])
    func `dates are read in the forms that other software writes`(stored: String, date: String) async throws {
        try await withForeignDatabase([
            "CREATE TABLE t (k INTEGER PRIMARY KEY, at DATETIME)", "INSERT INTO t VALUES (1, \(stored))",
        ]) {
            (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Dated.self).thenClose { (store) async throws in
                let date = try Date(date)
                try await expect(store.find(Dated.self, key: 1)?.at, equals: date)
                try await expect(store.select(Dated.self).where { $0.at == date }.count(), equals: 1)
            }
        }
    }

    @Test
    func `days of all years are the seconds that SQLite's own functions make of them, and are written as they were`()
        async throws
    {
        let days = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 36524)"
        try await withForeignDatabase([
            "CREATE TABLE t (k INTEGER PRIMARY KEY, at DATE, text TEXT)",
            "INSERT INTO t (k, at) \(days) SELECT unixepoch('0000-01-01', (i * 100) || ' days'), date('0000-01-01', (i * 100) || ' days') FROM n",
            "UPDATE t SET text = at",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Dated.self).thenClose { (store) async throws in
                let all = try await store.select(Dated.self).all()
                expect(all.count == 36525 && all.allSatisfy { $0.at?.timeIntervalSince1970 == Double($0.k) })
                try await store.save(all)
            }
            try expect(sqliteColumn(path, "SELECT count(*) FROM t WHERE at = text"), equals: ["36525"])
        }
    }

    @Test(arguments: [
        "'soon'", "'2021-02-30'", "'2021-01-02 24:00'", "1609556645000", "1e300", "x'00'", "'NaN'",
        "'2021-01-02Z '",
    ])
    func `what is no date is typeMismatch with the stored value, and other rows stay readable`(stored: String)
        async throws
    {
        try await withForeignDatabase([
            "CREATE TABLE t (k INTEGER PRIMARY KEY, at DATETIME)", "INSERT INTO t VALUES (1, \(stored)), (2, NULL)",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Dated.self).thenClose { (store) async throws in
                let error = await expectError(.typeMismatch) { try await store.find(Dated.self, key: 1) }
                expect(error?.model == "t" && error?.property == "at" && error?.key == [.int(1)])
                expect(error?.storedValue != nil)
                await expectError(.typeMismatch) { try await store.records("t").all() }
                try await expect(store.find(Dated.self, key: 2), equals: Dated(k: 2, at: nil))
            }
        }
    }

    @Test(
        arguments: [
            ("DATETIME", "'2001-02-03 04:05:06'", "2022-03-04 05:06:07", "2022-03-04 05:06:07.125"),
            ("DATETIME", "'2001-02-03T04:05:06.000Z'", "2022-03-04T05:06:07.000Z", "2022-03-04T05:06:07.125Z"),
            ("TIMESTAMP", "'2001-02-03 04:05:06+02:00'", "2022-03-04 05:06:07+00:00", "2022-03-04 05:06:07.125+00:00"),
            ("DATE", "'2001-02-03'", "2022-03-04 05:06:07", "2022-03-04 05:06:07.125"),
            ("DATETIME", "NULL", "2022-03-04 05:06:07", "2022-03-04 05:06:07.125"),
            ("INTEGER", "1609556645", "1646370367", "1646370367.125"),
            ("INTEGER", "NULL", "1646370367", "1646370367.125"),
            ("REAL", "2451944.5", "2459642.71258102", "2459642.71258247"),
        ])
    func `a date is written in the form of those that are there`(
        type: String, stored: String, whole: String, fraction: String
    ) async throws {
        let statements = ["CREATE TABLE t (k INTEGER PRIMARY KEY, at \(type))", "INSERT INTO t VALUES (1, \(stored))"]
        try await withForeignDatabase(statements) { (path) async throws in
            let date = try Date("2022-03-04T05:06:07Z")
            try await Store(SQLiteBackend(path: path), models: Dated.self).thenClose { (store) async throws in
                try await store.insert([Dated(k: 2, at: date), Dated(k: 3, at: date + 0.125), Dated(k: 4, at: nil)])
                let read = try await store.select(Dated.self).where { $0.k >= 2 }.all().map(\.at)
                expect(read, equals: [date, date + 0.125, nil])
            }
            try expect(sqliteColumn(path, "SELECT at FROM t WHERE k IN (2, 3)"), equals: [whole, fraction])
        }
    }

    @Test
    func `a date that a day holds is written as a day, and every bit of others comes back from text`() async throws {
        let statements = ["CREATE TABLE t (k INTEGER PRIMARY KEY, at DATE)", "INSERT INTO t VALUES (0, '1999-12-31')"]
        try await withForeignDatabase(statements) { (path) async throws in
            let day = try Date("2022-03-04T00:00:00Z")
            let seconds = [646_376_767.123_456_7, 0.1, -0.1, -1e9 + 0.333_333_3, 252_423_993_599.0, -63_145_526_399.5]
            let dates = [day] + seconds.map(Date.init(timeIntervalSinceReferenceDate:))
            try await Store(SQLiteBackend(path: path), models: Dated.self).thenClose { (store) async throws in
                try await store.insert(dates.enumerated().map { Dated(k: $0 + 1, at: $1) })
                try await expect(store.select(Dated.self).where { $0.k > 0 }.all().map(\.at), equals: dates)
                let far = Date(timeIntervalSinceReferenceDate: 252_423_993_600)
                let error = await expectError(.invalidValue) { try await store.insert(Dated(k: 99, at: far)) }
                expect(error?.key, equals: [.int(99)])
            }
            try expect(sqliteColumn(path, "SELECT at FROM t WHERE k = 1"), equals: ["2022-03-04"])
        }
    }

    @Storable("t") struct Priced: Equatable {
        @Key var k: Int
        var price: Decimal
    }

    @Test
    func
        `decimals are read from integers, reals and text, compared as numbers, and refused where digits would be lost`()
        async throws
    {
        try await withForeignDatabase([
            "CREATE TABLE t (k INTEGER PRIMARY KEY, price DECIMAL(10,2) NOT NULL)",
            "INSERT INTO t VALUES (1, 10), (2, 1.98), (3, 0.1), (4, -0.0), (5, 1e-7), (6, 1e20)",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Priced.self).thenClose { (store) async throws in
                let prices = try await store.select(Priced.self).all().map(\.price.description)
                expect(prices, equals: ["10", "1.98", "0.1", "0", "0.0000001", "100000000000000000000"])
                try await expect(store.select(Priced.self).order { $0.price }.keys(), equals: [4, 5, 3, 2, 1, 6])
                try await expect(
                    store.select(Priced.self).where { $0.price < 2 && $0.price > 0 }.keys(), equals: [2, 3, 5])
                let pi = try #require(Decimal(string: "3.14159265358979323846"))
                await expectError(.invalidValue) { try await store.insert(Priced(k: 7, price: pi)) }
                try await store.save(Priced(k: 7, price: 123_456.78))
                try await expect(store.find(Priced.self, key: 7)?.price, equals: 123_456.78)
            }
        }
    }

    @Storable("t") struct Loose: Equatable {
        @Key var k: Int
        var n: Int
        var s: String?
    }

    @Test
    func `text in an integer column and bytes in a text column are typeMismatch, never other values`() async throws {
        try await withForeignDatabase([
            "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER, s TEXT)",
            "INSERT INTO t VALUES (1, '12abc', 'a'), (2, 1, x'6162'), (3, 2.5, 'b'), (4, NULL, 'c'), (5, '7', 8)",
        ]) { (path) async throws in
            try await Store(SQLiteBackend(path: path), models: Loose.self).thenClose { (store) async throws in
                for (key, property) in [(1, "n"), (2, "s"), (3, "n"), (4, "n")] {
                    let error = await expectError(.typeMismatch) { try await store.find(Loose.self, key: key) }
                    expect(error?.property == property && error?.key == [.int(Int64(key))])
                }
                try await expect(store.find(Loose.self, key: 5), equals: Loose(k: 5, n: 7, s: "8"))
                let error = await expectError(.typeMismatch) {
                    try await store.records("t").where(text: "k = 1").all()
                }
                expect(error?.storedValue, equals: .text("12abc"))
                try await expect(store.records("t").where(text: "k = 5").all().count, equals: 1)
            }
        }
    }

    @Storable("t") struct Identified: Equatable {
        @Key var id: UUID
        var other: UUID?
    }

    @Test(
        arguments: [
            ("UUID", "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'"), ("CHAR(36)", "'6BA7B810-9DAD-11D1-80B4-00C04FD430C8'"),
            ("BLOB", "x'6ba7b8109dad11d180b400c04fd430c8'"),
        ])
    func `UUIDs are read as text of either case and as bytes, and written as those that are there`(
        type: String, stored: String
    ) async throws {
        let table = "CREATE TABLE t (id \(type) PRIMARY KEY NOT NULL, other \(type))"
        try await withForeignDatabase([table, "INSERT INTO t VALUES (\(stored), \(stored))"]) { (path) async throws in
            let first = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
            let second = UUID()
            try await Store(SQLiteBackend(path: path), models: Identified.self).thenClose { (store) async throws in
                try await expect(store.find(Identified.self, key: first), equals: Identified(id: first, other: first))
                try await store.save(Identified(id: second, other: first))
                try await store.save(Identified(id: second, other: second))
                try await expect(store.select(Identified.self).where { $0.other == second }.count(), equals: 1)
                try await expect(store.delete(Identified.self, key: second), equals: 1)
                try await store.update(Identified(id: first, other: first))
                await expectError(.duplicateKey) { try await store.insert(Identified(id: first)) }
            }
            try expect(
                sqliteColumn(path, "SELECT count(*) FROM t WHERE id = \(stored) AND other = \(stored)"), equals: ["1"])
        }
    }
}
