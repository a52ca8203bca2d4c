/// Reads what a term finds from all sources.
struct TermReader<Storage: SearchStorage> {
    let index: SearchIndex<Storage>
    let state: IndexState

    func hits(_ term: SearchTerm) throws(SearchFailure) -> TermHits {
        var hits = TermHits()
        for (property, searched) in index.properties.enumerated() {
            if let name = term.property, name != searched.name { continue }
            let postings = try postings(term, property)
            if !postings.documents.isEmpty { hits.properties.append((property, postings)) }
        }
        hits.documents = SortedNumbers.union(hits.properties.map(\.postings.documents))
        return hits
    }

    private func postings(_ term: SearchTerm, _ property: Int) throws(SearchFailure) -> Postings {
        if term.elements.count == 1 {
            return try postings(term.elements[0], property, positions: false, among: nil)
        }
        // The documents that have all words, and then the positions in these alone.
        var candidates: [Int]?
        for element in term.elements {
            let found = try postings(element, property, positions: false, among: candidates).documents
            candidates = candidates.map { SortedNumbers.intersection($0, found) } ?? found
            if candidates?.isEmpty ?? true { return Postings() }
        }
        guard let candidates else { return Postings() }
        var starts: [[Int]] = []
        for element in term.elements {
            let found = try postings(element, property, positions: true, among: candidates)
            var (place, at) = (0, 0)
            var next: [[Int]] = []
            while place < candidates.count, at < found.documents.count {
                if found.documents[at] != candidates[place] {
                    at = SortedNumbers.advance(found.documents, at, to: candidates[place])
                    guard at < found.documents.count, found.documents[at] == candidates[place] else {
                        throw .corrupt("A list has changed.")
                    }
                }
                let positions = found.positions(at).map { $0 - element.offset }
                next.append(starts.isEmpty ? positions : SortedNumbers.intersection(starts[place], positions))
                place += 1
                at += 1
            }
            guard next.count == candidates.count else { throw .corrupt("A list has changed.") }
            starts = next
        }
        var result = Postings()
        for (place, document) in candidates.enumerated() where !starts[place].isEmpty {
            result.documents.append(document)
            result.counts.append(starts[place].count)
        }
        return result
    }

    /// The documents of a word, at least those among candidates.
    private func postings(
        _ element: SearchTerm.Element, _ property: Int, positions: Bool, among candidates: [Int]?
    ) throws(SearchFailure) -> Postings {
        let term = [UInt8(truncatingIfNeeded: property)] + element.bytes
        var all: [Postings] = []
        var result = Postings()
        for segment in state.segments {
            let range = segment.header.first..<segment.header.end
            let removed = state.removed(in: range)
            try segment.forEachTerm(index.storage, from: term) { found, list throws(SearchFailure) in
                guard element.isPrefix ? found.starts(with: term) : found == term else { return false }
                var postings = element.isPrefix ? Postings() : result
                if !element.isPrefix { result = Postings() }
                for (place, piece) in list.pieces.enumerated() {
                    let last = place + 1 < list.pieces.count ? list.pieces[place + 1].base : range.upperBound - 1
                    if let candidates, !candidates.hasNumber(in: (piece.base + 1)...max(last, piece.base + 1)) {
                        continue
                    }
                    let read = try piece.read(index.storage)
                    try postings.add(read, end: range.upperBound, removed: removed, positions: positions)
                }
                if element.isPrefix { all.append(postings) } else { result = postings }
                return element.isPrefix
            }
        }
        for row in state.pending {
            let removed = state.removed(in: row.first..<row.end)
            var place = row.place(of: term)
            while place < row.terms.count {
                let (found, list) = row.terms[place]
                guard element.isPrefix ? found.starts(with: term) : found == term else { break }
                var postings = Postings()
                if !element.isPrefix { swap(&postings, &result) }
                for piece in list.pieces {
                    try postings.add(piece, end: row.end, removed: removed, positions: positions)
                }
                if element.isPrefix { all.append(postings) } else { swap(&postings, &result) }
                place += 1
                if !element.isPrefix { break }
            }
        }
        return element.isPrefix ? Postings.union(all, positions: positions) : result
    }
}

extension [Int] {
    /// Whether any of these numbers, which ascend, is in a range.
    func hasNumber(in range: ClosedRange<Int>) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] <= range.upperBound
    }
}

extension Postings {
    /// The positions in the document at a place.
    func positions(_ place: Int) -> ArraySlice<Int> {
        positions[starts[place]..<(starts[place] + counts[place])]
    }

    /// The postings of any of several terms.
    static func union(_ all: [Postings], positions: Bool) -> Postings {
        if all.count <= 1 { return all.first ?? Postings() }
        let total = all.reduce(0) { $0 + $1.documents.count }
        guard positions else { return unionOfCounts(all, total) }
        // Documents and positions by counting would need their ranges; phrases with prefixes are short lists.
        var entries: [(document: Int, position: Int)] = []
        for postings in all {
            for (place, document) in postings.documents.enumerated() {
                for position in postings.positions(place) { entries.append((document, position)) }
            }
        }
        entries.sort { ($0.document, $0.position) < ($1.document, $1.position) }
        var result = Postings()
        for (document, position) in entries {
            if result.documents.last == document {
                result.counts[result.counts.count - 1] += 1
            } else {
                result.documents.append(document)
                result.counts.append(1)
                result.starts.append(result.positions.count)
            }
            result.positions.append(position)
        }
        return result
    }

    private static func unionOfCounts(_ all: [Postings], _ total: Int) -> Postings {
        let least = all.compactMap(\.documents.first).min() ?? 0
        let span = (all.compactMap(\.documents.last).max() ?? 0) - least + 1
        var result = Postings()
        if span < total * 16 {
            var counts = [Int](repeating: 0, count: max(span, 0))
            for postings in all {
                for (place, document) in postings.documents.enumerated() {
                    counts[document - least] += postings.counts[place]
                }
            }
            for (offset, count) in counts.enumerated() where count > 0 {
                result.documents.append(least + offset)
                result.counts.append(count)
            }
            return result
        }
        var entries: [(document: Int, count: Int)] = []
        entries.reserveCapacity(total)
        for postings in all { entries += zip(postings.documents, postings.counts).map { ($0, $1) } }
        entries.sort { $0.document < $1.document }
        for (document, count) in entries {
            if result.documents.last == document {
                result.counts[result.counts.count - 1] += count
            } else {
                result.documents.append(document)
                result.counts.append(count)
            }
        }
        return result
    }
}
