import Foundation
import StorageAPI

// What a call costs beside the statement that a person would write, in one run.
//   PostgreSQLBench --costs [RECORDS]

/// Runs one call in a separate process, so that its greatest memory is that call's.
enum MeasuredCall: String {
    case open, sum, sumOfLarge, streamLarge, stopStream

    func run() async throws {
        let store = try await Store(backend("costs"), models: Article.self, Category.self, Document.self)
        switch self {
        case .open: break
        case .sum: _ = try await store.select(Article.self).sum { $0.price }
        case .sumOfLarge: _ = try await store.select(Document.self).sum { $0.price }
        case .streamLarge: for try await _ in store.select(Document.self).stream() {}
        case .stopStream: for try await _ in store.select(Document.self).stream() { break }
        }
        try await store.close()
        print(greatestMemory())
    }
}

func measureCosts(_ count: Int) async throws {
    try run("psql", server, "-qc", "SET client_min_messages = warning; DROP SCHEMA IF EXISTS costs CASCADE")
    let store = try await Store(backend("costs"), models: Article.self, Category.self, Document.self)
    try await store.insert((0..<1000).map(Category.init(number:)))
    for first in stride(from: 1, through: count, by: 100_000) {
        try await store.insert((first..<min(first + 100_000, count + 1)).map { Article(number: $0, of: 1000) })
    }
    for first in stride(from: 1, through: 400, by: 10) {
        try await store.insert((first..<first + 10).map(Document.init(number:)))
    }
    try run("psql", server, "-qc", "VACUUM ANALYZE")
    print("| what | store | by hand | ratio | goal |\n|---|---|---|---|---|")
    try await measureQueries(store, count)
    try measureMemoryOfCalls()
    try await measureAssignedKeys()
    try await store.close()
    try await measureManyWriters()
}

private func measureQueries(_ store: Store, _ count: Int) async throws {
    let articles = store.select(Article.self)
    let table = "costs.\"Article\""
    try await compare(
        "sum of \(count) doubles", "SELECT sum(price) FROM \(table)", "≤ 3"
    ) { _ = try await articles.sum { $0.price } }
    try await compare(
        "condition through a reference",
        "SELECT a.* FROM \(table) a JOIN costs.\"Category\" g ON g.id = a.\"group\" WHERE g.name = 'g77' ORDER BY a.id",
        "≤ 2"
    ) { _ = try await articles.where { $0.group.name == "g77" }.all() }
    try await compare(
        "greatest indexed text",
        "SELECT name FROM \(table) ORDER BY left(name, 500) DESC NULLS LAST, name DESC NULLS LAST LIMIT 1", ""
    ) { _ = try await articles.max { $0.name } }
    let offset = count * 9 / 10
    try await compare(
        "20 behind \(offset), in the order of keys",
        "SELECT * FROM \(table) WHERE id IN (SELECT id FROM \(table) ORDER BY id LIMIT 20 OFFSET \(offset)) ORDER BY id",
        ""
    ) { _ = try await articles.limit(20).offset(offset).all() }
    try await compare(
        "20 in the order of a referenced text",
        "SELECT a.* FROM \(table) a LEFT JOIN costs.\"Category\" g ON g.id = a.\"group\""
            + " ORDER BY g.name NULLS FIRST, a.id LIMIT 20", "≤ 1.5"
    ) { _ = try await articles.order { $0.group.name }.limit(20).all() }
    let middle = "Article number \(count / 2)"
    let named = articles.order { $0.name }
    guard let token = try await named.where({ $0.name >= middle }).page(size: 1).next else { return }
    try await compare(
        "20 after a record in the middle, by name and key",
        "SELECT * FROM \(table) WHERE left(name, 500) >= left('\(middle)', 500) AND (name > '\(middle)' OR name = '\(middle)'"
            + " AND id > \(count / 2)) ORDER BY left(name, 500) NULLS FIRST, name NULLS FIRST, id LIMIT 20", "≤ 1.2"
    ) { _ = try await named.page(after: token, size: 20) }
}

/// Milliseconds of a call, and of a statement as psql times it: the medians of five rounds.
private func compare(
    _ what: String, _ sql: String, _ goal: String, _ call: () async throws -> Void
) async throws {
    var (own, other): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
        own.append(try await seconds(call) * 1000)
        let text = try run("psql", server, "-qAt", "-o", "/dev/null", "-c", "\\timing on", "-c", sql).text
        let time = text.split(separator: "Time: ").last?.split(separator: " ").first.flatMap { Double($0) }
        other.append(time ?? .nan)
    }
    let text = { (number: Double) in String(format: "%.1f ms", number) }
    let ratio = String(format: "%.2f", median(own) / median(other))
    report(what, text(median(own)), text(median(other)), ratio, goal)
}

