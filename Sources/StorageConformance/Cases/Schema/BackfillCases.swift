internal import StorageAPI
internal import Synchronization

// S13: steps that fill records in parts beside other writers.

/// A note with a name, and the same with the first name and the number of times that it was filled.
private enum WholeName: NoteVersion { static let properties = [VersionField("name", .text, default: "")] }
private enum FirstName: NoteVersion {
    static let properties = [
        VersionField("first", .text, isOptional: true), VersionField("fills", .int, default: 0),
    ]
}

private typealias Old = Versioned<WholeName>
private typealias New = Versioned<FirstName>

private let count = 25

/// The fills and the progress of a step, and actions between its parts.
private final class Notes: Sendable {
    private let state = Mutex((fills: [Int](), progress: [[Int]](), between: [Int: @Sendable () throws -> Void]()))

    var fills: [Int] { state.withLock { $0.fills } }
    var progress: [[Int]] { state.withLock { $0.progress } }

    func add(fillOf id: Int) { state.withLock { $0.fills.append(id) } }

    /// Notes the progress, and runs the action after so many parts.
    func add(_ progress: Store.BackfillProgress) -> Result<Void, any Error> {
        let action = state.withLock { state in
            state.progress.append([progress.filled, progress.total])
            return state.between[state.progress.count]
        }
        return Result { try action?() }
    }

    func afterPart(_ number: Int, _ action: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.between[number] = action }
    }
}

/// The first error of actions between parts.
private final class Failure: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    func take(_ result: Result<Void, any Error>) {
        if case .failure(let error) = result { first.withLock { $0 = $0 ?? error } }
    }

    func check() throws { if let error = first.withLock({ $0 }) { throw error } }
}

extension Store.Options {
    /// Fills the first names of all notes without one, unless the step stops at a note.
    fileprivate func filling(
        _ notes: Notes, _ failure: Failure = Failure(), named name: String = "first", size: Int = 4,
        duringOpening: Bool = true, stopsAt stop: Int = -1
    ) -> Self {
        backfilling(
            name, New.self, size: size, duringOpening: duringOpening,
            where: { QueryExpression<String?>($0._propertyPath, 1) == nil }, progress: { failure.take(notes.add($0)) }
        ) { note, old in
            let id = try old.value("id", as: Int.self)
            if id == stop { throw Stop(reason: "mine") }
            notes.add(fillOf: id)
            note.values[1] = .text(String(try old.value("name", as: String.self).prefix { $0 != " " }))
            note.values[2] = .int(try old.value("fills", as: Int.self) + 1)
        }
    }
}

private func name(_ id: Int) -> String { "First\(id) Last" }

private func filled(_ id: Int) -> New { New(.int(id), .text("First\(id)"), 1) }

extension Trial {
    /// Leaves a store with notes that have names.
    fileprivate func insertNames() async throws {
        let old = try await open(recordsOf: [Old.self])
        try await old.insert((1...count).map { Old(.int($0), .text(name($0))) })
        try await old.close()
    }
}

