import Foundation
import SQLiteBackend
import StorageAPI

/// A rate of calls that many tasks make at once.
struct ConcurrencyMeasurement: Codable {
    let title: String
    /// Calls a second, one figure for each round.
    var rates: [Double]

    static func table(_ measurements: [ConcurrencyMeasurement]) -> String {
        let lines = measurements.map {
            String(
                format: "| \($0.title) | %.0f (%.0f–%.0f) |", $0.rates.median, $0.rates.min() ?? 0,
                $0.rates.max() ?? 0)
        }
        let ratios = [
            ratio(measurements, 1, 0).map { String(format: "| 64 tasks against one after the other | %.1f × |", $0) },
            ratio(measurements, 3, 2).map { String(format: "| readers beside a writer against alone | %.2f × |", $0) },
        ]
        return (["| tasks | calls a second |", "|---|---|"] + lines + ratios.compactMap { $0 }).joined(separator: "\n")
    }

    private static func ratio(_ all: [ConcurrencyMeasurement], _ above: Int, _ below: Int) -> Double? {
        guard all.indices.contains(above), all.indices.contains(below) else { return nil }
        return zip(all[above].rates, all[below].rates).map { $0 / $1 }.median
    }
}

/// The cases that only concurrent tasks can measure.
struct Concurrency {
    let folder: URL
    let rounds: Int

    func run() async throws -> [ConcurrencyMeasurement] { try await saves() + reads() }

    /// Durable saves, each of which is a separate transaction or is committed with those that wait beside it.
    private func saves() async throws -> [ConcurrencyMeasurement] {
        let backend = SQLiteBackend(path: folder.appendingPathComponent("durable.db").path)
        let store = try Store.Blocking.open(backend, models: Record.self)
        let records = Sample(640).records
        try store.blocking.save(records)
        var alone = ConcurrencyMeasurement(title: "durable saves, one after the other", rates: [])
        var together = ConcurrencyMeasurement(title: "durable saves of 64 tasks", rates: [])
        for _ in 0..<rounds {
            alone.rates.append(try await rate(of: 640) { try await Self.save(store, records, tasks: 1, Rounds.next()) })
            together.rates.append(
                try await rate(of: 640) { try await Self.save(store, records, tasks: 64, Rounds.next()) })
        }
        try store.blocking.close()
        return [alone, together]
    }

    private func rate(of calls: Int, _ body: () async throws -> Void) async throws -> Double {
        try await Double(calls) / seconds(body)
    }

    private static func save(_ store: Store, _ records: [Record], tasks: Int, _ round: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for index in stride(from: task, to: records.count, by: tasks) {
                        try await store.save(records[index].changed(round))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Two tasks that look records up, alone and beside one that saves durably all the time.
    private func reads() async throws -> [ConcurrencyMeasurement] {
        let backend = SQLiteBackend(path: folder.appendingPathComponent("readers.db").path)
        let store = try Store.Blocking.open(backend, models: Record.self)
        let records = Sample(10_000).records
        try store.blocking.save(records)
        var alone = ConcurrencyMeasurement(title: "lookups of two tasks", rates: [])
        var beside = ConcurrencyMeasurement(title: "lookups of two tasks beside a writer", rates: [])
        for _ in 0..<rounds {
            alone.rates.append(try await rate(of: 40_000) { try await Self.find(store, records) })
            beside.rates.append(try await besideWriter(store, records))
        }
        try store.blocking.close()
        return [alone, beside]
    }

    private func besideWriter(_ store: Store, _ records: [Record]) async throws -> Double {
        let round = Rounds.next()
        let writer = Task {
            var index = 0
            while !Task.isCancelled {
                _ = try? await store.save(records[index % records.count].changed(round + index))
                index += 1
            }
        }
        let rate = try await rate(of: 40_000) { try await Self.find(store, records) }
        writer.cancel()
        await writer.value
        return rate
    }

    private static func find(_ store: Store, _ records: [Record]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<2 {
                group.addTask {
                    var random = Xorshift()
                    for _ in 0..<20_000 {
                        let key = (random.next(below: records.count) + task) % records.count + 1
                        guard try await store.find(Record.self, key: key) != nil else {
                            throw BenchmarkError("record \(key) is gone")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
