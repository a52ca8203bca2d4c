import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI

/// What keeping a history costs a save, each figure beside a store without one, in one run.
enum Histories {
    private enum Engine: String, CaseIterable {
        case sqliteRelaxed = "SQLite, relaxed"
        case sqliteFull = "SQLite, full durability"
        case archive = "archive, relaxed"

        func open(_ path: String, _ history: Store.HistoryOptions?) async throws -> Store {
            switch self {
            case .sqliteRelaxed:
                try await Store(SQLiteBackend(path: path, durability: .relaxed), models: Record.self, history: history)
            case .sqliteFull: try await Store(SQLiteBackend(path: path), models: Record.self, history: history)
            case .archive:
                try await Store(ArchiveBackend(path: path, durability: .relaxed), models: Record.self, history: history)
            }
        }
    }

    static func run(_ folder: URL) async throws {
        print("| engine | what | keys only, against none | with records, against none | none |")
        print("|---|---|---|---|---|")
        for engine in Engine.allCases { try await saves(engine, folder) }
    }

    /// Saves of records that are there, one at a time and 1,000 at once.
    private static func saves(_ engine: Engine, _ folder: URL) async throws {
        var stores: [Store] = []
        for (number, history) in [nil, .init(keys: [Record.self]), .init(records: [Record.self])].enumerated() {
            let path = folder.appendingPathComponent("history-\(engine)-\(number)").path
            stores.append(try await engine.open(path, history))
        }
        let records = Array(Sample(1000).records.prefix(1000))
        for store in stores { try await store.save(records) }
        try await row(engine, "one record", stores, engine == .sqliteFull ? 200 : 2000) { store, number in
            try await store.save(records[number % records.count])
        }
        try await row(engine, "1,000 records at once", stores, 5) { store, _ in try await store.save(records) }
        for store in stores { try await store.close() }
    }

    private static func row(
        _ engine: Engine, _ what: String, _ stores: [Store], _ count: Int,
        _ body: (Store, Int) async throws -> Void
    ) async throws {
        var times: [[Double]] = stores.map { _ in [] }
        for _ in 0..<7 {
            for (place, store) in stores.enumerated() {
                let began = ContinuousClock.now
                for number in 0..<count { try await body(store, number) }
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
