internal import Foundation
internal import StorageAPI

extension Conformance {
    /// H1 to H4 and H6: what a store records of its changes.
    static let historyCases: [ConformanceCase] = [
        ConformanceCase(
            "history/entries", for: [.h1: [1], .h2: [1, 2, 3]],
            "Each commit leaves the net effect on each record, signed and numbered."
        ) { t in
            let store = try await t.open(recordsOf: [Person.self], keysOf: [Pen.self])
            try await store.insert([Samples.person(1), Samples.person(2)])
            try await store.save([Pen(id: 2), Pen(id: 1)])
            try await store.insert(City(id: 1))
            var changed = Samples.person(2)
            changed.pens = [Pen(id: 9, color: "new")]
            try await store.save([changed, Samples.person(3)])
            try await store.transaction { handle, tx in
                try tx.delete(Pen.self, keys: [1, 70])
                try tx.insert(Pen(id: 1, color: "again"))
                try tx.save(Pen(id: 5))
                try tx.delete(Pen.self, keys: [5])
                try tx.update(Person.self) { $0.where { $0.id == 3 }.set(\.age, to: 1) }
                try tx.update(Person.self) { $0.where { $0.id == 3 }.set(\.age, to: 2) }
                (handle.author, handle.note) = ("Ann", "tidying")
            }
            try await store.transaction { _, tx in
                try tx.save(Pen(id: 8))
                try tx.delete(Pen.self, keys: [8])
            }
            try await store.delete(Person.self, keys: [1, 44])
            try await store.truncate(Pen.self)
            let entries = try await store.history()
            try t.expect(
                entries.map(\.text),
                equals: [
                    "1 Person inserted 1", "1 Person inserted 2", "2 Pen inserted 2", "2 Pen inserted 1",
                    "3 Person updated 2", "3 Person inserted 3", "4 Pen updated 1 by Ann: tidying",
                    "4 Person updated 3 by Ann: tidying",
                    "6 Person deleted 1", "7 Pen everything",
                ])
            let people = try await store.history(of: Person.self)
            try t.expect(
                try people.map { try $0.before },
                equals: [nil, nil, Samples.person(2), nil, Samples.person(3), Samples.person(1)])
            try t.expect(people.map(\.key), equals: [1, 2, 2, 3, 3, 1])
            try t.expect(
                try entries.filter { $0.model == "Pen" }.allSatisfy { try $0.before == nil }, "A key has a record.")
        },
        ConformanceCase(
            "history/truncated", for: [.h2: [2]],
            "A record that is changed in the transaction that truncates its model has one entry, or none if nothing changed."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self], keysOf: [City.self])
            try await store.insert((1...3).map { Pen(id: $0) })
            try await store.transaction { handle, tx in
                try tx.save(Pen(id: 1, color: "a"))
                try tx.save(Pen(id: 4))
                try tx.truncate(Pen.self)
                try tx.insert([Pen(id: 1, color: "b"), Pen(id: 2), Pen(id: 5), Pen(id: 6)])
                try? tx.savepoint(handle) {
                    try tx.truncate(Pen.self)
                    throw StorageError(.invalidValue, "The savepoint is undone.")
                }
                try tx.delete(Pen.self, keys: [2, 6])
            }
            try t.expect(
                try await store.history().filter { $0.commit == 2 }.map(\.text).sorted(),
                equals: [
                    "2 Pen deleted 2", "2 Pen deleted 3", "2 Pen inserted 5", "2 Pen updated 1",
                ])
            let entries = try await store.history(of: Pen.self).filter { $0.commit == 2 && $0.kind != .inserted }
            for entry in entries { try t.expect(try entry.before, equals: Pen(id: t.required(entry.key))) }
            try await store.undo(2)
            try t.expect(try await store.all(Pen.self), equals: (1...3).map { Pen(id: $0) })
            try await store.transaction { _, tx in
                try tx.insert(City(id: 1))
                try tx.truncate(City.self)
                try tx.insert(City(id: 2))
            }
            try t.expect(
                try await store.history().filter { $0.commit == 4 }.map(\.text),
                equals: ["4 City everything", "4 City inserted 2"])
        },
        ConformanceCase(
            "history/undone", for: [.h1: [3], .h2: [3]],
            "What fails or is undone leaves nothing in the history, nor does it use a number."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert(Pen(id: 1))
            try await t.expectError(.duplicateKey) { try await store.insert([Pen(id: 2), Pen(id: 1)]) }
            try await t.expectError(.notFound) { try await store.update([Pen(id: 1, color: "x"), Pen(id: 9)]) }
            try await store.transaction { handle, tx in
                try? tx.savepoint(handle) {
                    try tx.save(Pen(id: 1, color: "undone"))
                    throw StorageError(.invalidValue, "The savepoint is undone.")
                }
                _ = try? tx.insert([Pen(id: 3), Pen(id: 1)])
                try tx.save(Pen(id: 4))
                try? tx.savepoint(handle) {
                    try tx.save(Pen(id: 4, color: "undone"))
                    try tx.save(Pen(id: 5, color: "undone"))
                    throw StorageError(.invalidValue, "The savepoint is undone.")
                }
            }
            try await store.delete(Pen.self, key: 77)
            try await store.delete(Pen.self, key: 1)
            try t.expect(
                try await store.history().map(\.text),
                equals: ["1 Pen inserted 1", "2 Pen inserted 4", "3 Pen deleted 1"])
        },
        ConformanceCase(
            "history/every-writing", for: [.h2: [1]],
            "Every way of writing keeps the record before: of rules, of what is computed, of owned records, by any program."
        ) { t in
            let store = try await t.open(recordsOf: [Writer.self, Volume.self, Loan.self, Label.self, Measure.self])
            try await store.insert(writers)
            try await store.insert(labels)
            try await store.insert(volumes)
            try await store.insert(Measure(id: 1, number: 4))
            let token = try await store.store.historyToken()
            let mentored = writers.filter { $0.mentor != nil }
            try await store.update(Measure.self) { $0.set(\.number) { $0.number + 1 } }
            let deleted = try await store.delete(Writer.self, keys: [1, 2])
            try t.expect(deleted, equals: 2)
            let entries = try await store.history(of: Volume.self, since: token)
            try t.expect(Set(entries.map { "\($0.kind)" }), equals: ["deleted"])
            try t.expect(try entries.map { try $0.before }.sorted { $0?.id ?? 0 < $1?.id ?? 0 }, equals: volumes)
            let gone = try await store.history(of: Writer.self, since: token)
            for entry in gone {
                try t.expect(try entry.before, equals: writers.first { $0.id == entry.key })
            }
            try t.expect(
                gone.count { $0.kind == .updated } > 0 || mentored.isEmpty, "What a rule sets to nil is not there.")
            let computed = try await store.history(of: Measure.self, since: token)
            try t.expect(try computed.map { try $0.before }, equals: [Measure(id: 1, number: 4)])
        },
        ConformanceCase(
            "history/token", for: [.h3: [1, 2, 4, 5]],
            "A token leads to what follows it, once and in order, and to nothing else."
        ) { t in
            var store = try await t.open(recordsOf: [Pen.self])
            let start = try await store.store.historyToken()
            for number in 1...3 { try await store.insert([Pen(id: number), Pen(id: number + 10)]) }
            let all = try await store.history(since: start)
            try t.expect(all.map(\.commit), equals: [1, 1, 2, 2, 3, 3])
            for (place, entry) in all.enumerated() {
                let token = try t.required(Store.HistoryToken(entry.token.description), "The token's text is not read.")
                try t.expect(token == entry.token, "The token's text is that of another.")
                let rest = try await store.history(since: token)
                try t.expect(rest.map(\.text), equals: all[(place + 1)...].map(\.text))
            }
            let last = try await store.store.historyToken()
            try await store.insert(Pen(id: 50))
            try t.expect(try await store.history(since: last).map(\.text), equals: ["4 Pen inserted 50"])
            let decoded = try JSONDecoder().decode(Store.HistoryToken.self, from: JSONEncoder().encode(last))
            try t.expect(decoded == last, "The token is not what was encoded.")
            let other = try t.required(Store.HistoryToken("00000000-0000-0000-0000-000000000000:1"))
            try await t.expectError(.invalidValue) { try await store.history(since: other) }
            let place = last.description.prefix { $0 != "@" }
            let future = try t.required(Store.HistoryToken(place + "99"))
            try await t.expectError(.invalidValue) { try await store.history(since: future) }
            try await t.expectError(.configuration) { try await store.history(of: City.self) }
            for text in ["", ":", "1:2", "\(last.description)x", "\(place)x", place + ".-1", place + ".1.2"] {
                try t.expect(Store.HistoryToken(text) == nil, "A text is taken for a token: \(text)")
            }
            guard t.place.outlivesClosing(store.info) else { return }
            try await store.close()
            store = try await t.open(Pen.self)
            try t.expect(try await store.history(since: last).map(\.text), equals: ["4 Pen inserted 50"])
        },
        ConformanceCase(
            "history/binding", for: [.h1: [2]],
            "What is recorded binds a program that does not ask for it, until one turns it off."
        ) { t in
            let probe = try await t.open()
            guard t.place.outlivesClosing(probe.info) else { return }
            try await t.expectError(.configuration) { try await probe.history() }
            try await probe.close()
            var store = try await t.open(recordsOf: [Pen.self])
            try await store.insert(Pen(id: 1))
            try await store.close()
            store = try await t.open()
            try await store.save(Pen(id: 1, color: "new"))
            try t.expect(try await store.history(of: Pen.self).map { try $0.before }, equals: [nil, Pen(id: 1)])
            try await store.close()
            store = try await t.open(keysOf: [Pen.self, City.self])
            try await store.delete(Pen.self, key: 1)
            let status = try t.required(try await store.store.historyStatus())
            try t.expect(status.keys, equals: ["Pen", "City"])
            try t.expect(status.lastCommit, equals: 3)
            try await store.close()
            store = try await t.open(off: [Pen.self])
            try await store.insert([Pen(id: 7)])
            try await store.insert([City(id: 7)])
            try t.expect(
                try await store.history().map(\.text),
                equals: ["1 Pen inserted 1", "2 Pen updated 1", "3 Pen deleted 1", "4 City inserted 7"])
        },
        ConformanceCase(
            "history/second-store", for: [.h1: [2], .h2: [3]], needs: [.sharing],
            "A store that is open already records what another one asks for, and both number their commits in one row."
        ) { t in
            let first = try await t.open(Pen.self)
            try await first.insert(Pen(id: 1))
            let second = try await t.open(keysOf: [Pen.self])
            try await first.insert(Pen(id: 2))
            try await second.insert(Pen(id: 3))
            try await first.delete(Pen.self, key: 1)
            let entries = ["1 Pen inserted 2", "2 Pen inserted 3", "3 Pen deleted 1"]
            try t.expect(try await first.history().map(\.text), equals: entries)
            try t.expect(try await second.history().map(\.text), equals: entries)
        },
        ConformanceCase(
            "history/clock", for: [.h2: [4, 1]], "Times are the clock's, and do not go back with it."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(keysOf: [Pen.self], clock: clock)
            let start = clock.now
            for seconds in [0, 10, -100, 50, 60] {
                clock.advance(by: Double(seconds))
                try await store.save(Pen(id: 1, color: "\(seconds)"))
            }
            let times = try await store.history().map { $0.time.timeIntervalSince(start) }
            try t.expect(times, equals: [0, 10, 10, 10, 20])
        },
        ConformanceCase(
            "history/pruned", for: [.h4: [1, 2], .h3: [3, 5], .h2: [3]],
            "What is beyond the declared number goes, no more than that, and neither numbers nor tokens come again."
        ) { t in
            var store = try await t.open(recordsOf: [Pen.self], keeping: .commits(20))
            let start = try await store.store.historyToken()
            for number in 1...150 { try await store.save(Pen(id: number % 7, color: "\(number)")) }
            let entries = try await store.history()
            try t.expect(entries.last?.commit, equals: 150)
            let first = try t.required(entries.first).commit
            try t.expect(entries.map(\.commit), equals: Array(first...150))
            try t.expect((20...120).contains(entries.count), "\(entries.count) of 20 commits are kept.")
            try await t.expectError(.notKept) { try await store.history(since: start) }
            try await t.expectError(.notKept) { try await store.store.undo(1) }
            try await t.expectError(.notKept) { try await store.store.find(Pen.self, key: 1, asOf: 1) }
            guard t.place.outlivesClosing(store.info) else { return }
            try await store.close()
            store = try await t.open(Pen.self)
            try await store.save(Pen(id: 1))
            try t.expect(try await store.history().last?.commit, equals: 151)
        },
        ConformanceCase(
            "history/pruned-empty", for: [.h3: [3, 5], .h4: [1], .h6: [1]],
            "A commit that has come to nothing goes with what is too old, and nothing is read as if it began there."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self], keeping: .commits(20))
            let start = try await store.store.historyToken()
            try await store.transaction { _, tx in
                try tx.save(Pen(id: 8))
                try tx.delete(Pen.self, keys: [8])
            }
            for number in 1...150 { try await store.save(Pen(id: number % 7, color: "\(number)")) }
            try await t.expectError(.notKept) { try await store.history(since: start) }
            try await t.expectError(.notKept) { try await store.store.find(Pen.self, key: 1, asOf: 1) }
            let status = try t.required(try await store.store.historyStatus())
            try t.expect(try await store.history().first?.commit, equals: status.firstCommit)
            try t.expect(
                (20...120).contains(151 - (status.firstCommit ?? 0)), "\(status) keeps others than the last 20.")
        },
        ConformanceCase(
            "history/aged", for: [.h4: [1, 3]], "What is older than the declared age goes, and the last commit stays."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(keysOf: [Pen.self], keeping: .days(1), clock: clock)
            for number in 1...31 { try await store.save(Pen(id: number)) }
            clock.advance(by: 100_000)
            try await store.save(Pen(id: 99))
            try t.expect(try await store.history().map(\.text), equals: ["32 Pen inserted 99"])
            clock.advance(by: 1_000_000)
            for number in 33...63 { try await store.save(Pen(id: number)) }
            try t.expect(try await store.history().first?.commit, equals: 32)
            clock.advance(by: 1_000_000)
            try await store.save(Pen(id: 99, color: "new"))
            try t.expect(try await store.history().map(\.text), equals: ["64 Pen updated 99"])
        },
        ConformanceCase(
            "history/as-of", for: [.h6: [1]], "A record is read as it was after each commit, with all that it owned."
        ) { t in
            let store = try await t.open(recordsOf: [Person.self], keysOf: [Pen.self])
            var states: [[Person?]] = [[nil, nil]]
            func step() async throws { states.append(try await store.store.find(Person.self, keys: [1, 2])) }
            try await store.insert(Samples.person(1))
            try await step()
            var changed = Samples.person(9)
            changed.id = 1
            try await store.save([changed, Samples.person(2)])
            try await step()
            try await store.update(Person.self) { $0.where { $0.id == 1 }.set(\.nickname, to: nil) }
            try await step()
            try await store.delete(Person.self, key: 1)
            try await step()
            try await store.insert(Samples.person(1))
            try await step()
            try await store.truncate(Person.self)
            try await step()
            for (commit, state) in states.enumerated() {
                for key in 1...2 {
                    let found = try await store.store.find(Person.self, key: key, asOf: commit)
                    try t.expect(found, equals: state[key - 1], "Person \(key) is another after commit \(commit).")
                }
            }
            try await t.expectError(.invalidValue) { try await store.store.find(Person.self, key: 1, asOf: 99) }
            try await t.expectError(.invalidValue) { try await store.store.find(Person.self, key: 1, asOf: -1) }
            try await t.expectError(.notKept) { try await store.store.find(Pen.self, key: 1, asOf: 1) }
            try await t.expectError(.configuration) { try await store.store.find(City.self, key: 1, asOf: 1) }
        },
        ConformanceCase(
            "history/hidden", for: [.s4: [1]],
            "The history is no model: it is neither listed, nor copied, nor counted as one."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert(Pen(id: 1))
            try t.expect(try await store.store.recordSchemas().map(\.name), equals: ["Pen"])
            var problems: [StoreProblem] = []
            try await store.store.verify { problems.append($0) }
            try t.expect(problems.map(\.description), equals: [])
        },
    ]
}

