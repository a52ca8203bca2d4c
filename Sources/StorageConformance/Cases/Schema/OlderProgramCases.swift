internal import StorageAPI

// S7: what a program writes that does not know all that is stored.

extension Conformance {
    // MARK: Owners that go

    /// A case in which an older version removes an owner, and another owner of the same key comes.
    private static func removes(
        _ id: String, _ sentence: String, _ remove: @escaping @Sendable (RecordedStore) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(id, for: [.s7: [2]], needs: [.durability], sentence) { t in
            let newer = try await t.open(Versioned<DeepTags>.self)
            try await newer.insert([
                Versioned<DeepTags>(1, "a", .records([[1, "x", .records([[7, "m"]])]])),
                Versioned<DeepTags>(2, "b", .records([[2, "y", .records([])]])),
            ])
            try await newer.close()
            let older = try await t.open(Versioned<Title>.self)
            try await remove(older)
            try t.expect(try await older.find(Versioned<Title>.self, key: 1), equals: nil)
            try await older.insert(Versioned<Title>(1, "new"))
            try await older.close()
            let again = try await t.open(Versioned<DeepTags>.self)
            try t.expect(
                try await again.find(Versioned<DeepTags>.self, key: 1), equals: Versioned(1, "new", .records([])),
                "A new owner owns what an earlier one of its key owned.")
        }
    }

    static let ownerCases: [ConformanceCase] = [
        removes("evolution/delete-undeclared", "A deleted record takes along what its program does not declare.") {
            _ = try await $0.delete(Versioned<Title>.self, key: 1)
        },
        removes("evolution/delete-where-undeclared", "A delete by a filter takes along what is not declared.") {
            try await $0.delete(Versioned<Title>.self) { $0.where { $0.id == 1 } }
        },
        removes("evolution/truncate-undeclared", "A truncated model takes along what its program does not declare.") {
            try await $0.truncate(Versioned<Title>.self)
        },
        ConformanceCase(
            "evolution/replace-undeclared", for: [.s7: [2]], needs: [.durability],
            "An owned record that is replaced by another takes along what its program does not declare."
        ) { t in
            let newer = try await t.open(Versioned<DeepTags>.self)
            try await newer.insert(Versioned<DeepTags>(1, "a", .records([[1, "x", .records([[7, "m"]])]])))
            try await newer.close()
            let older = try await t.open(Versioned<TitledTags>.self)
            try await older.save(Versioned<TitledTags>(1, "a", .records([[2, "y"]])))
            try await older.close()
            let again = try await t.open(Versioned<DeepTags>.self)
            try t.expect(
                try await again.all(Versioned<DeepTags>.self),
                equals: [Versioned(1, "a", .records([[2, "y", .records([])]]))])
        },
    ]

    // MARK: Rows that stay

    /// A case in which an older version saves a record, and a newer one reads what it knows of it.
    private static func keeps<Old: ModelVersion, New: ModelVersion>(
        _ id: String, _ sentence: String, storing stored: Versioned<New>, saving saved: Versioned<Old>,
        reads expected: Versioned<New>
    ) -> ConformanceCase {
        ConformanceCase(id, for: [.s7: [1, 3]], needs: [.durability], sentence) { t in
            let newer = try await t.open(Versioned<New>.self)
            try await newer.insert(stored)
            try await newer.close()
            let older = try await t.open(Versioned<Old>.self)
            try await older.save(saved)
            try t.expect(try await older.all(Versioned<Old>.self), equals: [saved])
            try await older.update(saved)
            try await older.close()
            let again = try await t.open(Versioned<New>.self)
            try t.expect(try await again.all(Versioned<New>.self), equals: [expected])
        }
    }

    /// A case in which an older version's save could only guess, is refused, and changes nothing.
    private static func guesses<Old: ModelVersion, New: ModelVersion>(
        _ id: String, _ sentence: String, storing stored: Versioned<New>, saving saved: Versioned<Old>,
        naming word: String
    ) -> ConformanceCase {
        ConformanceCase(id, for: [.s7: [4]], needs: [.durability], sentence) { t in
            let newer = try await t.open(Versioned<New>.self)
            try await newer.insert(stored)
            try await newer.close()
            let older = try await t.open(Versioned<Old>.self)
            let error = try await t.expectError(.schemaNewer) { try await older.save(saved) }
            try t.expect(
                error.property?.contains(word) == true, "The error does not name the property \(word): \(error)")
            try await older.close()
            let again = try await t.open(Versioned<New>.self)
            try t.expect(try await again.all(Versioned<New>.self), equals: [stored])
        }
    }

