import StorageSearch
import TestSupport
import Testing

/// An index and the texts that it has to find, which are scanned.
struct Compared {
    var tables = MemoryTables()
    var properties = [SearchProperty("title", weight: 2), SearchProperty("body")]
    var limits = SearchLimits()
    var cache = SearchCache()
    var texts: [[UInt8]: [[String]]] = [:]

    mutating func write(_ documents: [SearchDocument], removing keys: [[UInt8]] = []) throws {
        let index = SearchIndex(tables, properties: properties, limits: limits, cache: cache)
        try index.write(documents, removing: keys)
        cache = index.cache
        for key in keys { texts[key] = nil }
        for document in documents { texts[document.key] = document.texts }
    }

    /// Expects that the index finds the same as a scan, with the same relevance.
    func expectEqual(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
        let query = SearchQuery(text, properties: properties.map(\.name))
        let keys = texts.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let scan = SearchScan(keys.map { texts[$0] ?? [] }, properties: properties)
        let expected = scan.ranked(query).map { (key: keys[$0.index], relevance: $0.relevance) }
        let index = SearchIndex(tables, properties: properties, limits: limits, cache: cache)
        let documents = try index.search(query)
        let scores = try index.rank(documents, query)
        var found: [(key: [UInt8], relevance: Double)] = []
        for (key, score) in zip(try index.keys(of: documents), scores) { found.append((key, score)) }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        expect(documents, equals: documents.sorted(), "\(text)", sourceLocation: location)
        expect(found.map(\.key), equals: expected.map(\.key), "\(text)", sourceLocation: location)
        expect(
            found.map(\.relevance.bitPattern), equals: expected.map(\.relevance.bitPattern), "\(text)",
            sourceLocation: location)
        let ranked = expected.sorted {
            $0.relevance != $1.relevance ? $0.relevance > $1.relevance : $0.key.lexicographicallyPrecedes($1.key)
        }
        for count in [1, 3, 1000] {
            let best = try index.keys(of: index.best(count, query).map(\.document))
            expect(best, equals: ranked.prefix(count).map(\.key), "\(text)", sourceLocation: location)
        }
    }
}

/// Texts and queries at random, of many scripts.
struct Texts {
    static let words = [
        "swift", "Storage", "engine", "data", "database", "dat", "Straße", "strasse", "café", "明月", "明月光", "月", "春風",
        "カタカナ", "한국어", "ไทย", "שלום", "العَرَبِيّة", "3.14", "don't", "foo_bar", "🎉", "👩\u{200D}💻", "a", "b", "x",
    ]
    var generator: Seeded

    mutating func word() -> String {
        // Some are frequent and some are rare.
        let index = min(
            Int.random(in: 0..<Self.words.count, using: &generator),
            Int.random(in: 0..<Self.words.count, using: &generator))
        return Bool.random(using: &generator) || index > 3
            ? Self.words[index] : "w\(Int.random(in: 0..<300, using: &generator))"
    }

    mutating func text(_ maximum: Int) -> String {
        (0..<Int.random(in: 0...maximum, using: &generator)).map { _ in word() }
            .joined(separator: [" ", ", ", "-", " \n"].randomElement(using: &generator) ?? " ")
    }

    mutating func document(_ keys: Int) -> SearchDocument {
        let key = Int.random(in: 0..<keys, using: &generator)
        let bodies = (0..<Int.random(in: 0...2, using: &generator)).map { _ in text(30) }
        return SearchDocument(key: [UInt8(key >> 8), UInt8(key & 255)], texts: [[text(4)], bodies])
    }

    mutating func query() -> String {
        (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: "-" + word()
            case 1: "\"" + text(3) + "\""
            case 2: word().prefix(Int.random(in: 1...3, using: &generator)) + "*"
            case 3: "title:" + word()
            case 4: word() + " OR " + word()
            case 5: "\"" + text(2) + "\"*"
            default: word()
            }
        }.joined(separator: " ")
    }
}

