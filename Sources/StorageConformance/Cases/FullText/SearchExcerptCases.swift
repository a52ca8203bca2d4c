internal import StorageAPI

extension Conformance {
    /// F2, F7: words as they are written, and excerpts of the records that a search finds.
    static let searchExcerptCases: [ConformanceCase] = [
        ConformanceCase(
            "search/excerpts", for: [.f7: [1, 2]],
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
        },
        ConformanceCase(
            "search/forms", for: [.f2: [1], .f7: [1]],
            "Words are found by all forms of their characters: any apostrophe, full and half width, and presentation forms."
        ) { t in
            let store = try await t.open(Article.self)
            let words = [
                ["don't", "don’t", "donʼt", "DON‘T", "don＇t", "Ｄｏｎ’ｔ"], ["п'ять", "п’ять", "пʼять"],
                ["o'brien", "O’Brien"], ["hawai'i", "Hawaiʻi"], ["l'été", "l’été", "Lʼe\u{301}te"],
                ["גב'", "גב’", "גב׳"], ["צה\"ל", "צה״ל", "צה＂ל"], ["abc123", "ＡＢＣ１２３", "Ａbc１23"],
                ["3.14", "３．１４"], ["foo_bar", "ｆｏｏ＿ｂａｒ"], ["ガラス", "ｶﾞﾗｽ"], ["サーバー", "ｻｰﾊﾞｰ"],
                ["fine", "\u{FB01}ne", "\u{FB01}ｎｅ"],
                ["سلام", "\u{FEB3}\u{FEFC}\u{FEE1}", "\u{FEB3}\u{FEE0}\u{FE8E}م"],
                ["الله", "\u{FDF2}"], ["שלום", "ש\u{5C1}לו\u{5B9}ם", "\u{FB2A}ל\u{FB4B}ם"], ["\u{6A02}", "\u{F914}"],
            ]
            let forms = words.enumerated().flatMap { number, forms in forms.map { (word: number, text: $0) } }
            try await store.insert(forms.enumerated().map { Article(id: $0, title: "before “\($1.text)”, after") })
            for (word, text) in forms {
                // A quotation mark in a query begins a phrase.
                let query = text.replacing("\"", with: "״")
                let found = try await store.store.select(Article.self).where { $0.matches(query) }.all()
                try t.expect(
                    found.map(\.id), equals: forms.indices.filter { forms[$0].word == word },
                    "\(text) finds other records.")
                for article in found {
                    let excerpt = article.title.excerpt(for: query)
                    try t.expect(
                        excerpt.highlights.map { String(excerpt.text[$0]) }, equals: [forms[article.id].text],
                        "\(text) highlights something else.")
                }
            }
        },
    ]
}
