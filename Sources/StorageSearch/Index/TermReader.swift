/// Reads the hits of a term from all sources.
struct TermReader<Storage: SearchStorage> {
    private let index: SearchIndex<Storage>
    private let state: IndexState
    private let leaves: BlockReader<Storage>
    private let chunks: BlockReader<Storage>

    init(_ index: SearchIndex<Storage>, _ state: IndexState) {
        (self.index, self.state) = (index, state)
        leaves = BlockReader(index.storage)
        chunks = BlockReader(index.storage)
    }

    /// Reads the leaves with the terms of a query at once.
    func readAhead(_ terms: some Sequence<SearchTerm>) throws(SearchFailure) {
        var numbers: Set<Int> = []
        for term in terms {
            for (property, searched) in index.properties.enumerated() where term.isOf(searched) {
                for element in term.elements {
                    let bytes = Self.bytes(element, property)
                    for segment in state.segments {
                        if let number = segment.block(of: bytes) { numbers.insert(number) }
                    }
                }
            }
        }
        try leaves.readAhead(numbers.sorted())
    }

    private static func bytes(_ element: SearchTerm.Element, _ property: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: property)] + element.bytes
    }

    func hits(_ term: SearchTerm) throws(SearchFailure) -> TermHits {
        var hits = TermHits()
        for (property, searched) in index.properties.enumerated() where term.isOf(searched) {
            let postings = try postings(term, property)
            if !postings.documents.isEmpty { hits.properties.append((property, postings)) }
        }
        hits.documents = SortedNumbers.union(hits.properties.map(\.postings.documents))
        return hits
    }

    /// The lists of a word, or of each that begins so, with the end and the removed documents of their sources.
    private struct Lists {
        struct Entry {
            var list: TermList
            var end: Int
            var removed: ArraySlice<Int>
        }

        var entries: [Entry] = []
        let isPrefix: Bool

        var count: Int { entries.reduce(0) { $0 &+ $1.list.count } }
    }

    private func postings(_ term: SearchTerm, _ property: Int) throws(SearchFailure) -> Postings {
        var lists: [Lists] = []
        for element in term.elements {
            let found = try self.lists(element, property)
            if found.entries.isEmpty { return Postings() }
            lists.append(found)
        }
        if lists.count == 1 { return try documents(lists[0]) }
        // Start with the rarest term, so that the others are read only for its documents.
        var result: Postings?
        for place in lists.indices.sorted(by: { lists[$0].count < lists[$1].count }) {
            let offset = term.elements[place].offset
            let found: Postings
            if let phrase = result {
                found =
                    lists[place].isPrefix
                    ? Self.following(phrase, try positions(lists[place], among: phrase.documents), offset: offset)
                    : try following(phrase, lists[place], offset: offset)
            } else {
                found = Self.places(try positions(lists[place], among: nil), offset)
            }
            if found.documents.isEmpty { return Postings() }
            result = found
        }
        return result ?? Postings()
    }

    /// The places where a phrase may begin that has a word at an offset; they may be before the text.
    private static func places(_ found: Postings, _ offset: Int) -> Postings {
        var result = found
        for index in result.positions.indices { result.positions[index] -= offset }
        return result
    }

    /// The possible starts of a phrase that have a word's position at an offset.
    private static func following(_ phrase: Postings, _ found: Postings, offset: Int) -> Postings {
        let (starts, foundStarts) = (phrase.starts, found.starts)
        var result = Postings()
        var place = 0
        for (index, document) in found.documents.enumerated() {
            place = SortedNumbers.advance(phrase.documents, place, to: document)
            guard place < phrase.documents.count, phrase.documents[place] == document else { continue }
            let first = result.positions.count
            var at = foundStarts[index]
            let end = at + found.counts[index]
            for start in phrase.positions[starts[place]..<(starts[place] + phrase.counts[place])] {
                while at < end, found.positions[at] < start + offset { at += 1 }
                if at < end, found.positions[at] == start + offset { result.positions.append(start) }
            }
            guard result.positions.count > first else { continue }
            result.documents.append(document)
            result.counts.append(result.positions.count - first)
        }
        return result
    }

    private func lists(_ element: SearchTerm.Element, _ property: Int) throws(SearchFailure) -> Lists {
        let term = Self.bytes(element, property)
        var lists = Lists(isPrefix: element.isPrefix)
        for segment in state.segments {
            let removed = state.removed(in: segment.header.first..<segment.header.end)
            let end = segment.header.end
            if element.isPrefix {
                try segment.forEachTerm(leaves, from: term) { found, list throws(SearchFailure) in
                    guard found.starts(with: term) else { return false }
                    lists.entries.append(Lists.Entry(list: list, end: end, removed: removed))
                    return true
                }
            } else if let list = try segment.list(leaves, of: term) {
                lists.entries.append(Lists.Entry(list: list, end: end, removed: removed))
            }
        }
        let hash = TermHash(term)
        for row in state.pending where element.isPrefix || row.mayHave(hash) {
            var place = row.place(of: term)
            while place < row.terms.count {
                let found = row.terms[place].term
                guard element.isPrefix ? found.starts(with: term) : found == term else { break }
                let removed = state.removed(in: row.first..<row.end)
                lists.entries.append(Lists.Entry(list: row.terms[place].list, end: row.end, removed: removed))
                place += 1
            }
        }
        return lists
    }

    /// The documents of a word.
    private func documents(_ lists: Lists) throws(SearchFailure) -> Postings {
        var all: [Postings] = []
        var result = Postings()
        for entry in lists.entries {
            try forEachPiece(entry, among: nil) { piece throws(SearchFailure) in
                try result.add(piece, end: entry.end, removed: entry.removed)
            }
            if lists.isPrefix {
                all.append(result)
                result = Postings()
            }
        }
        return lists.isPrefix ? Postings.union(all) : result
    }

    /// The documents of a word with its positions, of those among candidates if any exist.
    private func positions(_ lists: Lists, among candidates: [Int]?) throws(SearchFailure) -> Postings {
        var all: [Postings] = []
        var result = Postings()
        for entry in lists.entries {
            try forEachPiece(entry, among: candidates) { piece throws(SearchFailure) in
                if let candidates {
                    try result.add(piece, end: entry.end, among: candidates)
                } else {
                    try result.add(piece, end: entry.end, removed: entry.removed, withPositions: true)
                }
            }
            if lists.isPrefix {
                all.append(result)
                result = Postings()
            }
        }
        return lists.isPrefix ? Postings.unionOfPositions(all) : result
    }

    /// The possible starts of a phrase that have a word at an offset.
    private func following(_ phrase: Postings, _ lists: Lists, offset: Int) throws(SearchFailure) -> Postings {
        let starts = phrase.starts
        var result = Postings()
        for entry in lists.entries {
            try forEachPiece(entry, among: phrase.documents) { piece throws(SearchFailure) in
                try result.follow(phrase, starts: starts, piece: piece, end: entry.end, offset: offset)
            }
        }
        return result
    }

    /// Reads the pieces of a list that may have one of the candidates, or all.
    private func forEachPiece(
        _ entry: Lists.Entry, among candidates: [Int]?, _ body: (TermList.Piece) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        let list = entry.list
        if list.pieces.count == 1 {
            if isNeeded(0, of: entry, candidates: candidates) { try body(try list.piece(0, chunks)) }
            return
        }
        let needed = list.pieces.filter { isNeeded($0, of: entry, candidates: candidates) }
        for start in stride(from: 0, to: needed.count, by: BlockReader<Storage>.most) {
            let part = needed[start..<min(start + BlockReader<Storage>.most, needed.count)]
            try chunks.readAhead(part.compactMap(list.block))
            for piece in part { try body(try list.piece(piece, chunks)) }
        }
    }

    private func isNeeded(_ piece: Int, of entry: Lists.Entry, candidates: [Int]?) -> Bool {
        guard let candidates else { return true }
        let first = entry.list.base(piece) + 1
        let last = piece + 1 < entry.list.pieces.count ? entry.list.base(piece + 1) : entry.end - 1
        let place = SortedNumbers.place(candidates, of: first)
        return place < candidates.count && candidates[place] <= last
    }
}

extension Postings {
    /// The postings of any of several terms.
    static func union(_ all: [Postings]) -> Postings {
        all.count <= 1 ? all.first ?? Postings() : unionOfCounts(all, all.reduce(0) { $0 + $1.documents.count })
    }

    /// The postings of any of several terms, with positions.
    static func unionOfPositions(_ all: [Postings]) -> Postings {
        if all.count <= 1 { return all.first ?? Postings() }
        var entries: [(document: Int, position: Int)] = []
        for postings in all {
            var next = 0
            for (document, count) in zip(postings.documents, postings.counts) {
                for position in postings.positions[next..<(next + count)] { entries.append((document, position)) }
                next += count
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
