internal import Foundation
internal import StorageAPI

/// An error of a user's own.
struct Stop: Error, Equatable {
    let reason: String
}

extension Trial {
    /// Fails where the body does not throw this error, unchanged.
    func expectStop(_ reason: String, line: Int = #line, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as Stop {
            return try expect(error.reason, equals: reason, "The body's error came out changed.", line: line)
        } catch {
            throw ConformanceFailure(
                "Expected the body's own error, and this came out: \(error)", location: "line \(line)")
        }
        throw ConformanceFailure("The body threw, and the call returned.", location: "line \(line)")
    }
}

extension Conformance {
    /// T1, T2: transactions and savepoints.
    static let transactionCases: [ConformanceCase] = [
        ConformanceCase(
            "transactions/undone-model", for: [.t1: [1], .s1: [1]],
            "A model that only an undone transaction has used is not in the store: the next query that leads to it makes it.",
            undoneModel),
        ConformanceCase(
            "transactions/undone-references", for: [.t2: [2], .r2: [1]],
            "A reference that an undone savepoint has written is not asked for when the transaction ends, nor is its table.",
            undoneReferences),
        ConformanceCase(
            "transactions/commit", for: [.t1: [1], .t2: [1]],
            "What a transaction wrote is stored together, and its value is returned."
        ) {
            t in
            let store = try await t.open(Person.self)
            let count = try await store.transaction { _, tx in
                try tx.insert(Samples.person(1))
                try tx.insert([Samples.person(2), Samples.person(3)])
                try tx.delete(Person.self, keys: [2])
                return try tx.count(Person.self)
            }
            try t.expect(count, equals: 2)
            try t.expect(try await store.all(Person.self), equals: [Samples.person(1), Samples.person(3)])
        },
        ConformanceCase(
            "transactions/undo", for: [.t1: [1, 2]],
            "A thrown error undoes every verb, children too, and comes out as it is."
        ) {
            t in
            let store = try await t.open(Person.self, Pen.self)
            let people = (1...6).map(Samples.person)
            try await store.insert(people)
            try await store.insert(Pen(id: 1, color: "root"))
            try await t.expectStop("mine") {
                try await store.transaction { handle, tx in
                    try tx.insert(Samples.person(7))
                    try tx.save(Person(id: 1, name: "changed"))
                    try tx.update(Person(id: 2))
                    try tx.delete(Person.self, keys: [3])
                    try tx.update(Person.self) { $0.set(\.name, to: "all") }
                    try tx.truncate(Pen.self)
                    try handle.delete(Person.self).run()
                    throw Stop(reason: "mine")
                }
            }
            try t.expect(try await store.all(Person.self), equals: people)
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "root")])
        },
        ConformanceCase(
            "transactions/undo-truncate", for: [.t1: [1]],
            "An undone truncate and an undone delete of all leave everything."
        ) {
            t in
            let store = try await t.open(Person.self, Account.self)
            let people = (1...6).map(Samples.person)
            try await store.insert(people)
            try await store.insert([Account(), Account()])
            try await t.expectStop("truncate") {
                try await store.transaction { _, tx in
                    try tx.truncate(Person.self)
                    try tx.truncate(Account.self)
                    try tx.insert(Account())
                    throw Stop(reason: "truncate")
                }
            }
            try t.expect(try await store.all(Person.self), equals: people)
            try t.expect(try await store.insert(Account()).id, equals: 3, "Assigned keys do not go on where they were.")
        },
        ConformanceCase(
            "transactions/undo-schema", for: [.t1: [1], .s10: [1]],
            "A model first used in an undone transaction is as if never used, and its stored name is free."
        ) {
            t in
            let store = try await t.open()
            try await t.expectStop("schema") {
                try await store.transaction { _, tx in
                    try tx.insert(Account(name: "first use"))
                    throw Stop(reason: "schema")
                }
            }
            try t.expect(try await store.all(Account.self), equals: [])
            try t.expect(try await store.insert(Account()).id, equals: 1)
            try await t.expectStop("name") {
                try await store.transaction { _, tx in
                    try tx.insert(IntItem(id: 1, value: 1))
                    throw Stop(reason: "name")
                }
            }
            try await store.transaction { tx, recorded in
                do {
                    try recorded.savepoint(tx) {
                        try recorded.insert(IntItem(id: 1, value: 1))
                        throw Stop(reason: "inner")
                    }
                } catch is Stop {}
                try recorded.insert(TextItem(id: 1, value: "a"))
            }
            try t.expect(try await store.all(TextItem.self), equals: [TextItem(id: 1, value: "a")])
            try await t.expectError(.configuration) { try await store.all(IntItem.self) }
        },
        ConformanceCase(
            "transactions/own-storage-error", for: [.t1: [2]], "A StorageError that the body throws comes out as it is."
        ) { t in
            let store = try await t.open(Pen.self)
            let error = try await t.expectError(.full) {
                try await store.transaction { _, _ -> Int in throw StorageError(.full, "mine", property: "p") }
            }
            try t.expect(error.message, equals: "mine")
            try t.expect(error.property, equals: "p")
            try t.expect(error.operation, equals: nil)
        },
        ConformanceCase(
            "transactions/call-fails-alone", for: [.w4: [2], .e5: [1]],
            "A call that fails has done nothing, and the body may go on."
        ) {
            t in
            let store = try await t.open(Pen.self)
            let element = try await store.transaction { _, tx in
                try tx.insert(Pen(id: 500))
                var element: Int?
                do throws(StorageError) { try tx.insert((0..<600).map { Pen(id: $0) }) } catch {
                    element = error.element
                }
                try tx.insert(Pen(id: 1))
                return element
            }
            try t.expect(element, equals: 500, "The failing element is not named, or the insert did not fail.")
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 500])
        },
        ConformanceCase(
            "transactions/own-writes", for: [.t2: [1]], "Every read inside sees the transaction's own writes."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(Person(id: 1))
            let seen = try await store.transaction { _, tx in
                var seen: [Bool] = []
                let person = Samples.person(9)
                try tx.insert(person)
                seen.append(
                    Difference.between(Optional(person) as Any, try tx.find(Person.self, key: 9) as Any).isEmpty)
                seen.append(try tx.all(Person.self) { $0.where { $0.pens.any { $0.color == "p3" } } }.map(\.id) == [9])
                try tx.update(Person.self) { $0.where { $0.id == 1 }.set(\.name, to: "x") }
                seen.append(try tx.count(Person.self) { $0.where { $0.name == "x" } } == 1)
                try tx.delete(Person.self, keys: [9])
                seen.append(try tx.find(Person.self, key: 9) == nil)
                seen.append(try tx.run(Person.self, "sum { $0.id }") { try $0.sum { $0.id } } == 1)
                try tx.truncate(Person.self)
                seen.append(try tx.count(Person.self) == 0)
                return seen
            }
            try t.expect(seen, equals: Array(repeating: true, count: 6), "A read inside does not see what was written.")
        },
        ConformanceCase(
            "transactions/unseen-outside", for: [.t3: [1]], needs: [.concurrentReads],
            "Nobody else sees what is not committed."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1, color: "old"))
            let outside = try await store.transaction { _, tx in
                try tx.save(Pen(id: 1, color: "new"))
                try tx.insert(Pen(id: 2))
                return try onAnotherThread { try store.blocking.all(Pen.self) }
            }
            try t.expect(outside, equals: [Pen(id: 1, color: "old")])
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "new"), Pen(id: 2)])
        },
        ConformanceCase(
            "transactions/savepoint-fails-alone", for: [.t2: [2]],
            "An inner savepoint fails alone; the outer work stays."
        ) { t in
            let store = try await t.open(Person.self, Account.self)
            let keys = try await store.transaction { tx, recorded in
                try recorded.insert(Samples.person(1))
                do {
                    try recorded.savepoint(tx) {
                        try recorded.insert(Samples.person(2))
                        try recorded.save(Person(id: 1))
                        try recorded.insert(Account())
                        throw Stop(reason: "inner")
                    }
                } catch is Stop {}
                try recorded.insert(Samples.person(3))
                return try recorded.insert(Account()).id
            }
            try t.expect(keys, equals: 1, "An undone assigned key is used up.")
            try t.expect(try await store.all(Person.self), equals: [Samples.person(1), Samples.person(3)])
        },
        ConformanceCase(
            "transactions/savepoint-undone-by-outer", for: [.t2: [2], .t1: [1]],
            "A savepoint that succeeded goes with its transaction."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await t.expectStop("outer") {
                try await store.transaction { tx, recorded in
                    try recorded.savepoint(tx) { try recorded.insert(Pen(id: 1)) }
                    throw Stop(reason: "outer")
                }
            }
            try t.expect(try await store.all(Pen.self), equals: [])
        },
        ConformanceCase(
            "transactions/savepoints-nested", for: [.t2: [2]],
            "Savepoints inside savepoints fail and succeed each for itself."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.transaction { tx, recorded in
                try recorded.savepoint(tx) {
                    try recorded.insert(Pen(id: 1))
                    do {
                        try recorded.savepoint(tx) {
                            try recorded.insert(Pen(id: 2))
                            try recorded.savepoint(tx) { try recorded.insert(Pen(id: 3)) }
                            throw Stop(reason: "middle")
                        }
                    } catch is Stop {}
                    try recorded.savepoint(tx) { try recorded.insert(Pen(id: 4)) }
                }
            }
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 4])
        },
        ConformanceCase(
            "transactions/cancelled", for: [.t1: [1]],
            "A cancelled task's transaction is undone, and the store goes on."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            try await t.expectError(.cancelled) {
                let (inside, told) = AsyncStream.makeStream(of: Void.self)
                let task = Task {
                    try await store.transaction { tx, _ in
                        try tx.insert(Pen(id: 2))
                        told.yield()
                        // Ends by the call that finds the task cancelled.
                        for _ in 0..<1_000_000 { _ = try tx.select(Pen.self).count() }
                        throw Stop(reason: "not cancelled")
                    }
                }
                for await _ in inside { break }
                task.cancel()
                try await task.value
            }
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await store.insert(Pen(id: 3))
            }
            try await t.expectError(.cancelled) { try await late.value }
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
            try await store.insert(Pen(id: 3))
        },
        ConformanceCase(
            "transactions/blocking", for: [.t1: [1], .w1: [2]], "The calls without async are the same calls."
        ) {
            t in
            let store = try await t.open(Pen.self)
            let blocking = store.blocking
            try blocking.insert([Pen(id: 1), Pen(id: 2)])
            try blocking.save(Pen(id: 3))
            try blocking.update(Pen(id: 1, color: "x"))
            try t.expect(try blocking.delete(Pen.self, keys: [2]), equals: 1)
            try t.expect(try blocking.update(Pen.self) { $0.where { $0.id == 3 }.set(\.color, to: "y") }, equals: 1)
            try t.expect(try blocking.all(Pen.self), equals: [Pen(id: 1, color: "x"), Pen(id: 3, color: "y")])
            try await t.expectError(.duplicateKey) { try blocking.insert(Pen(id: 1)) }
            try await t.expectStop("mine") {
                try store.store.blocking.transaction { tx in
                    try tx.delete(Pen.self).run()
                    throw Stop(reason: "mine")
                }
            }
            try t.expect(try store.store.blocking.read { tx in try tx.select(Pen.self).keys() }, equals: [1, 3])
            try t.expect(try store.store.blocking.delete(Pen.self).where { $0.color == "x" }.run(), equals: 1)
            try blocking.truncate(Pen.self)
            try t.expect(try blocking.count(Pen.self), equals: 0)
        },
    ]
}

