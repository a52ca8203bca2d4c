import StorageKit
import TestSupport
import Testing

@Suite("F Excerpts")
struct ExcerptTests {
    @Test func `an excerpt shows the words of a search`() {
        let text =
            String(repeating: "before ", count: 60) + "the storage engine" + String(repeating: " after", count: 60)
        let excerpt = text.excerpt(for: "storage engine")
        expect(excerpt.highlights.map { String(excerpt.text[$0]) }, equals: ["storage", "engine"])
        expect(excerpt.text.hasPrefix("…") && excerpt.text.hasSuffix("…"))
    }
}
