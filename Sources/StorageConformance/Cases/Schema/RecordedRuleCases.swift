internal import Foundation
internal import StorageAPI
import StorageDriver

// S14: the recorded table decides what binds a write.

extension Conformance {
    static let recordedRuleCases: [ConformanceCase] = [
        ConformanceCase(
            "rules/undeclared", for: [.s14: [1, 3], .w13: [1, 2], .w14: [1, 3], .r3: [1], .f1: [2]],
            needs: [.durability],
            "A program that does not declare properties obeys their rules, and removes none by opening the store."
        ) { t in
            let clock = try await ruled(t)
            let older = try await t.open(Versioned<Bare>.self, clock: clock)
            try t.expect(try await older.select(Versioned<Bare>.self).keys(), equals: [1, 2])
            try await t.expectDenied(older)
            try await older.save([Versioned<Bare>(1), Versioned<Bare>(4)])
            try t.expect(try await older.found("alpha"), equals: [1])
            try await older.delete(Versioned<Bare>.self, key: 2)
            try t.expect(try await older.found("beta"), equals: [])
            try await t.expectSound(older)
            try await older.close()
            try await t.expectRuled(
                clock,
                [note(1, "a", text: "alpha", until: nil, shelf: 1), note(4, nil, text: nil, until: nil, shelf: nil)])
        },
        ConformanceCase(
            "rules/searched-default", for: [.s14: [1], .s2: [1]], needs: [.durability],
            "A search finds the default of a declared property in records that a program without the property has saved."
        ) { t in
            try await t.open(Versioned<SearchedDefault>.self).close()
            let older = try await t.open(Versioned<Bare>.self)
            try await older.save(Versioned<Bare>(1))
            try await older.close()
            let newer = try await t.open(Versioned<SearchedDefault>.self)
            try t.expect(try await newer.found("default"), equals: [1])
            try await t.expectSound(newer)
            try await newer.close()
        },
        ConformanceCase(
            "rules/unmarked",
            for: [.s14: [1, 3], .w13: [1, 2], .w14: [1, 3], .r2: [1], .r3: [1], .f1: [2], .f6: [1]],
            needs: [.durability],
            "A program that declares properties without their rules obeys the rules, and removes none by opening the store."
        ) { t in
            let clock = try await ruled(t)
            let older = try await t.open(Versioned<UnruledNote>.self, clock: clock)
            try t.expect(try await older.select(Versioned<UnruledNote>.self).keys(), equals: [1, 2])
            try await t.expectBound(older, as: UnruledNote.self)
            try await older.close()
            try await t.expectRuled(
                clock,
                [
                    note(1, "c", text: "gamma", until: nil, shelf: nil),
                    note(2, "b", text: "beta", until: nil, shelf: nil),
                ])
        },
        ConformanceCase(
            "rules/undeclared-owned", for: [.s14: [1, 3], .r3: [1, 3], .f1: [2], .f6: [1], .s7: [3]],
            needs: [.durability],
            "The rules of owned records and of arrays of references stay if a program does not declare them."
        ) { t in
            let newer = try await t.open(Versioned<RuledTags>.self)
            try await newer.insert([Versioned<RuledShelf>(1, "s"), Versioned<RuledShelf>(2, "t")])
            let record = Versioned<RuledTags>(1, .records([[1, "alpha", 1], [2, "beta", nil]]))
            try await newer.insert(record)
            try await newer.close()
            let older = try await t.open(Versioned<Bare>.self)
            try await t.expectDenied(older)
            try await older.save(Versioned<Bare>(1))
            try t.expect(try await older.found("alpha"), equals: [1])
            try await older.delete(Versioned<RuledShelf>.self, key: 2)
            try await t.expectSound(older)
            try await older.close()
            let untold = try await t.open(Versioned<UnruledTags>.self)
            try await t.expectDenied(untold)
            try await t.expectError(.constraint) {
                try await untold.save(Versioned<UnruledTags>(1, .records([[1, "alpha", 7]])))
            }
            try await untold.save(Versioned<UnruledTags>(1, .records([[1, "gamma", 1]])))
            try t.expect(try await untold.found("alpha"), equals: [])
            try t.expect(try await untold.found("gamma"), equals: [1])
            try await t.expectSound(untold)
            try await untold.close()
            let again = try await t.open(Versioned<RuledTags>.self)
            try t.expect(
                try await again.all(Versioned<RuledTags>.self),
                equals: [Versioned<RuledTags>(1, .records([[1, "gamma", 1]]))])
            try await t.expectDenied(again)
            try await t.expectSound(again)
        },
        ConformanceCase(
            "rules/cascading", for: [.s14: [1, 3], .r3: [1, 2]], needs: [.durability],
            "References that a program does not declare cascade, and become nil, when it deletes what they name."
        ) { t in
            let newer = try await t.open(Versioned<RuledEnds>.self)
            try await newer.insert([Versioned<RuledShelf>(1, "s"), Versioned<RuledShelf>(2, "t")])
            try await newer.insert([
                Versioned<RuledEnds>(1, 1, 2), Versioned<RuledEnds>(2, 2, 1), Versioned<RuledEnds>(3, nil, 1),
            ])
            try await newer.close()
            let older = try await t.open(Versioned<Bare>.self)
            try await older.delete(Versioned<RuledShelf>.self, key: 1)
            try t.expect(try await older.all(Versioned<Bare>.self), equals: [Versioned<Bare>(2), Versioned<Bare>(3)])
            try await older.close()
            let again = try await t.open(Versioned<RuledEnds>.self)
            try t.expect(
                try await again.all(Versioned<RuledEnds>.self),
                equals: [Versioned<RuledEnds>(2, 2, nil), Versioned<RuledEnds>(3, nil, nil)])
        },
        ConformanceCase(
            "rules/removed", for: [.s14: [4, 6], .s2: [3]], needs: [.durability],
            "A program removes the rules that it names, declared or not; a program that declares them brings them back."
        ) { t in
            for isDeclared in [true, false] {
                let clock = try await ruled(t)
                try await t.open(removing: isDeclared, clock)
                let free = try await t.open(Versioned<UnruledNote>.self, clock: clock)
                try t.expect(try await free.select(Versioned<UnruledNote>.self).keys(), equals: [1, 2, 3])
                try await free.insert(Versioned<UnruledNote>(4, "a", "delta", nil, 9))
                try await free.delete(Versioned<RuledShelf>.self, key: 1)
                try await t.expectError(.invalidQuery) { try await free.found("alpha") }
                try await free.close()
                // The values that break the rules have to go first.
                try await t.expectError(.constraint) { try await t.open(Versioned<RuledNote>.self).info.name }
                let mended = try await t.open(Versioned<UnruledNote>.self, clock: clock)
                try await mended.delete(Versioned<UnruledNote>.self, keys: [3, 4])
                try await mended.save(Versioned<UnruledNote>(1, "a", "alpha", nil, nil))
                try await mended.close()
                try await t.expectRuled(
                    clock,
                    [
                        note(1, "a", text: "alpha", until: nil, shelf: nil),
                        note(2, "b", text: "beta", until: nil, shelf: nil),
                    ])
                let last = try await t.open(Versioned<RuledNote>.self, clock: clock)
                try await last.truncate(Versioned<RuledNote>.self)
                try await last.truncate(Versioned<RuledShelf>.self)
                try await last.close()
            }
        },
        ConformanceCase(
            "rules/assigned-keys", for: [.s14: [3], .k2: [1]], needs: [.durability],
            "After a program with keys of its own has written, the store still assigns no key that was used."
        ) { t in
            let newer = try await t.open(Versioned<AssignedKey>.self)
            try await newer.insert((1...3).map { _ in Versioned<AssignedKey>(nil) })
            try await newer.delete(Versioned<AssignedKey>.self, key: 3)
            try await newer.close()
            let older = try await t.open(Versioned<GivenKey>.self)
            try await older.insert(Versioned<GivenKey>(7))
            try await older.delete(Versioned<GivenKey>.self, key: 7)
            try await older.close()
            let again = try await t.open(Versioned<AssignedKey>.self)
            try t.expect(
                try await again.insert(Versioned<AssignedKey>(nil)), equals: Versioned<AssignedKey>(8),
                "A key is used twice.")
        },
        ConformanceCase(
            "sharing/rules-undeclared", for: [.s14: [1, 3], .s11: [2]], needs: [.sharing],
            "An older program that opens the store removes no rule that a running one declares."
        ) { t in
            let clock = TrialClock()
            let newer = try await t.open(Versioned<RuledNote>.self, clock: clock)
            try await fill(newer, clock)
            let older = try await t.open(Versioned<Bare>.self, clock: clock)
            try await older.insert(Versioned<Bare>(4))
            try await older.close()
            let untold = try await t.open(Versioned<UnruledNote>.self, clock: clock)
            try await untold.delete(Versioned<UnruledNote>.self, key: 4)
            try await t.expectBound(newer, as: RuledNote.self)
            try await t.expectSound(untold)
        },
        ConformanceCase(
            "sharing/rules-added", for: [.s14: [1, 2], .f1: [2], .f6: [1], .r2: [1], .w13: [1, 2], .w14: [1, 3]],
            needs: [.sharing],
            "A program that was open before another one added rules is bound by them from its next write."
        ) { t in
            let clock = TrialClock()
            let older = try await t.open(Versioned<UnruledNote>.self, clock: clock)
            try await older.insert(Versioned<UnruledNote>(1, "a", "alpha", nil, nil))
            try t.expect(try await older.select(Versioned<UnruledNote>.self).keys(), equals: [1])
            let newer = try await t.open(Versioned<RuledNote>.self, clock: clock)
            try await newer.insert(Versioned<RuledShelf>(1, "s"))
            try await newer.save([
                note(1, "a", text: "alpha", until: nil, shelf: 1), note(2, "b", text: "beta", until: nil, shelf: nil),
            ])
            try await t.expectBound(older, as: UnruledNote.self)
            try await newer.insert(
                note(3, "x", text: "x", until: clock.now.timeIntervalSinceReferenceDate + 1, shelf: nil))
            clock.advance(by: 1)
            try t.expect(try await older.select(Versioned<UnruledNote>.self).keys(), equals: [1, 2])
            try t.expect(try await newer.found("gamma"), equals: [1])
            try t.expect(try await newer.found("alpha"), equals: [])
            try await t.expectSound(newer)
        },
        ConformanceCase(
            "sharing/rules-removed", for: [.s14: [5, 6], .s11: [3, 4]], needs: [.sharing],
            "A program that declares a rule which another one has removed is told before it writes, and brings it back when it is "
                + "opened again."
        ) { t in
            let clock = TrialClock()
            let newer = try await t.open(Versioned<RuledNote>.self, clock: clock)
            try await fill(newer, clock)
            let other = try await t.open(Versioned<Bare>.self)
            try await t.open(removing: true, clock)
            let errors = [
                try await t.expectError(.schemaMismatch) {
                    try await newer.save(note(1, "b", text: "b", until: nil, shelf: nil))
                },
                try await t.expectError(.schemaMismatch) {
                    try await newer.update(Versioned<RuledNote>.self) {
                        $0.where { $0.id == 1 }.set(\.text, to: "b")
                    }
                },
                try await t.expectError(.schemaMismatch) {
                    try await newer.delete(Versioned<RuledNote>.self, key: 1)
                },
            ]
            for error in errors {
                try t.expect(error.model, equals: "Note")
                try t.expect(error.property, equals: "code")
            }
            try t.expect(try await other.find(Versioned<Bare>.self, key: 1), equals: Versioned<Bare>(1))
            try await newer.insert(Versioned<RuledShelf>(2, "t"))
            try await newer.close()
            try await t.expectRuled(
                clock,
                [note(1, "a", text: "alpha", until: nil, shelf: 1), note(2, "b", text: "beta", until: nil, shelf: nil)])
        },
    ]

