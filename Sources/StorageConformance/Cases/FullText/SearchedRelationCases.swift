internal import Foundation
internal import StorageAPI
import StorageDriver

extension Article.Columns {
    fileprivate var mentions: Inverse<Article> { inverse(\.about) }
}

extension Conformance {
    /// F4, F5: searches among other conditions and in queries of related records.
    static let searchedRelationCases: [ConformanceCase] = [
        ConformanceCase(
            "search/expired", for: [.f4: [2], .w14: [1]],
            "A search through references finds no record that leads to an expired one, in conditions and in their negations."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open([Notice.self, Response.self], layers: [], clock: clock)
            try await store.insert([
                Notice(id: 1, text: "sigma", until: clock.now.addingTimeInterval(10)),
                Notice(id: 2, text: "sigma tau"),
            ])
            try await store.insert([
                Response(id: 1, to: 1, others: [1, 2], last: 1), Response(id: 2, to: 2, others: [1], last: 1),
                Response(id: 3, to: nil, others: [], last: 2), Response(id: 4, to: 1, others: [2], last: 3),
            ])
            let replies = store.store.select(Response.self)
            func told() async throws -> [[Int]] {
                [
                    try await replies.where { $0.to.matches("sigma") }.keys(),
                    try await replies.where { !$0.to.matches("sigma") }.keys(),
                    try await replies.where { $0.others.matches("sigma") }.keys(),
                    try await replies.where { $0.others.none { $0.matches("sigma") } }.keys(),
                    try await replies.where { $0.last.to.matches("sigma") }.keys(),
                    try await replies.where { $0.to.matches("tau") || $0.others.matches("sig*") }.keys(),
                    try await store.store.records("Response").where(text: "to matches 'sigma'").all()
                        .map { try $0.value("id", as: Int.self) },
                    try await replies.where { $0.to.matches("sigma") }.with(\.to).all().map(\.0.id),
                ]
            }
            try t.expect(
                try await told(),
                equals: [[1, 2, 4], [3], [1, 2, 4], [3], [1, 2, 3], [1, 2, 4], [1, 2, 4], [1, 2, 4]])
            clock.advance(by: 10)
            try t.expect(
                try await told(), equals: [[2], [1, 3, 4], [1, 4], [2, 3], [3], [1, 2, 4], [2], [2]])
            // The write deletes expired records, and the references to them.
            try await store.insert(Response(id: 5, to: 2))
            try t.expect(
                try await told(),
                equals: [[2, 5], [1, 3, 4], [1, 4], [2, 3, 5], [3], [1, 2, 4, 5], [2, 5], [2, 5]])
            try await t.expectSound(store)
        },
        ConformanceCase(
            "search/several", for: [.f4: [2], .f5: [4, 5]],
            "Relevance is the sum of the searches that find a record, joined by and or by or; negated searches and searches of other "
                + "records add nothing."
        ) { t in
            let store = try await moons(t)
            let articles = store.store.select(Article.self)
            func relevances(_ text: String) async throws -> [Int: Double] {
                let hits = try await articles.where { $0.matches(text) }.hits()
                return Dictionary(uniqueKeysWithValues: hits.map { ($0.record.id, $0.relevance) })
            }
            func expect(
                _ found: Select<Article, Store>, _ ids: [Int], terms: [[Int: Double]]
            ) async throws {
                let relevance = ids.map { id in terms.reduce(0) { $0 + ($1[id] ?? 0) } }
                let sorted = zip(ids, relevance).sorted { ($1.1, $0.0) < ($0.1, $1.0) }
                let ranked = found.order { $0.relevance.descending }
                try t.expect(try await ranked.all().map(\.id), equals: sorted.map(\.0))
                try t.expect(
                    try await ranked.limit(2).offset(1).keys(), equals: Array(sorted.map(\.0).dropFirst().prefix(2)))
                let hits = try await ranked.hits()
                try t.expect(hits.map(\.relevance.bitPattern), equals: sorted.map(\.1.bitPattern))
            }
            let (moon, stars) = (try await relevances("moon"), try await relevances("stars"))
            try await expect(
                articles.where { $0.matches("moon") || $0.matches("stars") }, [1, 2, 3, 5], terms: [moon, stars])
            try await expect(articles.where { $0.matches("moon") && $0.matches("stars") }, [3], terms: [moon, stars])
            try await expect(articles.where { $0.matches("moon") || $0.year == 4 }, [1, 2, 3, 4], terms: [moon])
            try await expect(
                articles.where { ($0.matches("moon") && $0.year < 3) || !$0.matches("moon") }, [1, 2, 4, 5],
                terms: [moon])
            try await expect(articles.where { $0.matches("moon") && !$0.matches("stars") }, [1, 2], terms: [moon])
            // The search of what a record refers to is a condition, and no part of its relevance.
            let sun = try await relevances("sun")
            try await expect(articles.where { $0.matches("sun") && $0.about.matches("moon") }, [2, 3, 4], terms: [sun])
            try await expect(articles.where { $0.matches("sun") || $0.about.matches("moon") }, [2, 3, 4], terms: [sun])
            let records = store.store.records("Article").order(text: "relevance desc")
            let texts: [(String, [Int])] = [
                ("matches 'moon' or title matches 'stars'", [5, 3, 1, 2]),
                ("matches 'sun' and about matches 'moon'", [4, 2, 3]),
            ]
            for (text, ids) in texts {
                let found = try await records.where(text: text).all().map { try $0.value("id", as: Int.self) }
                try t.expect(found, equals: ids, "\(text) gives other records.")
            }
            for unsearched in [
                articles.where { $0.about.matches("moon") }, articles.where { !$0.matches("moon") },
                articles.where { $0.year == 1 },
            ] {
                try await t.expectError(.invalidQuery) { try await unsearched.order { $0.relevance.descending }.all() }
            }
        },
        ConformanceCase(
            "search/related", for: [.f4: [2], .f5: [3, 6], .f9: [1]],
            "Queries of related records, and the related records of each, come in the order of relevance, in every form."
        ) { t in
            let store = try await moons(t)
            let moons = store.store.select(Article.self).where { $0.matches("moon") }
                .order { $0.relevance.descending }
            let pairs = moons.with(\.about)
            let expected = [[1, 0], [2, 1], [3, 1]]
            func ids(_ pairs: [(Article, Article?)]) -> [[Int]] { pairs.map { [$0.0.id, $0.1?.id ?? 0] } }
            try t.expect(ids(try await pairs.all()), equals: expected)
            try t.expect(ids(try await pairs.limit(1).offset(1).all()), equals: [[2, 1]])
            try t.expect(try await pairs.first()?.0.id, equals: 1)
            try t.expect(
                ids(
                    try await store.store.select(Article.self).where { $0.matches("moon") }
                        .order { $0.relevance.ascending }.with(\.about).all()),
                equals: expected.reversed())
            var streamed: [(Article, Article?)] = []
            for try await pair in pairs.stream() { streamed.append(pair) }
            try t.expect(ids(streamed), equals: expected)
            let inTransaction = try await store.store.transaction { tx in
                try tx.select(Article.self).where { $0.matches("moon") }.order { $0.relevance.descending }
                    .with(\.about).all().map(\.0.id)
            }
            try t.expect(inTransaction, equals: [1, 2, 3])
            let nested = try await store.store.select(Article.self).with(\.mentions) {
                $0.where { $0.matches("moon OR sun") }.order { $0.relevance.descending }.limit(1)
            }.all()
            try t.expect(nested.map { $0.1.map(\.id) }, equals: [[2], [4], [], [], []])
            let last = try await store.store.select(Article.self).with(\.mentions) {
                $0.where { $0.matches("moon") }.order { $0.relevance.ascending }.with(\.about)
            }.all()
            try t.expect(last.map { $0.1.map { $0.0.id } }, equals: [[3, 2], [], [], [], []])
            var observed = pairs.values().makeAsyncIterator()
            try t.expect(ids(try await observed.next() ?? []), equals: expected)
            try await store.update(Article.self) { $0.where { $0.id == 3 }.set(\.title, to: "stars") }
            try t.expect(ids(try await observed.next() ?? []), equals: [[1, 0], [2, 1]])
        },
        ConformanceCase(
            "search/related-lists", for: [.f4: [2], .f5: [6]],
            "The records of an array of references come in the order of their relevance, each owner's first by its limit."
        ) { t in
            let store = try await t.open([Notice.self, Response.self], layers: [])
            try await store.insert([
                Notice(id: 1, text: "the moon, the sun and the stars"), Notice(id: 2, text: "moon"),
                Notice(id: 3, text: "moon and sun"), Notice(id: 4, text: "sun"),
            ])
            try await store.insert([Response(id: 1, others: [1, 2, 3, 4]), Response(id: 2, others: [4, 3, 1])])
            let found = try await store.store.select(Response.self).with(\.others) {
                $0.where { $0.matches("moon") }.order { $0.relevance.descending }.limit(2)
            }.all()
            try t.expect(found.map { $0.1.map(\.id) }, equals: [[2, 3], [3, 1]])
        },
    ]

    /// Articles of which a longer title is of less relevance.
    private static func moons(_ t: Trial) async throws -> RecordedStore {
        let store = try await t.open(Article.self)
        try await store.insert([
            Article(id: 1, title: "moon", year: 1), Article(id: 2, title: "moon and sun", year: 2, about: 1),
            Article(id: 3, title: "the moon, the sun and the stars", year: 3, about: 1),
            Article(id: 4, title: "sun", year: 4, about: 2), Article(id: 5, title: "stars", year: 5),
        ])
        return store
    }
}