    static let unknownCases: [ConformanceCase] = [
        ConformanceCase(
            "children/same-name-below", for: [.c2: [1], .c3: [1]],
            "Arrays of one name at two levels keep each owned record at its place."
        ) { t in
            let store = try await t.open(Versioned<TagsOfTags>.self)
            let notes = [
                Versioned<TagsOfTags>(
                    1,
                    .records([[1, .records([])], [2, .records([[7, "a"], [8, "b"]])], [3, .records([[9, "c"]])]])),
                Versioned<TagsOfTags>(2, .records([[1, .records([[7, "d"]])]])),
            ]
            try await store.insert(notes)
            try t.expect(try await store.all(Versioned<TagsOfTags>.self), equals: notes)
            try await store.save(notes.map { Versioned<TagsOfTags>(values: $0.values) })
            try t.expect(try await store.find(Versioned<TagsOfTags>.self, key: 1), equals: notes[0])
        },
        keeps(
            "evolution/save-owner", "Saving an owner keeps the properties of its owned records that are not declared.",
            storing: Versioned<SecretTags>(1, "a", .records([[1, "x", "s"], [2, "y", nil]])),
            saving: Versioned<TitledTags>(1, "b", .records([[1, "x"], [2, "y"]])),
            reads: Versioned<SecretTags>(1, "b", .records([[1, "x", "s"], [2, "y", nil]]))),
        keeps(
            "evolution/save-reordered", "What is not declared goes with its owned record's own key.",
            storing: Versioned<SecretTags>(1, "a", .records([[1, "x", "s1"], [2, "y", "s2"], [3, "z", "s3"]])),
            saving: Versioned<TitledTags>(1, "a", .records([[3, "zz"], [4, "new"], [1, "x"]])),
            reads: Versioned<SecretTags>(1, "a", .records([[3, "zz", "s3"], [4, "new", nil], [1, "x", "s1"]]))),
        keeps(
            "evolution/save-by-place", "Where own keys repeat, the place in an array of the same length counts.",
            storing: Versioned<SecretTags>(1, "a", .records([[1, "x", "s1"], [1, "y", "s2"]])),
            saving: Versioned<TitledTags>(1, "a", .records([[1, "xx"], [1, "yy"]])),
            reads: Versioned<SecretTags>(1, "a", .records([[1, "xx", "s1"], [1, "yy", "s2"]]))),
        keeps(
            "evolution/save-emptied", "An emptied array is empty, whatever its records held.",
            storing: Versioned<SecretTags>(1, "a", .records([[1, "x", "s1"], [1, "y", "s2"]])),
            saving: Versioned<TitledTags>(1, "a", .records([])), reads: Versioned<SecretTags>(1, "a", .records([]))),
        keeps(
            "evolution/save-one", "One owned record keeps what is not declared as long as it has the same key.",
            storing: Versioned<OneSecretTag>(1, .record([1, "x", "s"])),
            saving: Versioned<OneTag>(1, .record([1, "y"])),
            reads: Versioned<OneSecretTag>(1, .record([1, "y", "s"]))),
        keeps(
            "evolution/save-another-one", "Another owned record in its place has nothing of the one before.",
            storing: Versioned<OneSecretTag>(1, .record([1, "x", "s"])),
            saving: Versioned<OneTag>(1, .record([2, "x"])),
            reads: Versioned<OneSecretTag>(1, .record([2, "x", nil]))),
        keeps(
            "evolution/save-root", "Saving a record keeps owned properties that are not declared.",
            storing: Versioned<SecretTags>(1, "a", .records([[1, "x", "s"]])), saving: Versioned<Title>(1, "b"),
            reads: Versioned<SecretTags>(1, "b", .records([[1, "x", "s"]]))),
        keeps(
            "evolution/save-deep", "What an owned record owns goes with it, declared or not.",
            storing: Versioned<DeepTags>(
                1, "a", .records([[1, "x", .records([[7, "m"]])], [2, "y", .records([[8, "n"]])]])),
            saving: Versioned<TitledTags>(1, "a", .records([[2, "y"], [3, "z"], [1, "x"]])),
            reads: Versioned<DeepTags>(
                1, "a",
                .records([
                    [2, "y", .records([[8, "n"]])], [3, "z", .records([])], [1, "x", .records([[7, "m"]])],
                ]))),
        keeps(
            "evolution/save-nesting", "In a type that owns itself, what is not declared stays with its record.",
            storing: Versioned<SecretNestingTags>(
                1,
                .records([
                    [1, "a", .records([[2, "b", .records([]), "s2", .records([[5], [6]])]]), "s1", .records([])],
                    [3, "c", .records([]), "s3", .records([[7]])],
                ])),
            saving: Versioned<NestingTags>(
                1,
                .records([
                    [3, "c", .records([])], [4, "new", .records([])],
                    [1, "a", .records([[9, "n", .records([])], [2, "bb", .records([])]])],
                ])),
            reads: Versioned<SecretNestingTags>(
                1,
                .records([
                    [3, "c", .records([]), "s3", .records([[7]])], [4, "new", .records([]), nil, .records([])],
                    [
                        1, "a",
                        .records([
                            [9, "n", .records([]), nil, .records([])],
                            [2, "bb", .records([]), "s2", .records([[5], [6]])],
                        ]), "s1", .records([]),
                    ],
                ]))),
        keeps(
            "evolution/save-other-type", "A save by a type of another name keeps what the stored records own.",
            storing: Versioned<BareNestingTags>(
                1,
                .records([
                    [1, .records([[2, .records([[3, .records([])], [4, .records([])]])]])], [5, .records([])],
                ])),
            saving: Versioned<TagsAsMarks>(1, .records([[1], [5], [6]])),
            reads: Versioned<BareNestingTags>(
                1,
                .records([
                    [1, .records([[2, .records([[3, .records([])], [4, .records([])]])]])], [5, .records([])],
                    [6, .records([])],
                ]))),
        guesses(
            "evolution/save-guess", "Where own keys repeat and the array's length changes, the save is refused.",
            storing: Versioned<SecretTags>(1, "a", .records([[1, "x", "s1"], [1, "y", "s2"]])),
            saving: Versioned<TitledTags>(1, "b", .records([[1, "x"]])), naming: "secret"),
        guesses(
            "evolution/save-guess-deep", "What owned records of equal keys own is not given to another one by guess.",
            storing: Versioned<DeepTags>(
                1, "a", .records([[1, "x", .records([[7, "m"]])], [1, "y", .records([])]])),
            saving: Versioned<TitledTags>(1, "b", .records([[1, "x"], [1, "y"], [1, "z"]])), naming: "marks"),
    ]
}
