internal import Dispatch
internal import Foundation
internal import StorageAPI
internal import StorageDriver
internal import Synchronization

extension Conformance {
    /// T12: ordered groups of transactions.
    static let groupedCases: [ConformanceCase] = [
        ConformanceCase(
            "transactions/group", for: [.t12: [1]],
            "Transactions of a group run in order, see the earlier ones' writes, and fail alone; each has its author and number."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            let results = await store.transactions(
                (1...9).map { number in
                    { tx in
                        (tx.author, tx.note) = ("author \(number)", "note \(number)")
                        try tx.insert(Pen(id: number, color: "\(try tx.select(Pen.self).count())"))
                        // Two fail by their own error, one by the store's.
                        if number == 3 || number == 4 { throw Stop(reason: "stop \(number)") }
                        if number == 7 { try tx.insert(Pen(id: 1)) }
                        return number
                    }
                })
            for (index, result) in results.enumerated() {
                switch result {
                case .success(let value):
                    try t.expect(value, equals: index + 1)
                    try t.expect(![2, 3, 6].contains(index), "Transaction \(index + 1) should have failed.")
                case .failure(let error as Stop): try t.expect(error.reason, equals: "stop \(index + 1)")
                case .failure(let error):
                    try t.expect((error as? StorageError)?.code, equals: .duplicateKey)
                    try t.expect(index, equals: 6, "Another transaction has failed: \(error)")
                }
            }
            try t.expect(results.count, equals: 9)
            let stored = [(1, 0), (2, 1), (5, 2), (6, 3), (8, 4), (9, 5)]
            try t.expect(
                try await store.all(Pen.self), equals: stored.map { Pen(id: $0, color: "\($1)") }, "Other pens.")
            let entries = try await store.history(of: Pen.self)
            try t.expect(entries.map(\.key), equals: stored.map(\.0), "Other entries.")
            try t.expect(entries.map(\.commit), equals: Array(1...6), "Other numbers of commits.")
            try t.expect(entries.map(\.author), equals: stored.map { "author \($0.0)" }, "Other authors.")
            try t.expect(entries.map(\.note), equals: stored.map { "note \($0.0)" }, "Other notes.")
            t.note("store.blocking.transactions([…])")
            let blocking = store.store.blocking.transactions([
                { tx in try tx.insert(Pen(id: 11)).id }, { _ in throw Stop(reason: "blocking") },
                { tx in try tx.insert(Pen(id: 12)).id },
            ])
            try t.expect(blocking.map { try? $0.get() }, equals: [11, nil, 12])
            let none: [(inout Store.Transaction) throws -> Int] = []
            try t.expect(await store.transactions(none).isEmpty, "A group of none has results.")
        },
        ConformanceCase(
            "transactions/group-repeating", for: [.t12: [1, 4]],
            "Transactions of a group whose closures may run again have the results of others, and the origins that they name."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            let source = Store.Origin.taken(from: "another store")
            for (start, failing) in [(0, []), (10, [3]), (20, [1, 2, 9]), (30, Array(1...9))] {
                let before = try await store.select(Pen.self).count()
                t.note("transactions(repeating: true, […])")
                let results =
                    start == 20
                    ? store.store.blocking.transactions(
                        repeating: true, bodies(after: start, failing: failing, source))
                    : await store.store.transactions(
                        repeating: true, bodies(after: start, failing: failing, source))
                let kept = (1...9).filter { !failing.contains($0) }
                try t.expect(
                    results.map { outcome($0) },
                    equals: (1...9).map { failing.contains($0) ? "stop \($0)" : "\($0)" })
                let pens = kept.enumerated().map { Pen(id: start + $1, color: "\(before + $0)") }
                try t.expect(
                    try await store.all(Pen.self).filter { $0.id > start }, equals: pens, "Other pens.")
                let commits = try await store.store.commits(last: 9).commits.filter { $0.number > before }
                try t.expect(commits.map(\.number), equals: (0..<kept.count).map { before + $0 + 1 })
                try t.expect(commits.map(\.author), equals: kept.map { "author \($0)" }, "Other authors.")
                try t.expect(commits.map(\.origin), equals: kept.map { $0.isMultiple(of: 2) ? source : .call })
            }
            let none: [Store.GroupBody<Int>] = []
            try t.expect(await store.store.transactions(repeating: true, none).isEmpty, "A group of none has results.")
        },
        ConformanceCase(
            "cancellation/group-repeating", for: [.t12: [4], .t8: [2]],
            "A cancelled group whose closures may run again fails whole, and stores nothing."
        ) { t in
            let store = try await t.open(Pen.self)
            let (isRunning, begun) = AsyncStream.makeStream(of: Void.self)
            let isCancelled = DispatchSemaphore(value: 0)
            let ran = Ran()
            t.note("await store.transactions(repeating: true, […])")
            let running = Task { [store] in
                await store.store.transactions(
                    repeating: true, waiting(begun, isCancelled, noting: ran).map { (.call, $0) })
            }
            for await _ in isRunning { break }
            running.cancel()
            isCancelled.signal()
            try t.expect(
                await running.value.map { outcome($0) }, equals: ["cancelled", "cancelled", "cancelled", "cancelled"])
            try t.expect(ran.numbers.withLock { $0 }, equals: [1, 2], "Other transactions ran.")
            try t.expect(try await store.select(Pen.self).keys(), equals: [])
        },
        ConformanceCase(
            "costs/grouped-commits", for: [.t12: [2]],
            "A group of 1,000 transactions is one of the engine, which commits and waits for the disk once."
        ) { t in
            let commits = Commits()
            let store = try await t.open(
                [Pen.self], options: .init(), ".init()",
                on: CommittingBackend(backend: t.place.backend(), commits: commits))
            commits.reset()
            let results = await store.transactions(inserts(1...1000))
            try t.expect(results.map { try? $0.get() }, equals: Array(1...1000), "Some have failed.")
            try t.expect(commits.count, equals: 1, "The group had another number of commits.")
            // Each of them fails: there is nothing to store, and the next group is as any.
            let failed = await store.transactions(inserts(1...20))
            for result in failed { try t.expect((try? result.get()) == nil, "A transaction should have failed.") }
            try t.expect(try await store.select(Pen.self).keys(), equals: Array(1...1000))
            try t.expect(
                await store.transactions([{ tx in try tx.delete(Pen.self, keys: Array(1...999)) }]).map {
                    try? $0.get()
                },
                equals: [999])
        },
        ConformanceCase(
            "transactions/group-commit-fails", for: [.t12: [2]],
            "If the commit of a group fails, all of it fail with its error, and nothing is stored."
        ) { t in
            let commits = Commits()
            let store = try await t.open(
                [Pen.self], options: .init(), ".init()",
                on: CommittingBackend(backend: t.place.backend(), commits: commits))
            try await store.insert(Pen(id: 1))
            commits.fail(with: StorageError(.full, "The disk is full."))
            let results = await store.transactions([
                { tx in try tx.insert(Pen(id: 2)).id }, { tx in try tx.delete(Pen.self, key: 1) },
                { _ in throw Stop(reason: "mine") },
            ])
            try t.expect(results.map { outcome($0) }, equals: ["full", "full", "mine"])
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
            commits.fail(with: nil)
            try t.expect(
                await store.transactions([{ tx in try tx.insert(Pen(id: 2)).id }]).map { try? $0.get() }, equals: [2])
        },
        ConformanceCase(
            "cancellation/group", for: [.t12: [3], .t8: [2]],
            "A cancelled group keeps the transactions that have ended, and fails the others; a closed store fails all."
        ) { t in
            let store = try await t.open(Pen.self)
            let (isRunning, begun) = AsyncStream.makeStream(of: Void.self)
            let isCancelled = DispatchSemaphore(value: 0)
            let ran = Ran()
            let running = Task { [store] in
                await store.transactions(waiting(begun, isCancelled, noting: ran))
            }
            for await _ in isRunning { break }
            running.cancel()
            isCancelled.signal()
            try t.expect(await running.value.map { outcome($0) }, equals: ["1", "cancelled", "cancelled", "cancelled"])
            try t.expect(ran.numbers.withLock { $0 }, equals: [1, 2], "Other transactions ran.")
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
            let before = Task { [store] in
                withUnsafeCurrentTask { $0?.cancel() }
                return await store.transactions([{ tx in try tx.insert(Pen(id: 5)).id }, { _ in 6 }])
            }
            try t.expect(await before.value.map { outcome($0) }, equals: ["cancelled", "cancelled"])
            let inside = await store.transactions([
                { [store] _ in store.store.blocking.transactions([{ _ in 1 }]).map { outcome($0) } }
            ])
            try t.expect(inside.map { try? $0.get() }, equals: [["busy"]])
            try await store.store.close()
            try t.expect(await store.transactions([{ _ in 1 }]).map { outcome($0) }, equals: ["closed"])
            t.note("store.blocking.transactions([…])")
            try t.expect(store.store.blocking.transactions([{ _ in 1 }]).map { outcome($0) }, equals: ["closed"])
        },
        ConformanceCase(
            "expiry/group", for: [.t12: [1, 2]],
            "A group before which more records have expired than one commit removes runs all of it, in order."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(Pass.self, clock: clock)
            try await store.insert(
                (1...1200).map { Pass(id: $0, until: clock.now.addingTimeInterval(10), code: "c\($0)") })
            clock.advance(by: 20)
            let results = await store.transactions(
                (1...5).map { number in
                    { tx in
                        try tx.insert(Pass(id: number, code: "c\(1200 - number)"))
                        return try tx.select(Pass.self).count()
                    }
                })
            try t.expect(results.map { outcome($0) }, equals: (1...5).map { "\($0)" })
            try t.expect(try await store.select(Pass.self).keys(), equals: Array(1...5))
        },
    ]

