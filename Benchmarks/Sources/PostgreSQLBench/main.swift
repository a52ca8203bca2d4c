import Foundation
import PostgreSQLBackend
import StorageAPI

// The PostgreSQL backend beside the server's own tools, in one run: each way in turn, and the median of five rounds.
//   PostgreSQLBench [RECORDS]            the server is that of STORAGE_POSTGRESQL
//   PostgreSQLBench --costs [RECORDS]    what queries and writes cost beside the same by hand (1,000,000 records)
//   PostgreSQLBench --keys               the part of it about assigned keys
//   PostgreSQLBench --pooler             finds and saves behind the pooler of scripts/with-postgresql --pooler
//   PostgreSQLBench --replicas           what the servers do for reads, without replicas and with two
//   PostgreSQLBench --growth [RECORDS…]  the same calls on tables of several sizes (100,000 and 1,000,000 records)
//   PostgreSQLBench --pruning [COMMITS]  saves where the last commits are kept (10,000), beside a history that keeps all
//   PostgreSQLBench --tenants [COUNT]    a store for each tenant: made, opened, migrated (1,000 tenants)

guard !server.isEmpty else {
    print("Run it by scripts/bench postgresql, which starts a server.")
    exit(64)
}
let arguments = CommandLine.arguments.dropFirst()
let rounds = 5

func backend(_ schema: String = "bench", at address: String = server) throws -> PostgreSQLBackend {
    var backend = try PostgreSQLBackend(address, schema: schema)
    backend.durability = .relaxed
    return backend
}

func backend(url: String) throws -> PostgreSQLBackend { try PostgreSQLBackend(url: StorageURL(url)) }

func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let began = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - began) / .seconds(1)
}

func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

func report(_ what: String, _ own: String, _ other: String, _ result: String, _ goal: String) {
    print("| \(what) | \(own) | \(other) | \(result) | \(goal) |")
    fflush(nil)
}

func perSecond(_ count: Int, _ seconds: Double) -> String { "\(Int(Double(count) / seconds))/s" }

/// A row of two ways that do the same number of things.
func compare(_ what: String, _ count: Int, own: [Double], other: [Double], _ goal: String) {
    let (own, other) = (median(own), median(other))
    let ratio = String(format: "%.2f", other / own)
    report(what, perSecond(count, own), perSecond(count, other), ratio, goal)
}

func measureRows(_ count: Int) async throws {
    let store = try await Store(backend(), models: Item.self)
    let items = (1...count).map(Item.init(number:))
    try await store.insert(items)
    let folder = FileManager.default.temporaryDirectory.appending(path: "postgresql-bench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (file, table) = ("\(folder)/items.csv", "bench.\"Item\"")
    try run("psql", server, "-qc", "\\copy \(table) to '\(file)' csv")
    try run("psql", server, "-qc", "CREATE TABLE bench.other (LIKE \(table) INCLUDING ALL)")
    var (own, copy, fetch, out): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<rounds {
        fetch.append(try await seconds { _ = try await store.select(Item.self).all() })
        out.append(
            try run("psql", server, "-qc", "\\copy (SELECT * FROM \(table) ORDER BY id) to '/dev/null' csv").seconds)
        try await store.truncate(Item.self)
        try run("psql", server, "-qc", "TRUNCATE bench.other", "-qc", "VACUUM \(table)", "-qc", "CHECKPOINT")
        own.append(try await seconds { try await store.insert(items) })
        copy.append(try run("psql", server, "-qc", "\\copy bench.other from '\(file)' csv").seconds)
    }
    compare("insert \(count) in a call : psql \\copy", count, own: own, other: copy, "≥ 0.6")
    compare("fetch \(count) : psql COPY TO", count, own: fetch, other: out, "≥ 0.5")
    try await measureFinds(store, count, folder)
    try await store.close()
}