    /// Stores records by a program that declares all rules, and closes it. The third one has expired.
    private static func ruled(_ t: Trial) async throws -> TrialClock {
        let clock = TrialClock()
        let store = try await t.open(Versioned<RuledNote>.self, clock: clock)
        try await fill(store, clock)
        try await store.close()
        return clock
    }

    private static func fill(_ store: RecordedStore, _ clock: TrialClock) async throws {
        try await store.insert(Versioned<RuledShelf>(1, "s"))
        try await store.insert([
            note(1, "a", text: "alpha", until: nil, shelf: 1), note(2, "b", text: "beta", until: nil, shelf: nil),
            note(3, "x", text: "x", until: clock.now.timeIntervalSinceReferenceDate + 1, shelf: nil),
        ])
        clock.advance(by: 1)
    }

    private static func note(
        _ id: Int, _ code: String?, text: String?, until: Double?, shelf: Int?
    ) -> Versioned<RuledNote> {
        Versioned<RuledNote>(
            .int(id), code.map(FieldValue.text) ?? .null, text.map(FieldValue.text) ?? .null,
            until.map(FieldValue.double) ?? .null, shelf.map(FieldValue.int) ?? .null)
    }
}

// MARK: Versions

enum RuledShelf: ModelVersion {
    static let model = "Rack"
    static let fields: [VersionField] = [.id, VersionField("name", .text)]
}

