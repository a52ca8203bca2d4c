import Foundation
import PostgreSQLBackend
import StorageAPI

#if canImport(Glibc)
import Glibc
#endif

/// A server of the machine, and what it has done.
private struct MeasuredServer {
    let address: String
    let process: Int32

    init(_ address: String) throws {
        self.address = address
        let text = try run("psql", address, "-Atc", "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)")
            .text
        process = Int32(text) ?? 0
    }

    /// The processor time of the server's processes, those that have ended included, in seconds.
    var processorTime: Double {
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        return Double(
            Self.ticks(of: process, andOfEnded: true)
                + Self.children(of: process).reduce(0) { $0 + Self.ticks(of: $1, andOfEnded: false) }) / ticks
    }

    /// The transactions that clients have had, of which each read is one.
    var transactions: Int {
        get throws {
            let sql = "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database WHERE datname = current_database()"
            return Int(try run("psql", address, "-Atc", sql).text) ?? 0
        }
    }

    private static func ticks(of process: Int32, andOfEnded: Bool) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The name in parentheses may have spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 14 else { return 0 }
        return fields[11...(andOfEnded ? 14 : 12)].reduce(0) { $0 + (Int($1) ?? 0) }
    }

    private static func children(of process: Int32) -> [Int32] {
        let text = (try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }
}

/// Reads of 64 tasks, of a store without replicas and of one with two, and what the servers have done for them.
func measureReplicaReads() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let first = environment["STORAGE_POSTGRESQL_REPLICA"], let second = environment["STORAGE_POSTGRESQL_REPLICA2"]
    else {
        print("Run it by scripts/bench postgresql --replicas, which starts two replicas.")
        exit(64)
    }
    let servers = try [server, first, second].map(MeasuredServer.init)
    let hosts = try [first, second].map {
        "127.0.0.1:" + (try run("psql", $0, "-Atc", "SELECT current_setting('port')").text)
    }
    let writer = try await Store(backend("replicas"), models: Visit.self)
    let count = 100_000
    try await writer.insert((1...count).map { Visit(number: $0, of: count) })
    try await writer.close()
    try run("psql", server, "-qc", "VACUUM ANALYZE")
    let written = try run("psql", server, "-Atc", "SELECT pg_current_wal_insert_lsn()").text
    for replica in [first, second] {
        while try run("psql", replica, "-Atc", "SELECT pg_last_wal_replay_lsn() >= '\(written)'").text != "t" {}
    }
    let reads: [(String, Int, @Sendable (Store) async throws -> Void)] = [
        ("find by key", 400, { _ = try await $0.find(Visit.self, key: Int.random(in: 1...count)) }),
        (
            "page of 100", 60,
            { store in
                let key = Int.random(in: 1...count)
                _ = try await store.select(Visit.self).where { $0.id > key }.order { $0.id.ascending }.limit(100).all()
            }
        ),
        ("sum over 100,000", 3, { _ = try await $0.select(Visit.self).sum { $0.amount } }),
    ]
    let ways = [
        ("one server", ""), ("two replicas, staleness=1000", "&staleness=1000"), ("two replicas, staleness=0", ""),
    ]
    print(
        "| reads of 64 tasks | way | reads | transactions on the primary | processor time for 1,000 reads: primary "
            + "| first replica | second | one server : the primary | : the busiest |\n"
            + "|---|---|---|---|---|---|---|---|---|")
    for (name, repetitions, read) in reads {
        var alone = 0.0
        for (number, (way, option)) in ways.enumerated() {
            let replicas = number == 0 ? "" : "&replicas=\(hosts.joined(separator: ","))"
            let store = try await Store(
                backend(url: "\(server)&schema=replicas&durability=relaxed\(replicas)\(option)"), models: Visit.self)
            // Connections, and statements that are prepared once.
            _ = try await tasks { _ in try await read(store) }
            let before = servers.map(\.processorTime)
            let transactions = try servers[0].transactions
            _ = try await tasks { _ in for _ in 0..<repetitions { try await read(store) } }
            try await store.close()
            // The server counts what a connection has done when it has ended.
            usleep(500_000)
            let done = try servers[0].transactions - transactions
            let all = 64 * repetitions
            let times = zip(servers, before).map { ($0.processorTime - $1) * 1000 / Double(all) }
            if number == 0 { alone = times[0] }
            let cells = times.map { String(format: "%.3f s", $0) }.joined(separator: " | ")
            let ratios = [times[0], times.max() ?? 1].map { String(format: "%.2f", alone / $0) }
            print("| \(name) | \(way) | \(all) | \(done) | \(cells) | \(ratios.joined(separator: " | ")) |")
        }
    }
}
