internal import StorageAPI

extension Conformance {
    /// H5: undoing commits.
    static let undoCases: [ConformanceCase] = [
        ConformanceCase(
            "undo/restores", for: [.h5: [1, 5]],
            "Undo restores what was, with all that it owned, and undoing that does it again."
        ) { t in
            let store = try await t.open(recordsOf: [Person.self, Pen.self])
            try await store.insert((1...4).map(Samples.person))
            let before = try await store.all(Person.self)
            try await store.transaction { handle, tx in
                try tx.save(Samples.person(9))
                try tx.delete(Person.self, keys: [1])
                var changed = Samples.person(2)
                changed.pens = []
                changed.city = nil
                try tx.save(changed)
                try tx.update(Person.self) { $0.where { $0.id == 3 }.set(\.name, to: "set") }
                try tx.save(Pen(id: 4))
            }
            let after = try await store.all(Person.self)
            var redo = 2
            for round in 1...3 {
                let undo = try await store.undo(redo)
                try t.expect(try await store.all(Person.self), equals: before, "Round \(round).")
                try t.expect(try await store.all(Pen.self), equals: [])
                redo = try await store.undo(undo)
                try t.expect(try await store.all(Person.self), equals: after, "Round \(round).")
                try t.expect(try await store.all(Pen.self), equals: [Pen(id: 4)])
                redo = undo + 1
            }
            let last = try await store.history().suffix(5).map(\.text)
            try t.expect(
                last.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }.sorted(),
                equals: [
                    "Pen inserted 4", "Person deleted 1", "Person inserted 9", "Person updated 2", "Person updated 3",
                ])
        },
        ConformanceCase(
            "undo/conflict", for: [.h5: [2, 4]],
            "Where a record has changed since, undo is conflict, names it, and does nothing."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert([Pen(id: 1), Pen(id: 2), Pen(id: 3)])
            try await store.save([Pen(id: 1, color: "a"), Pen(id: 2, color: "b"), Pen(id: 4)])
            try await store.save([Pen(id: 3, color: "c")])
            try await store.delete(Pen.self, key: 2)
            let error = try await t.expectError(.conflict) { try await store.undo(2) }
            try t.expect(error.key, equals: [.int(2)])
            try t.expect(error.model, equals: "Pen")
            let all = [Pen(id: 1, color: "a"), Pen(id: 3, color: "c"), Pen(id: 4)]
            try t.expect(try await store.all(Pen.self), equals: all)
            try await t.expectError(.conflict) { try await store.undo(1) }
            try t.expect(try await store.history().last?.commit, equals: 4)
            try await store.undo(4)
            try await store.undo(2)
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1), Pen(id: 2), Pen(id: 3, color: "c")])
            try await t.expectError(.conflict) { try await store.undo(2) }
            for number in [0, -1, Int.min, 7, 8, Int.max] {
                try await t.expectError(number > 0 ? .invalidValue : .notFound) { try await store.undo(number) }
            }
            try t.expect(try await store.select(Pen.self).count(), equals: 3)
        },
        ConformanceCase(
            "undo/keys-only", for: [.h5: [3, 4]], "Without the records before there is no undo, and the error says so."
        ) { t in
            let store = try await t.open(recordsOf: [City.self], keysOf: [Pen.self])
            try await store.insert(Pen(id: 1))
            try await store.transaction { _, tx in
                try tx.save(City(id: 1))
                try tx.save(Pen(id: 1, color: "new"))
            }
            let error = try await t.expectError(.notKept) { try await store.undo(2) }
            try t.expect(error.model, equals: "Pen")
            try await store.truncate(Pen.self)
            try await t.expectError(.notKept) { try await store.undo(3) }
            try t.expect(try await store.select(City.self).count(), equals: 1)
            try t.expect(try await store.select(Pen.self).count(), equals: 0)
        },
        ConformanceCase(
            "undo/rules", for: [.h5: [1]], "The undo of a deletion restores what its rules removed and set to nil."
        ) { t in
            let store = try await t.open(recordsOf: [Writer.self, Volume.self, Label.self])
            try await store.insert(labels)
            try await store.insert(writers)
            try await store.insert(volumes)
            try await store.delete(Writer.self, keys: [1, 2])
            try t.expect(try await store.select(Volume.self).count(), equals: 0)
            try await store.undo(4)
            try t.expect(try await store.all(Writer.self), equals: writers)
            try t.expect(try await store.all(Volume.self), equals: volumes)
        },
        ConformanceCase(
            "undo/referred", for: [.h5: [2]], "What came since and refers to a record keeps it from going with an undo."
        ) { t in
            let store = try await t.open(recordsOf: [Writer.self, Volume.self])
            try await store.insert(Writer(id: 1, name: "a"))
            try await store.insert(Volume(id: 1, author: 1))
            let error = try await t.expectError(.conflict) { try await store.undo(1) }
            try t.expect(error.model, equals: "Volume")
            try t.expect(try await store.select(Volume.self).count(), equals: 1)
            try await store.undo(2)
            try await store.undo(1)
            try t.expect(try await store.select(Writer.self).count(), equals: 0)
        },
        ConformanceCase(
            "undo/everything", for: [.h5: [1], .h2: [1]],
            "A truncation keeps each record, and its undo restores them all."
        ) { t in
            let store = try await t.open(recordsOf: [Person.self])
            let people = (1...600).map(Samples.person)
            try await store.insert(people)
            try await store.transaction { _, tx in
                try tx.update(Person.self) { $0.where { $0.id == 5 }.set(\.name, to: "between") }
                try tx.insert(Samples.person(700))
                try tx.truncate(Person.self)
                try tx.insert(Samples.person(5))
                try tx.insert(Samples.person(700))
                try tx.insert(Samples.person(701))
            }
            let after = [5, 700, 701].map(Samples.person)
            try t.expect(try await store.all(Person.self), equals: after)
            try await store.undo(2)
            try t.expect(try await store.all(Person.self), equals: people)
            try await store.undo(3)
            try t.expect(try await store.all(Person.self), equals: after)
        },
        ConformanceCase(
            "undo/unique", for: [.h5: [1]], "Values that must be unique are given back to the records that had them."
        ) { t in
            let store = try await t.open(recordsOf: [Member.self])
            let first = [Member(id: 1, email: "a"), Member(id: 2, email: "b")]
            try await store.insert(first)
            try await store.transaction { _, tx in
                try tx.save(Member(id: 1, email: "x"))
                try tx.save(Member(id: 2, email: "a"))
                try tx.save(Member(id: 1, email: "b"))
            }
            try await store.undo(2)
            try t.expect(try await store.all(Member.self), equals: first)
        },
        ConformanceCase(
            "undo/undeclared", for: [.h5: [1]], needs: [.durability],
            "Undo restores what no program declares any more, too, whether the record was changed or deleted."
        ) { t in
            let newer = try await t.open(recordsOf: [Versioned<CodeAndMore>.self])
            let first = [
                Versioned<CodeAndMore>(
                    1, "a", "one", .records([[1, "x", .records([[7, "m"]])], [2, "y", .records([])]]),
                    .records([[1, "l", "s"]])),
                Versioned<CodeAndMore>(2, "b", nil, .records([]), .records([])),
                Versioned<CodeAndMore>(3, "c", "three", nil, .records([[3, "n", nil], [4, "o", "t"]])),
            ]
            try await newer.insert(first)
            try await newer.close()
            let older = try await t.open(recordsOf: [Versioned<Code>.self])
            try await older.transaction { _, tx in
                try tx.save(Versioned<Code>(1, "z"))
                try tx.delete(Versioned<Code>.self, keys: [2, 3])
                try tx.insert(Versioned<Code>(4, "b"))
            }
            let undo = try await older.undo(2)
            let redo = try await older.undo(undo)
            try t.expect(try await older.all(Versioned<Code>.self), equals: [.init(1, "z"), .init(4, "b")])
            try await older.undo(redo)
            try await older.close()
            let again = try await t.open(Versioned<CodeAndMore>.self)
            try t.expect(try await again.all(Versioned<CodeAndMore>.self), equals: first)
        },
        ConformanceCase(
            "undo/changed-model", for: [.h5: [1], .h6: [1]], needs: [.durability],
            "Records that were kept before their model changed are read, and restored, as stored ones are."
        ) { t in
            let older = try await t.open(recordsOf: [Versioned<CountAndTags>.self])
            try await older.insert([
                Versioned<CountAndTags>(1, 10, .records([[1, "x"], [2, "y"]])),
                Versioned<CountAndTags>(2, 20, .records([])),
            ])
            try await older.transaction { _, tx in
                try tx.delete(Versioned<CountAndTags>.self, keys: [1])
                try tx.save(Versioned<CountAndTags>(2, 21, .records([[3, "z"]])))
            }
            try await older.close()
            let newer = try await t.open(recordsOf: [Versioned<MeasureAndMore>.self])
            let before = [
                Versioned<MeasureAndMore>(1, 10.0, 3, .records([[1, "x"], [2, "y"]]), nil),
                Versioned<MeasureAndMore>(2, 20.0, 3, .records([]), nil),
            ]
            for record in before {
                guard case .int(let key) = record.values[0] else { continue }
                try t.expect(
                    try await newer.store.find(Versioned<MeasureAndMore>.self, key: key, asOf: 1), equals: record)
            }
            try await newer.undo(2)
            try t.expect(try await newer.all(Versioned<MeasureAndMore>.self), equals: before)
        },
        ConformanceCase(
            "undo/backwards", for: [.h5: [1], .h2: [2]],
            "Undoing all commits, the last first, leads through every state to none, whoever wrote them beside whom."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<6 {
                    group.addTask {
                        for round in 0..<10 {
                            let key = (task * 5 + round * 3) % 12
                            switch round % 5 {
                            case 2: try await store.delete(Pen.self, keys: [key, key + 1])
                            // Fails where another task has the key, and its savepoint is undone with it.
                            case 3: _ = try? await store.insert([Pen(id: 1000 + task), Pen(id: key)])
                            default:
                                try await store.save([
                                    Pen(id: key, color: "\(task).\(round)"), Pen(id: key + 1, price: 2),
                                ])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let last = try await store.store.historyToken().commit
            let entries = try await store.history(of: Pen.self)
            try t.expect(Set(entries.map(\.commit)).sorted(), equals: Array(1...last))
            var state = Dictionary(uniqueKeysWithValues: try await store.all(Pen.self).map { ($0.id, $0) })
            for commit in (1...last).reversed() {
                try await store.undo(commit)
                for entry in entries where entry.commit == commit {
                    let key = try t.required(entry.key)
                    let before = try entry.before
                    try t.expect((before == nil) == (entry.kind == .inserted), "An entry has the wrong kind.")
                    try t.expect((state[key] == nil) == (entry.kind == .deleted), "An entry has the wrong kind.")
                    state[key] = before
                }
                // The next is undone as if this had not been undone: later changes of its records are not known to it.
                let expected = state.values.sorted { $0.id < $1.id }
                try t.expect(try await store.all(Pen.self), equals: expected, "After the undo of commit \(commit).")
            }
            try t.expect(state.isEmpty, "The history does not lead back to the beginning.")
        },
    ]
}
