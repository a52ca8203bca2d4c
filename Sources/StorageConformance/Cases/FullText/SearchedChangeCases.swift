internal import StorageAPI

// F, S3 and S8: a model that is searched, with its owned records, and each kind of change.

extension Conformance {
    static let searchedChangeCases: [ConformanceCase] = [
        searched(
            "search/changed-added", "A search finds what it should after properties are added, searched ones too.",
            version: WordsWithMore.self,
            others: [.int(1), nil, 3], isReversible: true),
        searched(
            "search/changed-removed", "A search finds what it should after a property is removed.",
            version: WordsWithoutCount.self, others: [],
            isReversible: true),
        searched(
            "search/changed-type", "A search finds what it should after a property of the record gets a wider type.",
            version: WidenedWords.self,
            others: [.double(1)]),
        searched(
            "search/changed-optional", "A search finds what it should after a property becomes Optional.",
            version: OptionalCountWords.self,
            others: [.int(1)], isReversible: true),
        searched(
            "search/changed-unique", "A search finds what it should after a property becomes unique.",
            version: UniqueWords.self,
            others: [.int(9)],
            isReversible: true),
        searched(
            "search/changed-owned",
            "A search finds what it should after a property of owned records gets a wider type.",
            version: WidenedWordTags.self, others: [.int(1)], size: .double(2)),
        searched(
            "search/changed-name", "A search finds what it should after a searched property is renamed.",
            version: RenamedWords.self,
            others: [.int(1)]),
        searched(
            "search/changed-text", "A search finds what it should after a searched text becomes Optional.",
            version: OptionalWords.self,
            others: [.int(1)],
            isReversible: true),
        searched(
            "search/changed-path", "A search finds what it should after searched owned records get another name.",
            version: MovedWordTags.self, others: [.int(1)]),
        ConformanceCase(
            "search/most-properties", for: [.f1: [3], .e4: [2]],
            "A model has at most 200 searched properties, its owned records' included, each with its own words."
        ) { t in
            func property(_ name: String, isSearched: Bool = true) -> RecordSchema.Property {
                .init(name: name, kind: .column(.string), isOptional: true, searchWeight: isSearched ? 1 : nil)
            }
            func schema(searched count: Int, more: Bool = false) -> RecordSchema {
                let owned = RecordSchema(name: "Part", properties: [property("note")])
                return RecordSchema(
                    name: "Wide",
                    properties: [.init(name: "id", kind: .column(.int64), isKey: true)]
                        + (1..<count).map { property("p\($0)") } + [property("more", isSearched: more)]
                        + [.init(name: "parts", kind: .children(owned))])
            }
            let store = try await t.open()
            for count in [201, 256, 257] {
                let error = try await t.expectError(.limitExceeded) {
                    try await store.store.migrate(to: [schema(searched: count)])
                }
                try t.expect(error.model, equals: "Wide")
                try t.expect(error.message.contains("\(count)") && error.message.contains("200"), error.message)
            }
            try await store.store.migrate(to: [schema(searched: 200)])
            func text(_ name: String, _ text: String) -> DynamicRecord.Field {
                .init(name: name, content: .value(.text(text), .string))
            }
            let part = DynamicRecord(model: "Part", fields: [text("note", "word0")])
            let others: [DynamicRecord.Field] = [
                .init(name: "id", content: .value(.int(1), .int64)), text("more", "more"),
                .init(name: "parts", content: .children([part])),
            ]
            let texts = (1..<200).map { text("p\($0)", "word\($0)") }
            try await store.store.insert(DynamicRecord(model: "Wide", fields: texts + others))
            for property in ["parts.note", "p1", "p198", "p199"] {
                for word in [0, 1, 198, 199] {
                    let isOwn = property == (word == 0 ? "parts.note" : "p\(word)")
                    let query = "\(property):word\(word)"
                    let found = try await store.store.records("Wide").where(text: "matches ?", query).count()
                    try t.expect(found, equals: isOwn ? 1 : 0, "\(query) finds something else.")
                }
            }
            // The refused mark leaves the index as it was.
            try await t.expectError(.limitExceeded) {
                try await store.store.migrate(to: [schema(searched: 200, more: true)])
            }
            try t.expect(try await store.store.records("Wide").where(text: "matches 'word199'").count(), equals: 1)
            try t.expect(try await store.store.records("Wide").where(text: "matches 'more'").count(), equals: 0)
            try await t.expectSound(store)
        },
    ]

