import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI

/// Measures the cost that a history adds to a save, beside a store without one in the same run.
enum Histories {
    private enum Engine: String, CaseIterable {
        case sqliteRelaxed = "SQLite, relaxed"
        case sqliteFull = "SQLite, full durability"
        case archive = "archive, relaxed"

        func open(_ path: String, _ history: Store.HistoryOptions?) async throws -> Store {
            switch self {
            case .sqliteRelaxed:
                try await Store(
                    SQLiteBackend(path: path, durability: .relaxed), models: Record.self,
                    options: .init(history: history))
            case .sqliteFull:
                try await Store(SQLiteBackend(path: path), models: Record.self, options: .init(history: history))
            case .archive:
                try await Store(
                    ArchiveBackend(path: path, durability: .relaxed), models: Record.self,
                    options: .init(history: history))
            }
        }
    }

    static func run(_ folder: URL) async throws {
        print("| engine | what | keys only, against none | with records, against none | none |")
        print("|---|---|---|---|---|")
        for engine in Engine.allCases { try await saves(engine, folder) }
    }

    /// Saves of records that exist, one at a time and 1,000 at once.
    private static func saves(_ engine: Engine, _ folder: URL) async throws {
        var stores: [Store] = []
        let kept: [Store.HistoryOptions?] = [nil, .init(keys: [Record.self]), .init(records: [Record.self])]
        for (number, history) in kept.enumerated() {
            let path = folder.appendingPathComponent("history-\(engine)-\(number)").path
            stores.append(try await engine.open(path, history))
        }
        let records = Array(Sample(1000).records.prefix(1000))
        for store in stores { try await store.save(records) }
        // Each save has other values: a record that is as it was is not written.
        try await row(engine, "one record", stores, engine == .sqliteFull ? 1000 : 2000) { store, round, number in
            var record = records[number % records.count]
            record.age = round * 10_000 + number
            try await store.save(record)
        }
        try await row(engine, "1,000 records at once", stores, 5) { store, round, number in
            var records = records
            for index in records.indices { records[index].age = round * 10_000 + number }
            try await store.save(records)
        }
        for store in stores { try await store.close() }
    }

    private static func row(
        _ engine: Engine, _ what: String, _ stores: [Store], _ count: Int,
        _ body: (Store, Int, Int) async throws -> Void
    ) async throws {
        var times: [[Double]] = stores.map { _ in [] }
        for round in 1...7 {
            for (place, store) in stores.enumerated() {
                let began = ContinuousClock.now
                for number in 0..<count { try await body(store, round, number) }
                times[place].append((ContinuousClock.now - began) / .microseconds(1) / Double(count))
            }
        }
        let ratios = times.dropFirst().map { zip($0, times[0]).map { $0 / $1 }.median }
        print(
            "| \(engine.rawValue) | \(what) | "
                + ratios.map { String(format: "%.2f", $0) }.joined(separator: " | ")
                + String(format: " | %.1f µs |", times[0].median))
    }
}
