internal import StorageAPI
internal import Synchronization

// S13: steps that move data when the schema changes.

/// A note with one name, and the same with the name in two properties.
private enum WholeName: NoteVersion { static let properties = [VersionField("name", .text, default: "")] }
private enum SplitName: NoteVersion {
    static let properties = [VersionField("first", .text, default: ""), VersionField("last", .text, default: "")]
}
/// The initials of the two.
private enum Initials: NoteVersion {
    static let properties = SplitName.properties + [VersionField("initials", .text, default: "")]
}

private let wholeNames = [
    Versioned<WholeName>(1, "Ada Lovelace"), Versioned<WholeName>(2, "Plato"), Versioned<WholeName>(7, ""),
]
private let splitNames = [
    Versioned<SplitName>(1, "Ada", "Lovelace"), Versioned<SplitName>(2, "Plato", ""), Versioned<SplitName>(7, "", ""),
]

/// Counts how often each step has run.
private final class Runs: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func add(_ name: String) { names.withLock { $0.append(name) } }
}

extension Store.Options {
    /// Splits the names of all notes.
    fileprivate func splitting(_ runs: Runs) -> Self {
        moving("split") { tx in
            runs.add("split")
            for note in try tx.records("Note", withRemoved: true).all() {
                let parts = try note.value("name", as: String.self).split(separator: " ").map { Value.text(String($0)) }
                try tx.update("Note").where(text: "id == \(note.value("id", as: Int.self))")
                    .set("first", to: parts.first ?? .text("")).set("last", to: parts.dropFirst().first ?? .text(""))
                    .run()
            }
        }
    }

    /// A step that only counts.
    fileprivate func counting(_ name: String, _ runs: Runs) -> Self { moving(name) { _ in runs.add(name) } }
}