/// One task, and one client of pgbench, for so many finds by random keys.
func measureFinds(_ store: Store, _ count: Int, _ folder: String) async throws {
    let finds = 20_000
    let script =
        "\\set id random(1, \(count))\nSELECT id, name, age, height, city FROM bench.\"Item\" WHERE id = :id;\n"
    try script.write(toFile: "\(folder)/find.sql", atomically: true, encoding: .utf8)
    var (own, other): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
        own.append(
            try await seconds {
                for _ in 0..<finds { _ = try await store.find(Item.self, key: Int.random(in: 1...count)) }
            })
        other.append(try pgbench("\(folder)/find.sql", mode: "prepared", transactions: finds, at: server))
    }
    compare("find : pgbench, prepared, one client", finds, own: own, other: other, "≥ 0.85")
}

/// The seconds in which so many clients of pgbench run a script so many times each.
func pgbench(
    _ script: String, mode: String, clients: Int = 1, transactions: Int, at address: String
) throws -> Double {
    let program = try run("pg_config", "--bindir").text + "/pgbench"
    let text = try run(
        program, "-n", "-M", mode, "-c", "\(clients)", "-j", "\(min(clients, 2))", "-t", "\(transactions)", "-f",
        script,
        address
    ).text
    guard let rate = text.split(separator: "tps = ").last?.split(separator: " ").first.flatMap({ Double($0) }) else {
        throw Failure(text: "pgbench printed no rate: \(text)")
    }
    return Double(clients * transactions) / rate
}

/// 64 tasks behind a proxy that delays each round trip by a millisecond.
func measureNetwork() async throws {
    let socket = try run(
        "psql", server, "-Atc",
        "SELECT split_part(current_setting('unix_socket_directories'), ',', 1) || '/.s.PGSQL.' || current_setting('port')"
    ).text
    let port = try DelayingProxy.start(to: socket)
    let address = "postgresql://storage@127.0.0.1:\(port)/postgres"
    let store = try await Store(backend("far", at: address), models: Item.self, Order.self)
    try await store.insert((1...1000).map(Item.init(number:)))
    let (finds, saves) = (64 * 250, 64 * 100)
    var (reading, writing): ([Double], [Double]) = ([], [])
    for round in 0..<rounds {
        reading.append(
            try await tasks { task in
                for number in 0..<250 { _ = try await store.find(Item.self, key: (task * 250 + number) % 1000 + 1) }
            })
        writing.append(
            try await tasks { task in
                for number in 0..<100 { try await store.save(Order(number: (round * 64 + task) * 100 + number)) }
            })
    }
    report("find, 64 tasks at 1 ms", perSecond(finds, median(reading)), "", "", "≥ 5,000/s")
    report("save of a graph of 4 tables, 64 tasks at 1 ms", perSecond(saves, median(writing)), "", "", "≥ 3,000/s")
    try await store.close()
}

/// 64 tasks behind a pooler, and directly, each in turn.
func measurePooler() async throws {
    guard let direct = ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL_DIRECT"] else {
        print("Run it by scripts/with-postgresql --pooler.")
        exit(64)
    }
    var stores: [Store] = []
    for (number, address) in [server, direct].enumerated() {
        let url = "\(address)&schema=pooled_\(number)&durability=relaxed"
        let store = try await Store(backend(url: url), models: Item.self, Order.self)
        try await store.insert((1...1000).map(Item.init(number:)))
        try await store.insert((1...1000).map { Order(number: -$0) })
        stores.append(store)
    }
    // A plan that was made while a table was empty would stay.
    try run("psql", direct, "-qc", "VACUUM ANALYZE")
    var (reading, writing): ([[Double]], [[Double]]) = ([[], []], [[], []])
    for round in 0..<11 {
        for number in [round % 2, 1 - round % 2] {
            let store = stores[number]
            reading[number].append(
                try await tasks { task in
                    for number in 0..<100 { _ = try await store.find(Item.self, key: (task * 100 + number) % 1000 + 1) }
                })
            writing[number].append(
                try await tasks { task in
                    for number in 0..<50 { try await store.save(Order(number: (round * 64 + task) * 50 + number)) }
                })
        }
    }
    compare("find, 64 tasks, behind a pooler : directly", 6400, own: reading[0], other: reading[1], "≥ 0.8")
    compare("save of a graph, 64 tasks, behind a pooler : directly", 3200, own: writing[0], other: writing[1], "≥ 0.8")
    for store in stores { try await store.close() }
    try measureBesidePooler(direct)
}

