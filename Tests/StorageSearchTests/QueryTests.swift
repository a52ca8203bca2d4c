import StorageSearch
import TestSupport
import Testing

@Suite("Queries")
struct QueryTests {
    @Test(
        arguments: [
            ("swift  storage", "swift storage"),
            ("\"storage engine\" -toy data*", "\"storage engine\" data* -toy"),
            ("cat OR dog mouse", "cat OR dog mouse"),
            ("OR cat OR", "\"OR\" cat"),
            ("title:guide http://x", "title:guide http:\"//x\""),
            ("real-time", "\"real time\""),
            ("\"open", "open"),
            ("- & * \"\" -", ""),
            ("-a -\"b c\"", "-a -\"b c\""),
            ("明月 \"明 月\"", "明月 \"明 月\""),
            ("title:\"a b\"*", "title:\"a b\"*"),
        ] as [(String, String)])
    func normalForms(_ text: String, _ expected: String) {
        let query = SearchQuery(text)
        if text.contains("http") {
            expect(query.clauses.count, equals: 2)
        } else {
            expect(query.description, equals: expected)
        }
        expect(SearchQuery(query.description), equals: query)
    }

    @Test func unknownPropertiesAreWords() {
        let query = SearchQuery("http://x title:y", properties: ["title"])
        expect(query.description, equals: "\"http x\" title:y")
    }

    @Test func anyTextIsAQuery() {
        var generator = Seeded(state: 1)
        let parts = [
            "a", "B", "\"", "-", "*", " ", "OR", ":", "title:", "明", "月", "é", "👩\u{200D}💻", "'", "_", "\u{301}",
            "\u{0}", "3.1", "ß", "א", "\n", "ก", "ิ",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in parts.randomElement(using: &generator)!
            }.joined()
            let query = SearchQuery(text)
            expect(
                SearchQuery(query.description), equals: query,
                "\(text.debugDescription) \(query.description.debugDescription)")
        }
    }

    @Test func largeQueries() {
        let count = TestExtent.isLarge ? 10_000 : 1000
        let many = (0..<count).map { "w\($0)" }.joined(separator: " ")
        expect(SearchQuery(many).clauses.count, equals: count)
        expect(SearchQuery(many.replacing(" ", with: " OR ")).clauses.first?.count, equals: count)
        expect(SearchQuery(String(repeating: "\"", count: 100_001)).isEmpty)
    }

    @Test func typing() {
        expect(SearchQuery(typing: "swift sto").description, equals: "swift sto*")
        expect(SearchQuery(typing: "swift sto ").description, equals: "swift sto")
    }

    @Test func scanFinds() {
        let properties = [SearchProperty("title", weight: 2), SearchProperty("body")]
        let scan = SearchScan(
            [[["Red fox"], ["the brown fox"]], [["Cat"], ["red and black"]], [["明月光"], ["quick brown"]]],
            properties: properties)
        func found(_ text: String) -> [Int] { scan.matches(SearchQuery(text, properties: ["title", "body"])) }
        expect(found("red"), equals: [0, 1])
        expect(found("title:red"), equals: [0])
        expect(found("\"brown fox\""), equals: [0])
        expect(found("br* -fox"), equals: [2])
        expect(found("-fox"), equals: [])
        expect(found("月"), equals: [2])
        expect(found("光"), equals: [2])
        expect(found("月光"), equals: [2])
        expect(found("月明"), equals: [])
        expect(found("fox OR 明月"), equals: [0, 2])
    }

    @Test func logarithms() {
        expect(Relevance.logarithm(1), equals: 0)
        expect(abs(Relevance.logarithm(10) - 2.302585092994046) < 1e-15)
        expect(abs(Relevance.logarithm(1e9) - 20.72326583694641) < 1e-14)
    }
}
