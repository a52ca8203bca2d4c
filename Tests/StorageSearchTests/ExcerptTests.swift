import StorageSearch
import TestSupport
import Testing

@Suite("Excerpts")
struct ExcerptTests {
    private func highlighted(_ text: String, _ query: String, property: String? = nil) -> [String] {
        SearchQuery(query).highlights(in: text, property: property).map { String(text[$0]) }
    }

    @Test func highlights() {
        expect(highlighted("The Größe of cafés, café", "grösse cafe"), equals: ["Größe", "café"])
        expect(highlighted("storage engines and engine storage", "\"storage engine\""), equals: [])
        expect(highlighted("a Storage-Engine", "\"storage engine\""), equals: ["Storage", "Engine"])
        expect(highlighted("database data dates", "dat* -date"), equals: ["database", "data", "dates"])
        expect(highlighted("床前明月光", "明月光"), equals: ["明月光"])
        expect(highlighted("床前明月光", "月"), equals: ["月"])
        expect(highlighted("床前明月光", "光"), equals: ["光"])
        expect(highlighted("one two", "title:one two", property: "body"), equals: ["two"])
        expect(highlighted("العَرَبِيّة", "العربية"), equals: ["العَرَبِيّة"])
    }

    @Test func partsOfATextShowWhatWasFound() {
        let filler = (0..<200).map { "word\($0)" }.joined(separator: " ")
        let text = filler + " the storage of an engine " + filler
        let excerpt = text.excerpt(for: SearchQuery("engine storage"), around: 60)
        expect(excerpt.highlights.map { String(excerpt.text[$0]) }, equals: ["storage", "engine"])
        expect(excerpt.text.hasPrefix("…word") && excerpt.text.hasSuffix("…"))
        expect(excerpt.text.count <= 62)
        expect(filler.excerpt(for: SearchQuery("nothing"), around: 20).text, equals: "word0 word1 word2…")
        expect("short".excerpt(for: SearchQuery("short")).text, equals: "short")
        expect("".excerpt(for: SearchQuery("x")).text, equals: "")
    }

    /// A highlight is a part of its text, whatever the text and the width.
    @Test func anyTextHasAnExcerpt() {
        var texts = Texts(generator: Seeded(state: 5))
        for _ in 0..<500 {
            let text = texts.text(40)
            let query = SearchQuery(texts.query())
            let width = Int.random(in: -1...50, using: &texts.generator)
            let excerpt = text.excerpt(for: query, around: width)
            expect(excerpt.text.unicodeScalars.allSatisfy { $0 != "\u{FFFD}" })
            let whole = query.highlights(in: text).map { text[$0] }
            let parts = excerpt.highlights.map { excerpt.text[$0] }
            expect(parts.allSatisfy { part in whole.contains { $0.contains(part) } }, "\(text) \(query)")
        }
    }

    @Test func largeTexts() {
        let text = String(repeating: "明月 ", count: 50_000) + "swift"
        let count = TestExtent.isLarge ? 5000 : 1000
        let query = SearchQuery((0..<count).map { "w\($0)*" }.joined(separator: " OR ") + " swift 月")
        expect(text.excerpt(for: query, around: 10).text.contains("swift"))
    }
}