private let ruledRack = FieldType.reference(Versioned<RuledShelf>.self, .deny)

/// A note with a rule of each kind.
enum RuledNote: NoteVersion {
    static let properties = [
        VersionField("code", .text, isOptional: true, marks: [.unique]),
        VersionField("text", .text, isOptional: true, marks: [.searched]),
        VersionField("until", .date, isOptional: true, marks: [.expires]),
        VersionField("shelf", ruledRack, isOptional: true),
    ]
}

/// The same note as a program declares it that knows of no rule.
enum UnruledNote: NoteVersion {
    static let properties = [
        VersionField("code", .text, isOptional: true), VersionField("text", .text, isOptional: true),
        VersionField("until", .date, isOptional: true), VersionField("shelf", .int, isOptional: true),
    ]
}

private enum SearchedDefault: NoteVersion {
    static let properties = [VersionField("text", .text, marks: [.searched], default: "default")]
}

private enum RuledTag: TagVersion {
    static let properties = [
        VersionField("name", .text, marks: [.searched]), VersionField("shelf", ruledRack, isOptional: true),
    ]
}
private enum UnruledTag: TagVersion {
    static let properties = [VersionField("name", .text), VersionField("shelf", .int, isOptional: true)]
}
private enum RuledTags: NoteVersion {
    static let properties = [VersionField("tags", .many(Versioned<RuledTag>.self))]
}
private enum UnruledTags: NoteVersion {
    static let properties = [VersionField("tags", .many(Versioned<UnruledTag>.self))]
}