@Suite("Index", .repeatable)
struct IndexTests {
    @Test(arguments: TestExtent.share(Array(0..<6), oneOf: 3))
    func findsWhatAScanFinds(_ seed: Int) throws {
        var texts = Texts(generator: Seeded(state: UInt64(seed)))
        var compared = Compared()
        compared.limits.pendingRows = [4, 64, 2, 8, 3, 16][seed]
        compared.limits.fanout = [2, 8, 3, 2, 4, 2][seed]
        compared.limits.blocks = [1, 48, 2, 1, 1, 3][seed]
        compared.limits.commitBytes = [1 << 20, 4000, 2000, 1 << 20, 10_000, 500][seed]
        compared.limits.memory = [1 << 20, 9000, 1 << 20, 3000, 1 << 20, 700][seed]
        compared.tables.waitsForServer = seed % 2 == 1
        var shapes: Set<Bool> = []
        for round in 0..<80 {
            let documents = (0..<Int.random(in: 0...6, using: &texts.generator)).map { _ in texts.document(300) }
            let removed = (0..<Int.random(in: 0...2, using: &texts.generator)).map { _ in texts.document(300).key }
            try compared.write(documents, removing: removed.filter { key in !documents.contains { $0.key == key } })
            shapes.insert(try SearchIndex(compared.tables, properties: compared.properties).shape().isMerging)
            // Without what is cached, too.
            if round % 5 == 0 { compared.cache = SearchCache() }
            if round % 4 == 0 { for _ in 0..<6 { try compared.expectEqual(texts.query()) } }
        }
        for _ in 0..<30 { try compared.expectEqual(texts.query()) }
        let index = SearchIndex(compared.tables, properties: compared.properties)
        try expect(index.statistics().documents, equals: compared.texts.count)
        expect(seed == 1 || shapes == [true, false])
        expect(compared.tables.tables[.blocks]?.values.allSatisfy { $0.count <= SegmentFormat.blockSize } ?? true)
    }

    @Test(arguments: [false, true])
    func whatAnotherHasWrittenIsFoundBesideACache(isEmptiedBefore: Bool) throws {
        var compared = Compared()
        // Each commit is a segment, so that none is pending.
        compared.limits.commitBytes = 0
        try compared.write([SearchDocument(key: [1], texts: [["swift"], ["storage"]])])
        let reader = SearchIndex(compared.tables, properties: compared.properties, cache: compared.cache)
        try expect(reader.search(SearchQuery("swift")).count, equals: 1)
        let other = SearchIndex(compared.tables, properties: compared.properties, limits: compared.limits)
        if isEmptiedBefore {
            try other.removeAll()
            compared.texts = [:]
        }
        let new = SearchDocument(key: [2], texts: [["swift"], ["storage"]])
        try other.write([new])
        compared.texts[new.key] = new.texts
        compared.cache = reader.cache
        try compared.expectEqual("swift storage")
    }

    /// A query of an engine costs more than a block, and a round trip where the engine is a server.
    @Test func aSearchOfManySegmentsReadsInFewQueries() throws {
        var compared = Compared()
        compared.limits.commitBytes = 0
        compared.limits.fanout = 100
        for number in 0..<40 {
            let words = (0..<200).map { "word\($0 &* 7 &+ number)" }.joined(separator: " ")
            try compared.write([SearchDocument(key: [UInt8(number)], texts: [["swift"], ["storage " + words]])])
        }
        let index = SearchIndex(compared.tables, properties: compared.properties, cache: compared.cache)
        try expect(index.shape().segments, equals: 40)
        for text in ["swift", "swift storage", "swift \"storage word7\" OR word8"] {
            _ = try index.keys(of: index.best(10, SearchQuery(text)).map(\.document))
            let before = compared.tables.queries
            let again = SearchIndex(compared.tables, properties: compared.properties, cache: index.cache)
            let best = try again.keys(of: again.best(10, SearchQuery(text)).map(\.document))
            expect(!best.isEmpty)
            // The state's two, and one each for leaves, keys that decide between equals, and keys of the result.
            expect(compared.tables.queries - before <= 5, "\(text)")
        }
    }

