internal import Foundation
internal import MemoryBackend
internal import StorageAPI
import StorageDriver

extension Conformance {
    /// L1 and L3: the events that layers receive.
    static let layerCases: [ConformanceCase] = [
        ConformanceCase(
            "layers/every-write", for: [.l1: [1]],
            "A layer sees the writes of every verb, of rules of references, lists and undo, with the records before and after."
        ) { t in
            let journal = LayerJournal()
            let layer = EachRecord(models: [Stamped.self]) { (change, _) throws(StorageError) in
                let before = try change.before(Stamped.self)?.title ?? "nil"
                let after = try change.after(Stamped.self)?.title ?? "nil"
                journal.add("\(change.line) \(before) \(after)")
            }
            let store = try await t.open(recordsOf: [Stamped.self], layers: [layer])
            func told(_ lines: [String], _ body: () async throws -> Void) async throws {
                _ = journal.take()
                try await body()
                try t.expect(journal.take(), equals: lines)
            }
            try await told(["+Stamped 1 nil a", "+Stamped 2 nil b"]) {
                try await store.insert([Stamped(id: 1, title: "a"), Stamped(id: 2, title: "b", next: 1)])
            }
            try await told(["~Stamped 2 b c", "+Stamped 3 nil d"]) {
                try await store.save([Stamped(id: 2, title: "c", next: 1), Stamped(id: 3, title: "d", others: [1, 2])])
            }
            try await told(["~Stamped 3 d e"]) {
                try await store.update(Stamped.self) { $0.where { $0.id == 3 }.set(\.title, to: "e") }
            }
            try await told(["~Stamped 1 a f"]) { try await store.update(Stamped(id: 1, title: "f")) }
            try await told(["-Stamped 1 f nil", "~Stamped 2 c c", "~Stamped 3 e e"]) {
                try await store.delete(Stamped.self, key: 1)
            }
            try await told(["~Stamped 3 e e", "~Stamped 2 c c", "+Stamped 1 nil f"]) { try await store.undo(5) }
            try await told(["~Stamped 3 e e"]) {
                try await store.store.list(\.others, of: Ref<Stamped>(key: 3)).append(3)
            }
            try await told(["-Stamped 2 c nil", "~Stamped 3 e e"]) {
                try await store.delete(Stamped.self) { $0.where { $0.title == "c" } }
            }
            try await told(["+Stamped 7 nil x", "~Stamped 7 x g"]) {
                try await store.transaction { _, tx in
                    try tx.insert(Stamped(id: 7, title: "x"))
                    try tx.update(Stamped.self) { $0.where { $0.id == 7 }.set(\.title, to: "g") }
                }
            }
        },
        ConformanceCase(
            "layers/net-effect", for: [.l1: [1]],
            "Of what one call changes several times a layer sees the net effect; of each call of a transaction by itself."
        ) { t in
            let journal = LayerJournal()
            let layer = EachRecord(models: [Stamped.self]) { (change, _) throws(StorageError) in
                journal.add(change.line)
            }
            let store = try await t.open([Stamped.self], layers: [layer])
            try await store.transaction { handle, tx in
                try handle.save([Stamped(id: 1), Stamped(id: 1, title: "again"), Stamped(id: 2)])
                try tx.delete(Stamped.self, keys: [1])
                try tx.insert(Stamped(id: 1))
            }
            try t.expect(
                journal.take(), equals: ["+Stamped 1", "+Stamped 2", "-Stamped 1", "+Stamped 1"])
            try await store.truncate(Stamped.self)
            try t.expect(journal.take().sorted(), equals: ["-Stamped 1", "-Stamped 2"])
        },
        ConformanceCase(
            "layers/each-call", for: [.l1: [1], .l2: [1]],
            "A layer is asked about a change of a list that follows a write of its record in the same transaction."
        ) { t in
            let journal = LayerJournal()
            let row = EachRow(models: [Stamped.self]) { (_) throws(StorageError) in journal.add("row") }
            let record = EachRecord(models: [Stamped.self]) { (change, _) throws(StorageError) in
                journal.add(change.line)
                guard let others = try change.after(Stamped.self)?.others, others.count > 2 else { return }
                throw StorageError(.constraint, "A record refers to two others.")
            }
            let store = try await t.open([Stamped.self], layers: [row, record])
            try await store.transaction { handle, tx in
                let list = handle.list(\.others, of: Ref<Stamped>(key: 1))
                try tx.insert(Stamped(id: 1))
                t.note("    try tx.list(\\.others, of: 1).append([1, 1])")
                try list.append([1, 1])
                try tx.update(Stamped.self) { $0.set(\.title, to: "a") }
                t.note("    _ = try? tx.list(\\.others, of: 1).append(1)")
                _ = try? list.append(1)
            }
            try t.expect(
                journal.take(),
                equals: ["row", "+Stamped 1", "row", "~Stamped 1", "row", "~Stamped 1", "row", "~Stamped 1"])
            try t.expect(try await store.all(Stamped.self).map(\.others), equals: [[1, 1]])
        },
        ConformanceCase(
            "layers/expiry-and-copies", for: [.l1: [1]],
            "A layer sees what expires and what a copy brings and replaces."
        ) { t in
            let (journal, clock) = (LayerJournal(), TrialClock())
            let layer = EachRecord { (change, _) throws(StorageError) in journal.add(change.line) }
            let store = try await t.open([Pass.self, Gate.self], layers: [layer], clock: clock)
            try await store.insert([Pass(id: 1, until: clock.now.addingTimeInterval(1)), Pass(id: 2)])
            try await store.insert(Gate(id: 1, only: 1))
            _ = journal.take()
            clock.advance(by: 5)
            try await store.save(Pass(id: 3))
            try t.expect(journal.take(), equals: ["-Pass 1", "-Gate 1", "+Pass 3"])
            let source = try await Store(InMemoryBackend(), models: Pass.self)
            try await source.insert([Pass(id: 2), Pass(id: 9)])
            t.note("try await store.store.copy([\"Pass\"], from: other, replacing: true)")
            try await store.store.copy(["Pass"], from: source, replacing: true)
            try t.expect(journal.take(), equals: ["~Pass 2", "-Pass 3", "+Pass 9"])
            try await source.close()
        },
        ConformanceCase(
            "layers/end-of-call", for: [.l1: [2]],
            "A layer sees records when all writes of the call are made, also where another layer writes in the middle of it."
        ) { t in
            let journal = LayerJournal()
            let counting = EachRecord(models: [Pass.self]) { (change, transaction) throws(StorageError) in
                journal.add("\(change.line) \(try transaction.select(Gate.self).count())")
            }
            let writing = EachDeletion(models: [Gate.self]) { (_, transaction) throws(StorageError) in
                try transaction.save(Pen(id: 1))
                return .delete
            }
            let store = try await t.open([Pass.self, Gate.self, Pen.self], layers: [counting, writing])
            try await store.insert([Pass(id: 1), Pass(id: 2)])
            try await store.insert([Gate(id: 1, only: 1), Gate(id: 2, only: 2), Gate(id: 3, only: 1)])
            _ = journal.take()
            try await store.delete(Pass.self, key: 1)
            try t.expect(journal.take(), equals: ["-Pass 1 1"])
        },
        ConformanceCase(
            "layers/audit", for: [.l1: [3]],
            "What a layer writes is in the transaction: undone with it, with its savepoint and its commit, and observed."
        ) { t in
            let store = try await t.open(recordsOf: [Stamped.self, AuditLine.self], layers: [Audit()])
            var feed = store.feed(of: AuditLine.self)
            try await store.insert(Stamped(id: 1))
            try await t.expectError(.duplicateKey) { try await store.insert([Stamped(id: 2), Stamped(id: 1)]) }
            try await store.transaction { handle, tx in
                try tx.save(Stamped(id: 3))
                _ = try? handle.savepoint { () throws(StorageError) in
                    try tx.save(Stamped(id: 4))
                    throw StorageError(.constraint, "The savepoint is undone.")
                }
                _ = try? tx.insert(Stamped(id: 3))
            }
            try t.expect(try await store.all(AuditLine.self).map(\.text), equals: ["+Stamped 1", "+Stamped 3"])
            try t.expect(try await feed.text(), equals: "+[1] ~[] -[]")
            try t.expect(try await feed.text(), equals: "+[2] ~[] -[]")
            try await store.undo(2)
            try t.expect(
                try await store.all(AuditLine.self).map(\.text), equals: ["+Stamped 1", "-Stamped 3"])
            try t.expect(try await store.all(Stamped.self).map(\.id), equals: [1])
        },
        ConformanceCase(
            "layers/seen-by-later", for: [.l1: [4]],
            "What a layer writes is seen by the layers after it, and not by itself or those before it."
        ) { t in
            let journal = LayerJournal()
            func journaling(_ name: String) -> EachRecord {
                EachRecord { (change, transaction) throws(StorageError) in
                    journal.add("\(name) \(change.line)")
                    if name == "second", change.model == "Stamped" {
                        try transaction.insert(AuditLine(text: "by second"))
                    }
                }
            }
            let layers = ["first", "second", "third"].map(journaling)
            let store = try await t.open([Stamped.self, AuditLine.self], layers: layers)
            try await store.insert(Stamped(id: 1))
            try t.expect(
                journal.take(),
                equals: ["first +Stamped 1", "second +Stamped 1", "third +Stamped 1", "third +AuditLine 1"])
        },
        ConformanceCase(
            "layers/commits", for: [.l3: [1]],
            "A layer is told of each commit once, in order, when it is durable, and of nothing that was undone."
        ) { t in
            let journal = LayerJournal()
            let store = try await t.open(
                [Pen.self, City.self], layers: [EachCommit(models: [Pen.self]) { journal.add($0.line) }])
            // Opening has made the tables.
            _ = journal.take()
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            try await t.expectError(.duplicateKey) { try await store.insert([Pen(id: 3), Pen(id: 1)]) }
            try await store.insert(City(id: 1))
            try await store.transaction { handle, tx in
                handle.author = "sync"
                try tx.insert(Pen(id: 4))
                _ = try? handle.savepoint { () throws(StorageError) in
                    try tx.save(Pen(id: 5))
                    throw StorageError(.constraint, "The savepoint is undone.")
                }
                try tx.delete(Pen.self, keys: [1])
            }
            try await t.expectError(.constraint) {
                try await store.transaction { _, tx in
                    try tx.insert(Pen(id: 6))
                    throw StorageError(.constraint, "The transaction is undone.")
                }
            }
            try t.expect(journal.take(), equals: ["Pen +1,2", "Pen +4 -1 by sync"])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 100..<140 {
                    group.addTask {
                        // Every third fails, alone or in a group of commits.
                        _ = try? await store.insert(id % 3 == 0 ? [Pen(id: id), Pen(id: 2)] : [Pen(id: id)])
                    }
                }
                try await group.waitForAll()
            }
            let expected = (100..<140).filter { $0 % 3 != 0 }.map { "Pen +\($0)" }
            try t.expect(journal.take().sorted(), equals: expected.sorted())
        },
        ConformanceCase(
            "layers/mirror", for: [.l1: [1, 3]],
            "A layer that mirrors every change keeps its copy equal through any program of writes, undone parts included."
        ) { t in
            let store = try await t.open(recordsOf: [Stamped.self, Pen.self], layers: [PenMirror()])
            var random = SeededGenerator(seed: 7)
            for step in 0..<60 {
                try await change(store, &random)
                let expected = try await store.all(Stamped.self).map(PenMirror.pen)
                try t.expect(try await store.all(Pen.self), equals: expected, "After step \(step).")
            }
        },
    ]

    /// One write of a random kind, which may fail.
    private static func change(_ store: RecordedStore, _ random: inout SeededGenerator) async throws {
        let id = Int.random(in: 1...8, using: &random)
        let other = Int.random(in: 1...8, using: &random)
        let stamped = Stamped(
            id: id, title: "\(Int.random(in: 0...99, using: &random))", parts: [Pen(id: other, color: "p")],
            next: Bool.random(using: &random) ? Ref(key: other) : nil,
            others: Bool.random(using: &random) ? [Ref(key: other), Ref(key: id)] : [])
        switch Int.random(in: 0..<9, using: &random) {
        case 0: _ = try? await store.insert(stamped)
        case 1, 2: _ = try? await store.save(stamped)
        case 3: _ = try? await store.update(stamped)
        case 4: _ = try? await store.delete(Stamped.self, key: id)
        case 5: try await store.update(Stamped.self) { $0.where { $0.id < other }.set(\.title, to: "set") }
        case 6: _ = try? await store.store.list(\.others, of: Ref<Stamped>(key: id)).append(Ref(key: other))
        case 7:
            try await store.transaction { handle, tx in
                _ = try? tx.save(Stamped(id: other, title: "kept"))
                _ = try? handle.list(\.others, of: Ref<Stamped>(key: other)).append(Ref(key: other))
                _ = try? handle.savepoint { () throws(StorageError) in
                    try tx.delete(Stamped.self, keys: [id, other])
                    try tx.save(stamped)
                    throw StorageError(.constraint, "The savepoint is undone.")
                }
            }
        default:
            let last = try await store.history().last?.commit ?? 1
            _ = try? await store.undo(last)
        }
    }
}
