internal import StorageAPI

// S9: properties with several former names, and names that pass from one property to another.

extension Conformance {
    static let formerNameCases: [ConformanceCase] = [
        renames(
            "renames/several", for: [.s9: [5]],
            "A property with several former names has the data of the one that a store has.",
            storing: Versioned<TitledTags>(1, "a", .records([[1, "x"]])), opening: TitledTags.self,
            reads: Versioned<CallAfterAll>(1, "a", .records([[1, "x"]]))),
        renames(
            "renames/one-after-the-other", for: [.s9: [5]],
            "A property that was renamed twice is found by a program that names both names.",
            storing: Versioned<TitledTags>(1, "a", .records([[1, "x"]])), opening: NameAndLabels.self,
            reads: Versioned<CallAfterAll>(1, "a", .records([[1, "x"]]))),
        ConformanceCase(
            "renames/several-with-data", for: [.s9: [2]], needs: [.durability],
            "Two former names that both hold data are refused, and neither is lost."
        ) { t in
            let both = try await t.open(Versioned<TitleAndName>.self)
            try await both.insert(Versioned<TitleAndName>(1, "a", "b"))
            try await both.close()
            let error = try await t.expectError(.schemaMismatch) {
                try await t.open(Versioned<CallAfterBoth>.self).info.name
            }
            try t.expect(error.message.contains("call"), "The error does not say call: \(error.message)")
            let again = try await t.open(Versioned<TitleAndName>.self)
            try t.expect(
                try await again.all(Versioned<TitleAndName>.self), equals: [Versioned<TitleAndName>(1, "a", "b")])
        },
        ConformanceCase(
            "renames/exchanged", for: [.s9: [6], .s3: [1]], needs: [.durability],
            "Two properties that exchange their names have each other's data, values and owned records, and do so once."
        ) { t in
            let first = try await t.open(Versioned<Pairs>.self)
            let stored: [Versioned<Pairs>] = [
                Versioned(1, "a", "b", .records([[1, "x"]]), .records([[2, "y"], [3, "z"]])),
                Versioned(2, nil, "c", .records([]), nil), Versioned(3, "d", nil, nil, .records([])),
            ]
            try await first.insert(stored)
            try await first.close()
            var expected = stored.map { note in
                let values = note.values
                return Versioned<ExchangedPairs>(values: [values[0], values[2], values[1], values[4], values[3]])
            }
            for key in 4...6 {
                let later = try await t.open(Versioned<ExchangedPairs>.self)
                try t.expect(try await later.all(Versioned<ExchangedPairs>.self), equals: expected)
                expected.append(
                    Versioned(.int(key), "p", "q", .records([[4, "u"]]), .records([[5, "v"], [6, "w"]])))
                try await later.save(expected)
                try await t.expectSound(later)
                try await later.close()
            }
            // A program that still has the names as they were reads what is under them now.
            let older = try await t.open(Versioned<Pairs>.self)
            try t.expect(
                try await older.all(Versioned<Pairs>.self), equals: expected.map { Versioned(values: $0.values) })
            try await older.close()
            let again = try await t.open(Versioned<ExchangedPairs>.self)
            try t.expect(try await again.all(Versioned<ExchangedPairs>.self), equals: expected)
        },
        ConformanceCase(
            "renames/exchanged-in-owned", for: [.s9: [6]], needs: [.durability],
            "Properties of owned records exchange their names as a record's do."
        ) { t in
            let first = try await t.open(Versioned<InChild<Pairs>>.self)
            try await first.insert(
                Versioned<InChild<Pairs>>(1, .records([[7, "a", "b", .records([[1, "x"]]), nil]])))
            try await first.close()
            for _ in 1...2 {
                let later = try await t.open(Versioned<InChild<ExchangedPairs>>.self)
                try t.expect(
                    try await later.all(Versioned<InChild<ExchangedPairs>>.self),
                    equals: [
                        Versioned<InChild<ExchangedPairs>>(1, .records([[7, "b", "a", nil, .records([[1, "x"]])]]))
                    ])
                try await later.close()
            }
        },
        ConformanceCase(
            "renames/chain", for: [.s9: [6]], needs: [.durability],
            "A property that gets the former name of another has its own data, and a new one has none of the other's."
        ) { t in
            let first = try await t.open(Versioned<Pairs>.self)
            try await first.insert(Versioned<Pairs>(1, "a", "b", .records([[1, "x"]]), .records([[2, "y"]])))
            try await first.close()
            for _ in 1...2 {
                let chained = try await t.open(Versioned<ChainedPairs>.self)
                try t.expect(
                    try await chained.all(Versioned<ChainedPairs>.self),
                    equals: [
                        Versioned<ChainedPairs>(
                            1, nil, "a", "b", .records([]), .records([[1, "x"]]), .records([[2, "y"]]))
                    ])
                try await t.expectSound(chained)
                try await chained.close()
            }
            let chained = try await t.open(Versioned<ChainedPairs>.self)
            let record = Versioned<ChainedPairs>(
                1, "new", "a", "b", .records([[3, "n"]]), .records([[1, "x"]]), .records([[2, "y"]]))
            try await chained.save(record)
            try await chained.close()
            // An earlier version of the program keeps what it does not declare, and changes nothing by its names.
            let older = try await t.open(Versioned<Pairs>.self)
            try t.expect(
                try await older.all(Versioned<Pairs>.self),
                equals: [Versioned<Pairs>(1, "new", "a", .records([[3, "n"]]), .records([[1, "x"]]))])
            try await older.close()
            let again = try await t.open(Versioned<ChainedPairs>.self)
            try t.expect(try await again.all(Versioned<ChainedPairs>.self), equals: [record])
            try await again.close()
            let last = try await t.open(Versioned<RenamedChain>.self)
            try t.expect(
                try await last.all(Versioned<RenamedChain>.self),
                equals: [Versioned<RenamedChain>(values: record.values)])
        },
        ConformanceCase(
            "renames/exchanged-search", for: [.s9: [6], .f4: [1], .f8: [1, 2]], needs: [.durability],
            "A search of a property that has exchanged its name with another finds the property's own words."
        ) { t in
            let first = try await t.open(Versioned<SearchedPair>.self)
            try await first.insert(Versioned<SearchedPair>(1, "ant", "bee"))
            try await first.close()
            for _ in 1...2 {
                let later = try await t.open(Versioned<ExchangedSearchedPair>.self)
                try t.expect(try await later.found("head:bee"), equals: [1])
                try t.expect(try await later.found("head:ant"), equals: [])
                try t.expect(try await later.found("body:ant"), equals: [1])
                try await t.expectSound(later)
                try await later.close()
            }
        },
        ConformanceCase(
            "renames/exchanged-history", for: [.s9: [6], .h6: [2], .h5: [1]], needs: [.durability],
            "Records are read and restored through an exchange of names."
        ) { t in
            var store = try await t.open(recordsOf: [Versioned<Pairs>.self])
            try await store.insert(Versioned<Pairs>(1, "a", "b", .records([[1, "x"]]), nil))
            try await store.save(Versioned<Pairs>(1, "c", nil, nil, .records([[2, "y"]])))
            try await store.close()
            store = try await t.open(Versioned<ExchangedPairs>.self)
            let first = Versioned<ExchangedPairs>(1, "b", "a", nil, .records([[1, "x"]]))
            try t.expect(
                try await store.store.find(Versioned<ExchangedPairs>.self, key: 1, asOf: 1), equals: first)
            try await store.undo(2)
            try t.expect(try await store.all(Versioned<ExchangedPairs>.self), equals: [first])
        },
    ]
}

