internal import MemoryBackend
internal import StorageAPI
import StorageDriver
internal import StorageSearch

extension Conformance {
    /// F: full text.
    static let searchCases: [ConformanceCase] = [
        ConformanceCase(
            "search/queries", for: [.f1: [1], .f2: [1], .f3: [1, 2, 3]],
            "Words, phrases, prefixes, exclusions, alternatives and single properties find what they say; any text is a query."
        ) { t in
            let store = try await t.open(Article.self)
            try await store.insert([
                Article(id: 1, title: "Storage engines", body: "A storage engine keeps records.", tags: ["swift"]),
                Article(id: 2, title: "Straße und Café", body: "Die STRASSE ist lang."),
                Article(id: 3, title: "明月", body: "床前明月光，疑是地上霜。", passages: [Passage(text: "poem of the moon")]),
                Article(id: 4, title: "Engine rooms", tags: ["toy engine", "storage"]),
            ])
            let expected: [(String, [Int])] = [
                ("storage", [1, 4]), ("storage engine", [1, 4]), ("\"storage engine\"", [1]), ("engin*", [1, 4]),
                ("engine -toy", [1]), ("swift OR toy", [1, 4]), ("title:engine", [4]), ("tags:storage", [4]),
                ("strasse", [2]), ("cafe", [2]), ("明月", [3]), ("月", [3]), ("霜", [3]), ("passages.text:moon", [3]),
                ("poem", [3]), ("\"engine storage\"", []), ("-storage", []), ("", []), ("\"", []), ("nothing", []),
                ("title: engine", []), ("\"unbalanced storage", []), ("OR", []), ("((( storage", [1, 4]),
            ]
            for (text, ids) in expected {
                let found = try await store.select(Article.self) { $0.where { $0.matches(text) } }.keys()
                try t.expect(found, equals: ids, "\(text) finds other records.")
            }
            let typed = try await store.select(Article.self) { $0.where { $0.matches("engi", typing: true) } }.keys()
            try t.expect(typed, equals: [1, 4])
        },
        ConformanceCase(
            "search/scan", for: [.f4: [1], .f5: [1, 2, 3], .f6: [1]],
            "What is found, its relevance to the last bit and its order equal a scan's, after any writes."
        ) { t in
            let store = try await t.open(Article.self)
            var world = SearchedWorld(seed: 7)
            for _ in 0..<12 {
                for _ in 0..<8 { try await world.write(store.store) }
                for _ in 0..<12 { try await world.compare(store.store, t) }
            }
            try await t.expectSound(store)
        },
        ConformanceCase(
            "search/conditions", for: [.f4: [1, 2]],
            "A search stands beside other conditions, in negations and alternatives, in texts, and through references; it counts, "
                + "groups and pages as they do."
        ) { t in
            let store = try await t.open(Article.self)
            try await store.insert(
                (1...40).map {
                    Article(
                        id: $0, title: $0.isMultiple(of: 2) ? "even number" : "odd number", body: "b\($0)",
                        year: $0 % 5,
                        about: $0 > 1 ? Ref(key: $0 / 2) : nil)
                })
            let articles = store.store.select(Article.self)
            try t.expect(
                try await articles.where { $0.matches("even") && $0.year == 0 }.keys(), equals: [10, 20, 30, 40])
            try t.expect(try await articles.where { !$0.matches("number") || $0.matches("b7") }.keys(), equals: [7])
            try t.expect(try await articles.where { $0.matches("even") }.count(), equals: 20)
            try t.expect(try await articles.where { $0.matches("even") }.limit(3).offset(2).keys(), equals: [6, 8, 10])
            try t.expect(try await articles.where { $0.about.matches("b3") }.keys(), equals: [6, 7])
            try t.expect(try await articles.where { $0.title.matches("b3") }.keys(), equals: [])
            try t.expect(try await articles.where { $0.body.matches("b3") }.exists(), equals: true)
            try t.expect(try await articles.where { $0.tags.matches("b3") }.exists(), equals: false)
            try t.expect(
                try await articles.where { $0.matches("number") }.order { $0.relevance.descending }.order {
                    $0.year.descending
                }
                .limit(3).all().map(\.year), equals: [4, 4, 4])
            let best = articles.where { $0.matches("even") }.order { $0.relevance.descending }
            try t.expect(try await best.offset(18).limit(.max).all().map(\.id), equals: [38, 40])
            let records = store.store.records("Article")
            try t.expect(try await records.where(text: "matches \"even\" and year = 0").count(), equals: 4)
            try t.expect(
                try await records.where(text: "matches \"b3\"").order(text: "relevance desc").all().count, equals: 1)
            try await t.expectError(.invalidQuery) { try await articles.order { $0.relevance.descending }.all() }
            try await t.expectError(.invalidQuery) {
                try await articles.where { $0.title.matches("x") && $0.passages.any { $0.matches("x") } }.all()
            }
            try await store.update(Article.self) { $0.where { $0.matches("even") }.set(\.title, to: "odd number") }
            try t.expect(try await articles.where { $0.matches("even") }.count(), equals: 0)
            try await store.delete(Article.self) { $0.where { $0.matches("odd") && $0.id > 20 } }
            try t.expect(try await articles.where { $0.matches("odd") }.count(), equals: 20)
            try await t.expectSound(store)
        },
        ConformanceCase(
            "search/transactions", for: [.f6: [1, 2]],
            "A transaction finds what it has written; what is undone with a savepoint, a call or all of it leaves nothing."
        ) { t in
            let store = try await t.open(Article.self)
            func find(_ text: String) async throws -> [Int] {
                try await store.store.select(Article.self).where { $0.matches(text) }.keys()
            }
            try await store.insert(Article(id: 1, title: "first"))
            try await store.store.transaction { tx in
                func find(_ text: String, _ tx: borrowing Store.Transaction) throws -> [Int] {
                    try tx.select(Article.self).where { $0.matches(text) }.keys()
                }
                try tx.insert(Article(id: 2, title: "second"))
                try t.expect(try find("second", tx), equals: [2])
                do {
                    try tx.savepoint {
                        try tx.save(Article(id: 2, title: "inner"))
                        try tx.insert(Article(id: 3, title: "inner"))
                        try t.expect(try find("inner", tx), equals: [2, 3])
                        throw Undone()
                    }
                } catch is Undone {}
                try t.expect(try find("inner", tx), equals: [])
                try t.expect(try find("second", tx), equals: [2])
                try tx.delete(Article.self, keys: [1])
                try t.expect(try find("first", tx), equals: [])
            }
            try t.expect(try await find("second"), equals: [2])
            try t.expect(try await find("first OR inner"), equals: [])
            do {
                try await store.store.transaction { tx in
                    try tx.insert(Article(id: 9, title: "lost"))
                    _ = try tx.select(Article.self).where { $0.matches("lost") }.keys()
                    throw Undone()
                }
            } catch is Undone {}
            try t.expect(try await find("lost"), equals: [])
            try await t.expectError(.duplicateKey) {
                try await store.insert([Article(id: 10, title: "lost"), Article(id: 2, title: "lost")])
            }
            try t.expect(try await find("lost"), equals: [])
            try await store.truncate(Article.self)
            try t.expect(try await find("second"), equals: [])
            try await store.insert(Article(id: 5, title: "second"))
            try t.expect(try await find("second"), equals: [5])
            try await t.expectSound(store)
        },
        ConformanceCase(
            "search/first-use", for: [.f6: [1], .f8: [1]],
            "Records that a transaction writes which is the first to use a model are found after it, and in a copy of the store."
        ) { t in
            let store = try await t.open()
            func find(_ text: String) async throws -> [Int] {
                try await store.store.select(Article.self).where { $0.matches(text) }.keys()
            }
            try await store.store.transaction { tx in
                try tx.insert([Article(id: 1, title: "first"), Article(id: 2, title: "second")])
                try tx.save(Article(id: 1, title: "again"))
            }
            try t.expect(try await find("again OR second"), equals: [1, 2])
            do {
                try await store.store.transaction { tx in
                    try tx.insert(Article(id: 9, title: "lost"))
                    throw Undone()
                }
            } catch is Undone {}
            try t.expect(try await find("first OR lost"), equals: [])
            try await t.expectSound(store)
            let other = try await Store(InMemoryBackend(), models: [])
            try await other.copy(from: store.store)
            try t.expect(try await other.select(Article.self).where { $0.matches("second") }.count(), equals: 1)
        },
        ConformanceCase(
            "search/added-later", for: [.f1: [2], .f8: [1, 2]],
            "Marks that come later index the records that are there; marks that change or go take the index with them; it is made "
                + "again on request, and compared by verify."
        ) { t in
            let store = try await t.open()
            func schema(_ title: Double?, _ body: Double?) -> RecordSchema {
                var properties: [RecordSchema.Property] = [
                    .init(name: "id", kind: .column(.int64), isKey: true), .init(name: "title", kind: .column(.string)),
                    .init(name: "body", kind: .column(.string), isOptional: true),
                ]
                properties[1].searchWeight = title
                properties[2].searchWeight = body
                return RecordSchema(name: "Article", properties: properties)
            }
            func find(_ text: String) async throws -> Int {
                try await store.store.records("Article").where(text: "matches ?", text).count()
            }
            try await store.store.migrate(to: [schema(nil, nil)])
            try await store.store.insert(
                (1...500).map {
                    DynamicRecord(
                        model: "Article",
                        fields: [
                            .init(name: "id", content: .value(.int($0), .int64)),
                            .init(name: "title", content: .value(.text("title \($0)"), .string)),
                            .init(name: "body", content: .value(.text("body"), .string)),
                        ])
                })
            try await t.expectError(.invalidQuery) { try await find("title") }
            try await store.store.migrate(to: [schema(1, nil)])
            try t.expect(try await find("title"), equals: 500)
            try t.expect(try await find("body"), equals: 0)
            try await store.store.migrate(to: [schema(1, 2)])
            try t.expect(try await find("body"), equals: 500)
            try await t.expectSound(store)
            try await store.store.rebuildSearch(of: "Article")
            try t.expect(try await find("title 7"), equals: 1)
            try await t.expectSound(store)
            try await store.store.migrate(to: [schema(nil, nil)])
            try await t.expectError(.invalidQuery) { try await find("title") }
            try await t.expectError(.invalidQuery) { try await store.store.rebuildSearch(of: "Article") }
        },
        ConformanceCase(
            "search/copies", for: [.f8: [3]], "A copy finds what the source finds, and has an index of its own."
        ) { t in
            let store = try await t.open(Article.self)
            var world = SearchedWorld(seed: 3)
            for _ in 0..<20 { try await world.write(store.store) }
            let other = try await Store(InMemoryBackend(), models: Article.self)
            try await other.copy(["Article"], from: store.store, replacing: true)
            for _ in 0..<10 { try await world.compare(other, t) }
            try await other.truncate(Article.self)
            try await store.store.copy(["Article"], from: other, replacing: true)
            try t.expect(
                try await store.store.select(Article.self).where { $0.matches("a* OR e* OR t*") }.count(), equals: 0)
            try await t.expectSound(store)
        },
        ConformanceCase(
            "search/observed", for: [.f9: [1]],
            "Observed queries that search, and that are ordered by relevance, follow what is written."
        ) { t in
            let store = try await t.open(Article.self)
            try await store.insert(Article(id: 1, title: "one moon"))
            var values = store.store.select(Article.self).where { $0.matches("moon") }.order { $0.relevance.descending }
                .values()
                .makeAsyncIterator()
            try t.expect(try await values.next()?.map(\.id), equals: [1])
            try await store.insert(Article(id: 2, title: "moon"))
            try t.expect(try await values.next()?.map(\.id), equals: [2, 1])
            try await store.save(Article(id: 2, title: "sun"))
            try t.expect(try await values.next()?.map(\.id), equals: [1])
            try await store.delete(Article.self, key: 1)
            try t.expect(try await values.next()?.map(\.id), equals: [])
        },
        ConformanceCase(
            "search/observed-relevance", for: [.f9: [1]], "A relevance that another record changes is another result."
        ) { t in
            let store = try await t.open(Article.self)
            try await store.insert([Article(id: 1, title: "moon"), Article(id: 2, title: "sun")])
            var observed = store.store.observe { snapshot throws(StorageError) in
                try snapshot.select(Article.self).where { $0.matches("moon") }.hits().map(\.relevance)
            }.makeAsyncIterator()
            let first = try t.required(try await observed.next())
            // It makes the word rarer among all records.
            try await store.insert(Article(id: 3, title: "star"))
            let second = try t.required(try await observed.next())
            try t.expect(first.count == 1 && second.count == 1, "One record is found.")
            try t.expect(second[0] > first[0], "The relevance is the one before.")
        },
    ]
}

