/// A part of a text that shows the hits of a query.
public struct SearchExcerpt: Hashable, Sendable {
    /// The part, with an ellipsis where it begins or ends within the text.
    public let text: String
    /// The places to highlight, ascending.
    public let highlights: [Range<String.Index>]
}

extension String {
    /// The part of the text with the most terms of a query, or its beginning if none exist.
    ///
    /// ```swift
    /// let body = "A storage engine keeps records."
    /// let excerpt = body.excerpt(for: SearchQuery("storage engine"))
    /// for range in excerpt.highlights { print(excerpt.text[range]) }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - property: The property that has the text, so that words asked for in another are left alone.
    ///   - width: The approximate number of characters to show. The part begins and ends with whole words.
    public func excerpt(for query: SearchQuery, property: String? = nil, around width: Int = 160) -> SearchExcerpt {
        let tokens = Highlighter.tokens(of: self)
        let matches = Highlighter(query, property: property).matches(in: self, tokens)
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        let width = max(width, 1)
        // Widths are in characters, and places in bytes.
        let average = Double(utf8.count) / Double(max(unicodeScalars.count, 1))
        let bytes = Int(min(Double(width) * average, Double(utf8.count))) + 1
        let part = part(matches, tokens: tokens, bytes: bytes)
        let shown = self.range(part)
        let before = part.lowerBound > 0 ? "…" : ""
        let text = before + self[shown] + (part.upperBound < utf8.count ? "…" : "")
        let shift = before.utf8.count - part.lowerBound
        let ranges = Highlighter.joined(
            matches.map(\.range).filter { $0.lowerBound >= part.lowerBound && $0.upperBound <= part.upperBound })
        return SearchExcerpt(
            text: text,
            highlights: ranges.map { text.range(($0.lowerBound + shift)..<($0.upperBound + shift)) })
    }

    /// The range of so many bytes that has the most terms, extended to whole words.
    private func part(
        _ matches: [Highlighter.Match], tokens: [Highlighter.Token], bytes: Int
    ) -> Range<Int> {
        guard utf8.count > bytes else { return 0..<utf8.count }
        // The window that begins with a match and has the most different terms; of these the first.
        var counts: [Int: Int] = [:]
        var (best, start, end, most) = (0, 0, 0, 0)
        while start < matches.count {
            while end < matches.count, matches[end].range.upperBound <= matches[start].range.lowerBound + bytes {
                counts[matches[end].term, default: 0] += 1
                end += 1
            }
            if counts.count > most { (best, most) = (start, counts.count) }
            if end > start {
                let term = matches[start].term
                let left = (counts[term] ?? 1) - 1
                counts[term] = left > 0 ? left : nil
            } else {
                end = start + 1
            }
            start += 1
        }
        guard most > 0 else { return whole(0..<bytes, tokens) }
        let first = matches[best].range.lowerBound
        var last = matches[best].range.upperBound
        for match in matches[best...] where match.range.upperBound <= first + bytes {
            last = max(last, match.range.upperBound)
        }
        // What is left of the width goes before and behind.
        let left = max(bytes - (last - first), 0)
        let lower = max(0, min(first - left / 2, utf8.count - bytes))
        return whole(min(lower, first)..<min(max(last, lower + bytes), utf8.count), tokens)
    }

    /// A range that begins and ends with whole words, which are not much longer.
    private func whole(_ range: Range<Int>, _ tokens: [Highlighter.Token]) -> Range<Int> {
        var lower = range.lowerBound
        if lower > 0 { lower = tokens.first { $0.range.lowerBound >= lower }?.range.lowerBound ?? lower }
        var upper = range.upperBound
        if upper < utf8.count { upper = tokens.last { $0.range.upperBound <= upper }?.range.upperBound ?? upper }
        if lower < upper, scalarBoundary(lower) == lower, scalarBoundary(upper) == upper { return lower..<upper }
        let start = scalarBoundary(range.lowerBound)
        return start..<max(scalarBoundary(range.upperBound), start)
    }

    /// The end of the scalar that a place is in, so that no scalar is cut.
    private func scalarBoundary(_ place: Int) -> Int {
        var place = place
        var index = utf8.index(startIndex, offsetBy: place)
        while index < endIndex, utf8[index] & 0xC0 == 0x80 {
            index = utf8.index(after: index)
            place += 1
        }
        return place
    }
}