// MARK: After an undone part

extension Conformance {
    private static func undoneModel(_ t: Trial) async throws {
        let store = try await t.open(Writer.self)
        try await store.insert(Writer(id: 1))
        try await t.expectStop("mine") {
            try await store.transaction { tx, handle in
                try tx.insert(Volume(id: 1, author: 1))
                try expectVolumes(1, t, in: tx)
                throw Stop(reason: "mine")
            }
        }
        try await t.expectStop("mine") {
            try await store.transaction { tx, handle in
                try undoInsertion(handle, tx)
                try expectVolumes(0, t, in: tx)
                throw Stop(reason: "mine")
            }
        }
        let without = try await store.select(Writer.self) { $0.where { $0.volumes.count == 0 } }.keys()
        try t.expect(without, equals: [1])
        try await store.insert(Volume(id: 1, author: 1))
        let with = try await store.select(Writer.self) { $0.where { $0.volumes.count == 1 } }.keys()
        try t.expect(with, equals: [1])
    }

    /// Fails unless the transaction's own query, which leads to a model that only it has used, finds so many records.
    private static func expectVolumes(_ count: Int, _ t: Trial, in tx: borrowing Store.Transaction) throws {
        let found = try tx.select(Writer.self).where { $0.volumes.count == count }.count()
        try t.expect(found, equals: 1, "A transaction's query led to another model than its own.")
    }

    /// Uses a model for the first time in a savepoint that is undone. What it inserts refers to nothing.
    private static func undoInsertion(_ handle: RecordedHandle, _ tx: borrowing Store.Transaction) throws {
        do {
            try handle.savepoint(tx) {
                try tx.insert(Volume(id: 1, author: 7))
                throw Stop(reason: "inner")
            }
        } catch is Stop {
            return
        }
    }

    private static func undoneReferences(_ t: Trial) async throws {
        let store = try await t.open(Writer.self)
        try await store.insert(Writer(id: 1))
        try await store.transaction { tx, handle in
            try undoInsertion(handle, tx)
            try tx.save(Writer(id: 2))
        }
        try t.expect(try await store.select(Writer.self).keys(), equals: [1, 2])
        // What was written before the savepoint is still asked for.
        try await t.expectError(.constraint) {
            try await store.transaction { tx, handle in
                try tx.insert(Volume(id: 2, author: 7))
                try undoInsertion(handle, tx)
            }
        }
    }
}