private struct Undone: Error {}

/// Random articles, and a scan of them that says what a search has to find.
private struct SearchedWorld {
    private var random: SeededGenerator
    private var articles: [Int: Article] = [:]

    private static let words = [
        "a", "an", "apple", "Äpfel", "east", "engine", "e", "storage", "tree", "three", "明月", "月光", "東", "ภาษาไทย",
        "Straße", "STRASSE", "e\u{301}t\u{E9}", "👩‍👩‍👧", "real-time", "3.14", "don't", "ﬁne", "\u{301}", "ا", "العربية",
        "한국어", "x\u{0}y",
    ]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func text() -> String {
        let separators = [" ", " ", ", ", "", ". "]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in
            Self.words[Int.random(in: 0..<Self.words.count, using: &random)]
                + separators[Int.random(in: 0..<separators.count, using: &random)]
        }.joined()
    }

    private mutating func article(_ id: Int) -> Article {
        Article(
            id: id, title: text(), body: Bool.random(using: &random) ? text() : nil,
            tags: (0..<Int.random(in: 0...2, using: &random)).map { _ in text() },
            passages: (0..<Int.random(in: 0...2, using: &random)).map { Passage(text: text(), page: $0) })
    }

    /// Writes to the store and to the expectation alike.
    mutating func write(_ store: Store) async throws {
        let ids = (0..<Int.random(in: 1...9, using: &random)).map { _ in Int.random(in: -20...60, using: &random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            for id in Set(ids) { articles[id] = nil }
            try await store.delete(Article.self, keys: ids)
        case 1:
            let title = text()
            for id in articles.keys where ids.contains(id) { articles[id]?.title = title }
            try await store.update(Article.self).where { $0.id.isIn(ids) }.set(\.title, to: title).run()
        default:
            var new: [Article] = []
            for id in Set(ids).sorted() { new.append(article(id)) }
            for article in new { articles[article.id] = article }
            try await store.save(new)
        }
    }

    private mutating func query() -> String {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let word = Self.words[Int.random(in: 0..<Self.words.count, using: &random)]
            return switch Int.random(in: 0..<9, using: &random) {
            case 0: "-" + word
            case 1: String(word.prefix(1)) + "*"
            case 2: "\"" + word + " " + Self.words[Int.random(in: 0..<Self.words.count, using: &random)] + "\""
            case 3: "title:" + word
            case 4: word + " OR " + Self.words[Int.random(in: 0..<Self.words.count, using: &random)]
            case 5: "passages.text:" + word
            default: word
            }
        }.joined(separator: " ")
    }

    mutating func compare(_ store: Store, _ t: Trial) async throws {
        let properties = [
            SearchProperty("title", weight: 2), SearchProperty("body"), SearchProperty("tags"),
            SearchProperty("passages.text"),
        ]
        let sorted = articles.values.sorted { $0.id < $1.id }
        let scan = SearchScan(
            sorted.map { [[$0.title], $0.body.map { [$0] } ?? [], $0.tags, $0.passages.map(\.text)] },
            properties: properties)
        let text = query()
        let query = SearchQuery(text, properties: properties.map(\.name))
        let ranked = scan.ranked(query).map { (id: sorted[$0.index].id, relevance: $0.relevance) }
        let found = try await store.select(Article.self).where { $0.matches(text) }.keys()
        try t.expect(found, equals: ranked.map(\.id), "\(text) finds other records than a scan.")
        let best = ranked.sorted { $0.relevance != $1.relevance ? $0.relevance > $1.relevance : $0.id < $1.id }
        let limit = Int.random(in: 1...8, using: &random)
        let hits = try await store.select(Article.self).where { $0.matches(text) }.order { $0.relevance.descending }
            .limit(limit).hits()
        try t.expect(hits.map(\.record.id), equals: best.prefix(limit).map(\.id), "\(text) has another order.")
        try t.expect(
            hits.map(\.relevance.bitPattern), equals: best.prefix(limit).map(\.relevance.bitPattern),
            "\(text) has another relevance.")
        let all = try await store.select(Article.self).where { $0.matches(text) }.order { $0.relevance.descending }
            .all()
        try t.expect(all, equals: best.compactMap { articles[$0.id] }, "\(text) gives other records.")
        // An alternative adds its own relevance, and a reference changes neither.
        let other = self.query()
        var sums: [Int: Double] = [:]
        for hit in ranked { sums[hit.id, default: 0] += hit.relevance }
        for hit in scan.ranked(SearchQuery(other, properties: properties.map(\.name))) {
            sums[sorted[hit.index].id, default: 0] += hit.relevance
        }
        let either = sums.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
        let alternatives = store.select(Article.self).where { $0.matches(text) || $0.matches(other) }
            .order { $0.relevance.descending }
        let both = try await alternatives.hits()
        try t.expect(both.map(\.record.id), equals: either.map(\.key), "\(text) and \(other) have another order.")
        try t.expect(
            both.map(\.relevance.bitPattern), equals: either.map(\.value.bitPattern),
            "\(text) and \(other) have another relevance.")
        try t.expect(
            try await alternatives.with(\.about).all().map(\.0.id), equals: either.map(\.key),
            "\(text) and \(other) have another order with other records.")
    }
}
