internal import StorageAPI
internal import Synchronization

// S7 to S9: two versions of a program use one store.

extension Conformance {
    static let evolutionCases: [ConformanceCase] =
        kindCases + renameCases + ownerCases + unknownCases
        + typeCases

    // MARK: S8

    /// A case in which a version is refused whatever is stored, and the stored records stay as they are.
    private static func refuses<Old: ModelVersion, New: ModelVersion>(
        _ id: String, for proof: Proof, _ sentence: String, from _: Old.Type, storing old: [Versioned<Old>],
        to _: New.Type,
        naming words: [String]
    ) -> ConformanceCase {
        ConformanceCase(id, for: proof, needs: [.durability], sentence) { t in
            for records in [[], old] {
                let store = try await t.open(Versioned<Old>.self)
                try await store.insert(records)
                try await store.close()
                let error = try await t.expectError(.schemaMismatch) { try await t.open(Versioned<New>.self).info.name }
                for word in words {
                    try t.expect(error.message.contains(word), "The error does not say \(word): \(error.message)")
                }
                for _ in 1...2 {
                    let again = try await t.open(Versioned<Old>.self)
                    try t.expect(try await again.all(Versioned<Old>.self), equals: records)
                    try await again.close()
                }
            }
        }
    }

    private static let kindCases: [ConformanceCase] = [
        refuses(
            "evolution/array-to-texts", for: [.s8: [1, 2]], "An array of owned records does not become one of texts.",
            from: Tags.self,
            storing: [Versioned(1, .records([[1, "a"]])), Versioned(2, .records([]))], to: TagsAsTexts.self,
            naming: ["tags", "@Field"]),
        refuses(
            "evolution/optional-array-to-text", for: [.s8: [1, 2]],
            "An optional array of owned records does not become a text.",
            from: OptionalTags.self, storing: [Versioned(1, .records([[1, "a"]])), Versioned(2, nil)],
            to: TagsAsText.self,
            naming: ["tags", "@Field"]),
        refuses(
            "evolution/one-to-text", for: [.s8: [1, 2]], "An owned record does not become a text.", from: OneTag.self,
            storing: [Versioned(1, .record([1, "a"])), Versioned(2, nil)], to: TagsAsText.self,
            naming: ["tags", "@Field"]),
        refuses(
            "evolution/text-to-array", for: [.s8: [1, 2]], "A text does not become an array of owned records.",
            from: TagsAsText.self,
            storing: [Versioned(1, "a"), Versioned(2, nil)], to: Tags.self, naming: ["tags", "@Field"]),
        refuses(
            "evolution/one-to-many", for: [.s8: [1, 2]], "An owned record does not become an array.", from: OneTag.self,
            storing: [Versioned(1, .record([1, "a"])), Versioned(2, nil)], to: Tags.self, naming: ["tags", "@Field"]),
        refuses(
            "evolution/many-to-one", for: [.s8: [1, 2]], "An array of owned records does not become one of them.",
            from: Tags.self,
            storing: [Versioned(1, .records([[1, "a"]]))], to: OneTag.self, naming: ["tags", "@Field"]),
        refuses(
            "evolution/child-array-to-text", for: [.s8: [1, 2]],
            "An array that an owned record owns does not become a text.",
            from: InChild<OptionalTags>.self,
            storing: [Versioned(1, .records([[1, .records([[1, "a"]])], [2, nil]]))],
            to: InChild<TagsAsText>.self, naming: ["tags", "@Field"]),
        refuses(
            "evolution/child-text-to-array", for: [.s8: [1, 2]],
            "A text of an owned record does not become an array of records.",
            from: InChild<TagsAsText>.self, storing: [Versioned(1, .records([[1, "a"], [2, nil]]))],
            to: InChild<Tags>.self,
            naming: ["tags", "@Field"]),
        ConformanceCase(
            "evolution/kind-of-removed", for: [.s8: [2], .s9: [4]], needs: [.durability],
            "A removed owned property's name is not given to a value, by a declaration or by a rename."
        ) { t in
            let first = try await t.open(Versioned<TitleAndTags>.self)
            let record = Versioned<TitleAndTags>(1, "a", .records([[1, "x"]]))
            try await first.insert(record)
            try await first.close()
            let without = try await t.open(Versioned<Title>.self)
            try await without.save(Versioned<Title>(1, "b"))
            try await without.close()
            try await t.expectError(.schemaMismatch) { try await t.open(Versioned<TagsAsText>.self).info.name }
            try await t.expectError(.schemaMismatch) { try await t.open(Versioned<TextAsTags>.self).info.name }
            let again = try await t.open(Versioned<TitleAndTags>.self)
            try t.expect(
                try await again.all(Versioned<TitleAndTags>.self),
                equals: [Versioned<TitleAndTags>(1, "b", .records([[1, "x"]]))])
        },
        ConformanceCase(
            "evolution/array-of-gone-owner", for: [.s8: [3]], needs: [.durability],
            "An array that is not Optional any more, and is gone with its owner, is not nil when both come back."
        ) { t in
            try await t.open(Versioned<InChild<OptionalTags>>.self).close()
            let required = try await t.open(Versioned<InChild<Tags>>.self)
            let notes: FieldValue = .records([[7, .records([[1, "a"]])], [8, .records([])]])
            try await required.insert(Versioned<InChild<Tags>>(1, notes))
            try await required.close()
            try await t.open(Versioned<BareBook>.self).close()
            for _ in 1...2 {
                let again = try await t.open(Versioned<InChild<OptionalTags>>.self)
                try t.expect(
                    try await again.all(Versioned<InChild<OptionalTags>>.self),
                    equals: [Versioned<InChild<OptionalTags>>(1, notes)])
                try await again.close()
            }
        },
    ]