    /// A case in which a searched model, with what it owns, is opened with another version, and then perhaps with the first again.
    ///
    /// - Parameters:
    ///   - others: the values of a new record after its text and its owned record.
    ///   - size: that of its owned record.
    private static func searched<V: SearchedVersion>(
        _ id: String, _ sentence: String, version _: V.Type, others: [FieldValue], size: FieldValue = 2,
        isReversible: Bool = false
    ) -> ConformanceCase {
        ConformanceCase(
            id, for: [.f4: [1], .f6: [1], .f8: [1, 2], .s3: [1, 2], .s8: [2]], needs: [.durability], sentence
        ) { t in
            func write<W: SearchedVersion>(
                _: W.Type, _ key: Int, size: FieldValue, others: [FieldValue]
            ) async throws {
                for round in 0...1 {
                    let store = try await t.open(Versioned<W>.self)
                    try await t.expectWords(store, Array(1..<(key + round)))
                    let record: [FieldValue] = [.int(key), "rootword", .records([[1, "tagword", size]])]
                    try await store.save(Versioned<W>(values: record + others))
                    try await t.expectWords(store, Array(1...key))
                    try await store.store.rebuildSearch(of: Versioned<W>.self)
                    try await t.expectWords(store, Array(1...key))
                    try await store.close()
                }
            }
            try await write(PlainWords.self, 1, size: 2, others: [.int(5)])
            try await write(V.self, 2, size: size, others: others)
            if isReversible { try await write(PlainWords.self, 3, size: 2, others: [.int(7)]) }
        }
    }
}

extension Trial {
    /// Expects the keys of the notes that are found by their own texts and by what they own.
    fileprivate func expectWords(_ store: RecordedStore, _ keys: [Int]) async throws {
        try expect(try await store.found("rootword"), equals: keys, "Records are not found by their own texts.")
        try expect(try await store.found("tagword"), equals: keys, "Records are not found by what they own.")
        try await expectSound(store)
    }

    /// Fails if verify finds anything.
    func expectSound(_ store: RecordedStore) async throws {
        var problems: [String] = []
        try await store.store.verify { problems.append($0.description) }
        try expect(problems, equals: [], "Something is wrong in the store.")
    }
}

extension RecordedStore {
    /// The keys of the notes that a search finds, whatever the program declares.
    func found(_ text: String) async throws -> [Int] {
        let records = try await store.records("Note").where(text: "matches ?", text).all()
        return try records.map { try $0.value("id", as: Int.self) }
    }
}

// MARK: Versions

private let wordTags = FieldType.many(Versioned<WordTag>.self)
private let head = VersionField("head", .text, marks: [.searched])

private enum WordTag: TagVersion {
    static let properties = [VersionField("name", .text, marks: [.searched]), VersionField("size", .int, default: 2)]
}
private enum WideWordTag: TagVersion {
    static let properties = [VersionField("name", .text, marks: [.searched]), VersionField("size", .double)]
}

/// A version with a searched text, owned records that are searched, and other properties between them.
private protocol SearchedVersion: NoteVersion {
    /// The properties after the text and the owned records.
    static var others: [VersionField] { get }
    static var text: VersionField { get }
    static var tags: VersionField { get }
}

extension SearchedVersion {
    static var properties: [VersionField] { [text, tags] + others }
    static var text: VersionField { head }
    static var tags: VersionField { VersionField("tags", wordTags) }
    static var others: [VersionField] { [VersionField("count", .int, default: 1)] }
}

private enum PlainWords: SearchedVersion {}
private enum WordsWithMore: SearchedVersion {
    static let others = [
        VersionField("count", .int), VersionField("more", .text, isOptional: true, marks: [.searched]),
        VersionField("level", .int, default: 3),
    ]
}
private enum WordsWithoutCount: SearchedVersion { static let others: [VersionField] = [] }
private enum WidenedWords: SearchedVersion { static let others = [VersionField("count", .double)] }
private enum OptionalCountWords: SearchedVersion {
    static let others = [VersionField("count", .int, isOptional: true)]
}
private enum UniqueWords: SearchedVersion {
    static let others = [VersionField("count", .int, isOptional: true, marks: [.unique])]
}
private enum WidenedWordTags: SearchedVersion {
    static var tags: VersionField { VersionField("tags", .many(Versioned<WideWordTag>.self)) }
}
private enum RenamedWords: SearchedVersion {
    static var text: VersionField { VersionField("title", .text, marks: [.searched], renamedFrom: "head") }
}
private enum OptionalWords: SearchedVersion {
    static var text: VersionField { VersionField("head", .text, isOptional: true, marks: [.searched]) }
}
private enum MovedWordTags: SearchedVersion {
    static var tags: VersionField { VersionField("labels", wordTags, renamedFrom: "tags") }
}