    /// Transactions that each insert a pen, and return its key.
    private static func inserts(_ keys: ClosedRange<Int>) -> [(inout Store.Transaction) throws -> Int] {
        keys.map { key in { tx in try tx.insert(Pen(id: key)).id } }
    }

    /// Nine transactions that count the records before each, of which some fail and every second one has an origin.
    private static func bodies(
        after start: Int, failing: [Int], _ source: Store.Origin
    ) -> [Store.GroupBody<Int>] {
        (1...9).map { number in
            let body = { (tx: inout Store.Transaction) throws -> Int in
                tx.author = "author \(number)"
                let count = try tx.select(Pen.self).count()
                try tx.insert(Pen(id: start + number, color: "\(count)"))
                try? tx.savepoint {
                    try tx.insert(Pen(id: start + 10))
                    throw Stop(reason: "undone")
                }
                if failing.contains(number) { throw Stop(reason: "stop \(number)") }
                return number
            }
            return (number.isMultiple(of: 2) ? source : .call, body)
        }
    }

    /// Four transactions, of which the second waits for a signal.
    private static func waiting(
        _ begun: AsyncStream<Void>.Continuation, _ isCancelled: DispatchSemaphore, noting ran: Ran
    ) -> [(inout Store.Transaction) throws -> Int] {
        (1...4).map { number in
            { tx in
                ran.numbers.withLock { $0.append(number) }
                try tx.insert(Pen(id: number))
                if number == 2 {
                    begun.yield()
                    isCancelled.wait()
                }
                return try tx.select(Pen.self).count()
            }
        }
    }