extension RecordedStore {
    /// The entries of all models.
    func history(
        since token: Store.HistoryToken? = nil
    ) async throws -> [Store.HistoryEntry<[Value], DynamicRecord>] {
        trial.note("for try await entry in \(name).history(\(token.map { "since: \($0)" } ?? "")) { … }")
        var entries: [Store.HistoryEntry<[Value], DynamicRecord>] = []
        for try await entry in store.history(since: token) { entries.append(entry) }
        return entries
    }

    /// The entries of one model.
    func history<M: Storable>(
        of model: M.Type, since token: Store.HistoryToken? = nil
    ) async throws -> [Store.HistoryEntry<M.Key, M>] {
        note(model, "history(of: \(SwiftSource.name(of: model)).self)", prefix: "for try await entry in ")
        var entries: [Store.HistoryEntry<M.Key, M>] = []
        for try await entry in store.history(of: model, since: token) { entries.append(entry) }
        return entries
    }

    /// Undoes a commit.
    @discardableResult
    func undo(_ commit: Int) async throws -> Int {
        trial.note("try await \(name).undo(\(commit))")
        return try await store.undo(commit)
    }
}

extension Store.HistoryEntry where Key == [Value] {
    /// `4 Person updated 3 by Ann: tidying`
    var text: String {
        let key = key.map { " " + $0.map(\.description).joined(separator: ", ") } ?? ""
        return "\(commit) \(model) \(kind.rawValue)\(key)" + (author.map { " by \($0)" } ?? "")
            + (note.map { ": \($0)" } ?? "")
    }
}
