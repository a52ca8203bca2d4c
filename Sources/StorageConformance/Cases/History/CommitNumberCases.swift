internal import StorageAPI

extension Conformance {
    /// T10 and H5: the numbers of commits, and undoing the latest.
    static let commitNumberCases: [ConformanceCase] = [
        ConformanceCase(
            "history/commit-number", for: [.t10: [1]],
            "A transaction gives the number that its entries have, and none where nothing of it is recorded."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            let first = try await store.commit { tx in try tx.insert(Pen(id: 1)) }
            try t.expect(first.commit, equals: 1)
            try t.expect(first.value, equals: Pen(id: 1))
            try t.expect(try await store.commit { tx in try tx.insert(City(id: 1)) }.commit, equals: nil)
            try t.expect(try await store.commit { tx in try tx.count(Pen.self) }.commit, equals: nil)
            try await t.expectStop("mine") {
                _ = try await store.commit { (tx) throws -> Void in
                    try tx.insert(Pen(id: 2))
                    throw Stop(reason: "mine")
                }
            }
            // Writes that wait together share a commit of the engine, and each has a number of its own.
            let numbers = try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
                for key in 10..<30 {
                    group.addTask { (key, try await store.commit { tx in try tx.insert(Pen(id: key)) }.commit) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for entry in try await store.history(of: Pen.self).dropFirst() {
                try t.expect(
                    numbers[t.required(entry.key)] ?? nil, equals: entry.commit, "The pen \(entry.key as Any).")
            }
            try t.expect(numbers.count, equals: 20)
            try await store.undo(t.required(numbers[17] ?? nil))
            try t.expect(try await store.find(Pen.self, key: 17), equals: nil)
            t.note("try store.blocking.commit { tx in try tx.insert(Pen(id: 2)) }")
            let blocking = try store.store.blocking.commit { (tx) throws(StorageError) in try tx.insert(Pen(id: 2)) }
            try t.expect(blocking.commit, equals: 23)
        },
        ConformanceCase(
            "history/no-commit-number", for: [.t10: [1]],
            "A store without a history gives no number, also to observers."
        ) { t in
            let store = try await t.open(Pen.self)
            let changes = store.store.changes(of: Pen.self)
            var observer = changes.makeAsyncIterator()
            try t.expect(try await store.commit { tx in try tx.insert(Pen(id: 1)) }.commit, equals: nil)
            guard case .commit(let commit)? = try await observer.next() else {
                return try t.expect(false, "There is no commit.")
            }
            try t.expect(commit.number, equals: nil)
            try await t.expectError(.configuration) { try await store.undoLast() }
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
        },
        ConformanceCase(
            "undo/last", for: [.h5: [7, 8]],
            "Undoing the latest commit again goes back one step further, and a redone commit counts again."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await t.expectError(.notFound) { try await store.undoLast() }
            try await store.insert(Pen(id: 1))
            try await store.save(Pen(id: 1, color: "a"))
            try await store.insert(City(id: 1))
            try await store.save(Pen(id: 1, color: "a"))
            try await store.insert(Pen(id: 2))
            let states: [[Pen]] = [
                [], [Pen(id: 1)], [Pen(id: 1, color: "a")], [Pen(id: 1, color: "a"), Pen(id: 2)],
            ]
            var undone: [Int] = []
            for state in states.reversed().dropFirst() {
                undone.append(try await store.undoLast())
                try t.expect(try await store.all(Pen.self), equals: state)
            }
            try await t.expectError(.notFound) { try await store.undoLast() }
            for (state, number) in zip(states.dropFirst(), undone.reversed()) {
                try await store.undo(number)
                try t.expect(try await store.all(Pen.self), equals: state)
            }
            for state in states.reversed().dropFirst().prefix(2) {
                try await store.undoLast()
                try t.expect(try await store.all(Pen.self), equals: state)
            }
            try await store.save(Pen(id: 1, color: "b"))
            for state in [states[1], states[0]] {
                try await store.undoLast()
                try t.expect(try await store.all(Pen.self), equals: state)
            }
            try await t.expectError(.notFound) { try await store.undoLast() }
        },
        ConformanceCase(
            "undo/last-at-random", for: [.h5: [7, 8]],
            "Writes, undoing the latest and redoing in any order leave what a list of states would."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            var random = SeededGenerator(seed: t.seed)
            /// The colours of the pens, by their keys.
            var states: [[Int: String]] = [[:]]
            /// The last undo and the state before it, for as long as it can be redone.
            var undone: (commit: Int, state: [Int: String])?
            for _ in 1...60 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    guard states.count > 1 else {
                        try await t.expectError(.notFound) { try await store.undoLast() }
                        continue
                    }
                    undone = (try await store.undoLast(), states.removeLast())
                case 2:
                    guard let (commit, state) = undone else { continue }
                    try await store.undo(commit)
                    states.append(state)
                    undone = nil
                default:
                    let id = Int.random(in: 1...3, using: &random)
                    let color = [nil, "", "a", "b"].randomElement(using: &random) ?? nil
                    if let color {
                        try await store.save(Pen(id: id, color: color))
                    } else {
                        try await store.delete(Pen.self, key: id)
                    }
                    var state = states.last ?? [:]
                    state[id] = color
                    if state != states.last { (states, undone) = (states + [state], nil) }
                }
                let stored = try await store.all(Pen.self).map { ($0.id, $0.color) }
                try t.expect(Dictionary(uniqueKeysWithValues: stored), equals: states.last ?? [:])
            }
        },
        ConformanceCase(
            "undo/last-of-author", for: [.h5: [7, 8]],
            "Undoing an author's latest commit leaves other authors' commits, and is conflict if they changed its records."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            for (author, id, color) in [("Ann", 1, "a"), ("Bob", 2, "b"), ("Ann", 3, "c"), ("Bob", 3, "d")] {
                try await store.transaction { handle, tx in
                    handle.author = author
                    try tx.save(Pen(id: id, color: color))
                }
            }
            let before = [Pen(id: 1, color: "a"), Pen(id: 2, color: "b"), Pen(id: 3, color: "d")]
            let error = try await t.expectError(.conflict) { try await store.undoLast(author: "Ann") }
            try t.expect(error.key, equals: [.int(3)])
            try await t.expectError(.notFound) { try await store.undoLast(author: "ann") }
            try t.expect(try await store.all(Pen.self), equals: before)
            try await store.undoLast(author: "Bob")
            try await store.undoLast(author: "Ann")
            try t.expect(try await store.all(Pen.self), equals: Array(before[..<2]))
            try await store.undoLast(author: "Ann")
            try t.expect(try await store.all(Pen.self), equals: [before[1]])
            try await t.expectError(.notFound) { try await store.undoLast(author: "Ann") }
            try t.expect(
                try await store.history().suffix(3).map(\.text),
                equals: ["5 Pen updated 3 by Bob", "6 Pen deleted 3 by Ann", "7 Pen deleted 1 by Ann"])
        },
        ConformanceCase(
            "undo/last-of-store", for: [.h5: [7]], needs: [.sharing],
            "Without an author the latest commit of the open store is undone, whatever another store has written since."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert(Pen(id: 1))
            let other = try await t.open()
            try await t.expectError(.notFound) { try await other.undoLast() }
            try await other.insert(Pen(id: 2))
            try await store.insert(Pen(id: 3))
            try await other.insert(Pen(id: 4))
            try await store.undoLast()
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 2, 4])
            try await store.undoLast()
            try t.expect(try await store.select(Pen.self).keys(), equals: [2, 4])
            try await t.expectError(.notFound) { try await store.undoLast() }
            try await other.save(Pen(id: 4, color: "x"))
            try await store.save(Pen(id: 4, color: "y"))
            let error = try await t.expectError(.conflict) { try await other.undoLast() }
            try t.expect(error.key, equals: [.int(4)])
            try await store.undoLast()
            try await other.undoLast()
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 2), Pen(id: 4)])
            t.note("try await other.undoLast(.anyone)")
            try await other.store.undoLast(.anyone)
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 2)])
            try await other.store.undoLast(.anyone, author: "Ann")
            try t.expect(try await store.all(Pen.self), equals: [])
            try await t.expectError(.notFound) { try await other.store.undoLast(.anyone) }
            try t.expect(try await store.history().last?.author, equals: "Ann")
        },
        ConformanceCase(
            "undo/last-expired", for: [.h5: [7, 8]],
            "Undoing the latest commit passes over commits whose records have all expired."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(recordsOf: [Pass.self, Pen.self], clock: clock)
            for id in 1...2 {
                try await store.transaction { handle, tx in
                    handle.author = "Ann"
                    try tx.insert(Pen(id: id))
                }
            }
            for id in 1...2 {
                try await store.transaction { [until = clock.now.addingTimeInterval(1)] handle, tx in
                    handle.author = "Ann"
                    try tx.insert(Pass(id: id, until: until))
                }
            }
            clock.advance(by: 5)
            try await store.undoLast()
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
            let undone = try await store.undoLast(author: "Ann")
            try t.expect(try await store.select(Pen.self).keys(), equals: [])
            try await t.expectError(.notFound) { try await store.undoLast() }
            try await t.expectError(.notFound) { try await store.undoLast(author: "Ann") }
            try await t.expectError(.notFound) { try await store.undo(4) }
            try await store.undo(undone)
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
        },
        ConformanceCase(
            "undo/last-copied", for: [.h5: [7]],
            "A copy with its history knows which commits are undone, and that a store made others is no commit of the copy."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            for id in 1...3 {
                try await store.transaction { handle, tx in
                    handle.author = "Ann"
                    try tx.insert(Pen(id: id))
                }
            }
            try await store.undoLast(author: "Ann")
            let place = try await t.place.another()
            let copy = try await t.open([], options: .init(), ".init()", on: try await place.backend())
            t.note("try await \(copy.name).copy(from: store, history: true)")
            try await copy.store.copy(from: store.store, history: true)
            try await t.expectError(.notFound) { try await copy.undoLast() }
            try await copy.undoLast(author: "Ann")
            try t.expect(try await copy.select(Pen.self).keys(), equals: [1])
        },
    ]
}

extension RecordedStore {
    /// A transaction with the number of its commit.
    @discardableResult
    func commit<T: Sendable>(
        _ body: sending @escaping (RecordedHandle) throws -> T
    ) async throws -> Store.Committed<T> {
        trial.note("try await \(name).commit { tx in")
        defer { trial.note("}") }
        return try await store.commit { [trial] tx in
            try body(RecordedHandle(tx._session, name: "tx", trial: trial))
        }
    }

    /// Undoes the latest commit.
    @discardableResult
    func undoLast(author: String? = nil) async throws -> Int {
        trial.note("try await \(name).undoLast(\(author.map { "author: \(SwiftSource.literal($0))" } ?? ""))")
        return try await store.undoLast(author: author)
    }
}
