import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable struct Deposit: Equatable {
    var id: Int
    @Indexed var account: Int
}

/// The sum of the deposits, which each deposit raises in its transaction.
@Storable struct Account: Equatable {
    var id: Int
    var deposits = 0
}

/// Three servers under Patroni, of which the primary is lost again and again while stores write, read and observe.
///
/// ```
/// STORAGE_FAILOVERS=30 ./scripts/with-cluster swift test --filter PostgreSQLTests.ClusterTests
/// ```
@Suite(
    "A cluster of PostgreSQL", .enabled(if: Cluster.isThere, "no cluster: run it by scripts/with-cluster"), .serialized)
struct ClusterTests {
    private static func store(_ options: String = "") async throws -> Store {
        let url = "\(Cluster.url ?? "")&schema=app&failover=120000\(options)"
        return try await Store(
            PostgreSQLBackend(url: StorageURL(url)), models: Deposit.self, Account.self,
            options: .init(history: .init(records: [Account.self])))
    }

    @Test func `writers, readers, observers and a history go through failovers`() async throws {
        let stores = [try await Self.store(), try await Self.store()]
        let load = ClusterLoad(stores)
        for account in load.accounts { try await stores[0].save(Account(id: account)) }
        let table = try await withThrowingTaskGroup(of: Void.self) { group in
            for account in load.accounts { group.addTask { await load.write(account) } }
            for store in stores { group.addTask { await load.read(store) } }
            let observer = try await Self.store()
            group.addTask { await load.observe(observer) }
            defer { load.stop() }
            let table = try await Self.failOver(Cluster.failovers, under: load)
            load.stop()
            // The observers end with their store.
            try await eventually { load.lastSeen >= load.acknowledged || Cluster.isAsynchronous }
            try await observer.close()
            try await group.waitForAll()
            return table
        }
        print("\(table)\(Cluster.failovers) failovers, \(load.acknowledged) commits acknowledged")
        try await Self.check(load, stores[0])
        for store in stores { try await store.close() }
    }

    /// Lets the cluster fail over again and again.
    ///
    /// - Returns: the results, as a table.
    private static func failOver(_ times: Int, under load: ClusterLoad) async throws -> String {
        var table =
            "| failover | node | without writes | Patroni's own | beyond | acknowledged | lost | unknown | failed |\n"
        table += "|---|---|---|---|---|---|---|---|---|\n"
        for time in 0..<times {
            let fault = Cluster.faults[time % Cluster.faults.count]
            try await load.wait(for: 200)
            load.begin()
            let start = Date().timeIntervalSince1970
            let node = try await Cluster.harm(fault)
            var promotion: Double?
            try await eventually {
                promotion = try await Cluster.promotion(after: start)
                return promotion != nil
            }
            let ready = try #require(promotion)
            try await load.wait(for: 200)
            let pause = load.longestPause(after: start)
            try await Cluster.mend()
            // Who waits for a server that is mended is done now.
            try await load.wait(for: 200)
            let lost = try await load.countLost()
            let counts = load.counts()
            func seconds(_ time: Double) -> String { String(format: "%.2f s", time) }
            let row = [
                "\(fault)", node, seconds(pause.end - pause.start), seconds(ready - start), seconds(pause.end - ready),
                "\(counts.acknowledged)", "\(lost)", "\(counts.unknown)", "\(counts.failed)",
            ]
            table += "| \(row.joined(separator: " | ")) |\n"
            // At once, also where it is a file.
            FileHandle.standardError.write(Data("\(row.joined(separator: " | "))\n".utf8))
        }
        return table
    }

    private static func check(_ load: ClusterLoad, _ store: Store) async throws {
        let violations = load.violations
        expect(violations.isEmpty, "\(violations.prefix(5).joined(separator: "; ")), and so on: \(violations.count)")
        let lost = load.allLost
        expect(Cluster.isAsynchronous || lost.isEmpty, "\(lost.count) acknowledged commits are lost")
        var entries: [Int: Int] = [:]
        for try await entry in store.history(of: Account.self) {
            if entry.kind == .updated { entries[entry.key ?? -1, default: 0] += 1 }
        }
        for account in load.accounts {
            let deposits = try await store.select(Deposit.self).where { $0.account == account }.count()
            let sum = try await store.find(Account.self, key: account)?.deposits
            expect(sum, equals: deposits, "the account \(account) has \(sum ?? -1) of \(deposits) deposits")
            // A commit is in the history once.
            expect(entries[account, default: 0], equals: deposits)
        }
    }
}
