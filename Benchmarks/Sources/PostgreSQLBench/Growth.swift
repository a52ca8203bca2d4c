import Foundation
import PostgreSQLBackend
import StorageAPI

/// One operation, and the number of times that a round repeats it.
private struct Operation {
    let name: String
    let count: Int
    let goal: String
    let body: (Table) async throws -> Void
}

/// A store with so many records.
private final class Table {
    let count: Int
    let schema: String
    let store: Store
    /// The time for loading 100,000 records.
    var load = 0.0
    var next: Int

    init(_ count: Int) async throws {
        (self.count, schema, next) = (count, "growth_\(count)", count + 1)
        store = try await Store(backend(schema), models: Visit.self)
        let step = min(100_000, count)
        let all = try await seconds {
            for first in stride(from: 1, through: count, by: step) {
                try await store.insert(
                    (first..<min(first + step, count + 1)).map { Visit(number: $0, of: count) })
                if count >= 1_000_000, first % 1_000_000 == 1 {
                    FileHandle.standardError.write(Data("\(first - 1) of \(count) are loaded\n".utf8))
                }
            }
        }
        load = all * 100_000 / Double(count)
        try run("psql", server, "-qc", "VACUUM ANALYZE", "-c", "CHECKPOINT")
    }

    /// A key of a record.
    var key: Int { Int.random(in: 1...count) }
    var bytes: String {
        get throws {
            let sum = "SELECT pg_size_pretty(sum(pg_total_relation_size(oid))) FROM pg_class"
            return try run(
                "psql", server, "-Atc", "\(sum) WHERE relnamespace = '\(schema)'::regnamespace AND relkind = 'r'"
            ).text
        }
    }
}

private func operations() -> [Operation] {
    [
        Operation(name: "insert of one with two children", count: 300, goal: "≤ 1.5") { table in
            defer { table.next += 1 }
            try await table.store.insert(Visit(number: table.next, of: table.count))
        },
        Operation(name: "find by a random key", count: 500, goal: "≤ 1.5") { table in
            _ = try await table.store.find(Visit.self, key: table.key)
        },
        Operation(name: "page of 100 by key, behind a random one", count: 100, goal: "≤ 1.5") { table in
            let key = table.key
            _ = try await table.store.select(Visit.self).where { $0.id > key }.order { $0.id.ascending }.limit(100)
                .all()
        },
        Operation(name: "the 20 of one place, by the index", count: 200, goal: "") { table in
            let place = Visit(number: table.key, of: table.count).place
            _ = try await table.store.select(Visit.self).where { $0.place == place }.all()
        },
        Operation(name: "sum over the 20 of one place", count: 200, goal: "") { table in
            let place = Visit(number: table.key, of: table.count).place
            _ = try await table.store.select(Visit.self).where { $0.place == place }.sum { $0.amount }
        },
        Operation(name: "opening, and a find", count: 10, goal: "") { table in
            let store = try await Store(backend(table.schema), models: Visit.self)
            _ = try await store.find(Visit.self, key: table.key)
            try await store.close()
        },
        Operation(name: "count of all", count: 1, goal: "") { table in
            _ = try await table.store.select(Visit.self).count()
        },
        Operation(name: "sum over all", count: 1, goal: "") { table in
            _ = try await table.store.select(Visit.self).sum { $0.amount }
        },
    ]
}

/// The same operations on tables of several sizes, in turn, so that what else the machine does meets all alike.
func measureGrowth(_ sizes: [Int]) async throws {
    var tables: [Table] = []
    for size in sizes { tables.append(try await Table(size)) }
    func row(_ name: String, _ cells: [String], _ ratio: String = "", _ goal: String = "") {
        print("| \(name) | \(cells.joined(separator: " | ")) | \(ratio) | \(goal) |")
    }
    row("records, each with two children", sizes.map(\.description), "last : first", "goal")
    print("|" + String(repeating: "---|", count: sizes.count + 3))
    row("tables and indexes", try tables.map { try $0.bytes })
    row(
        "load of 100,000", tables.map { String(format: "%.2f s", $0.load) },
        String(format: "%.2f", (tables.last?.load ?? 0) / (tables.first?.load ?? 1)))
    for operation in operations() {
        var times = tables.map { _ in [Double]() }
        for _ in 0..<7 {
            for (number, table) in tables.enumerated() {
                let time = try await seconds { for _ in 0..<operation.count { try await operation.body(table) } }
                times[number].append(time / Double(operation.count))
            }
        }
        let medians = times.map(median)
        row(
            operation.name, medians.map { String(format: "%.3f ms", $0 * 1000) },
            String(format: "%.2f", (medians.last ?? 0) / (medians.first ?? 1)), operation.goal)
    }
    for table in tables { try await table.store.close() }
}

/// Saves in a store that keeps so many commits of its history, and in one that keeps all: in turn, in parts, after each of which the
/// size of the history's tables is asked for.
func measurePruning(_ kept: Int) async throws {
    let schemas = ["pruned", "unpruned"]
    try run("psql", server, "-qc", "SET client_min_messages = warning; DROP SCHEMA IF EXISTS pruned, unpruned CASCADE")
    var stores: [Store] = []
    for (schema, limit) in zip(schemas, [Store.HistoryLimit.commits(kept), .everything]) {
        let history = Store.HistoryOptions(records: [Visit.self], keeping: limit)
        stores.append(try await Store(backend(schema), models: Visit.self, options: .init(history: history)))
    }
    print(
        "| commits | the last \(kept) kept | all kept | ratio | size, pruned | size, all |\n|---|---|---|---|---|---|")
    for part in 1...8 {
        var times: [Double] = []
        for store in stores {
            let time = try await seconds {
                for number in 0..<kept { try await store.save(Visit(number: number % 1000, of: part * kept)) }
            }
            times.append(time / Double(kept) * 1000)
        }
        let sizes = try schemas.map { schema in
            let ofHistory =
                "relnamespace = '\(schema)'::regnamespace AND relname LIKE 'storage_history%' AND relkind = 'r'"
            let sum = "SELECT pg_size_pretty(sum(pg_total_relation_size(oid))) FROM pg_class WHERE \(ofHistory)"
            return try run("psql", server, "-Atc", sum).text
        }
        let cells = times.map { String(format: "%.3f ms", $0) } + [String(format: "%.2f", times[0] / times[1])] + sizes
        print("| \(part * kept) | \(cells.joined(separator: " | ")) |")
        fflush(nil)
    }
    for store in stores { try await store.close() }
}