    /// The value of a result, the code of the store's error or the reason of another one.
    private static func outcome<T>(_ result: Result<T, any Error>) -> String {
        switch result {
        case .success(let value): "\(value)"
        case .failure(let error as StorageError): "\(error.code)"
        case .failure(let error as Stop): error.reason
        case .failure(let error): "\(error)"
        }
    }
}

extension RecordedStore {
    /// A group of transactions.
    func transactions<T: Sendable>(
        _ bodies: sending [(inout Store.Transaction) throws -> T]
    ) async -> [Result<T, any Error>] {
        trial.note("await \(name).transactions([…])  // \(bodies.count) transactions")
        return await store.transactions(bodies)
    }
}

/// The numbers of the transactions that have run.
private final class Ran: Sendable {
    let numbers = Mutex<[Int]>([])
}

/// Counts the transactions of an engine, and lets their commits fail.
private final class Commits: Sendable {
    private let state = Mutex((count: 0, failure: StorageError?.none))

    var count: Int { state.withLock { $0.count } }

    func reset() { state.withLock { $0.count = 0 } }

    func fail(with error: StorageError?) { state.withLock { $0.failure = error } }

    func commit() throws(StorageError) {
        let failure = state.withLock { state in
            state.count += 1
            return state.failure
        }
        if let failure { throw failure }
    }
}

private struct CommittingBackend: ForwardingBackend {
    let backend: any StorageBackend
    let commits: Commits

    func forward(to engine: any StorageEngine) -> ForwardingEngine {
        ForwardingEngine(engine) { [commits] in $0.commit = { () throws(StorageError) in try commits.commit() } }
    }
}
