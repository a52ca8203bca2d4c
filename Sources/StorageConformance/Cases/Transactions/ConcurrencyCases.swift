internal import Foundation
internal import StorageAPI
import Synchronization

extension Conformance {
    /// T3 to T6: isolation, concurrency, what outlives its source.
    static let concurrencyCases: [ConformanceCase] = [
        ConformanceCase(
            "snapshots/block", for: [.t3: [2]], "A read block sees one state from its first read to its end."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(Samples.person(1))
            let seen = try await store.read { tx in
                let first = try tx.find(Person.self, key: 1)
                if store.info.has(.concurrentReads) {
                    try onAnotherThread {
                        try store.blocking.save(Person(id: 1, name: "new"))
                        try store.blocking.insert(Samples.person(2))
                    }
                }
                return (first, try tx.find(Person.self, key: 1), try tx.count(Person.self))
            }
            try t.expect(seen.0, equals: Samples.person(1))
            try t.expect(seen.1, equals: seen.0, "The block sees a later commit.")
            try t.expect(seen.2, equals: 1)
        },
        ConformanceCase(
            "snapshots/models-together", for: [.t3: [2]], needs: [.concurrentReads],
            "A block sees two models in one state."
        ) { t in
            let store = try await t.open(Pen.self, City.self)
            try await store.insert(Pen(id: 1, color: "0"))
            try await store.insert(City(id: 1, name: "0"))
            for round in 1...20 {
                let pair = try await store.read { tx in
                    let color = try tx.find(Pen.self, key: 1)?.color
                    try onAnotherThread {
                        try store.blocking.save(City(id: 1, name: "\(round)"))
                        try store.blocking.save(Pen(id: 1, color: "\(round)"))
                    }
                    return (color, try tx.find(City.self, key: 1)?.name)
                }
                try t.expect(pair.1, equals: pair.0)
            }
        },
        ConformanceCase(
            "concurrency/counter", for: [.t3: [1], .t4: [2]], "32 tasks that each add 1 in a transaction lose nothing."
        ) {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert(Measure(id: 1, number: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        try await store.transaction { _, tx in
                            let number = try tx.find(Measure.self, key: 1)?.number ?? 0
                            try tx.save(Measure(id: 1, number: number + 1))
                        }
                    }
                }
                try await group.waitForAll()
            }
            try t.expect(try await store.find(Measure.self, key: 1)?.number, equals: 32)
        },
        ConformanceCase(
            "concurrency/append-history", for: [.t3: [1]],
            "Appends of many tasks make one history: each saw all before it."
        ) { t in
            let store = try await t.open(Account.self)
            try await store.insert(Account(id: 1))
            let seen = try await withThrowingTaskGroup(of: (Int, [Int]).self) { group in
                for task in 0..<24 {
                    group.addTask {
                        try await store.transaction { _, tx in
                            var account = try tx.find(Account.self, key: 1) ?? Account(id: 1)
                            let before = account.pens.map(\.id)
                            account.pens.append(Pen(id: task))
                            try tx.save(account)
                            return (task, before)
                        }
                    }
                }
                return try await group.reduce(into: [Int: [Int]]()) { $0[$1.0] = $1.1 }
            }
            let history = try t.required(try await store.find(Account.self, key: 1)).pens.map(\.id)
            try t.expect(history.sorted(), equals: Array(0..<24), "An append is lost, or there twice.")
            for (place, task) in history.enumerated() {
                try t.expect(
                    seen[task], equals: Array(history.prefix(place)), "A transaction saw another past than it had.")
            }
        },
        ConformanceCase(
            "concurrency/fails-alone", for: [.w4: [2], .t4: [2]], "Of writers that wait together one may fail alone."
        ) {
            t in
            let store = try await t.open(Account.self)
            let failures = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<32 {
                    group.addTask {
                        do throws(StorageError) {
                            let pens = [Pen(id: index)]
                            try await store.insert([Account(id: 100 + index), Account(id: 1 + index / 2, pens: pens)])
                            return false
                        } catch {
                            return error.code == .duplicateKey && error.element == 1
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try t.expect(failures, equals: 16)
            try t.expect(try await store.select(Account.self).count(), equals: 32)
            try t.expect(
                try await store.select(Account.self) { $0.where { $0.id < 100 && $0.pens.any { $0.id >= 0 } } }.count(),
                equals: 16)
        },
        ConformanceCase(
            "concurrency/failure-among-others", for: [.k2: [1], .w4: [2], .t4: [2]],
            "Where one of many writers fails, the others' keys are those that they were told, and bodies run once."
        ) { t in
            let store = try await t.open(Account.self, Pen.self)
            try await store.insert(Pen(id: 1))
            let (begun, bodies) = (Count(), Count())
            let told = try await withThrowingTaskGroup(of: Account?.self) { group in
                // While this one runs the others come to wait, and are likely to be committed together.
                group.addTask {
                    try await store.transaction { _, _ in begun.wait(for: 48) }
                    return nil
                }
                for index in 0..<48 {
                    group.addTask {
                        begun.add()
                        let record = Account(name: "\(index)", pens: [Pen(id: index)])
                        switch index {
                        // The last ones, so that most of the others come before them.
                        case 45...:
                            try await t.expectError(.duplicateKey) { try await store.insert(Pen(id: 1)) }
                            return nil
                        case _ where index % 3 == 0:
                            return try await store.transaction { _, tx in
                                bodies.add()
                                return try tx.insert(record)
                            }
                        case _ where index % 3 == 1: return try await store.insert([record]).first
                        default: return try await store.insert(record)
                        }
                    }
                }
                return try await group.reduce(into: [Account]()) { told, record in
                    if let record { told.append(record) }
                }
            }
            try t.expect(bodies.value, equals: 15, "A transaction's body ran more than once, or not at all.")
            try t.expect(Set(told.map(\.id)).count, equals: 45, "Two records were told the same key.")
            for record in told {
                let key = try t.required(record.id)
                try t.expect(try await store.find(Account.self, key: key), equals: record)
            }
            try t.expect(try await store.select(Account.self).count(), equals: 45)
        },
        ConformanceCase(
            "concurrency/no-torn-graph", for: [.t3: [2]], "Readers beside a writer see no torn pair and no half graph."
        ) { t in
            let store = try await t.open(Measure.self, Account.self)
            func account(_ id: Int, _ round: Int) -> Account {
                Account(id: id, name: "\(round)", pens: (0..<round % 7).map { Pen(id: $0, color: "\(round)") })
            }
            try await store.insert((1...5).map { account($0, 0) })
            // The writer goes on until the last reader has read.
            let ended = Count()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var round = 0
                    repeat {
                        round += 1
                        try await store.store.save((1...5).map { account($0, round) })
                    } while round < 40 || ended.value < 3
                }
                for _ in 0..<3 {
                    group.addTask {
                        defer { ended.add() }
                        var (reads, rounds) = (0, Set<String>())
                        // A busy machine may run 30 reads without the writer; only one that it goes on beside can be torn.
                        while reads < 30 || rounds.count < 20 && reads < 3000 {
                            reads += 1
                            let accounts = try await store.store.select(Account.self).all()
                            let names = Set(accounts.map(\.name))
                            try t.expect(names.count, equals: 1, "Records of two commits are seen together.")
                            rounds.formUnion(names)
                            let whole = accounts.allSatisfy { account in
                                account.pens.count == (Int(account.name) ?? -1) % 7
                                    && account.pens.allSatisfy { $0.color == account.name }
                            }
                            try t.expect(whole, "A record is seen with another commit's children.")
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
        ConformanceCase(
            "concurrency/readers-do-not-wait", for: [.t4: [1]], needs: [.concurrentReads],
            "A reader goes on while a writer is in its transaction."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            let counts = try await store.transaction { _, tx in
                try tx.insert(Pen(id: 2))
                return try onAnotherThread {
                    (try store.blocking.count(Pen.self), try store.blocking.all(Pen.self).count)
                }
            }
            try t.expect(counts.0, equals: 1)
            try t.expect(counts.1, equals: 1)
        },
        ConformanceCase(
            "concurrency/writers-do-not-wait", for: [.t4: [1]], needs: [.concurrentReads],
            "A writer goes on while a reader is in its block."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            let seen = try await store.read { tx in
                let before = try tx.count(Pen.self)
                try onAnotherThread { try store.blocking.insert(Pen(id: 2)) }
                return (before, try tx.count(Pen.self))
            }
            try t.expect(seen.0, equals: 1)
            try t.expect(seen.1, equals: 1)
            try t.expect(try await store.select(Pen.self).count(), equals: 2)
        },
        ConformanceCase(
            "closing/everything-throws", for: [.t5: [2]],
            "After close every call throws closed; closing twice is no error."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert((0..<1000).map { Pen(id: $0) })
            var iterator = store.store.select(Pen.self).stream().makeAsyncIterator()
            _ = try await iterator.next()
            try await store.close()
            try await store.close()
            try await t.expectError(.closed) { try await store.insert(Pen(id: 1)) }
            try await t.expectError(.closed) { try await store.save([Pen(id: 1)]) }
            try await t.expectError(.closed) { try await store.update(Pen(id: 1)) }
            try await t.expectError(.closed) { try await store.update(Pen.self) { $0.set(\.color, to: "x") } }
            try await t.expectError(.closed) { try await store.delete(Pen.self, key: 1) }
            try await t.expectError(.closed) { try await store.delete(Pen.self) { $0 } }
            try await t.expectError(.closed) { try await store.truncate(Pen.self) }
            try await t.expectError(.closed) { try await store.find(Pen.self, key: 1) }
            try await t.expectError(.closed) { try await store.all(Pen.self) }
            try await t.expectError(.closed) { try await store.select(Pen.self).first() }
            try await t.expectError(.closed) { try await store.select(Pen.self).exists() }
            try await t.expectError(.closed) { try await store.select(Pen.self).count() }
            try await t.expectError(.closed) { try await store.store.select(Pen.self).sum { $0.id } }
            try await t.expectError(.closed) { try await store.select(City.self).keys() }
            try await t.expectError(.closed) { try await store.select(Pen.self).stream() }
            try await t.expectError(.closed) { try await store.transaction { _, _ in 1 } }
            try await t.expectError(.closed) { try await store.read { _ in 1 } }
            try await t.expectError(.closed) { try store.blocking.all(Pen.self) }
            try await t.expectError(.closed) { try store.blocking.insert(Pen(id: 1)) }
            try await t.expectError(.closed) {
                while try await iterator.next() != nil {}
                return 0
            }
        },
        ConformanceCase(
            "closing/builders", for: [.t5: [2]], "A query builder taken out of a transaction throws closed."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            let select = try store.store.blocking.transaction { tx in tx.select(Pen.self) }
            let update = try store.store.blocking.transaction { tx in tx.update(Pen.self).set(\.color, to: "x") }
            let delete = try store.store.blocking.transaction { tx in tx.delete(Pen.self) }
            let snapshot = try store.store.blocking.read { tx in tx.select(Pen.self) }
            try await t.expectError(.closed) { try select.all() }
            try await t.expectError(.closed) { try update.run() }
            try await t.expectError(.closed) { try delete.run() }
            try await t.expectError(.closed) { try snapshot.keys() }
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1)])
        },
        ConformanceCase(
            "closing/while-used", for: [.t5: [3]], "Closing waits for what runs; each call is done or closed."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert((0..<200).map { Pen(id: -1 - $0) })
            let others = await withTaskGroup(of: StorageError.Code?.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        do {
                            for round in 0..<500 {
                                switch task % 4 {
                                case 0: try await store.store.insert(Pen(id: task * 1000 + round))
                                case 1: _ = try await store.store.select(Pen.self).all()
                                case 2: for try await _ in store.store.select(Pen.self).stream() {}
                                default: try await store.store.transaction { _ = try $0.select(Pen.self).count() }
                                }
                                if task == 0, round == 20 { try await store.store.close() }
                            }
                            return nil
                        } catch {
                            return (error as? StorageError)?.code ?? .io
                        }
                    }
                }
                return await group.reduce(into: [StorageError.Code]()) { codes, code in
                    if let code, code != .closed { codes.append(code) }
                }
            }
            try t.expect(others, equals: [], "A call ended by another error than closed.")
        },
        ConformanceCase(
            "sharing/second-store", for: [.t6: [1, 2, 3]], needs: [.sharing],
            "Two stores on one place see each other's commits."
        ) { t in
            let first = try await t.open(Pen.self)
            let second = try await t.open(Pen.self)
            try await first.insert(Pen(id: 1))
            try t.expect(try await second.all(Pen.self), equals: [Pen(id: 1)])
            try await second.insert(Pen(id: 2))
            try await t.expectError(.duplicateKey) { try await first.insert(Pen(id: 2)) }
            try t.expect(try await first.select(Pen.self).keys(), equals: [1, 2])
        },
        ConformanceCase(
            "sharing/assigned-keys", for: [.t6: [1], .k2: [1]], needs: [.sharing],
            "Two stores on one place never assign one key twice."
        ) { t in
            let first = try await t.open(Account.self)
            let second = try await t.open(Account.self)
            for round in 0..<10 {
                try t.expect(try await first.insert(Account()).id, equals: round * 2 + 1)
                try t.expect(try await second.insert(Account()).id, equals: round * 2 + 2)
            }
        },
    ]
}

/// Counts calls from several tasks, and lets a thread wait for a number of them.
final class Count: Sendable {
    private let count = Mutex(0)
    private let grown = NSCondition()

    var value: Int { count.withLock { $0 } }

    func add() {
        count.withLock { $0 += 1 }
        grown.withLock { grown.broadcast() }
    }

    /// Blocks the thread until there have been so many calls.
    func wait(for number: Int) {
        grown.withLock {
            while value < number { grown.wait() }
        }
    }
}