    // MARK: S9

    /// A case that stores with one version, opens with a second, and reads with a third that declares a rename.
    static func renames<A: ModelVersion, B: ModelVersion, C: ModelVersion>(
        _ id: String, for proof: Proof, _ sentence: String, storing first: Versioned<A>, opening _: B.Type,
        reads expected: Versioned<C>
    ) -> ConformanceCase {
        ConformanceCase(id, for: proof, needs: [.durability], sentence) { t in
            let store = try await t.open(Versioned<A>.self)
            try await store.insert(first)
            try await store.close()
            try await t.open(Versioned<B>.self).close()
            for _ in 1...2 {
                let later = try await t.open(Versioned<C>.self)
                try t.expect(try await later.all(Versioned<C>.self), equals: [expected])
                try await later.close()
            }
        }
    }

    private static func conflicts<A: ModelVersion, B: ModelVersion>(
        _ id: String, for proof: Proof, _ sentence: String, storing record: Versioned<A>, opening _: B.Type,
        naming words: [String]
    ) -> ConformanceCase {
        ConformanceCase(id, for: proof, needs: [.durability], sentence) { t in
            let store = try await t.open(Versioned<A>.self)
            try await store.insert(record)
            try await store.close()
            let error = try await t.expectError(.schemaMismatch) { try await t.open(Versioned<B>.self).info.name }
            for word in words {
                try t.expect(error.message.contains(word), "The error does not say \(word): \(error.message)")
            }
            let again = try await t.open(Versioned<A>.self)
            try t.expect(try await again.all(Versioned<A>.self), equals: [record])
        }
    }

    private static let renameCases: [ConformanceCase] = [
        conflicts(
            "evolution/rename-onto-data", for: [.s9: [2]],
            "A rename onto a name that holds data is refused, naming both.",
            storing: Versioned<TitleAndName>(1, "a", "b"), opening: NameFromTitle.self, naming: ["title", "name"]),
        conflicts(
            "evolution/rename-owned-onto-data", for: [.s9: [2]],
            "A rename onto an owned property that holds data is refused.",
            storing: Versioned<TagsAndLabels>(1, .records([[1, "a"]]), .records([[2, "b"]])),
            opening: LabelsFromTags.self,
            naming: ["tags", "labels"]),
        conflicts(
            "evolution/rename-to-another-kind", for: [.s9: [4]],
            "A rename of owned records to a value is refused, naming both.",
            storing: Versioned<Tags>(1, .records([[1, "a"]])), opening: LabelsTextFromTags.self,
            naming: ["tags", "labels"]),
        renames(
            "evolution/rename-onto-nothing", for: [.s9: [1]],
            "A rename onto a name that holds nil everywhere is carried out.",
            storing: Versioned<TitleAndName>(1, "a", nil), opening: TitleAndName.self,
            reads: Versioned<NameFromTitle>(1, "a")),
        renames(
            "evolution/rename-of-nothing", for: [.s9: [3]],
            "A rename of what is nil everywhere leaves what the new name holds.",
            storing: Versioned<TitleAndName>(1, nil, "b"), opening: TitleAndName.self,
            reads: Versioned<NameFromTitle>(1, "b")),
        renames(
            "evolution/rename-owned", for: [.s9: [1], .s3: [1]], "A rename of owned records moves them.",
            storing: Versioned<Tags>(1, .records([[1, "a"]])), opening: Tags.self,
            reads: Versioned<LabelsFromTags>(1, .records([[1, "a"]]))),
        renames(
            "evolution/rename-onto-nil-array", for: [.s9: [1], .s8: [3]],
            "An array that takes the name of a nil one is not nil when it becomes Optional.",
            storing: Versioned<OptionalTagsAndLabels>(1, nil, .records([])), opening: TagsFromLabels.self,
            reads: Versioned<OptionalTags>(1, .records([]))),
        renames(
            "evolution/rename-of-removed", for: [.s9: [4]], "A rename does not bring back what was removed before it.",
            storing: Versioned<Title>(1, "a"), opening: Bare.self, reads: Versioned<NameFromTitle>(1, nil)),
        renames(
            "evolution/rename-of-removed-owned", for: [.s9: [4]],
            "A rename does not bring back owned records that were removed before it.",
            storing: Versioned<Tags>(1, .records([[1, "a"]])), opening: Bare.self,
            reads: Versioned<LabelsFromTags>(1, .records([]))),
        ConformanceCase(
            "evolution/rename-onto-removed", for: [.s9: [2]], needs: [.durability],
            "A rename onto a removed name that holds data is refused, and neither is lost."
        ) { t in
            let store = try await t.open(Versioned<TitleAndName>.self)
            try await store.insert(Versioned<TitleAndName>(1, "a", "b"))
            try await store.close()
            try await t.open(Versioned<Title>.self).close()
            try await t.expectError(.schemaMismatch) { try await t.open(Versioned<NameFromTitle>.self).info.name }
            let again = try await t.open(Versioned<TitleAndName>.self)
            try t.expect(
                try await again.all(Versioned<TitleAndName>.self), equals: [Versioned<TitleAndName>(1, "a", "b")])
        },
    ]

