import Foundation
import GRDB
import SQLiteBackend
import StorageAPI

/// Measures the cost of observed queries, beside the same without observers and GRDB's in the same run.
enum Observing {
    static func run(_ folder: URL) async throws {
        print("| what | measured |")
        print("|---|---|")
        try await unrelated(folder)
        try await changedRecords(folder)
        try await latency(folder)
        try await beside(folder)
        try await idle(folder)
    }

    private static func open(_ folder: URL, _ name: String) async throws -> Store {
        let path = folder.appendingPathComponent("\(name).db").path
        return try await Store(SQLiteBackend(path: path, durability: .relaxed), models: Item.self, Record.self)
    }

    private static func items(_ count: Int) -> [Item] {
        (0..<count).map { Item(id: $0, first: $0, second: $0 % 7, third: 0, label: "item") }
    }

    private static func row(_ what: String, _ measured: String) { print("| \(what) | \(measured) |") }

    /// Microseconds for each call.
    private static func time(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
        let began = ContinuousClock.now
        for number in 0..<count { try await body(number) }
        return (ContinuousClock.now - began) / .microseconds(1) / Double(count)
    }

    /// Saves while 100 queries of another model are observed, and without.
    private static func unrelated(_ folder: URL) async throws {
        let store = try await open(folder, "unrelated")
        try await store.save(items(100))
        let record = Sample(1).records[0]
        var alone: [Double] = []
        var observed: [Double] = []
        for _ in 0..<7 {
            alone.append(try await time(3000) { _ in try await store.save(record) })
            let tasks = (0..<100).map { _ in
                Task { for try await _ in store.select(Item.self).values() {} }
            }
            // The first observers are notified when this one is; all of them wait when nothing is left to read.
            try await Task.sleep(for: .milliseconds(100))
            observed.append(try await time(3000) { _ in try await store.save(record) })
            for task in tasks { task.cancel() }
            for task in tasks { try await task.value }
        }
        let ratio = zip(observed, alone).map { $0 / $1 }.median
        row(
            "a save while 100 queries of another model are observed, against none",
            String(format: "%.2f (%.1f µs, %.1f µs)", ratio, observed.median, alone.median))
        try await store.close()
    }

    /// 10,000 commits of one record each under an observed query of 10,000 records.
    private static func changedRecords(_ folder: URL) async throws {
        let store = try await open(folder, "changed")
        try await store.save(items(10_000))
        let query = store.select(Item.self)
        let again = try await time(20) { _ in _ = try await query.all() }
        var values = query.values().makeAsyncIterator()
        _ = try await values.next()
        var reading = 0.0
        for number in 0..<10_000 {
            try await store.save(Item(id: number, first: -1, second: 0, third: number, label: "changed"))
            let began = ContinuousClock.now
            _ = try await values.next()
            reading += (ContinuousClock.now - began) / .microseconds(1)
        }
        row(
            "work for an element after each of 10,000 commits, query of 10,000 records, against reading it again",
            String(format: "1/%.0f (%.1f µs, %.0f µs)", again / (reading / 10_000), reading / 10_000, again))
        try await storm(store)
        try await store.close()
    }

    /// The processor time that observing adds to each of 10,000 commits, of which an element may have several.
    private static func storm(_ store: Store) async throws {
        let query = store.select(Item.self)
        let again = try await processorTime(20) { _ in _ = try await query.all() }
        var (alone, observed): ([Double], [Double]) = ([], [])
        for round in 0..<5 {
            func save(_ number: Int) async throws {
                try await store.save(Item(id: number, first: -round, second: 0, third: number, label: "changed"))
            }
            alone.append(try await processorTime(10_000, save))
            let observer = Task {
                var last = 0
                for try await items in query.values() { last = items.count }
                return last
            }
            try await Task.sleep(for: .milliseconds(100))
            observed.append(try await processorTime(10_000, save))
            observer.cancel()
            _ = try await observer.value
        }
        let added = max(zip(observed, alone).map { $0 - $1 }.median, 0.1)
        row(
            "processor time that observing this query adds to each of 10,000 commits, against reading it again",
            String(format: "1/%.0f (%.1f µs, %.0f µs)", again / added, added, again))
    }

    /// Microseconds of processor time for each call, of all threads.
    private static func processorTime(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
        let began = clock()
        for number in 0..<count { try await body(number) }
        return Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1_000_000 / Double(count)
    }

    /// From a save's return to the observer's element.
    private static func latency(_ folder: URL) async throws {
        let store = try await open(folder, "latency")
        try await store.save(items(100))
        let (seen, told) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let observer = Task {
            for try await _ in store.select(Item.self).values(.count) { told.yield(.now) }
        }
        var next = seen.makeAsyncIterator()
        _ = await next.next()
        var times: [Double] = []
        for number in 0..<500 {
            try await store.insert(Item(id: 1000 + number, first: 0, second: 0, third: 0, label: ""))
            let returned = ContinuousClock.now
            if let instant = await next.next() { times.append((instant - returned) / .microseconds(1)) }
        }
        observer.cancel()
        _ = try? await observer.value
        row("from a save's return to the observer's element, median", String(format: "%.0f µs", times.median))
        try await store.close()
    }

    /// Commits a second while a query of 10,000 records is observed, beside GRDB's ValueObservation.
    private static func beside(_ folder: URL) async throws {
        let own = try await ownRate(folder)
        let other = try await otherRate(folder)
        row(
            "commits a second while a query of 10,000 records is observed, against GRDB's ValueObservation",
            String(format: "%.1f (%.0f, %.0f)", own / other, own, other))
    }

    private static func ownRate(_ folder: URL) async throws -> Double {
        let store = try await open(folder, "own")
        try await store.save(items(10_000))
        let observer = Task {
            var last = 0
            for try await items in store.select(Item.self).values() { last = items.count }
            return last
        }
        let micros = try await time(5000) { number in
            try await store.save(Item(id: number, first: -1, second: 0, third: number, label: "changed"))
        }
        observer.cancel()
        _ = try await observer.value
        try await store.close()
        return 1_000_000 / micros
    }

    private static func otherRate(_ folder: URL) async throws -> Double {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let path = folder.appendingPathComponent("grdb-observed.db").path
        let pool = try DatabasePool(path: path, configuration: configuration)
        let items = items(10_000)
        try await pool.write { database in
            try database.create(table: "item") { table in
                table.primaryKey("id", .integer)
                for name in ["first", "second", "third"] { table.column(name, .integer) }
                table.column("label", .text)
            }
            for item in items { try item.insert(database) }
        }
        let observation = ValueObservation.tracking { try Item.fetchAll($0) }
        let observer = Task {
            for try await _ in observation.values(in: pool) {}
        }
        let micros = try await time(1000) { number in
            let item = Item(id: number, first: -1, second: 0, third: number, label: "changed")
            try await pool.write { try item.upsert($0) }
        }
        observer.cancel()
        _ = try? await observer.value
        try pool.close()
        return 1_000_000 / micros
    }

    /// The processor time of an observer that waits, with the questions for other processes' commits.
    private static func idle(_ folder: URL) async throws {
        let store = try await open(folder, "idle")
        try await store.save(items(100))
        var values = store.select(Item.self).values().makeAsyncIterator()
        _ = try await values.next()
        let before = clock()
        try await Task.sleep(for: .seconds(5))
        let used = Double(clock() - before) / Double(CLOCKS_PER_SEC) / 5
        row("processor of an observed store while nothing happens", String(format: "%.3f %%", used * 100))
        withExtendedLifetime(values) {}
        try await store.close()
    }
}