private enum RuledEnds: NoteVersion {
    static let properties = [
        VersionField("owner", .reference(Versioned<RuledShelf>.self, .cascade), isOptional: true),
        VersionField("shelf", .reference(Versioned<RuledShelf>.self, .nullify), isOptional: true),
    ]
}

private enum AssignedKey: ModelVersion { static let fields = [VersionField("id", .int, isOptional: true)] }
private enum GivenKey: ModelVersion { static let fields: [VersionField] = [.id] }

extension Versioned.Columns {
    /// The text of a note with rules.
    fileprivate var text: QueryExpression<String?> { QueryExpression(_propertyPath, 2) }
    /// The key of its shelf, as a program declares it that knows of no reference.
    fileprivate var shelf: QueryExpression<Int?> { QueryExpression(_propertyPath, 4) }
}

// MARK: Expectations

extension Trial {
    /// Opens the store with a program that removes the rules of a note, and closes it.
    ///
    /// - Parameter isDeclared: whether it declares the properties.
    fileprivate func open(removing isDeclared: Bool, _ clock: TrialClock) async throws {
        note(
            "let removing = try await Store(backend, models: …, options: .removingRules(of: …, \"code\", \"text\", \"until\", \"shelf\"))"
        )
        func options<V: ModelVersion>(_: V.Type) -> Store.Options {
            var options = Store.Options.removingRules(of: Versioned<V>.self, "code", "text", "until", "shelf")
            options.clock = { clock.now }
            return options
        }
        let backend = try await place.backend()
        let store =
            isDeclared
            ? try await Store(backend, models: Versioned<UnruledNote>.self, options: options(UnruledNote.self))
            : try await Store(backend, models: Versioned<Bare>.self, options: options(Bare.self))
        try await store.close()
    }

