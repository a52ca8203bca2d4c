internal import StorageAPI

/// A model with two properties whose names differ in case only.
private enum TwoCases: NoteVersion {
    static let properties = [VersionField("name", .text), VersionField("NAME", .text)]
}

/// A model with two properties whose names are two normal forms of one.
private enum TwoForms: NoteVersion {
    static let properties = [VersionField("\u{E9}", .text), VersionField("e\u{301}", .text)]
}

/// The same with optional arrays of owned records.
private enum TwoOwnedForms: NoteVersion {
    static let properties = ["\u{E9}", "e\u{301}"].map {
        VersionField($0, .many(Versioned<PlainTag>.self), isOptional: true)
    }
}

private enum ComposedForm: NoteVersion {
    static let properties = [
        VersionField("\u{E9}", .text), VersionField("\u{E8}", .many(Versioned<PlainTag>.self)),
    ]
}

/// The properties of ``ComposedForm`` under the other normal forms of their names.
private enum RenamedForm: NoteVersion {
    static let properties = zip(DecomposedForm.properties, ComposedForm.properties).map {
        $0.renamed(from: [$1.name])
    }
}

private enum DecomposedForm: NoteVersion {
    static let properties = [
        VersionField("e\u{301}", .text), VersionField("e\u{300}", .many(Versioned<PlainTag>.self)),
    ]
}

extension Conformance {
    /// S6: a model with a name that an engine may have a use for is stored beside its neighbours.
    private static func name<S: Shape>(_ id: String, of _: S.Type, _ sentence: String) -> ConformanceCase
    where S.Value == Int {
        ConformanceCase("names/\(id)", for: [.s6: [1]], sentence) { t in
            let store = try await t.open(IntItem.self, Item<S>.self)
            try await store.insert((0..<4).map { IntItem(id: $0, value: $0) })
            let items = (0..<4).map { Item<S>(id: $0, value: $0 * 10) }
            try await store.insert(items)
            try t.expect(try await store.all(Item<S>.self), equals: items)
            let found = try await store.select(Item<S>.self) {
                $0.where { $0.value > 10 }.order { $0.value.descending }
            }.keys()
            try t.expect(found, equals: [3, 2])
            try t.expect(
                try await store.update(Item<S>.self) { $0.where { $0.value == 10 }.set(\.value, to: 11) }, equals: 1)
            try await store.truncate(Item<S>.self)
            try t.expect(try await store.all(IntItem.self).map(\.value), equals: [0, 1, 2, 3])
        }
    }

