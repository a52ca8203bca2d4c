internal import StorageAPI

extension Conformance {
    /// H5 and H6: what a history has of records whose model has changed since.
    static let renamedHistoryCases: [ConformanceCase] = [
        ConformanceCase(
            "history/renamed", for: [.h6: [1, 2], .h5: [1, 5]], needs: [.durability],
            "Records are read and restored through a chain of renames, of values and of what is owned, and a new property that has an old name."
        ) { t in
            var store = try await t.open(recordsOf: [Versioned<TitledTags>.self])
            try await store.insert([
                Versioned<TitledTags>(1, "a", .records([[1, "x"], [2, "y"]])),
                Versioned<TitledTags>(2, nil, .records([])),
            ])
            try await store.transaction { _, tx in
                try tx.save(Versioned<TitledTags>(1, "b", .records([[3, "z"]])))
                try tx.delete(Versioned<TitledTags>.self, keys: [2])
            }
            try await store.close()
            store = try await t.open(Versioned<NameAndLabels>.self)
            try await store.save(Versioned<NameAndLabels>(1, "c", .records([[4, "u"]])))
            try await store.close()
            store = try await t.open(Versioned<CallAndMarks>.self)
            try await store.save(
                Versioned<CallAndMarks>(1, "d", .records([[5, "v"]]), "new title", .records([[6, "w"]])))
            let states = [
                Versioned<CallAndMarks>(1, "a", .records([[1, "x"], [2, "y"]]), nil, .records([])),
                Versioned<CallAndMarks>(1, "b", .records([[3, "z"]]), nil, .records([])),
                Versioned<CallAndMarks>(1, "c", .records([[4, "u"]]), nil, .records([])),
            ]
            for (commit, state) in states.enumerated() {
                let found = try await store.store.find(Versioned<CallAndMarks>.self, key: 1, asOf: commit + 1)
                try t.expect(found, equals: state, "After commit \(commit + 1).")
            }
            let gone = Versioned<CallAndMarks>(2, nil, .records([]), nil, .records([]))
            try t.expect(
                try await store.history(of: Versioned<CallAndMarks>.self).map { try $0.before },
                equals: [nil, nil, states[0], gone, states[1], states[2]])
            for entry in try await store.history() where entry.kind != .inserted {
                try t.expect(try entry.before?.value("call"), equals: try entry.storedBefore.flatMap(nameOfThen))
            }
            let redo = try await store.undo(4)
            try await store.undo(3)
            let undo = try await store.undo(2)
            try t.expect(try await store.all(Versioned<CallAndMarks>.self), equals: [states[0], gone])
            try await store.undo(undo)
            try t.expect(try await store.all(Versioned<CallAndMarks>.self), equals: [states[1]])
            try await t.expectError(.conflict) { try await store.undo(redo) }
        },
        ConformanceCase(
            "commits/new-properties", for: [.h8: [8]], needs: [.durability],
            "A change tells which properties the model has got since, through renames, also where the new ones have old names, and those of owned records."
        ) { t in
            var store = try await t.open(
                recordsOf: [Versioned<TitledTags>.self, Versioned<InChild<CountAndTags>>.self])
            try await store.insert(Versioned<TitledTags>(1, "a", .records([[1, "x"]])))
            try await store.insert(Versioned<InChild<CountAndTags>>(1, .records([[1, 7, .records([])]])))
            try await store.close()
            store = try await t.open(Versioned<NameAndLabels>.self, Versioned<InChild<MeasureAndMore>>.self)
            try await store.save(Versioned<NameAndLabels>(1, "b", .records([])))
            try await store.save(Versioned<InChild<MeasureAndMore>>(1, .records([[1, 7, 4, .records([]), nil]])))
            try await store.close()
            store = try await t.open(Versioned<CallAndMarks>.self)
            try await store.save(Versioned<CallAndMarks>(1, "c", .records([]), "title", .records([])))
            let note = ["tags", "tags.id", "tags.name", "title"]
            let book = ["notes.labels", "notes.labels.id", "notes.labels.name", "notes.size"]
            try t.expect(
                try await store.store.commits().commits.map { commit in
                    commit.changes.flatMap { $0.newProperties.map { $0.joined(separator: ".") } }.sorted()
                }, equals: [note, book, note, [], []])
        },
        ConformanceCase(
            "history/migrated", for: [.h6: [1, 2], .h5: [1, 5]],
            "Changes of a model without its type are followed as well, with new types and defaults, and a key of another name."
        ) { t in
            let store = try await t.open(recordsOf: [Versioned<CountAndTags>.self])
            try await store.insert(Versioned<CountAndTags>(1, 7, .records([[1, "x"]])))
            try await store.save(Versioned<CountAndTags>(1, 8, .records([])))
            let before = try t.required(try await store.history().last?.before)
            func renamed(_ name: String, _ kind: RecordSchema.Kind, from former: String) -> RecordSchema.Property {
                var property = RecordSchema.Property(name: name, kind: kind)
                property.renamedFrom = former
                return property
            }
            let tag = RecordSchema(
                name: "Tag",
                properties: [
                    .init(name: "id", kind: .column(.int64)), renamed("text", .column(.string), from: "name"),
                ])
            var number = renamed("number", .column(.int64), from: "id")
            number.isKey = true
            var note = RecordSchema(
                name: "Note",
                properties: [
                    number, renamed("weight", .column(.double), from: "count"),
                    renamed("labels", .children(tag), from: "tags"),
                ])
            t.note("try await store.migrate(to: …)")
            try await store.store.migrate(to: [note])
            note.properties = [
                .init(name: "number", kind: .column(.int64), isKey: true),
                .init(name: "weight", kind: .column(.double)), .init(name: "labels", kind: .children(tag)),
                .init(name: "count", kind: .column(.string), isOptional: true),
            ]
            t.note("try await store.migrate(to: …)")
            try await store.store.migrate(to: [note])
            let tables = try await store.store.read { (snapshot) throws(StorageError) in try snapshot.schema() }
            try t.expect(tables, equals: try await store.store.schema())
            try t.expect(tables.map { $0.path.joined(separator: ".") }.sorted(), equals: ["Note", "Note.labels"])
            let entry = try t.required(try await store.history().last)
            try t.expect(try entry.storedBefore, equals: before)
            let read = try t.required(try entry.before)
            try t.expect(read.value("number"), equals: .int(1))
            try t.expect(read.value("weight"), equals: .double(7))
            try t.expect(read.value("count"), equals: .null)
            guard case .children(let labels?)? = read["labels"] else {
                return try t.expect(false, "What the record owned is not there.")
            }
            try t.expect(labels.map { $0.value("text") }, equals: [.text("x")])
            let undo = try await store.undo(2)
            try t.expect(try await store.store.records("Note").all(), equals: [read])
            let redo = try await store.undo(undo)
            try t.expect(try await store.store.records("Note").all().map { $0.value("weight") }, equals: [.double(8)])
            try await store.undo(redo)
            try t.expect(try await store.store.records("Note").all(), equals: [read])
        },
        ConformanceCase(
            "history/renamed-within", for: [.h6: [2], .h5: [1]], needs: [.durability],
            "A transaction that changes records before and after it renames their properties has each as it was."
        ) { t in
            let first = try await t.open(recordsOf: [Versioned<Title>.self])
            try await first.insert([Versioned<Title>(1, "a"), Versioned<Title>(2, "b")])
            try await first.close()
            let store = try await t.open()
            let changed = DynamicRecord(
                model: "Note",
                fields: [
                    .init(name: "id", content: .value(.int(1), .int64)),
                    .init(name: "title", content: .value(.text("c"), .string)),
                ])
            t.note("try await store.transaction { … }")
            try await store.store.transaction { tx in
                try tx.save(changed)
                try tx.save(Versioned<NameFromTitle>(2, "d"))
                try tx.delete(Versioned<NameFromTitle>.self, key: 1)
            }
            try t.expect(
                try await store.history(of: Versioned<NameFromTitle>.self).map { try $0.before },
                equals: [nil, nil, .init(1, "a"), .init(2, "b")])
            try await store.undo(2)
            try t.expect(
                try await store.all(Versioned<NameFromTitle>.self), equals: [.init(1, "a"), .init(2, "b")])
        },
        ConformanceCase(
            "history/gone", for: [.h6: [3, 4], .h5: [1]], needs: [.durability],
            "Where a property is gone that a record had, no part of it is restored as if it were all, and its entry has it as it was."
        ) { t in
            var store = try await t.open(recordsOf: [Versioned<TitleAndName>.self])
            let first = Versioned<TitleAndName>(1, "a", "b")
            try await store.insert(first)
            try await store.save(Versioned<TitleAndName>(1, "a", nil))
            try await store.close()
            // No record has a name by now, so the title gets it.
            store = try await t.open(Versioned<NameFromTitle>.self)
            try t.expect(try await store.all(Versioned<NameFromTitle>.self), equals: [.init(1, "a")])
            let entry = try t.required(try await store.history(of: Versioned<NameFromTitle>.self).last)
            let error = try await t.expectError(.schemaMismatch) { _ = try entry.before }
            try t.expect(error.message.contains("storedBefore"), "The error does not name the call.")
            try await t.expectError(.schemaMismatch) {
                try await store.store.find(Versioned<NameFromTitle>.self, key: 1, asOf: 1)
            }
            try await t.expectError(.schemaMismatch) { try await store.undo(2) }
            try t.expect(
                try entry.storedBefore,
                equals: DynamicRecord(
                    model: "Note",
                    fields: [
                        .init(name: "id", content: .value(.int(1), .int64)),
                        .init(name: "title", content: .value(.text("a"), .string)),
                        .init(name: "name", content: .value(.text("b"), .string)),
                    ]))
            try t.expect(try await store.all(Versioned<NameFromTitle>.self), equals: [.init(1, "a")])
        },
        ConformanceCase(
            "history/nested-names", for: [.h6: [1]],
            "Arrays of one name at two levels are read as they were."
        ) { t in
            let store = try await t.open(recordsOf: [Versioned<TagsOfTags>.self])
            let first = Versioned<TagsOfTags>(
                1, .records([[1, .records([[1, "a"], [2, "b"]])], [2, .records([[3, "c"]])], [3, .records([])]]))
            try await store.insert(first)
            try await store.delete(Versioned<TagsOfTags>.self, key: 1)
            try t.expect(
                try await store.store.find(Versioned<TagsOfTags>.self, key: 1, asOf: 1), equals: first)
            try await store.undo(2)
            try t.expect(try await store.all(Versioned<TagsOfTags>.self), equals: [first])
        },
    ]
}

/// Returns the value in a record that was stored as `title`, then as `name` and then as `call`.
private func nameOfThen(_ record: DynamicRecord) -> Value? {
    record.value("call") ?? record.value("name") ?? record.value("title")
}
