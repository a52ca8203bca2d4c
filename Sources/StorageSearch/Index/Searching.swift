/// The hits of a term.
struct TermHits {
    /// The documents that have it in any property, ascending.
    var documents: [Int] = []
    /// The occurrences of each property that has any.
    var properties: [(property: Int, postings: Postings)] = []
}

extension SearchIndex {
    /// The documents that a query finds, ascending.
    package func search(_ query: SearchQuery) throws(SearchFailure) -> [Int] {
        var search = try Search(self, query)
        return try search.documents()
    }

    /// The relevance of those of the documents, ascending, that a query finds by its terms; 0 for others.
    package func rank(_ documents: [Int], _ query: SearchQuery) throws(SearchFailure) -> [Double] {
        var search = try Search(self, query)
        return try search.scores(of: documents)
    }

    /// The documents of the greatest relevance, from the greatest on; equals by the bytes of their keys.
    package func best(
        _ count: Int, _ query: SearchQuery
    ) throws(SearchFailure) -> [(document: Int, relevance: Double)] {
        var search = try Search(self, query)
        let documents = try search.documents()
        guard count > 0, !documents.isEmpty else { return [] }
        let scores = try search.scores(of: documents)
        var selection = scores.indices.map { $0 }
        if documents.count > count {
            let least = scores.greatest(count)
            selection = selection.filter { scores[$0] >= least }
        }
        selection.sort { scores[$0] != scores[$1] ? scores[$0] > scores[$1] : $0 < $1 }
        var result: [(document: Int, relevance: Double)] = []
        var at = 0
        while at < selection.count, result.count < count {
            var end = at + 1
            while end < selection.count, scores[selection[end]] == scores[selection[at]] { end += 1 }
            var equals = selection[at..<end].map { documents[$0] }
            if equals.count > 1 { equals = try byKey(equals) }
            for document in equals.prefix(count - result.count) { result.append((document, scores[selection[at]])) }
            at = end
        }
        return result
    }

    private func byKey(_ documents: [Int]) throws(SearchFailure) -> [Int] {
        zip(try keys(of: documents), documents).sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }
}

extension [Double] {
    /// The number at a place from the greatest on, at which a sorted array would have it.
    func greatest(_ count: Int) -> Double {
        // A heap of the greatest, the least of them in front.
        var heap = Array(prefix(count)).sorted()
        func sink(_ heap: inout [Double]) {
            var at = 0
            while true {
                var child = at * 2 + 1
                guard child < heap.count else { return }
                if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
                guard heap[child] < heap[at] else { return }
                heap.swapAt(at, child)
                at = child
            }
        }
        for value in dropFirst(count) where value > heap[0] {
            heap[0] = value
            sink(&heap)
        }
        return heap[0]
    }
}

/// One search, which reads the list of each term once.
private struct Search<Storage: SearchStorage> {
    let index: SearchIndex<Storage>
    let state: IndexState
    let query: SearchQuery
    let reader: TermReader<Storage>
    private var known: [SearchTerm: TermHits] = [:]

    init(_ index: SearchIndex<Storage>, _ query: SearchQuery) throws(SearchFailure) {
        self.index = index
        self.query = query
        state = try index.searchable()
        reader = TermReader(index, state)
        try reader.readAhead(query.clauses.joined() + query.exclusions)
    }

    private mutating func hits(_ term: SearchTerm) throws(SearchFailure) -> TermHits {
        if let hits = known[term] { return hits }
        let hits = try reader.hits(term)
        known[term] = hits
        return hits
    }

    mutating func documents() throws(SearchFailure) -> [Int] {
        var result: [Int]?
        for clause in query.clauses {
            var found: [[Int]] = []
            for term in clause { found.append(try hits(term).documents) }
            let documents = found.count == 1 ? found[0] : SortedNumbers.union(found)
            result = result.map { SortedNumbers.intersection($0, documents) } ?? documents
            if result?.isEmpty ?? false { return [] }
        }
        guard let result else { return [] }
        if query.exclusions.isEmpty || result.isEmpty { return result }
        var excluded: [[Int]] = []
        for term in query.exclusions { excluded.append(try hits(term).documents) }
        return SortedNumbers.difference(result, SortedNumbers.union(excluded))
    }

    /// Adds the parts of the terms in their order.
    mutating func scores(of documents: [Int]) throws(SearchFailure) -> [Double] {
        let relevance = Relevance(state.statistics, weights: index.properties.map(\.weight), of: documents.count)
        var lengths: [SourceLengths] = []
        for segment in state.segments { lengths.append(try index.lengths(of: segment.header)) }
        lengths += state.pending.map(\.lengths)
        var scores = [Double](repeating: 0, count: documents.count)
        var frequencies = [Double](repeating: 0, count: documents.count)
        for term in query.positiveTerms {
            let hits = try hits(term)
            let rarity = relevance.rarity(hits.documents.count)
            for (property, postings) in hits.properties {
                Self.add(
                    postings, property: property, relevance: relevance, lengths: lengths, documents: documents,
                    frequencies: &frequencies)
            }
            Self.add(frequencies: &frequencies, rarity: rarity, hits: hits.documents, documents: documents, to: &scores)
        }
        return scores
    }

    /// Adds the parts of one term, and clears its frequencies. A rare term's documents alone are looked at.
    private static func add(
        frequencies: inout [Double], rarity: Double, hits: [Int], documents: [Int], to scores: inout [Double]
    ) {
        func add(_ place: Int) {
            guard frequencies[place] != 0 else { return }
            scores[place] += Relevance.part(rarity, frequencies[place])
            frequencies[place] = 0
        }
        if hits.count > documents.count / 8 {
            for place in documents.indices { add(place) }
            return
        }
        var place = 0
        for hit in hits {
            guard place < documents.count else { return }
            place = SortedNumbers.advance(documents, place, to: hit)
            if place < documents.count, documents[place] == hit { add(place) }
        }
    }

    private static func add(
        _ postings: Postings, property: Int, relevance: Relevance, lengths: [SourceLengths],
        documents: [Int], frequencies: inout [Double]
    ) {
        var (place, at, source) = (0, 0, 0)
        while place < documents.count, at < postings.documents.count {
            let document = documents[place]
            let other = postings.documents[at]
            if other < document {
                at = SortedNumbers.advance(postings.documents, at, to: document)
            } else if document < other {
                place = SortedNumbers.advance(documents, place, to: other)
            } else {
                while source + 1 < lengths.count, lengths[source + 1].first <= document { source += 1 }
                if let rank = lengths[source].rank(document) {
                    let length = Int(lengths[source].lengths[property][rank])
                    frequencies[place] += Double(postings.counts[at]) * relevance.factor(property, length: length)
                }
                place += 1
                at += 1
            }
        }
    }
}