    static let nameCases: [ConformanceCase] = [
        name("reserved-words", of: SelectOrder.self, "select and order are names like any other."),
        name("quotes", of: Quoted.self, "Quotes, semicolons and comments are parts of names."),
        name("dots-and-slashes", of: Dotted.self, "Dots, slashes, brackets and wildcards are parts of names."),
        name("unicode", of: Foreign.self, "Names may be of any script, with emoji."),
        name("engine-tables", of: EngineTable.self, "A name of an engine's own table is a model's name."),
        name("own-tables", of: OwnTable.self, "A name of the toolkit's own tables is a model's name."),
        name("long", of: LongName.self, "A name of 240 characters is a name."),
        ConformanceCase("names/case", for: [.s6: [1]], "Names that differ in case only are different names.") { t in
            let store = try await t.open(Item<SelectOrder>.self, Item<UpperSelect>.self)
            try await store.insert(Item<SelectOrder>(id: 1, value: 1))
            try await store.insert(Item<UpperSelect>(id: 1, value: 2))
            try t.expect(try await store.all(Item<SelectOrder>.self).map(\.value), equals: [1])
            try t.expect(try await store.all(Item<UpperSelect>.self).map(\.value), equals: [2])
            let notes = [Versioned<TwoCases>(1, "a", "b"), Versioned<TwoCases>(2, "b", "a")]
            try await store.insert(notes)
            try t.expect(try await store.all(Versioned<TwoCases>.self), equals: notes)
            let upper = try await store.select(Versioned<TwoCases>.self) { $0.where(text: "NAME == 'a'") }.keys()
            try t.expect(upper, equals: [2])
        },
        ConformanceCase("names/normal-forms", for: [.s6: [1]], "Names in two normal forms are different names.") { t in
            let store = try await t.open(Item<ForeignComposed>.self, Item<ForeignDecomposed>.self)
            try await store.insert(Item<ForeignComposed>(id: 1, value: 1))
            try await store.insert(Item<ForeignDecomposed>(id: 1, value: 2))
            try t.expect(try await store.all(Item<ForeignComposed>.self).map(\.value), equals: [1])
            try t.expect(try await store.all(Item<ForeignDecomposed>.self).map(\.value), equals: [2])
            let notes = [Versioned<TwoForms>(1, "a", "b"), Versioned<TwoForms>(2, "b", "a")]
            try await store.insert(notes)
            try t.expect(try await store.all(Versioned<TwoForms>.self), equals: notes)
            let found = try await store.select(Versioned<TwoForms>.self) { $0.where(text: "`e\u{301}` == 'a'") }.keys()
            try t.expect(found, equals: [2])
        },
        ConformanceCase(
            "names/normal-forms-together", for: [.s6: [1], .h5: [1]],
            "Records of models whose names are two normal forms of one are read, followed and restored apart."
        ) { t in
            typealias Composed = Item<ForeignComposed>
            typealias Decomposed = Item<ForeignDecomposed>
            let store = try await t.open(recordsOf: [Composed.self, Decomposed.self])
            func expect(_ composed: Int, _ decomposed: Int) async throws {
                try t.expect(try await store.all(Composed.self).map(\.value), equals: [composed])
                try t.expect(try await store.all(Decomposed.self).map(\.value), equals: [decomposed])
                for (model, value) in [(ForeignComposed.model, composed), (ForeignDecomposed.model, decomposed)] {
                    t.note("try await store.records(\(SwiftSource.literal(model))).all()")
                    // The property has the model's name.
                    let record = try await store.store.records(model).all().first
                    try t.expect(record?.value(model), equals: .int(Int64(value)))
                }
            }
            try await store.transaction { _, tx in
                try tx.insert(Composed(id: 1, value: 1))
                try tx.insert(Decomposed(id: 1, value: 2))
            }
            try await expect(1, 2)
            try await store.transaction { _, tx in
                try tx.save(Composed(id: 1, value: 3))
                try tx.save(Decomposed(id: 1, value: 4))
            }
            try await expect(3, 4)
            try await store.undo(2)
            try await expect(1, 2)
            try await store.undo(1)
            try t.expect(try await store.all(Composed.self), equals: [])
            try t.expect(try await store.all(Decomposed.self), equals: [])
        },
        ConformanceCase(
            "names/normal-forms-reopened", for: [.s6: [1], .s4: [1]], needs: [.durability],
            "Properties whose names are two normal forms of one keep their values and owned records apart."
        ) { t in
            let store = try await t.open(Versioned<TwoForms>.self)
            let notes = [Versioned<TwoForms>(1, "a", "b"), Versioned<TwoForms>(2, "b", "a")]
            try await store.insert(notes)
            try await store.close()
            let again = try await t.open(Versioned<TwoForms>.self)
            try t.expect(try await again.all(Versioned<TwoForms>.self), equals: notes)
        },
        ConformanceCase(
            "names/normal-forms-owned", for: [.s6: [1], .s4: [1]], needs: [.durability],
            "Owned records of properties whose names are two normal forms of one are kept apart."
        ) { t in
            let store = try await t.open(Versioned<TwoOwnedForms>.self)
            let notes: [Versioned<TwoOwnedForms>] = [
                Versioned(1, .records([[1, "a"]]), .records([[1, "b"], [2, "c"]])), Versioned(2, nil, .records([])),
                Versioned(3, .records([]), nil),
            ]
            try await store.insert(notes)
            try t.expect(try await store.all(Versioned<TwoOwnedForms>.self), equals: notes)
            try await t.expectSound(store)
            try await store.close()
            let again = try await t.open(Versioned<TwoOwnedForms>.self)
            try t.expect(try await again.all(Versioned<TwoOwnedForms>.self), equals: notes)
        },
        ConformanceCase(
            "names/normal-form-renamed", for: [.s6: [1], .s9: [1]], needs: [.durability],
            "A property that is renamed to another normal form of its name keeps its values and owned records."
        ) { t in
            let first = try await t.open(Versioned<ComposedForm>.self)
            let note = Versioned<ComposedForm>(1, "a", .records([[1, "x"], [2, "y"]]))
            try await first.insert(note)
            try await first.close()
            let renamed = try await t.open(Versioned<RenamedForm>.self)
            try t.expect(
                try await renamed.all(Versioned<RenamedForm>.self),
                equals: [Versioned<RenamedForm>(values: note.values)])
            try await renamed.close()
            let later = try await t.open(Versioned<DecomposedForm>.self)
            try t.expect(
                try await later.all(Versioned<DecomposedForm>.self),
                equals: [Versioned<DecomposedForm>(values: note.values)])
            try await t.expectSound(later)
        },
        ConformanceCase(
            "names/columns-of-owned", for: [.s6: [1]],
            "Owned records may have properties called as the columns that lead to their owners."
        ) { t in
            typealias Note = Versioned<PlacedTags>
            let store = try await t.open(Note.self)
            func tag(_ number: Int, _ tags: [[FieldValue]]) -> [FieldValue] {
                [1, .int(9 - number), .int(number), 1, 2, 3, .records(tags)]
            }
            let notes = (0..<4).map { id in
                Note(.int(id), .int(-id), .text("o\(id)"), .records((0..<id).map { tag($0, [tag($0 + id, [])]) }))
            }
            try await store.insert(notes.reversed())
            try t.expect(try await store.all(Note.self), equals: notes)
            let found = try await store.store.records("Note").where(text: "any tags.position == 7").keys()
            try t.expect(found, equals: [[.int(3)]])
            try await store.save(Note(2, 0, "", .records([tag(5, [])])))
            try await store.delete(Note.self, key: 3)
            try t.expect(
                try await store.all(Note.self), equals: notes.prefix(2) + [Note(2, 0, "", .records([tag(5, [])]))])
        },
        ConformanceCase(
            "names/reopened", for: [.s6: [1], .s4: [1]], needs: [.durability],
            "Such names are found again after closing and opening."
        ) { t in
            let store = try await t.open(Item<Quoted>.self, Item<Foreign>.self)
            try await store.insert(Item<Quoted>(id: 1, value: 1))
            try await store.insert(Item<Foreign>(id: 1, value: 2))
            try await store.close()
            let again = try await t.open(Item<Quoted>.self, Item<Foreign>.self)
            try t.expect(try await again.all(Item<Quoted>.self).map(\.value), equals: [1])
            try t.expect(try await again.all(Item<Foreign>.self).map(\.value), equals: [2])
        },
    ]
}
