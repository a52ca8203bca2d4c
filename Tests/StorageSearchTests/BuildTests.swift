import StorageSearch
import TestSupport
import Testing

@Suite("Building and verifying", .repeatable)
struct BuildTests {
    private let properties = [SearchProperty("title", weight: 2), SearchProperty("body")]

    /// A build that stops after any step goes on, and commits between its steps are kept.
    @Test func buildsGoOn() throws {
        var texts = Texts(generator: Seeded(state: 3))
        var compared = Compared()
        compared.limits.pendingRows = 3
        compared.limits.fanout = 2
        compared.limits.blocks = 1
        compared.limits.commitBytes = 3000
        for _ in 0..<300 {
            let document = texts.document(400)
            compared.texts[document.key] = document.texts
        }
        try SearchIndex(compared.tables, properties: properties).beginBuild()
        while true {
            // Nothing is kept but the tables.
            let index = SearchIndex(compared.tables, properties: properties, limits: compared.limits)
            let build = try #require(try index.build())
            let keys = compared.texts.keys.sorted { $0.lexicographicallyPrecedes($1) }
            let next = keys.filter { key in build.key.map { $0.lexicographicallyPrecedes(key) } ?? true }.prefix(17)
            if next.isEmpty { break }
            #expect(throws: SearchFailure.self) { try index.search(SearchQuery("swift")) }
            try index.buildStep(next.map { SearchDocument(key: $0, texts: compared.texts[$0] ?? []) })
            try compared.write([texts.document(400), texts.document(400)], removing: [])
            try compared.write([], removing: [try #require(keys.randomElement(using: &texts.generator))])
        }
        // Steps of one block, each by a program that knows nothing of the ones before.
        var steps = 1
        while try !SearchIndex(compared.tables, properties: properties, limits: compared.limits).settle(1) {
            steps += 1
        }
        expect(steps > 1)
        let index = SearchIndex(compared.tables, properties: properties, limits: compared.limits)
        try index.finishBuild()
        try expect(!index.shape().isMerging)
        let segments = Set(compared.tables.tables[.segments, default: [:]].keys)
        let segmentsOfBlocks = Set(compared.tables.tables[.blocks, default: [:]].keys.map { $0 >> 24 })
        expect(segmentsOfBlocks.isSubset(of: segments), "no block of a merged segment remains")
        for _ in 0..<60 { try compared.expectEqual(texts.query()) }
        for _ in 0..<40 { try compared.write([texts.document(400)]) }
        compared.cache = SearchCache()
        for _ in 0..<20 { try compared.expectEqual(texts.query()) }
        try expect(differences(compared), equals: [])
    }

    private func differences(_ compared: Compared) throws -> [SearchDifference] {
        var verification = try SearchVerification(SearchIndex(compared.tables, properties: properties))
        for (key, texts) in compared.texts { try verification.check(SearchDocument(key: key, texts: texts)) }
        return verification.finish()
    }

    @Test func verificationTellsWhatDiffers() throws {
        var compared = Compared()
        for number in 0..<100 as Range<UInt8> {
            try compared.write([SearchDocument(key: [number], texts: [["title"], ["text \(number)", "more"]])])
        }
        try compared.write([], removing: [[7]])
        try expect(differences(compared), equals: [])
        compared.texts[[3]] = [["title"], ["3 text", "more"]]
        compared.texts[[4]] = [["title"], ["text 4 more"]]
        compared.texts[[200]] = [["new"], []]
        compared.texts[[90]] = nil
        let found = Set(try differences(compared))
        let surplus = try #require(try SearchIndex(compared.tables, properties: properties).document(of: [90]))
        expect(
            found,
            equals: [.different(key: [3]), .different(key: [4]), .missing(key: [200]), .surplus(document: surplus)])
    }

    /// Long keys share a beginning, and short ones are the beginning of others.
    @Test func documentsAreFoundByKey() throws {
        var compared = Compared()
        compared.limits.pendingRows = 4
        compared.limits.fanout = 2
        compared.limits.blocks = 1
        var generator = Seeded(state: 5)
        var keys: [[UInt8]] = [[], [0], [0xFF], [0xFF, 0xFF]]
        for length in [1, 95, 96, 97, 104, 105, 300, 5000] {
            for last in 0..<20 as Range<UInt8> { keys.append(Array(repeating: 7, count: length) + [last]) }
        }
        for round in 0..<3 {
            for key in keys.shuffled(using: &generator) {
                try compared.write([SearchDocument(key: key, texts: [["round \(round)"], ["text"]])])
            }
            let gone = keys.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
            try compared.write([], removing: gone)
            compared.cache = SearchCache()
            try compared.expectEqual("round")
            try compared.expectEqual("\(round)")
            let index = SearchIndex(compared.tables, properties: properties, limits: compared.limits)
            for key in keys {
                let document = try index.document(of: key)
                expect((document == nil) == gone.contains(key))
                if let document { try expect(index.keys(of: [document]), equals: [key]) }
            }
            try expect(differences(compared), equals: [])
        }
        // In any order, over segments and commits.
        let index = SearchIndex(compared.tables, properties: properties, limits: compared.limits)
        let documents = try index.search(SearchQuery("text")).shuffled(using: &generator)
        let found = try index.keys(of: documents)
        for (document, key) in zip(documents, found) { try expect(index.document(of: key), equals: document) }
        expect(documents.count, equals: compared.texts.count)
    }

    /// Changes and cuts bytes at six places of each row, or at sixty. Reading them must give a result or a failure, and
    /// never trap.
    @Test func damageIsAFailure() throws {
        var texts = Texts(generator: Seeded(state: 11))
        var compared = Compared()
        compared.limits.pendingRows = 8
        compared.limits.fanout = 4
        compared.limits.blocks = 1
        for round in 0..<75 {
            // Frequent words have lists in chunks.
            let frequent = String(repeating: "often ", count: 60)
            let documents = (0..<4).map { _ in texts.document(500) }
            try compared.write(documents + [SearchDocument(key: [255, UInt8(round)], texts: [[frequent], ["x"]])])
        }
        let queries = ["swift often", "\"often often\"", "o*", "title:often -swift", "w1* OR 明月"].map {
            SearchQuery($0)
        }
        let intact = compared.tables.tables
        var (failures, count) = (0, 0)
        func attempt(_ table: SearchTable, _ number: Int, bytes: [UInt8]) {
            compared.tables.tables = intact
            compared.tables.tables[table]?[number] = bytes
            count += 1
            do throws(SearchFailure) {
                let index = SearchIndex(compared.tables, properties: compared.properties, limits: compared.limits)
                _ = try index.statistics()
                let query = queries[count % queries.count]
                let found = try index.search(query)
                _ = try index.rank(found, query)
                if count % 7 == 0 { _ = try SearchVerification(index) }
                if count % 5 == 0 { _ = try index.write([SearchDocument(key: [0], texts: [["swift"], []])]) }
            } catch {
                failures += 1
            }
        }
        for table in SearchTable.allCases {
            for (number, bytes) in (intact[table] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let step = max(bytes.count / (TestExtent.isLarge ? 60 : 6), 1)
                for place in stride(from: TestExtent.seed % step, to: bytes.count, by: step) {
                    for value in [0, 1, 0x7F, 0x80, 0xFF, bytes[place] ^ 1] as [UInt8] {
                        var changed = bytes
                        changed[place] = value
                        attempt(table, number, bytes: changed)
                    }
                    attempt(table, number, bytes: Array(bytes[..<place]))
                }
            }
        }
        expect(failures > count / 4)
    }
}
