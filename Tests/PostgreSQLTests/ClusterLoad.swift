import Foundation
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Stores of one schema that write, read and observe until they are stopped, and their results.
final class ClusterLoad: Sendable {
    let accounts = 0..<8
    private let stores: [Store]
    private let state = Mutex(State())

    private struct State {
        var isOver = false
        /// The deposits of each account that are acknowledged, in their order, and the lost ones.
        var acknowledged: [[Int]] = Array(repeating: [], count: 8)
        var lost: [[Int]] = Array(repeating: [], count: 8)
        var checked = Array(repeating: 0, count: 8)
        var count = 0
        var unknown = 0
        var failed = 0
        /// The counts when the failover began.
        var before = (count: 0, unknown: 0, failed: 0)
        var reports: [String] = []
        /// The stores that have said since the failover began that the server lacks commits of theirs.
        var lacking: Set<Int> = []
        /// The times of acknowledgements since the failover began, without acknowledgements that follow another at once.
        var times: [Double] = []
        var lastSeen = 0
        var violations: [String] = []
    }

    init(_ stores: [Store]) { self.stores = stores }

    private var isOver: Bool { state.withLock { $0.isOver } }
    var acknowledged: Int { state.withLock { $0.count } }
    /// The number of deposits that the observer has seen.
    var lastSeen: Int { state.withLock { $0.lastSeen } }
    var violations: [String] { state.withLock { $0.violations } }
    var allLost: [Int] { state.withLock { $0.lost.flatMap(\.self) } }

    func stop() { state.withLock { $0.isOver = true } }

    private func violated(_ rule: String) { state.withLock { $0.violations.append(rule) } }

    // MARK: Working

    /// Makes deposits: each is a record and a raised sum, in one transaction.
    func write(_ account: Int) async {
        let store = stores[account % stores.count]
        var number = 0
        while !isOver {
            number += 1
            let id = number * accounts.count + account
            do {
                try await store.transaction { tx in
                    try tx.insert(Deposit(id: id, account: account))
                    try tx.update(Account.self).where { $0.id == account }.set(\.deposits) { $0.deposits + 1 }.run()
                }
                acknowledge(id, account)
            } catch {
                note(error, account)
            }
        }
    }

    private func acknowledge(_ id: Int, _ account: Int) {
        let now = Date().timeIntervalSince1970
        state.withLock { state in
            state.acknowledged[account].append(id)
            state.count += 1
            state.times.append(now)
        }
    }

    private func note(_ error: any Error, _ account: Int) {
        state.withLock { state in
            if let error = error as? StorageError, error.code == .outcomeUnknown {
                state.unknown += 1
                if error.message.contains("may lack commits") { state.lacking.insert(account % stores.count) }
            } else {
                state.failed += 1
            }
            if state.reports.count < 1000 { state.reports.append("\(error)") }
        }
    }

    /// Reads the acknowledged deposits, and sums with their deposits.
    func read(_ store: Store) async {
        let mine = accounts.filter { stores[$0 % stores.count] === store }
        while !isOver {
            for account in mine where !isOver {
                let known = state.withLock { ($0.acknowledged[account].last, $0.acknowledged[account].count) }
                do {
                    let (found, sum, count) = try await store.read { snapshot in
                        let found = try known.0.map { try snapshot.find(Deposit.self, key: $0) != nil } ?? true
                        let sum = try snapshot.find(Account.self, key: account)?.deposits
                        return (found, sum, try snapshot.select(Deposit.self).where { $0.account == account }.count())
                    }
                    if sum != count { violated("half a commit: \(sum ?? -1) of \(count)") }
                    if !found, !Cluster.isAsynchronous { violated("the last own commit is not read") }
                } catch {
                    state.withLock { $0.failed += 1 }
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Observes the sums, which never fall.
    func observe(_ store: Store) async {
        var last: [Int: Int] = [:]
        do {
            for try await accounts in store.select(Account.self).values() {
                for account in accounts {
                    if account.deposits < last[account.id, default: 0], !Cluster.isAsynchronous {
                        violated("an observer saw the sum of \(account.id) go down")
                    }
                    last[account.id] = account.deposits
                }
                state.withLock { $0.lastSeen = last.values.reduce(0, +) }
            }
        } catch {
            if !isOver { violated("an observer ended: \(error)") }
        }
    }

    // MARK: Counting

    /// Returns when so many more deposits are acknowledged.
    func wait(for more: Int) async throws {
        let wanted = acknowledged + more
        do {
            try await eventually { acknowledged >= wanted }
        } catch {
            Issue.record("no deposits are acknowledged any more: \(state.withLock { $0.reports.suffix(3) })")
            throw error
        }
    }

    /// Begins to count for a failover.
    func begin() {
        state.withLock { state in
            state.before = (state.count, state.unknown, state.failed)
            state.times = [Date().timeIntervalSince1970]
            state.lacking = []
        }
    }

    /// The longest time without an acknowledgement since then.
    func longestPause(after start: Double) -> (start: Double, end: Double) {
        state.withLock { state in
            let pairs = zip(state.times, state.times.dropFirst()).map { (start: $0, end: $1) }
            return pairs.filter { $0.end > start }.max { $0.end - $0.start < $1.end - $1.start } ?? (start, start)
        }
    }

    func counts() -> (acknowledged: Int, unknown: Int, failed: Int) {
        state.withLock { ($0.count - $0.before.count, $0.unknown - $0.before.unknown, $0.failed - $0.before.failed) }
    }

    /// Looks for the deposits that were acknowledged since the last look, and returns the number of lost ones.
    func countLost() async throws -> Int {
        var count = 0
        for account in accounts {
            let (ids, checked) = state.withLock { ($0.acknowledged[account], $0.checked[account]) }
            let there = Set(try await stores[0].select(Deposit.self).where { $0.account == account }.keys())
            let lost = ids[checked...].filter { !there.contains($0) }
            // The lost deposits are the last that one primary had acknowledged: only deposits of the next primary follow them.
            let indexes = ids.indices.filter { $0 >= checked && !there.contains(ids[$0]) }
            if let first = indexes.first, let last = indexes.last, last - first + 1 != indexes.count {
                violated("what is lost of account \(account) is no tail")
            }
            state.withLock { state in
                if !lost.isEmpty, !state.lacking.contains(account % stores.count) {
                    state.violations.append("nobody was told that commits of the account \(account) are lost")
                }
                state.lost[account] += lost
                state.checked[account] = ids.count
            }
            count += lost.count
        }
        return count
    }
}
