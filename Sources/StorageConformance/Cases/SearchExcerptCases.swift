internal import StorageAPI

extension Conformance {
    /// F7: excerpts of the records that a search finds.
    static let searchExcerptCases: [ConformanceCase] = [
        ConformanceCase(
            "search/excerpts", [.f7: [1, 2]],
            "What is highlighted in a record that was found finds the record again, and what was asked for is highlighted."
        ) { t in
            let store = try await t.open(Article.self)
            let long = String(repeating: "before ", count: 200)
            let texts = [
                "The storage engine keeps records.", "Die STRASSE, das Café und die Straßenbahn", "床前明月光，疑是地上霜。",
                "محرك التخزين يحفظ السجلات", "ไทยภาษาไทย", "한국어 검색", "cafe\u{301} 👩‍👩‍👧‍👦 \u{0} 3.14",
                long + "needle " + long,
            ]
            try await store.insert(texts.enumerated().map { Article(id: $0 + 1, title: $1) })
            let expected: [(query: String, id: Int, words: [String])] = [
                ("storage ENGINE", 1, ["storage", "engine"]), ("\"storage engine\"", 1, ["storage", "engine"]),
                ("strasse cafe", 2, ["STRASSE", "Café"]), ("strass*", 2, ["STRASSE", "Straßenbahn"]),
                ("明月", 3, ["明月"]), ("霜", 3, ["霜"]), ("التخزين", 4, ["التخزين"]), ("ภาษา", 5, ["ภาษา"]),
                ("검색", 6, ["검색"]), ("café 3.14", 7, ["cafe\u{301}", "3.14"]), ("3.14 -nothing", 7, ["3.14"]),
                ("needle", 8, ["needle"]), ("records OR toy", 1, ["records"]),
            ]
            for (query, id, words) in expected {
                let found = try await store.store.select(Article.self).where { $0.matches(query) }.all()
                try t.expect(found.map(\.id), equals: [id], "\(query) finds other records.")
                for article in found {
                    let excerpt = article.title.excerpt(for: query, around: 60)
                    let marked = excerpt.highlights.map { String(excerpt.text[$0]) }
                    try t.expect(marked, equals: words, "\(query) highlights something else.")
                    for word in marked {
                        let again = try await store.store.select(Article.self).where { $0.matches(word) }.keys()
                        try t.expect(again.contains(id), "\(word) is highlighted and does not find the record.")
                    }
                }
            }
            let typed = try await store.store.select(Article.self).where { $0.matches("stor", typing: true) }.all()
            try t.expect(
                typed.map { article in
                    let excerpt = article.title.excerpt(for: "stor", typing: true)
                    return excerpt.highlights.map { String(excerpt.text[$0]) }
                }, equals: [["storage"]])
        }
    ]
}