/// The same finds by pgbench, 64 clients: what the pooler leaves of the server's own rate.
func measureBesidePooler(_ direct: String) throws {
    let script = FileManager.default.temporaryDirectory.appending(path: "pooler-\(getpid()).sql").path
    defer { try? FileManager.default.removeItem(atPath: script) }
    let find = "\\set id random(1, 1000)\nSELECT id, name, age, height, city FROM pooled_0.\"Item\" WHERE id = :id;\n"
    try find.write(toFile: script, atomically: true, encoding: .utf8)
    var times: [[Double]] = [[], []]
    for round in 0..<rounds {
        for number in [round % 2, 1 - round % 2] {
            // An option of the store's, of which libpq knows nothing.
            let address = [server, direct][number].split(separator: "&listen=")[0]
            times[number].append(
                try pgbench(script, mode: "extended", clients: 64, transactions: 200, at: String(address)))
        }
    }
    compare("find, 64 clients of pgbench, behind the pooler : directly", 12_800, own: times[0], other: times[1], "")
}

func tasks(_ body: @escaping @Sendable (Int) async throws -> Void) async throws -> Double {
    try await seconds {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 { group.addTask { try await body(task) } }
            try await group.waitForAll()
        }
    }
}

/// The memory of a separate process that reads so many rows as a stream.
func measureMemory(_ count: Int) async throws {
    let store = try await Store(backend("many"), models: Item.self)
    for first in stride(from: 1, through: count, by: 100_000) {
        try await store.insert((first..<min(first + 100_000, count + 1)).map(Item.init(number:)))
    }
    try await store.close()
    let program = CommandLine.arguments[0]
    let (opened, streamed) = (try run(program, "--open").text, try run(program, "--stream").text)
    let mebibytes = { (text: String) in String(format: "%.1f MiB", (Double(text) ?? 0) / 1024) }
    report("stream \(count), greatest memory : of opening", mebibytes(streamed), mebibytes(opened), "", "≤ 32 MiB")
}

switch arguments.first {
case "--costs": try await measureCosts(arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000)
case "--pooler": try await measurePooler()
case "--growth":
    let sizes = arguments.dropFirst().compactMap { Int($0) }
    try await measureGrowth(sizes.isEmpty ? [100_000, 1_000_000] : sizes)
case "--tenants": try await measureTenants(arguments.dropFirst().first.flatMap { Int($0) } ?? 1000)
case "--pruning": try await measurePruning(arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000)
case "--replicas": try await measureReplicaReads()
case "--keys": try await measureAssignedKeys()
case "--call": try await arguments.dropFirst().first.flatMap(MeasuredCall.init)?.run()
case "--open", "--stream":
    let store = try await Store(backend("many"), models: Item.self)
    if arguments.first == "--stream" { for try await _ in store.select(Item.self).stream() {} }
    try await store.close()
    print(greatestMemory())
default:
    try run("psql", server, "-qc", "SET client_min_messages = warning; DROP SCHEMA IF EXISTS bench, far, many CASCADE")
    print("| what | store | beside it | ratio | goal |\n|---|---|---|---|---|")
    let count = arguments.first.flatMap { Int($0) } ?? 200_000
    try await measureRows(count)
    try await measureNetwork()
    try await measureMemory(count * 5)
}