    @Test func aCommitToAServerFindsManyRecordsInFewQueries() throws {
        var compared = Compared()
        compared.tables.waitsForServer = true
        compared.limits.commitBytes = 0
        compared.limits.fanout = 100
        func document(_ number: Int, _ word: String) -> SearchDocument {
            SearchDocument(key: [UInt8(number)], texts: [[word], ["storage"]])
        }
        for number in 0..<40 { try compared.write([document(number, "old")]) }
        compared.limits.commitBytes = 1 << 20
        let before = compared.tables.queries
        try compared.write((20..<60).map { document($0, "new") })
        // The state's two, the leaves of the largest segment, and those of the others.
        expect(compared.tables.queries - before <= 4)
        try compared.expectEqual("old")
        try compared.expectEqual("new storage")
    }

    @Test func everythingRemoved() throws {
        var texts = Texts(generator: Seeded(state: 99))
        var compared = Compared()
        compared.limits.pendingRows = 3
        compared.limits.fanout = 2
        for _ in 0..<30 { try compared.write([texts.document(1000)]) }
        for key in compared.texts.keys { try compared.write([], removing: [key]) }
        for _ in 0..<10 { try compared.write([]) }
        try compared.expectEqual("swift")
        let statistics = try SearchIndex(compared.tables, properties: compared.properties).statistics()
        expect(statistics, equals: SearchStatistics(documents: 0, words: [0, 0]))
    }

    /// A commit reads and writes so much, however much there is.
    @Test func commitsAreBounded() throws {
        var texts = Texts(generator: Seeded(state: 21))
        var compared = Compared()
        compared.limits.pendingRows = 16
        compared.limits.blocks = 4
        var (least, most) = (0, 0)
        for round in 0..<1000 {
            let before = compared.tables.writes
            let document = SearchDocument(
                key: [UInt8(round >> 8), UInt8(round & 255)], texts: [["a"], [texts.text(30)]])
            try compared.write([document])
            let writes = compared.tables.writes - before
            if round < 500 { least = max(least, writes) } else { most = max(most, writes) }
        }
        expect(most <= least + 8)
        try expect(SearchIndex(compared.tables, properties: compared.properties).shape().segments < 24)
    }

    /// Small segments are not merged with a large one again and again.
    @Test func largeSegmentsRest() throws {
        var compared = Compared()
        compared.limits.commitBytes = 1
        compared.limits.pendingRows = 2
        func document(_ number: Int) -> SearchDocument {
            let words = (0..<40).map { "w\(number * 7 % 997)x\($0)" }.joined(separator: " ")
            return SearchDocument(key: [UInt8(number >> 8), UInt8(number & 255)], texts: [[], [words]])
        }
        try compared.write((0..<4000).map(document))
        let large = compared.tables.writes
        compared.limits.commitBytes = 1 << 20
        // Fifteen segments of two commits, of which eight become one.
        for number in 4000..<4030 { try compared.write([document(number)]) }
        expect(large > 100)
        expect(compared.tables.writes - large < large)
    }

    @Test func largeQueries() throws {
        var compared = Compared()
        for number in 0..<200 {
            try compared.write([
                SearchDocument(key: [UInt8(number >> 8), UInt8(number & 255)], texts: [["w\(number)"], ["all"]])
            ])
        }
        let words = (0..<(TestExtent.isLarge ? 10_000 : 1000)).map { "w\($0)" }
        let index = SearchIndex(compared.tables, properties: compared.properties, cache: compared.cache)
        try expect(index.search(SearchQuery(words.joined(separator: " OR "))).count, equals: 200)
        try expect(index.best(10, SearchQuery(words.joined(separator: " OR "))).count, equals: 10)
        try expect(index.search(SearchQuery(words.joined(separator: " "))), equals: [])
        let exclusions = words.dropFirst(100).map { "-" + $0 }.joined(separator: " ")
        try expect(index.search(SearchQuery("all " + exclusions)).count, equals: 100)
    }
}