extension Conformance {
    static let movingCases: [ConformanceCase] = [
        ConformanceCase(
            "moving/split", for: [.s13: [1, 2], .h1: [3]], needs: [.durability],
            "Steps run once and in order, with the properties that are gone, and the history has what they write."
        ) { t in
            let old = try await t.open(recordsOf: [Versioned<WholeName>.self])
            try await old.insert(wholeNames)
            try await old.close()
            let runs = Runs()
            let options = Store.Options().splitting(runs).counting("after", runs)
            for _ in 1...2 {
                let store = try await t.open([Versioned<SplitName>.self], options: options, ".moving(…)")
                try t.expect(try await store.all(Versioned<SplitName>.self), equals: splitNames)
                try t.expect(runs.all, equals: ["split", "after"])
                let gone = try await store.store.records("Note", withRemoved: true).all()
                try t.expect(gone.map { $0.value("name") }, equals: ["Ada Lovelace", "Plato", ""].map { .text($0) })
                let entries = try await store.history().map(\.text)
                for entry in ["2 Note updated 1", "2 Note updated 2"] {
                    try t.expect(entries.contains(entry), "The history does not have \(entry): \(entries)")
                }
                try await store.close()
            }
            let later = options.moving("initials") { tx in
                runs.add("initials")
                for note in try tx.records("Note").all() {
                    let (first, last) = (
                        try note.value("first", as: String.self), try note.value("last", as: String.self)
                    )
                    let (id, initials) = (try note.value("id", as: Int.self), String(first.prefix(1) + last.prefix(1)))
                    try tx.save(Versioned<Initials>(.int(id), .text(first), .text(last), .text(initials)))
                }
            }
            let store = try await t.open([Versioned<Initials>.self], options: later, ".moving(…)")
            try t.expect(runs.all, equals: ["split", "after", "initials"])
            try t.expect(
                try await store.all(Versioned<Initials>.self).map { $0.values[3] }, equals: ["AL", "P", ""])
        },
        ConformanceCase(
            "moving/far-behind", for: [.s13: [1, 2]], needs: [.durability],
            "A store that is several versions older runs all steps in one opening, also one whose models are up to date."
        ) { t in
            let old = try await t.open(Versioned<WholeName>.self)
            try await old.insert(wholeNames)
            try await old.close()
            try await t.open(Versioned<Initials>.self).close()
            let runs = Runs()
            let options = Store.Options().counting("before", runs).splitting(runs).counting("after", runs)
            let store = try await t.open([Versioned<Initials>.self], options: options, ".moving(…)")
            try t.expect(runs.all, equals: ["before", "split", "after"])
            try t.expect(
                try await store.all(Versioned<Initials>.self).map { Array($0.values[1...2]) },
                equals: splitNames.map { Array($0.values[1...2]) })
        },
        ConformanceCase(
            "moving/failed", for: [.s13: [4]], needs: [.durability],
            "A step that fails undoes the schema's change and earlier steps; the error has its name and its cause."
        ) { t in
            let old = try await t.open(Versioned<WholeName>.self)
            try await old.insert(wholeNames)
            try await old.close()
            let runs = Runs()
            let steps = Store.Options().splitting(runs)
            let failing: [(StorageError.Code, Store.Options)] = [
                (.schemaMismatch, steps.moving("odd") { _ in throw Stop(reason: "mine") }),
                (.overflow, steps.moving("odd") { _ in throw StorageError(.overflow, "mine") }),
                (.duplicateKey, steps.moving("odd") { try $0.insert(Versioned<SplitName>(1, "mine", "")) }),
                (
                    .constraint,
                    steps.moving("odd") { try $0.insert(Volume(id: 1, author: 9)) }.counting("never", runs)
                ),
            ]
            for (code, options) in failing {
                let error = try await t.expectError(code) {
                    try await t.open([Versioned<SplitName>.self], options: options, ".moving(…)").info.name
                }
                try t.expect(error.message.contains("odd"), "The error does not name the step: \(error)")
                try t.expect(error.operation, equals: "open")
                if code == .schemaMismatch { try t.expect(error.underlying is Stop, "The cause is \(error)") }
                let again = try await t.open(Versioned<WholeName>.self)
                try t.expect(try await again.all(Versioned<WholeName>.self), equals: wholeNames)
                try t.expect(try await again.store.schema().map(\.path), equals: [["Note"]])
                try await again.close()
            }
            try t.expect(runs.all, equals: Array(repeating: "split", count: 4))
            let store = try await t.open([Versioned<SplitName>.self], options: steps, ".moving(…)")
            try t.expect(try await store.all(Versioned<SplitName>.self), equals: splitNames)
        },
        ConformanceCase(
            "moving/new", for: [.s13: [5]],
            "A new store runs no step, whether or not models are named; names must differ."
        ) { t in
            let runs = Runs()
            for models: [any Storable.Type] in [[], [Pen.self]] {
                let place = try await t.place.another()
                let store = try await t.open(
                    models, options: .init().counting("one", runs), ".moving(…)", on: try await place.backend())
                try await store.insert(Pen(id: 1))
                try t.expect(try await store.select(Pen.self).keys(), equals: [1])
                try await store.close()
                let options = Store.Options().counting("one", runs)
                for wrong in [options.counting("one", runs), options.counting("", runs)] {
                    try await t.expectError(.configuration) {
                        try await t.open(models, options: wrong, ".moving(…)", on: try await place.backend()).info.name
                    }
                }
            }
            try t.expect(runs.all, equals: [])
        },
        ConformanceCase(
            "moving/new-once", for: [.s13: [1, 5]], needs: [.durability],
            "A store that was new when a step was named never runs it, and one that had models without records does."
        ) { t in
            let runs = Runs()
            let options = Store.Options().counting("one", runs)
            for _ in 1...2 {
                let store = try await t.open([Pen.self], options: options, ".moving(…)")
                try await store.save(Pen(id: 1))
                try await store.close()
            }
            try t.expect(runs.all, equals: [])
            try await t.open([Pen.self], options: options.counting("two", runs), ".moving(…)").close()
            try t.expect(runs.all, equals: ["two"])
        },
        ConformanceCase(
            "moving/at-once", for: [.s13: [3]], needs: [.sharing],
            "Of several stores that are opened at once, one runs the step, and all find its result."
        ) { t in
            let old = try await t.open(Versioned<WholeName>.self)
            try await old.insert(wholeNames)
            try await old.close()
            let runs = Runs()
            let options = Store.Options().splitting(runs)
            let stores = try await withThrowingTaskGroup(of: RecordedStore.self) { group in
                for _ in 1...4 {
                    group.addTask { try await t.open([Versioned<SplitName>.self], options: options, ".moving(…)") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for store in stores {
                try t.expect(try await store.all(Versioned<SplitName>.self), equals: splitNames)
            }
            try t.expect(runs.all, equals: ["split"])
        },
        ConformanceCase(
            "moving/copied", for: [.s13: [6]], needs: [.durability],
            "A copy of a store has run the steps of its source, and no others."
        ) { t in
            let runs = Runs()
            let options = Store.Options().splitting(runs)
            let old = try await t.open(Versioned<WholeName>.self)
            try await old.insert(wholeNames)
            // The copy was new when the step was named, and then takes records from before it.
            let place = try await t.place.another()
            let new = try await t.open([], options: options, ".moving(…)", on: try await place.backend())
            t.note("try await \(new.name).copy(from: \(old.name))")
            try await new.store.copy(from: old.store)
            try await new.close()
            try t.expect(runs.all, equals: [])
            let moved = try await t.open(
                [Versioned<SplitName>.self], options: options, ".moving(…)", on: try await place.backend())
            try t.expect(runs.all, equals: ["split"])
            // What has come through the step does not do so again.
            let last = try await t.place.another()
            let copy = try await t.open([], options: .init(), ".init()", on: try await last.backend())
            t.note("try await \(copy.name).copy(from: \(moved.name))")
            try await copy.store.copy(from: moved.store)
            try await copy.close()
            let again = try await t.open(
                [Versioned<SplitName>.self], options: options, ".moving(…)", on: try await last.backend())
            try t.expect(runs.all, equals: ["split"])
            try t.expect(try await again.all(Versioned<SplitName>.self), equals: splitNames)
        },
    ]
}
