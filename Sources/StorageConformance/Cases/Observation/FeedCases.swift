internal import StorageAPI

extension Conformance {
    /// O7 and O8: the feed of changes.
    static let feedCases: [ConformanceCase] = [
        ConformanceCase(
            "feed/net-effect", for: [.o7: [1]],
            "The feed gives each commit as its net effect by kind and key, with its author and its note."
        ) { t in
            let store = try await t.open(Pen.self, City.self)
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            var feed = store.feed(of: Pen.self)
            try await store.save([Pen(id: 2, color: "b"), Pen(id: 3)])
            try await store.insert(City(id: 1))
            try await store.delete(Pen.self, keys: [1, 50])
            try await store.update(Pen.self) { $0.where { $0.id == 2 }.set(\.color, to: "c") }
            try await store.transaction { handle, tx in
                handle.author = "sync"
                handle.note = "nightly"
                try? tx.savepoint(handle) {
                    try tx.insert(Pen(id: 6))
                    throw Stop(reason: "inner")
                }
                _ = try? tx.insert([Pen(id: 7), Pen(id: 2)])
                try tx.insert(Pen(id: 4))
                try tx.delete(Pen.self, keys: [4])
                try tx.delete(Pen.self, keys: [2])
                try tx.insert(Pen(id: 2, color: "again"))
                try tx.save(Pen(id: 5))
                try tx.save(Pen(id: 5, color: "twice"))
                try handle.delete(Pen.self).where { $0.id == 3 }.run()
            }
            try await store.truncate(Pen.self)
            try t.expect(try await feed.text(), equals: "+[3] ~[2] -[]")
            try t.expect(try await feed.text(), equals: "+[] ~[] -[1]")
            try t.expect(try await feed.text(), equals: "+[] ~[2] -[]")
            try t.expect(try await feed.text(), equals: "+[5] ~[2] -[3] by sync: nightly")
            try t.expect(try await feed.text(), equals: "everything")
        },
        ConformanceCase(
            "feed/each-once", for: [.o7: [1], .o8: [1]],
            "Whoever applies what the feed tells, of many writers some of which fail, has what the store has."
        ) { t in
            let store = try await t.open(Pen.self)
            var feed = store.feed(of: Pen.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for round in 0..<12 {
                            let key = (task * 5 + round * 3) % 40
                            if round % 3 == 2 {
                                try await store.delete(Pen.self, key: key)
                            } else if round % 4 == 1 {
                                // Fails where another task has the key, and its savepoint is undone with it.
                                _ = try? await store.insert([Pen(id: 1000 + task), Pen(id: key)])
                            } else {
                                try await store.save(Pen(id: key, color: "\(task)"))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await store.insert(Pen(id: 9999))
            var keys: Set<Int> = []
            while !keys.contains(9999), let told = try await feed.next() {
                let (new, changed, gone) = try t.required(told.keys, "The feed does not know a commit.")
                try t.expect(keys.isDisjoint(with: new), "An insert is told of a record that was there.")
                try t.expect(keys.isSuperset(of: changed + gone), "A change is told of a record that was not there.")
                keys = keys.union(new).subtracting(gone)
            }
            try t.expect(keys.sorted(), equals: try await store.select(Pen.self).keys())
        },
        ConformanceCase(
            "feed/gap", for: [.o7: [2]],
            "An observer of the feed that is too slow is told of one gap, and then of commits again."
        ) { t in
            let store = try await t.open(Pen.self)
            var feed = store.feed(of: Pen.self)
            for round in 0..<15 {
                try await store.insert((0..<2000).map { Pen(id: round * 2000 + $0) })
            }
            try t.expect(try await feed.text(), equals: "gap")
            try await store.delete(Pen.self, key: 7)
            try t.expect(try await feed.text(), equals: "+[] ~[] -[7]")
        },
        ConformanceCase(
            "observing/second-store", for: [.o9: [1, 2]], needs: [.sharing, .foreignCommits],
            "Commits of a second store on one place are noticed, of which the feed has a gap."
        ) { t in
            let first = try await t.open(Pen.self)
            let second = try await t.open(Pen.self)
            var values = first.select(Pen.self) { $0.where { $0.id < 100 } }.observer("values()") { $0.values() }
            var feed = first.feed(of: Pen.self)
            try t.expect(try await values.next(), equals: [])
            for number in 1...3 {
                try await second.insert(Pen(id: number))
                try t.expect(try await values.next()?.count, equals: number)
                try await first.save(Pen(id: number, color: "own"))
                try t.expect(try await values.next()?.last?.color, equals: "own")
            }
            try t.expect(try await feed.text(), equals: "gap")
            try await second.delete(Pen.self, key: 1)
            try await first.store.refresh()
            try t.expect(try await values.next()?.map(\.id), equals: [2, 3])
        },
        ConformanceCase(
            "feed/all-models", for: [.o7: [1]],
            "The feed of all models has each commit once, with all models that it changed."
        ) { t in
            let store = try await t.open(Pen.self, City.self)
            t.note("var feed = store.changes().makeAsyncIterator()")
            var feed = store.store.changes().makeAsyncIterator()
            try await store.transaction { _, tx in
                try tx.insert(Pen(id: 1))
                try tx.insert(City(id: 2))
                try tx.insert(Pen(id: 3))
            }
            let told = try t.required(try await feed.next())
            guard case .commit(let commit) = told else { return try t.expect(false, "The commit is not known.") }
            try t.expect(commit.changes.map(\.model), equals: ["Pen", "City"])
            guard case .keys(let pens, let changed, let gone) = commit.changes[0].changes else {
                return try t.expect(false, "The keys are not known.")
            }
            try t.expect([pens, changed, gone], equals: [[[.int(1)], [.int(3)]], [], []])
        },
    ]
}

extension RecordedStore {
    /// The feed of a model, from now on.
    func feed<M: Storable>(of type: M.Type) -> Store.Changes<Store.KeyChanges<M.Key>>.Iterator {
        note(M.self, "changes(of: \(SwiftSource.name(of: type)).self).makeAsyncIterator()", prefix: "var feed = ")
        return store.changes(of: type).makeAsyncIterator()
    }
}

extension Store.Changes<Store.KeyChanges<Int>>.Element {
    /// The inserted, updated and deleted keys, if they are known.
    fileprivate var keys: (new: [Int], changed: [Int], gone: [Int])? {
        guard case .commit(let commit) = self, case .keys(let new, let changed, let gone) = commit.changes else {
            return nil
        }
        return (new, changed, gone)
    }
}

extension Store.Changes<Store.KeyChanges<Int>>.Iterator {
    /// Returns the next event, as text.
    mutating func text() async throws -> String? {
        guard let told = try await next() else { return nil }
        guard case .commit(let commit) = told else { return "gap" }
        let author = (commit.author.map { " by \($0)" } ?? "") + (commit.note.map { ": \($0)" } ?? "")
        guard case .keys(let inserted, let updated, let deleted) = commit.changes else { return "everything" + author }
        return "+\(inserted) ~\(updated) -\(deleted)" + author
    }
}