    /// Expects that the rack 1, to which a note refers, cannot be deleted.
    fileprivate func expectDenied(_ store: RecordedStore) async throws {
        try await expectError(.constraint) { try await store.delete(Versioned<RuledShelf>.self, key: 1) }
    }

    /// Expects that the rules bind what a program writes, whether it knows of them or not. The first note then has other values.
    fileprivate func expectBound<V: ModelVersion>(_ store: RecordedStore, as _: V.Type) async throws {
        func note(_ values: FieldValue...) -> Versioned<V> { Versioned<V>(values: values) }
        try await expectDenied(store)
        try await expectError(.constraint) { try await store.insert(note(5, "a", nil, nil, nil)) }
        try await expectError(.constraint) { try await store.save(note(2, "a", "beta", nil, nil)) }
        try await expectError(.constraint) { try await store.save(note(2, "b", "beta", nil, 77)) }
        if V.self == UnruledNote.self {
            try await expectError(.constraint) {
                try await store.update(Versioned<V>.self) { $0.where { $0.id == 2 }.set(\.shelf, to: 77) }
            }
        }
        try await expectError(.constraint) {
            try await store.transaction { _, tx in try tx.insert(note(6, "f", nil, nil, 77)) }
        }
        try await store.save(note(1, "c", "alpha", nil, nil))
        try expect(try await store.found("alpha"), equals: [1])
        try await store.update(Versioned<V>.self) { $0.where { $0.id == 1 }.set(\.text, to: "gamma") }
        try expect(try await store.found("alpha"), equals: [])
        try expect(try await store.found("gamma"), equals: [1])
        try await expectSound(store)
    }

    /// Opens the store with a program that declares all rules, and expects these notes, and that the rules bind.
    fileprivate func expectRuled(_ clock: TrialClock, _ notes: [Versioned<RuledNote>]) async throws {
        let store = try await open(Versioned<RuledNote>.self, clock: clock)
        try expect(try await store.all(Versioned<RuledNote>.self), equals: notes)
        for note in notes {
            guard case .text(let text) = note.values[2], case .int(let id) = note.values[0] else { continue }
            try expect(try await store.found(text), equals: [id])
        }
        var copy = notes[0]
        copy.values[0] = 90
        try await expectError(.constraint) { try await store.insert(copy) }
        copy.values[1] = "z"
        copy.values[3] = .double(clock.now.timeIntervalSinceReferenceDate)
        copy.values[4] = nil
        try await store.insert(copy)
        try expect(try await store.find(Versioned<RuledNote>.self, key: 90), equals: nil)
        copy.values[4] = 77
        try await expectError(.constraint) { try await store.save(copy) }
        try await expectSound(store)
        try await store.close()
    }
}
