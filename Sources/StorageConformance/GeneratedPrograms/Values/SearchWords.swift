/// Makes queries of full-text searches.
enum SearchWords {
    /// A query of words of the given texts, or of random ones, with operators between them.
    static func random(_ texts: [String]?, _ generator: inout SeededGenerator) -> String {
        var parts: [String] = []
        for _ in 0...generator.below(3) {
            let text = texts.flatMap { generator.one(of: $0) } ?? String.random(&generator)
            let word = generator.chance(70) ? String(text.prefix(40)) : String.random(&generator)
            parts.append(
                generator.pick(
                    word, word, word, "\"\(word)\"", word + "*", "-" + word, "text:" + word, "a OR " + word,
                    "words:\"\(word)\""))
        }
        return parts.joined(separator: " ")
    }
}
