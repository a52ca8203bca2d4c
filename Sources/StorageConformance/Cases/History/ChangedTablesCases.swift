internal import StorageAPI

// H2 and H5: what a transaction records that writes records and changes their tables.

/// A note as records without types have it.
private func note(_ id: Int, _ title: String) -> DynamicRecord {
    DynamicRecord(
        model: "Note",
        fields: [
            .init(name: "id", content: .value(.int(Int64(id)), .int64)),
            .init(name: "title", content: .value(.text(title), .string)),
            .init(name: "size", content: .value(.int(3), .int64)),
        ])
}

/// A note of the version after, with what the change of the schema gives it.
private func measured(_ id: Int, _ count: Double) -> Versioned<MeasureAndMore> {
    Versioned<MeasureAndMore>(.int(id), .double(count), 3, .records([[.int(id), "x"]]), nil)
}

private enum Titles: NoteVersion {
    static let properties = Title.properties + [VersionField("size", .int, default: 3)]
}
/// The title in another type, which copies all rows, with one property more.
private enum NumberedTitles: NoteVersion {
    static let properties =
        [VersionField("name", .text, isOptional: true, renamedFrom: "title"), VersionField("size", .double)]
        + [VersionField("level", .int, default: 1)]
}

extension Conformance {
    static let changedTablesCases: [ConformanceCase] = [
        ConformanceCase(
            "history/unchanged-moved", for: [.h2: [2, 5], .h5: [1, 3]], needs: [.durability],
            "Of a step that writes all records in the transaction that rebuilds their tables, the history has those that changed, and undoing and redoing it restores these alone."
        ) { t in
            let old = try await t.open(
                recordsOf: [Versioned<CountAndTags>.self], keysOf: [Versioned<InChild<CountAndTags>>.self])
            try await old.insert(
                (1...5).map { Versioned<CountAndTags>(.int($0), .int($0), .records([[.int($0), "x"]])) })
            try await old.insert(
                (1...3).map { Versioned<InChild<CountAndTags>>(.int($0), .records([[1, 7, .records([])]])) })
            try await old.close()
            let options = Store.Options().moving("notes") { tx in
                for note in try tx.records("Note").all() where note.value("id") != .int(3) { try tx.save(note) }
                try tx.save(measured(2, 2.5))
                try tx.delete(Versioned<MeasureAndMore>.self, key: 3)
                try tx.insert(measured(3, 3))
                try tx.save(measured(4, 44))
                try tx.save(measured(4, 4))
                try tx.update("Note").where(text: "id == 5").set("size", to: .int(3)).run()
                try tx.insert(measured(6, 6))
            }
            let books = options.moving("books") { tx in
                for book in try tx.records("Book").all() { try tx.save(book) }
                try tx.save(Versioned<InChild<MeasureAndMore>>(2, .records([[1, 7, 4, .records([]), nil]])))
            }
            let models: [any Storable.Type] = [Versioned<MeasureAndMore>.self, Versioned<InChild<MeasureAndMore>>.self]
            var store = try await t.open(models, options: options, ".moving(…)")
            try t.expect(
                try await store.history().filter { $0.commit > 2 }.map(\.text),
                equals: ["3 Note updated 2", "3 Note updated 3", "3 Note inserted 6"])
            let moved = [measured(1, 1), measured(2, 2.5)] + (3...6).map { measured($0, Double($0)) }
            try t.expect(try await store.all(Versioned<MeasureAndMore>.self), equals: moved)
            try await store.save(measured(1, 10))
            let undo = try await store.undo(3)
            try t.expect(
                try await store.all(Versioned<MeasureAndMore>.self),
                equals: [measured(1, 10)] + (2...5).map { measured($0, Double($0)) })
            try await store.undo(undo)
            try t.expect(
                try await store.all(Versioned<MeasureAndMore>.self), equals: [measured(1, 10)] + moved.dropFirst())
            try await store.close()
            store = try await t.open(models, options: books, ".moving(…)")
            try t.expect(
                try await store.history().filter { $0.commit > 6 }.map(\.text), equals: ["7 Book updated 2"])
        },
        ConformanceCase(
            "history/unchanged-within", for: [.h2: [2, 5], .h5: [1]], needs: [.durability],
            "A transaction that writes records before and after a change of their tables records those that are another in the end."
        ) { t in
            let old = try await t.open(recordsOf: [Versioned<Titles>.self])
            try await old.insert((1...9).map { Versioned<Titles>(.int($0), "a", 3) })
            try await old.close()
            let store = try await t.open()
            typealias After = Versioned<NumberedTitles>
            func after(_ id: Int, _ name: String) -> After { After(.int(id), .text(name), 3.0, 1) }
            t.note("try await store.transaction { … }")
            try await store.store.transaction { tx in
                for id in 1...4 { try tx.save(note(id, "a")) }
                for id in 5...7 { try tx.save(note(id, "b")) }
                try? tx.savepoint {
                    try tx.save(after(1, "c"))
                    try tx.delete(After.self, key: 9)
                    throw StorageError(.invalidValue, "The savepoint is undone.")
                }
                try tx.save(note(2, "b"))
                try tx.save(after(8, "a"))
                // As before once more, another now, and another only between.
                try tx.save(after(3, "a"))
                try tx.save(after(4, "b"))
                try tx.save(after(6, "a"))
                try tx.delete(After.self, key: 7)
            }
            try t.expect(
                try await store.history().filter { $0.commit == 2 }.map(\.text),
                equals: ["2 Note updated 2", "2 Note updated 4", "2 Note updated 5", "2 Note deleted 7"].sorted {
                    $0.suffix(1) < $1.suffix(1)
                })
            let undo = try await store.undo(2)
            try t.expect(try await store.all(After.self), equals: (1...9).map { after($0, "a") })
            try await store.undo(undo)
            try t.expect(
                try await store.all(After.self),
                equals: [1, 2, 3, 4, 5, 6, 8, 9].map { after($0, [2, 4, 5].contains($0) ? "b" : "a") })
        },
        ConformanceCase(
            "history/unchanged-nested", for: [.h2: [5]], needs: [.durability],
            "Nor has a record an entry whose owned records own others that the program does not declare, though a save renumbers their rows."
        ) { t in
            let tags: [[FieldValue]] = [
                [1, "a", .records([[2, "b", .records([]), "s2", .records([[5], [6]])]]), "s1", .records([[4]])],
                [3, "c", .records([[8, "d", .records([]), nil, .records([[9]])]]), "s3", .records([[7]])],
            ]
            let first = try await t.open(
                recordsOf: [Versioned<SecretNestingTags>.self], keysOf: [Versioned<InChild<SecretNestingTags>>.self])
            try await first.insert(Versioned<SecretNestingTags>(1, .records(tags)))
            try await first.insert(Versioned<InChild<SecretNestingTags>>(1, .records([[1, .records(tags)]])))
            try await first.close()
            let declared: [[FieldValue]] = [
                [1, "a", .records([[2, "b", .records([])]])], [3, "c", .records([[8, "d", .records([])]])],
            ]
            let store = try await t.open(
                [Versioned<NestingTags>.self, Versioned<InChild<NestingTags>>.self], layers: [])
            var feed = store.feed(of: Versioned<NestingTags>.self)
            try await store.save(Versioned<NestingTags>(1, .records(declared)))
            try await store.save(Versioned<InChild<NestingTags>>(1, .records([[1, .records(declared)]])))
            try await store.insert(Versioned<NestingTags>(2, .records([])))
            try t.expect(
                try await store.history().filter { $0.commit > 2 }.map(\.text), equals: ["5 Note inserted 2"])
            try t.expect(try await feed.text(), equals: "+[2] ~[] -[]")
            try await store.close()
            let again = try await t.open(Versioned<SecretNestingTags>.self)
            try t.expect(
                try await again.all(Versioned<SecretNestingTags>.self).first,
                equals: Versioned<SecretNestingTags>(1, .records(tags)))
        },
        ConformanceCase(
            "history/unchanged-copied", for: [.h2: [2, 5]], needs: [.durability],
            "Of a copy over a model's records, the history has those that are another now."
        ) { t in
            let source = try await t.open([Pen.self], options: .init(), ".init()", on: t.place.another().backend())
            try await source.insert([Pen(id: 1), Pen(id: 2, color: "new"), Pen(id: 4)] + (5...700).map { Pen(id: $0) })
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert((1...700).map { Pen(id: $0) })
            t.note("try await \(store.name).copy(from: \(source.name), replacing: true)")
            try await store.store.copy(from: source.store, replacing: true)
            try t.expect(
                try await store.history().filter { $0.commit > 1 }.map(\.text),
                equals: ["2 Pen updated 2", "2 Pen deleted 3"])
            let undo = try await store.undo(2)
            try t.expect(try await store.all(Pen.self), equals: (1...700).map { Pen(id: $0) })
            try await store.undo(undo)
            try t.expect(try await store.all(Pen.self), equals: try await source.all(Pen.self))
        },
    ]
}