extension Conformance {
    static let backfillCases: [ConformanceCase] = [
        ConformanceCase(
            "backfilling/parts", for: [.s13: [7, 9], .h1: [3]], needs: [.durability],
            "A step fills all records in commits of a bounded size, once, with the properties that are gone."
        ) { t in
            try await t.insertNames()
            let notes = Notes()
            for _ in 1...2 {
                let store = try await t.open([New.self], options: .init().filling(notes), ".backfilling(…)")
                try t.expect(try await store.all(New.self), equals: (1...count).map(filled))
                try t.expect(notes.fills, equals: Array(1...count))
                try t.expect(notes.progress, equals: [4, 8, 12, 16, 20, 24, 25].map { [$0, count] })
                let commits = try await store.history().map { $0.text.split(separator: " ")[0] }
                let sizes = Dictionary(grouping: commits.dropFirst(count)) { $0 }.mapValues(\.count)
                try t.expect(sizes.values.sorted(), equals: [1, 4, 4, 4, 4, 4, 4])
                try await store.close()
            }
        },
        ConformanceCase(
            "backfilling/beside", for: [.s13: [7, 8, 9]], needs: [.durability],
            "Between two parts others insert, change, fill and delete records, and their writes stay."
        ) { t in
            try await t.insertNames()
            let (notes, failure) = (Notes(), Failure())
            let options = Store.Options().filling(notes, failure, duringOpening: false)
            let store = try await t.open([New.self], options: options, ".backfilling(…)")
            try t.expect(notes.fills, equals: [])
            let writer = store.store.blocking
            notes.afterPart(1) {
                try writer.update(New(10, "mine", 0))
                try writer.update(New(2, "other", 1))
                try writer.delete(New.self, key: 11)
                try writer.insert([New(0, .null, 0), New(30, "new", 0)])
                // A record that is changed, and still has no first name.
                try writer.update("Note").where(text: "id == 12").set("fills", to: .int(5)).run()
            }
            t.note("try await \(store.name).backfill()")
            try await store.store.backfill()
            try failure.check()
            var expected = (1...count).map(filled)
            expected[9] = New(10, "mine", 0)
            expected[1] = New(2, "other", 1)
            expected[11] = New(12, "First12", 6)
            expected.remove(at: 10)
            try t.expect(try await store.all(New.self), equals: [New(0, .null, 0)] + expected + [New(30, "new", 0)])
            // The step is recorded, so a record without a name stays as it is.
            try await store.store.backfill()
            try t.expect(notes.fills.count, equals: count - 2)
        },
        ConformanceCase(
            "backfilling/failed", for: [.s13: [9, 11]], needs: [.durability],
            "A step that fails keeps the parts before, names itself and the record, and goes on there when it is mended."
        ) { t in
            try await t.insertNames()
            let notes = Notes()
            let error = try await t.expectError(.schemaMismatch) {
                try await t.open([New.self], options: .init().filling(notes, stopsAt: 11), ".backfilling(…)").info.name
            }
            try t.expect(error.message.contains("“first”"), "The error does not name the step: \(error)")
            try t.expect(error.underlying is Stop, "The cause is \(String(describing: error.underlying))")
            try t.expect(error.key, equals: [.int(11)])
            try t.expect(error.model, equals: "Note")
            try t.expect(error.operation, equals: "open")
            let changing = Store.Options.backfilling(
                "key", New.self, where: { $0.id == 25 }
            ) { note, _ in note.values[0] = 26 }
            let changed = try await t.expectError(.invalidValue) {
                try await t.open([New.self], options: changing, ".backfilling(…)").info.name
            }
            try t.expect(changed.key, equals: [.int(25)])
            let between = try await t.open(New.self)
            let stored = try await between.all(New.self)
            try t.expect(stored, equals: (1...8).map(filled) + (9...count).map { New(.int($0), .null, 0) })
            try await between.close()
            let store = try await t.open([New.self], options: .init().filling(notes), ".backfilling(…)")
            try t.expect(try await store.all(New.self), equals: (1...count).map(filled))
            // The part that failed was undone.
            try t.expect(notes.fills, equals: Array(1...10) + Array(9...count))
        },
        ConformanceCase(
            "backfilling/new", for: [.s13: [5, 7]],
            "A new store runs no step; names must differ from all others, and a part has records."
        ) { t in
            let notes = Notes()
            let options = Store.Options().filling(notes)
            let place = try await t.place.another()
            let store = try await t.open([New.self], options: options, ".backfilling(…)", on: try await place.backend())
            try await store.insert(New(1, .null, 0))
            t.note("try await \(store.name).backfill()")
            try await store.store.backfill()
            try t.expect(try await store.all(New.self), equals: [New(1, .null, 0)])
            try t.expect(notes.fills, equals: [])
            try await store.close()
            let wrong = [
                options.filling(notes), options.moving("first") { _ in }, Store.Options().filling(notes, named: ""),
                Store.Options().filling(notes, size: 0),
            ]
            for options in wrong {
                try await t.expectError(.configuration) {
                    try await t.open(
                        [New.self], options: options, ".backfilling(…)", on: try await place.backend()
                    ).info.name
                }
            }
        },
        ConformanceCase(
            "backfilling/order", for: [.s13: [5, 6, 7, 9]], needs: [.durability],
            "Steps that fill records run after steps that move data, and a copy of a whole store knows the steps that have run."
        ) { t in
            try await t.insertNames()
            let notes = Notes()
            let options = Store.Options().filling(notes).moving("names") { tx in
                try t.expect(notes.fills, equals: [])
                try tx.update("Note").where(text: "id <= 3").set("first", to: .text("moved")).run()
            }
            let store = try await t.open([New.self], options: options, ".backfilling(…).moving(…)")
            let expected = (1...3).map { New(.int($0), "moved", 0) } + (4...count).map(filled)
            try t.expect(try await store.all(New.self), equals: expected)
            try await store.insert(New(90, .null, 0))
            let place = try await t.place.another()
            let copy = try await t.open([], options: .init(), ".init()", on: try await place.backend())
            t.note("try await \(copy.name).copy(from: \(store.name))")
            try await copy.store.copy(from: store.store)
            try await copy.close()
            let again = try await t.open(
                [New.self], options: options, ".backfilling(…).moving(…)", on: try await place.backend())
            try t.expect(try await again.all(New.self), equals: expected + [New(90, .null, 0)])
        },
        ConformanceCase(
            "backfilling/at-once", for: [.s13: [10]], needs: [.sharing],
            "Several stores that are opened at once fill each record once."
        ) { t in
            try await t.insertNames()
            let stores = try await withThrowingTaskGroup(of: RecordedStore.self) { group in
                for _ in 1...3 {
                    group.addTask {
                        try await t.open([New.self], options: .init().filling(Notes()), ".backfilling(…)")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for store in stores { try t.expect(try await store.all(New.self), equals: (1...count).map(filled)) }
        },
    ]
}