    // MARK: S10, S12

    private static let typeCases: [ConformanceCase] = [
        ConformanceCase(
            "evolution/two-types", for: [.s10: [1]],
            "A second type of a stored name that declares it otherwise is refused."
        ) { t in
            let store = try await t.open(IntItem.self)
            try await store.insert(IntItem(id: 1, value: 5))
            let errors = [
                try await t.expectError(.configuration) { try await store.delete(TextItem.self) { $0 } },
                try await t.expectError(.configuration) { try await store.insert(TextItem(id: 2, value: "a")) },
                try await t.expectError(.configuration) { try await store.select(BareItem.self).count() },
                try await t.expectError(.configuration) { try await store.truncate(TextItem.self) },
            ]
            try t.expect(
                errors[0].message.contains("AsInt") && errors[0].message.contains("AsText"),
                "The error does not name both types: \(errors[0].message)")
            try t.expect(try await store.all(IntItem.self), equals: [IntItem(id: 1, value: 5)])
        },
        ConformanceCase(
            "evolution/refused-type", for: [.s10: [1], .s3: [3]], needs: [.durability],
            "A type that is refused does not keep its stored name from the type that has it."
        ) { t in
            let earlier = try await t.open(TextItem.self)
            try await earlier.insert(TextItem(id: 1, value: "a"))
            try await earlier.close()
            let store = try await t.open()
            try await t.expectError(.schemaMismatch) { try await store.select(IntItem.self).count() }
            try await t.expectError(.schemaMismatch) { try await store.insert(IntItem(id: 2, value: 5)) }
            try t.expect(try await store.all(TextItem.self), equals: [TextItem(id: 1, value: "a")])
        },
        ConformanceCase(
            "evolution/unreadable-rows", for: [.s12: [1, 2, 3]], needs: [.durability],
            "A value that the type no longer has fails its row alone, which is named, reported and listed."
        ) { t in
            let earlier = try await t.open(TextItem.self)
            let values = ["small", "gone", "large", "lost"]
            try await earlier.insert(values.enumerated().map { TextItem(id: $0.offset, value: $0.element) })
            try await earlier.close()
            let store = try await t.open(EnumItem<Kind>.self)
            let error = try await t.expectError(.typeMismatch) { try await store.all(EnumItem<Kind>.self) }
            try t.expect(error.key ?? [], equals: [.int(1)], "The error does not name the row.")
            try t.expect(error.property, equals: "value", "The error does not name the property.")
            for select in [
                store.select(EnumItem<Kind>.self), store.select(EnumItem<Kind>.self) { $0.order { $0.id.descending } },
            ] {
                let reported = Reported()
                let items = try await select.run("skippingUnreadable { print($0) }.all()") { query in
                    try await query.skippingUnreadable { reported.add($0) }.all()
                }
                try t.expect(items.map(\.id).sorted(), equals: [0, 2])
                try t.expect(reported.keys, equals: [[.int(1)], [.int(3)]])
            }
            let listed = Reported()
            try await store.store.verify { if let key = $0.key { listed.add(key) } }
            try t.expect(listed.keys, equals: [[.int(1)], [.int(3)]], "verify does not list the rows.")
        },
    ]
}

/// The keys of rows that were announced.
private final class Reported: Sendable {
    private let list = Mutex<[[Value]]>([])
    var keys: [[Value]] { list.withLock { $0.sorted { $0.lexicographicallyPrecedes($1) } } }
    func add(_ error: StorageError) { add(error.key ?? []) }
    func add(_ key: [Value]) { list.withLock { $0.append(key) } }
}
