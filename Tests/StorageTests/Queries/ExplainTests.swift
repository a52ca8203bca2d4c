import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("Q Queries find rows by keys and indexes, and say so")
struct ExplainTests {
    static func withRows(_ backend: Backend, _ body: (Select<Sample, Store>) async throws -> Void) async throws {
        try await withStore(backend) { (store) async throws in
            var rows = Sample.rows(300, seed: 3)
            for index in rows.indices { rows[index].number = index / 10 }
            try await store.insert(rows)
            try await body(store.select(Sample.self))
        }
    }

    @Test(arguments: Backend.allCases)
    func `a key is looked up, everything else is said alike`(_ backend: Backend) async throws {
        try await Self.withRows(backend) { select in
            let key = try await select.where { $0.id == 7 && $0.flag }.explain()
            expect(key.access == .key && key.rowsExamined == 1 && !key.sorts)
            expect(key.description.hasPrefix("Sample: by key, about 1 row examined"))
            let keys = try await select.where { $0.id.isIn([1, 2, 3, 999]) }.explain()
            expect(keys.access == .key && keys.rowsExamined == 3)
            let scan = try await select.where { $0.maybe == 1 }.order { $0.small }.explain()
            expect(scan.access == .scan && scan.rowsExamined == 300 && scan.sorts)
            expect(scan.description.hasPrefix("Sample: all rows, about 300 rows examined, sorted"))
            expect((scan.statement == nil) == (backend == .memory || backend == .archive))
        }
    }

    @Test(arguments: Backend.allCases)
    func `indexes serve equality, ranges, prefixes and sets`(_ backend: Backend) async throws {
        try await Self.withRows(backend) { select in
            func expectIndex(
                _ query: Select<Sample, Store>, _ property: String, rows: Int? = nil,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let explanation = try await query.explain()
                expect(explanation.access, equals: .index(property), sourceLocation: sourceLocation)
                if let rows { expect(explanation.rowsExamined, equals: rows, sourceLocation: sourceLocation) }
            }
            try await expectIndex(select.where { $0.number == 5 }, "number", rows: 10)
            try await expectIndex(select.where { 5 == $0.number && $0.flag }, "number", rows: 10)
            try await expectIndex(select.where { $0.number.isIn(5..<7) }, "number", rows: 20)
            try await expectIndex(select.where { $0.number.isIn([5, 6, 9]) }, "number", rows: 30)
            try await expectIndex(select.where { $0.name == "a" }, "name")
            try await expectIndex(select.where { $0.name.hasPrefix("Cheng") }, "name")
            try await expectIndex(select.where { $0.number == 5 && 10 / $0.maybe == 3 }, "number", rows: 10)
            let range = try await select.where { $0.number > 23 }.order { $0.number.descending }.explain()
            expect(range.access == .index("number") && range.rowsExamined == 60)
        }
    }

    @Test(arguments: [Backend.memory, .archive])
    func `a range of most rows takes no index`(_ backend: Backend) async throws {
        try await Self.withRows(backend) { select in
            for query in [select.where { $0.number > 5 }, select.where { $0.number > 5 && $0.maybe + 1 != 7 }] {
                let range = try await query.explain()
                expect(range.access == .scan && range.rowsExamined == 300)
            }
            try await expect(select.where { $0.number > 5 }.count(), equals: 240)
        }
    }

    @Test(arguments: [Backend.sqlite, .archive])
    func `rows that an index gives in their order are not sorted`(_ backend: Backend) async throws {
        try await Self.withRows(backend) { (select) async throws in
            try await expect(!select.order { $0.number }.limit(5).explain().sorts)
            try await expect(!select.where { $0.number == 5 }.explain().sorts)
            try await expect(!select.where { $0.number > 5 }.order { $0.number }.explain().sorts)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a condition that can fail is no way to rows, nor is one after it`(_ backend: Backend) async throws {
        try await Self.withRows(backend) { select in
            let behind = try await select.where { $0.maybe + 1 != 7 && $0.number == 5 }.explain()
            expect(behind.access == .scan && behind.rowsExamined == 300)
        }
    }
}
