/// Finds the word that a misspelt one probably means.
package enum SpellingSuggestion {
    /// ` (did you mean durability?)`, or an empty text if no word is similar.
    package static func hint(_ word: String, among words: some Sequence<String>) -> String {
        nearest(word, among: words).map { " (did you mean \($0)?)" } ?? ""
    }

    /// The word with the fewest differences, at most one for every three letters; the first of equals in order.
    package static func nearest(_ word: String, among words: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().prefix(100))
        return words.sorted()
            .map { (word: $0, distance: distance(letters, Array($0.lowercased()))) }
            .filter { $0.distance <= max(1, $0.word.count / 3) }
            .min { $0.distance < $1.distance }?.word
    }

    /// The restricted Damerau-Levenshtein distance: the number of letters that must be inserted, removed, replaced, or
    /// swapped with their neighbour.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