// MARK: Versions

private let tags = FieldType.many(Versioned<PlainTag>.self)

/// The properties of ``TitledTags`` and ``NameAndLabels`` under yet other names.
private enum CallAfterAll: NoteVersion {
    static let properties = [
        VersionField("call", .text, isOptional: true, renamedFrom: "name", "title"),
        VersionField("marks", tags, renamedFrom: "labels", "tags"),
    ]
}
private enum CallAfterBoth: NoteVersion {
    static let properties = [VersionField("call", .text, isOptional: true, renamedFrom: "name", "title")]
}

private enum Pairs: NoteVersion {
    static let properties = [
        VersionField("first", .text, isOptional: true), VersionField("last", .text, isOptional: true),
        VersionField("tags", tags, isOptional: true), VersionField("labels", tags, isOptional: true),
    ]
}
private enum ExchangedPairs: NoteVersion {
    static let properties = [
        VersionField("first", .text, isOptional: true, renamedFrom: "last"),
        VersionField("last", .text, isOptional: true, renamedFrom: "first"),
        VersionField("tags", tags, isOptional: true, renamedFrom: "labels"),
        VersionField("labels", tags, isOptional: true, renamedFrom: "tags"),
    ]
}
/// Each name of ``Pairs`` has passed on to the next property.
private enum ChainedPairs: NoteVersion {
    static let properties = [
        VersionField("first", .text, isOptional: true),
        VersionField("last", .text, isOptional: true, renamedFrom: "first"),
        VersionField("call", .text, isOptional: true, renamedFrom: "last"),
        VersionField("tags", tags), VersionField("labels", tags, renamedFrom: "tags"),
        VersionField("marks", tags, renamedFrom: "labels"),
    ]
}
/// A later version of ``ChainedPairs``, which names all that stores may still have.
private enum RenamedChain: NoteVersion {
    static let properties = [
        VersionField("first", .text, isOptional: true),
        VersionField("middle", .text, isOptional: true, renamedFrom: "last", "first"),
        VersionField("call", .text, isOptional: true),
        VersionField("tags", tags), VersionField("words", tags, renamedFrom: "labels", "tags"),
        VersionField("marks", tags),
    ]
}

private enum SearchedPair: NoteVersion {
    static let properties = [
        VersionField("head", .text, marks: [.searched]), VersionField("body", .text, marks: [.searched]),
    ]
}
private enum ExchangedSearchedPair: NoteVersion {
    static let properties = [
        VersionField("head", .text, marks: [.searched], renamedFrom: "body"),
        VersionField("body", .text, marks: [.searched], renamedFrom: "head"),
    ]
}
