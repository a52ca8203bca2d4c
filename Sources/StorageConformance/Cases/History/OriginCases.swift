internal import Foundation
internal import MemoryBackend
internal import StorageAPI
import StorageDriver

extension Conformance {
    /// H9 to H11: origins of commits, which commit a token names, and who holds the history.
    static let originCases: [ConformanceCase] = [
        ConformanceCase(
            "origins/recorded", for: [.h9: [1, 2]],
            "A commit tells its origin to entries, to whole commits, to observers and to layers."
        ) { t in
            let (clock, journal) = (TrialClock(), LayerJournal())
            let layers: [any Store.Layer] = [
                EachRecord(models: [Pass.self]) { (change, transaction) throws(StorageError) in
                    journal.add("record \(change.origin) \(transaction.origin)")
                },
                EachCommit(models: [Pass.self]) { journal.add("commit \($0.origin)") },
            ]
            let store = try await t.open(recordsOf: [Pass.self, Gate.self], layers: layers, clock: clock)
            // Opening has made the tables.
            _ = journal.take()
            var changes = store.store.changes(of: Pass.self).makeAsyncIterator()
            try await store.insert(Pass(id: 1, until: clock.now.addingTimeInterval(5)))
            try await store.transaction { _, tx in try tx.save(Pass(id: 2)) }
            try await store.undo(2)
            t.note("try await store.transaction(as: .taken(from: \"hub\")) { tx in try tx.save(Pass(id: 3)) }")
            try await store.store.transaction(as: .taken(from: "hub")) { tx in _ = try tx.save(Pass(id: 3)) }
            t.note("try store.blocking.transaction(as: .taken(from: \"\")) { tx in try tx.save(Pass(id: 4)) }")
            try store.store.blocking.transaction(as: .taken(from: "")) { tx in _ = try tx.save(Pass(id: 4)) }
            clock.advance(by: 10)
            try await store.save(Pass(id: 5))
            let source = try await Store(InMemoryBackend(), models: Pass.self)
            try await source.insert(Pass(id: 7))
            t.note("try await store.store.copy([\"Pass\"], from: other, replacing: true)")
            try await store.store.copy(["Pass"], from: source, replacing: true)
            let origins: [Store.Origin] = [
                .call, .call, .undo, .taken(from: "hub"), .taken(from: ""), .expiry, .call, .copy,
            ]
            let commits = try await store.store.commits().commits
            try t.expect(commits.map(\.origin), equals: origins)
            let entries = try await store.history()
            try t.expect(
                entries.map { "\($0.commit) \($0.origin)" },
                equals: commits.flatMap { commit in commit.changes.map { _ in "\(commit.number) \(commit.origin)" } })
            var seen: [Store.Origin] = []
            while seen.count < origins.count, case .commit(let commit)? = try await changes.next() {
                seen.append(commit.origin)
            }
            try t.expect(seen, equals: origins)
            let lines = journal.take()
            try t.expect(lines.filter { $0.hasPrefix("commit") }, equals: origins.map { "commit \($0)" })
            var told: [String] = []
            for line in lines where line.hasPrefix("record") && told.last != line { told.append(line) }
            var expected: [String] = []
            for line in origins.map({ "record \($0) \($0)" }) where expected.last != line { expected.append(line) }
            try t.expect(told, equals: expected)
            try await source.close()
            let long = String(repeating: "x", count: 1 << 16)
            t.note("try await store.transaction(as: .taken(from: …)) { tx in try tx.save(Pass(id: 8)) }")
            try await store.store.transaction(as: .taken(from: long)) { tx in _ = try tx.save(Pass(id: 8)) }
            try t.expect(try await store.history().last?.origin, equals: .taken(from: long))
            try await t.expectError(.limitExceeded) {
                try await store.store.transaction(as: .taken(from: long + "x")) { tx in _ = try tx.save(Pass(id: 9)) }
            }
            try t.expect(try await store.find(Pass.self, key: 9) == nil, "What was refused is stored.")
        },
        ConformanceCase(
            "origins/calls-alone", for: [.h9: [3], .l4: [3]],
            "Records taken from elsewhere are stored as they are: no layer changes or keeps them, and their times stay."
        ) { t in
            let (clock, journal) = (TrialClock(), LayerJournal())
            let layers: [any Store.Layer] = [
                EachRow(models: [Stamped.self]) { (row) throws(StorageError) in
                    journal.add("row")
                    if row["title"] != nil { try row.set("title", to: "changed") }
                },
                EachDeletion(models: [Stamped.self]) { (_, _) throws(StorageError) in
                    journal.add("deletion")
                    return .keep
                },
            ]
            let store = try await t.open(recordsOf: [Stamped.self], layers: layers, clock: clock)
            let early = Date(timeIntervalSinceReferenceDate: 5)
            let taken = [
                Stamped(id: 1, title: "a", created: early, modified: early), Stamped(id: 2, title: "b", created: early),
                Stamped(id: 3, title: "c", created: early, next: 2),
            ]
            t.note("try await store.transaction(as: .taken(from: \"hub\")) { tx in try tx.insert(\(taken)) }")
            try await store.store.transaction(as: .taken(from: "hub")) { tx in _ = try tx.insert(taken) }
            try t.expect(try await store.all(Stamped.self), equals: taken)
            t.note(
                "try await store.transaction(as: .taken(from: \"hub\")) { tx in try tx.delete(Stamped.self, key: 2) }")
            try await store.store.transaction(as: .taken(from: "hub")) { tx in _ = try tx.delete(Stamped.self, key: 2) }
            let rest = [taken[0], Stamped(id: 3, title: "c", created: early)]
            try t.expect(try await store.all(Stamped.self), equals: rest)
            try await store.undo(2)
            try t.expect(try await store.all(Stamped.self), equals: taken)
            try t.expect(journal.take(), equals: [])
            try await store.save(Stamped(id: 1, title: "by a call"))
            try await store.delete(Stamped.self, key: 2)
            try t.expect(journal.take(), equals: ["row", "deletion"])
            let saved = Stamped(id: 1, title: "changed", created: early, modified: clock.now)
            try t.expect(try await store.all(Stamped.self), equals: [saved, taken[1], taken[2]])
        },
        ConformanceCase(
            "origins/undo-last", for: [.h9: [4], .h5: [7, 8]],
            "undoLast passes over commits taken from elsewhere, whoever is their author; undo does not."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert(Pen(id: 1))
            t.note("try await store.transaction(as: .taken(from: \"hub\")) { tx in tx.author = \"Ann\"; … }")
            try await store.store.transaction(as: .taken(from: "hub")) { tx in
                tx.author = "Ann"
                try tx.insert(Pen(id: 2))
            }
            t.note("try await store.undoLast(author: \"Ann\")")
            try await t.expectError(.notFound) { try await store.store.undoLast(author: "Ann") }
            t.note("try await store.undoLast()")
            try t.expect(try await store.store.undoLast(), equals: 3)
            try t.expect(try await store.select(Pen.self).keys(), equals: [2])
            try await t.expectError(.notFound) { try await store.store.undoLast() }
            try await store.undo(2)
            try t.expect(try await store.select(Pen.self).keys(), equals: [])
        },
        ConformanceCase(
            "tokens/commit", for: [.h10: [1, 2]],
            "A token names its commit: with another commit's digest it is invalidValue, and without one it is read as before."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            for number in 1...4 { try await store.insert([Pen(id: number), Pen(id: number + 10)]) }
            let tokens = try await store.history().map(\.token) + store.store.commits().commits.map(\.token)
            for token in tokens {
                let text = token.description
                let parts = text.split(separator: "@")
                try t.expect(parts.count, equals: 2)
                let digest = try t.required(UInt64(parts[1], radix: 16))
                let changed = String(digest ^ 1, radix: 16, uppercase: true)
                let padded = String(repeating: "0", count: 16 - changed.count) + changed
                let other = try t.required(Store.HistoryToken("\(parts[0])@\(padded)"))
                try await t.expectError(.invalidValue) { try await store.history(since: other) }
                try await t.expectError(.invalidValue) { try await store.store.commits(since: other) }
                try await t.expectError(.invalidValue) { try await store.store.holdHistory("x", after: other) }
                let earlier = try t.required(Store.HistoryToken(String(parts[0])), "A token of an earlier version.")
                let rest = try await store.history(since: token).map(\.text)
                try t.expect(try await store.history(since: earlier).map(\.text), equals: rest)
                for wrong in [
                    "@", "@\(parts[1])0", "@\(parts[1].dropLast())", "@\(parts[1])@\(parts[1])",
                    "@+\(parts[1].dropFirst())",
                ] {
                    try t.expect(
                        Store.HistoryToken(parts[0] + wrong) == nil, "\(parts[0] + wrong) is taken for a token.")
                }
            }
            try t.expect(Set(tokens.map { $0.description.split(separator: "@")[1] }).count, equals: 4)
            let unheld = try t.required(try await store.store.historyStatus()).holds
            try t.expect(unheld, equals: [])
        },
        ConformanceCase(
            "holds/kept", for: [.h11: [1, 2], .h4: [1]],
            "Commits that a name holds stay, for every program and after reopening, until the hold moves."
        ) { t in
            var store = try await t.open(recordsOf: [Pen.self], keeping: .commits(20))
            func save(_ numbers: ClosedRange<Int>) async throws {
                for number in numbers { try await store.save(Pen(id: number % 7, color: "\(number)")) }
            }
            try await save(1...10)
            let token = try await store.store.historyToken()
            t.note("try await store.holdHistory(\"outbox\", after: \(token))")
            try await store.store.holdHistory("outbox", after: token)
            try await store.transaction { handle, tx in
                try tx.save(Pen(id: 3, color: "11"))
                try handle.holdHistory("second", after: nil)
            }
            try await save(12...150)
            try t.expect(try await store.history().first?.commit, equals: 1)
            if t.place.outlivesClosing(store.info) {
                try await store.close()
                store = try await t.open()
            }
            t.note("try store.blocking.releaseHistory(\"second\")")
            try t.expect(try store.store.blocking.releaseHistory("second"), equals: true)
            try await save(151...220)
            let commits = try await store.store.commits(since: token).commits
            try t.expect(commits.map(\.number), equals: Array(11...220))
            try t.expect(
                try t.required(try await store.history().first).commit >= 10, "Commits without a hold are kept.")
            let holds = try t.required(try await store.store.historyStatus()).holds
            try t.expect(holds.map { "\($0.name) \($0.commit)" }, equals: ["outbox 10"])
            t.note("try await store.holdHistory(\"outbox\", after: \(commits[199].token))")
            try await store.store.holdHistory("outbox", after: commits[199].token)
            try await save(221...350)
            try t.expect(try await store.store.commits(since: commits[199].token).commits.first?.number, equals: 211)
            try await t.expectError(.notKept) { try await store.store.commits(since: token) }
            try await t.expectError(.notKept) { try await store.store.holdHistory("late", after: token) }
        },
        ConformanceCase(
            "holds/released", for: [.h11: [1, 3], .h4: [2]],
            "Holds are listed by name, a transaction that fails moves none, and whoever releases one lets the history go."
        ) { t in
            let store = try await t.open(keysOf: [Pen.self], keeping: .commits(5))
            let start = try await store.store.historyToken()
            t.note("try await store.holdHistory(…)")
            for name in ["b", "a", String(repeating: "é", count: 127)] {
                try await store.store.holdHistory(name, after: start)
            }
            try await store.save(Pen(id: 1))
            let entry = try t.required(try await store.history().last)
            try await t.expectError(.invalidValue) {
                try await store.store.transaction { tx in
                    try tx.holdHistory("a", after: entry.token)
                    try tx.releaseHistory("b")
                    throw StorageError(.invalidValue, "The transaction is undone.")
                }
            }
            for name in ["", String(repeating: "x", count: 256)] {
                try await t.expectError(.invalidValue) { try await store.store.holdHistory(name, after: start) }
            }
            func holds() async throws -> [String] {
                try t.required(try await store.store.historyStatus()).holds.map { "\($0.name.prefix(1)) \($0.commit)" }
            }
            try t.expect(try await holds(), equals: ["a 0", "b 0", "é 0"])
            try await store.store.holdHistory("b", after: entry.token)
            try t.expect(try await holds(), equals: ["a 0", "b 1", "é 0"])
            for number in 2...80 { try await store.save(Pen(id: number)) }
            try t.expect(try await store.history(since: start).count, equals: 80)
            t.note("try await store.releaseHistory(…)")
            try t.expect(try await store.store.releaseHistory("none"), equals: false)
            for hold in try t.required(try await store.store.historyStatus()).holds {
                try t.expect(try await store.store.releaseHistory(hold.name), equals: true)
            }
            try t.expect(try await holds(), equals: [])
            for number in 81...160 { try await store.save(Pen(id: number)) }
            try await t.expectError(.notKept) { try await store.history(since: start) }
        },
        ConformanceCase(
            "holds/bounded", for: [.h11: [4]],
            "A hold that keeps more than the store declares is let go, and its reader is told."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(
                [Pen.self],
                options: .init(
                    history: .init(
                        keys: [Pen.self], keeping: .commits(5), holding: .init(commits: 100, seconds: 1000)),
                    clock: { clock.now }),
                ".init(history: .init(keys: [Pen.self], keeping: .commits(5), holding: .init(commits: 100, seconds: 1000)))"
            )
            func save(_ numbers: ClosedRange<Int>) async throws {
                for number in numbers { try await store.save(Pen(id: number)) }
            }
            func holds() async throws -> [String] {
                try t.required(try await store.store.historyStatus()).holds.map { "\($0.name) \($0.commit)" }
            }
            try await save(1...10)
            let token = try await store.store.historyToken()
            t.note("try await store.holdHistory(\"slow\", after: \(token))")
            try await store.store.holdHistory("slow", after: token)
            try await save(11...96)
            try t.expect(try await holds(), equals: ["slow 10"])
            try t.expect(try await store.history(since: token).count, equals: 86)
            try await save(97...192)
            try t.expect(try await holds(), equals: [])
            try await t.expectError(.notKept) { try await store.history(since: token) }
            let later = try await store.store.historyToken()
            try await store.store.holdHistory("late", after: later)
            clock.advance(by: 2000)
            try await save(193...224)
            try t.expect(try await holds(), equals: ["late 192"])
            clock.advance(by: 2000)
            try await save(225...256)
            try t.expect(try await holds(), equals: [])
            try t.expect(
                try t.required(try await store.store.historyStatus()).holding,
                equals: .init(commits: 100, seconds: 1000))
        },
    ]
}