private func measureMemoryOfCalls() throws {
    func mebibytes(_ call: MeasuredCall) throws -> Double {
        (Double(try run(CommandLine.arguments[0], "--call", call.rawValue).text) ?? .nan) / 1024
    }
    let opened = try mebibytes(.open)
    let calls: [(MeasuredCall, String, String)] = [
        (.sum, "sum of all", "≤ 16 MiB"), (.sumOfLarge, "sum beside 400 values of 2 MB", "≤ 16 MiB"),
        (.stopStream, "first of a stream of 400 values of 2 MB", "≤ 32 MiB"),
        (.streamLarge, "stream of 400 values of 2 MB", "≤ 32 MiB"),
    ]
    for (call, what, goal) in calls {
        report(
            "\(what), greatest memory above opening", String(format: "%.1f MiB", try mebibytes(call) - opened), "", "",
            goal)
    }
}

/// Inserts one after the other into two databases in turn, and what is left of their rate where a snapshot has been open for
/// inserts of a minute. A snapshot keeps nothing of another database.
func measureAssignedKeys() async throws {
    let slice = Duration.milliseconds(500)
    var stores: [Store] = []
    for database in ["keys_1", "keys_2"] {
        try run("psql", server, "-qc", "SET client_min_messages = warning", "-c", "DROP DATABASE IF EXISTS \(database)")
        try run("psql", server, "-qc", "CREATE DATABASE \(database)")
        let address = server.replacing("/postgres?", with: "/\(database)?")
        let store = try await Store(backend("costs", at: address), models: Article.self, Category.self)
        try await store.insert((0..<1000).map(Category.init(number:)))
        stores.append(store)
    }
    func rate(_ store: Store) async throws -> Double {
        var count = 0
        let time = try await seconds {
            let began = ContinuousClock.now
            while ContinuousClock.now - began < slice {
                try await store.insert(Article(number: count, of: 1000))
                count += 1
            }
        }
        return Double(count) / time
    }
    /// The medians of both, and of their ratios, over so many turns.
    func rates(_ turns: Int) async throws -> (beside: Double, without: Double, ratio: Double) {
        var pairs: [(Double, Double)] = []
        for turn in 0..<turns {
            let first = try await rate(stores[turn % 2])
            let second = try await rate(stores[1 - turn % 2])
            pairs.append(turn % 2 == 0 ? (first, second) : (second, first))
        }
        return (median(pairs.map(\.0)), median(pairs.map(\.1)), median(pairs.map { $0.0 / $0.1 }))
    }
    let equal = try await rates(20).ratio
    let snapshot = Process()
    snapshot.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    snapshot.arguments = [
        "psql", server.replacing("/postgres?", with: "/keys_1?"), "-q", "-o", "/dev/null", "-c",
        "BEGIN ISOLATION LEVEL REPEATABLE READ", "-c", "SELECT count(*) FROM costs.\"Category\"", "-c",
        "SELECT pg_sleep(600)",
    ]
    try snapshot.run()
    try await Task.sleep(for: .seconds(1))
    for seconds in [20, 40, 60, 80] {
        let (beside, without, ratio) = try await rates(40)
        report(
            "insert with an assigned key, beside a snapshot of \(seconds) s : without", "\(Int(beside))/s",
            "\(Int(without))/s", String(format: "%.2f", ratio / equal), seconds == 80 ? "≥ 0.8" : "")
    }
    snapshot.terminate()
    snapshot.waitUntilExit()
    for store in stores { try await store.close() }
}

/// Four stores, each with one task that inserts records with assigned keys into one model; medians of turns, of which each
/// begins with the other.
private func measureManyWriters() async throws {
    func rate(_ writers: String) async throws -> Double {
        try run("psql", server, "-qc", "SET client_min_messages = warning; DROP SCHEMA IF EXISTS writers CASCADE")
        var stores: [Store] = []
        for _ in 0..<4 {
            let address = "\(server)&schema=writers&durability=relaxed&timeout=60000&writers=\(writers)"
            stores.append(try await Store(backend(url: address), models: Article.self, Category.self))
        }
        try await stores[0].insert((0..<1000).map(Category.init(number:)))
        let time = try await seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores {
                    group.addTask {
                        for number in 0..<250 { try await store.insert(Article(number: number, of: 1000)) }
                    }
                }
                try await group.waitForAll()
            }
        }
        for store in stores { try await store.close() }
        return 1000 / time
    }
    var pairs: [(many: Double, one: Double)] = []
    for turn in 0..<rounds {
        if turn % 2 == 0 {
            pairs.append((try await rate("many"), try await rate("one")))
        } else {
            let one = try await rate("one")
            pairs.append((try await rate("many"), one))
        }
    }
    report(
        "assigned keys, 4 stores, writers=many : one", "\(Int(median(pairs.map(\.many))))/s",
        "\(Int(median(pairs.map(\.one))))/s", String(format: "%.2f", median(pairs.map { $0.many / $0.one })), "≥ 1")
}
