internal import StorageAPI
import StorageDriver

extension Conformance {
    /// H8: commits that are read whole.
    static let commitCases: [ConformanceCase] = [
        ConformanceCase(
            "commits/whole", for: [.h8: [1, 2, 6]],
            "Commits are read whole and in order, by pages of any size, each with its signature and its changes."
        ) { t in
            let store = try await t.open(recordsOf: [Person.self], keysOf: [Pen.self])
            let start = try await store.store.historyToken()
            try await store.insert([Samples.person(1), Samples.person(2)])
            try await store.save([Pen(id: 2), Pen(id: 1)])
            try await store.transaction { handle, tx in
                try tx.delete(Person.self, keys: [1])
                for number in 2...3 { try tx.save(Samples.person(number)) }
                try tx.save(Pen(id: 9))
                (handle.author, handle.note) = ("Ann", "tidying")
            }
            try await store.transaction { _, tx in
                try tx.save(Pen(id: 8))
                try tx.delete(Pen.self, keys: [8])
            }
            try await store.delete(Pen.self, keys: [1, 9])
            let last = try await store.store.historyToken()
            let lines = [
                "1: Person inserted 1; Person inserted 2", "2: Pen inserted 2; Pen inserted 1",
                "3 by Ann (tidying): Person deleted 1; Person inserted 3; Pen inserted 9",
                "5: Pen deleted 1; Pen deleted 9",
            ]
            for limit in [1, 2, 3, 4, 1000] {
                var (found, token, isLast) = ([Store.HistoryCommit](), start, false)
                while !isLast {
                    let page = try await store.store.commits(since: token, limit: limit)
                    let counts = page.commits.map(\.changes.count)
                    try t.expect(counts.dropLast().reduce(0, +) < limit, "A page of \(limit) goes on: \(counts)")
                    try t.expect(
                        page.isLast || counts.reduce(0, +) >= limit, "A page of \(limit) ends early: \(counts)")
                    found += page.commits
                    (token, isLast) = (page.next, page.isLast)
                }
                try t.expect(found.map(\.line), equals: lines)
                try t.expect(token == last, "The last page ends at \(token), and not at \(last).")
                for commit in found {
                    let rest = try await store.store.commits(since: commit.token).commits
                    try t.expect(rest.map(\.line), equals: lines.suffix(rest.count))
                    try t.expect(rest.allSatisfy { $0.number > commit.number }, "A commit comes twice.")
                }
            }
            let times = try await store.history().map(\.time)
            let commits = try await store.store.commits().commits
            try t.expect(commits.flatMap { commit in commit.changes.map { _ in commit.time } }, equals: times)
            let pens = try await store.store.commits(of: ["Pen"]).commits
            try t.expect(
                pens.map(\.line),
                equals: ["2: Pen inserted 2; Pen inserted 1", "3 by Ann (tidying): Pen inserted 9", lines[3]])
            for count in 1...5 {
                let page = try await store.store.commits(last: count)
                try t.expect(page.commits.map(\.line), equals: lines.suffix(count))
                try t.expect(page.next == last && page.isLast, "The last \(count) end at \(page.next).")
            }
            let people = try await store.store.commits(last: 2, of: ["Person"]).commits
            try t.expect(people.map(\.number), equals: [1, 3])
            try await t.expectError(.invalidQuery) { try await store.store.commits(last: 0) }
            // The token of an entry leads to its whole commit.
            let entries = try await store.history()
            for entry in entries where entry.commit == 3 {
                let isEnd = entry.token == entries.last { $0.commit == 3 }?.token
                let next = try await store.store.commits(since: entry.token, limit: 1).commits
                try t.expect(next.map(\.number), equals: [isEnd ? 5 : 3])
            }
            try await t.expectError(.invalidQuery) { try await store.store.commits(limit: 0) }
            try await t.expectError(.configuration) { try await store.store.commits(of: ["City"]) }
        },
        ConformanceCase(
            "commits/one-snapshot", for: [.h8: [1]],
            "All pages of a read block are of its snapshot, whatever is written meanwhile."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            for number in 1...5 { try await store.save(Pen(id: number % 2, color: "\(number)")) }
            let writer = Task { [store = store.store] in
                for number in 6...40 { try await store.save(Pen(id: number % 2, color: "\(number)")) }
            }
            for _ in 1...10 {
                let (found, token, colors) = try await store.store.read { snapshot in
                    var (found, token, isLast) = ([Store.HistoryCommit](), Store.HistoryToken?.none, false)
                    while !isLast {
                        let page = try snapshot.commits(since: token, limit: 2)
                        found += page.commits
                        (token, isLast) = (page.next, page.isLast)
                    }
                    let colors = try snapshot.select(Pen.self).order { $0.id }.all().map(\.color)
                    return (found, try snapshot.historyToken(), colors)
                }
                try t.expect(found.map(\.number), equals: Array(1...token.commit))
                let last = try found.suffix(2).sorted { $0.changes[0].key[0] < $1.changes[0].key[0] }.map { commit in
                    try commit.changes[0].after()?.value("color")
                }
                try t.expect(last, equals: colors.map { .text($0) })
            }
            try await writer.value
        },
        ConformanceCase(
            "commits/records", for: [.h8: [3]],
            "A change has the record before and after it, whichever page has it, and whatever became of the record."
        ) { t in
            let store = try await t.open(recordsOf: [Person.self, Pen.self])
            var states: [[StoredRecord: DynamicRecord]] = [[:]]
            func step(_ body: () async throws -> Void) async throws {
                try await body()
                var state: [StoredRecord: DynamicRecord] = [:]
                for model in ["Person", "Pen"] {
                    for record in try await store.store.records(model).all() {
                        state[StoredRecord(model: model, key: [record.value("id") ?? .null])] = record
                    }
                }
                states.append(state)
            }
            try await step { try await store.insert((1...4).map(Samples.person)) }
            try await step { try await store.update(Person.self) { $0.where { $0.id > 2 }.set(\.nickname, to: "n") } }
            try await step {
                try await store.transaction { _, tx in
                    try tx.delete(Person.self, keys: [1, 2])
                    try tx.insert(Samples.person(2))
                    for number in 1...2 { try tx.save(Pen(id: number)) }
                }
            }
            try await step { try await store.save(Pen(id: 1, color: "new")) }
            try await step { try await store.delete(Person.self, keys: [3]) }
            try await step { try await store.insert([Samples.person(1), Samples.person(3)]) }
            try await step { try await store.truncate(Pen.self) }
            try await step { try await store.save([Pen(id: 2), Pen(id: 3)]) }
            for limit in [1, 3, 1000] {
                var (token, isLast) = (Store.HistoryToken?.none, false)
                while !isLast {
                    let page = try await store.store.commits(since: token, limit: limit)
                    for commit in page.commits {
                        for change in commit.changes {
                            let record = StoredRecord(model: change.model, key: change.key)
                            try t.expect(
                                try change.before(), equals: states[commit.number - 1][record],
                                "\(commit.line), before.")
                            try t.expect(
                                try change.after(), equals: states[commit.number][record], "\(commit.line), after.")
                        }
                    }
                    (token, isLast) = (page.next, page.isLast)
                }
            }
        },
        ConformanceCase(
            "commits/excluding", for: [.h8: [7]],
            "Commits of some origins are left out, and the others have the records before and after them."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self, City.self])
            let hub = Store.Origin.taken(from: "hub")
            func save(_ origin: Store.Origin, _ pens: [Pen], cities: [City] = []) async throws {
                t.note(
                    "try await store.transaction(as: \(origin)) { tx in try tx.save(\(pens)); try tx.save(\(cities)) }")
                try await store.store.transaction(as: origin) { tx in
                    try tx.save(pens)
                    try tx.save(cities)
                }
            }
            func colors(
                _ origins: Set<Store.Origin>, of models: Set<String>? = nil, limit: Int
            ) async throws -> [String] {
                var (found, token, isLast) = ([String](), Store.HistoryToken?.none, false)
                while !isLast {
                    let page = try await store.store.commits(since: token, of: models, excluding: origins, limit: limit)
                    for commit in page.commits {
                        for change in commit.changes where change.model == "Pen" {
                            let states = [try change.before(), try change.after()].map { state in
                                if case .text(let color)? = state?.value("color") { color } else { "-" }
                            }
                            found.append("\(commit.number): \(states.joined(separator: " to "))")
                        }
                    }
                    (token, isLast) = (page.next, page.isLast)
                }
                try t.expect(
                    token == (try await store.store.historyToken()), "The last page ends before the last commit.")
                return found
            }
            try await save(hub, [Pen(id: 9, color: "x")], cities: [City(id: 1)])
            try await save(.call, [Pen(id: 1, color: "a")])
            try await save(hub, [Pen(id: 1, color: "b"), Pen(id: 2, color: "b")])
            try await save(hub, [Pen(id: 2, color: "c")])
            try await save(.call, [], cities: [City(id: 99)])
            try await save(hub, (100..<700).map { Pen(id: $0, color: "many") })
            try await save(.call, [Pen(id: 2, color: "d"), Pen(id: 1, color: "d")])
            try await save(hub, [Pen(id: 2, color: "e")])
            let calls = ["2: - to a", "7: c to d", "7: b to d"]
            for limit in [1, 2, 1000] {
                for models in [nil, ["Pen", "City"], ["Pen"]] as [Set<String>?] {
                    try t.expect(try await colors([hub], of: models, limit: limit), equals: calls)
                }
                try t.expect(try await colors([hub, .call], limit: limit), equals: [])
                try t.expect(try await colors([hub], of: ["City"], limit: limit), equals: [])
                let taken = try await colors([.call], limit: limit)
                try t.expect(taken.count, equals: 605)
                try t.expect(
                    taken.prefix(4).joined(separator: ", "), equals: "1: - to x, 3: a to b, 3: - to b, 4: b to c")
                try t.expect(taken.last, equals: "8: d to e")
                try t.expect(try await colors([], limit: limit).count, equals: 608)
            }
        },
        ConformanceCase(
            "commits/properties", for: [.h8: [3]], "A change names the properties that differ, with both contents."
        ) { t in
            let store = try await t.open(recordsOf: [Volume.self, Writer.self, Label.self])
            try await store.insert(writers)
            try await store.insert(labels)
            try await store.insert(volumes)
            var changed = volumes[2]
            changed.title = "Other"
            changed.editor = nil
            changed.chapters.removeLast()
            try await store.save(changed)
            try await store.delete(Volume.self, key: 1)
            let commits = try await store.store.commits(of: ["Volume"]).commits
            try t.expect(commits.count, equals: 3)
            let names = try commits.suffix(2).map { try $0.changes[0].properties().map(\.name) }
            try t.expect(names[0], equals: ["title", "editor", "chapters"])
            try t.expect(
                names[1].sorted(), equals: ["author", "chapters", "editor", "id", "labels", "title", "year"])
            let title = try commits[1].changes[0].properties()[0]
            try t.expect(title.before, equals: .value(.text("Three"), .string))
            try t.expect(title.after, equals: .value(.text("Other"), .string))
            let inserted = try commits[0].changes[0].properties()
            try t.expect(inserted.allSatisfy { $0.before == nil && $0.after != nil }, "\(inserted)")
        },
        ConformanceCase(
            "commits/not-kept", for: [.h8: [3]], "A record that the history does not keep is notKept, and no other one."
        ) { t in
            let store = try await t.open(recordsOf: [City.self], keysOf: [Pen.self])
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            try await store.save([Pen(id: 1, color: "a"), Pen(id: 2, color: "b")])
            try await store.save(Pen(id: 1, color: "c"))
            try await store.delete(Pen.self, key: 1)
            try await store.truncate(Pen.self)
            let commits = try await store.store.commits().commits
            let changes = commits.flatMap(\.changes)
            let texts = changes.map { change in
                func text(_ record: () throws(StorageError) -> DynamicRecord?) -> String {
                    do throws(StorageError) {
                        let found = try record()
                        return found == nil ? "none" : "one"
                    } catch {
                        return error.code.rawValue
                    }
                }
                return "\(text(change.before)) \(text(change.after))"
            }
            let unknown = "notKept"
            try t.expect(
                texts,
                equals: [
                    "none \(unknown)", "none \(unknown)", "\(unknown) \(unknown)", "\(unknown) \(unknown)",
                    "\(unknown) \(unknown)", "\(unknown) none", "\(unknown) \(unknown)",
                ])
            try t.expect(changes.last?.kind, equals: .everything)
            try t.expect(changes.last?.key, equals: [])
            // Without a later change, the record that is stored is the one after.
            try await store.insert(Pen(id: 3, color: "d"))
            let last = try t.required(try await store.store.commits().commits.last)
            try t.expect(try last.changes[0].after()?.value("color"), equals: .text("d"))
        },
        ConformanceCase(
            "commits/rules", for: [.h8: [4]],
            "A change says whether rules of references alone have made it, also where a call changes the record too."
        ) { t in
            let store = try await t.open(recordsOf: [Writer.self, Volume.self, Label.self])
            try await store.insert(labels)
            try await store.insert(writers)
            try await store.insert(volumes)
            try await store.delete(Writer.self, key: 1)
            func rules(_ commit: Store.HistoryCommit?) -> [String] {
                commit?.changes.filter(\.byRule).map(\.line).sorted() ?? []
            }
            var last = try await store.store.commits().commits.last
            let byRule = ["Volume deleted 1", "Volume deleted 2", "Volume updated 3", "Writer updated 2"]
            try t.expect(rules(last), equals: byRule)
            try t.expect(last?.changes.filter { !$0.byRule }.map(\.line), equals: ["Writer deleted 1"])
            let entries = try await store.history().filter { $0.commit == last?.number && $0.byRule }
            try t.expect(entries.map { "\($0.model) \($0.kind) \($0.key?[0] ?? .null)" }.sorted(), equals: rules(last))
            // An undo restores by a call what rules have changed.
            try await store.undo(last?.number ?? 0)
            last = try await store.store.commits().commits.last
            try t.expect(last?.changes.count, equals: 5)
            try t.expect(rules(last), equals: [])
            try await store.transaction { handle, tx in
                try tx.update(Writer.self) { $0.where { $0.id == 3 }.set(\.name, to: "before") }
                try? tx.savepoint(handle) {
                    try tx.update(Writer.self) { $0.where { $0.id == 2 }.set(\.name, to: "undone") }
                    throw StorageError(.invalidValue, "The savepoint is undone.")
                }
                try tx.delete(Writer.self, keys: [1, 2])
                try? tx.savepoint(handle) {
                    try tx.save(volumes[0])
                    throw StorageError(.invalidValue, "The savepoint is undone.")
                }
                try tx.insert(Writer(id: 1, name: "again"))
                try tx.save(volumes[1])
            }
            last = try await store.store.commits().commits.last
            try t.expect(rules(last), equals: ["Volume deleted 1", "Volume deleted 3"])
        },
        ConformanceCase(
            "commits/in-transaction", for: [.h8: [5]],
            "A transaction reads the commits before it, with the records as they were before its changes."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert([Pen(id: 1, color: "a"), Pen(id: 2, color: "b")])
            try await store.save(Pen(id: 1, color: "c"))
            let token = try await store.store.historyToken()
            try await store.transaction { handle, tx in
                for _ in 1...2 {
                    let page = try handle.commits()
                    try t.expect(
                        page.commits.map(\.line), equals: ["1: Pen inserted 1; Pen inserted 2", "2: Pen updated 1"])
                    try t.expect(page.isLast && page.next == token, "The page goes on into the transaction.")
                    try t.expect(try handle.historyToken() == token, "The token is of the transaction.")
                    let colors = try page.commits.flatMap(\.changes).map { try $0.after()?.value("color") }
                    try t.expect(colors, equals: [.text("a"), .text("b"), .text("c")])
                    for number in [1, 3] { try tx.save(Pen(id: number, color: "later")) }
                    try tx.delete(Pen.self, keys: [2])
                }
            }
            try t.expect(try store.store.blocking.commits(since: token).commits.map(\.number), equals: [3])
            let next = try await store.store.commits().next
            try t.expect(try store.store.blocking.historyToken() == next, "The tokens differ.")
        },
    ]
}

/// A record of a model.
private struct StoredRecord: Hashable {
    let model: String
    let key: [Value]
}

extension Store.HistoryCommit {
    /// `3 by Ann (tidying): Person deleted 1; Pen inserted 9`
    var line: String {
        let signature = (author.map { " by \($0)" } ?? "") + (note.map { " (\($0))" } ?? "")
        return "\(number)\(signature): " + changes.map(\.line).joined(separator: "; ")
    }
}

extension Store.RecordDelta {
    /// `Person deleted 1`
    var line: String { ([model, kind.rawValue] + key.map(\.description)).joined(separator: " ") }
}
