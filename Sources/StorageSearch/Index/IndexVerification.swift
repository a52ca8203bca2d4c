/// A difference between an index and the texts.
package enum SearchDifference: Hashable, Sendable {
    /// A record that is not indexed.
    case missing(key: [UInt8])
    /// A record whose words are not those of the index.
    case different(key: [UInt8])
    /// A document of no record that was checked.
    case surplus(document: Int)
}

/// Compares an index with the texts of all records.
///
/// Of each document there is a sum over its words, of a number made of the word, its property and its position. So the index is
/// read once and the records once, in any order, with some memory for each document. Lists, lengths and keys are checked for
/// themselves as they are read.
package struct SearchVerification<Storage: SearchStorage> {
    private let index: SearchIndex<Storage>
    private var sums: [Int: UInt64] = [:]
    private var lengths: [Int: [UInt16]] = [:]
    private var documents: [[UInt8]: Int] = [:]
    /// A hash of the term that each document's key must have, until the term is found.
    private var keyTerms: [Int: UInt64] = [:]
    package private(set) var differences: [SearchDifference] = []

    package init(_ index: SearchIndex<Storage>) throws(SearchFailure) {
        self.index = index
        let state = try index.searchable()
        var keys = try KeyReader(index)
        for segment in state.segments {
            let header = segment.header
            let removed = state.removed(in: header.first..<header.end)
            try note(try index.lengths(of: header), removed: removed, keys: &keys)
            try segment.forEachTerm(index.storage, from: []) { term, list throws(SearchFailure) in
                guard !header.greatest.lexicographicallyPrecedes(term) else {
                    throw .corrupt("A segment has a greater term than its row says.")
                }
                try add(term, list, end: header.end, removed: removed)
                return true
            }
        }
        for row in state.pending {
            let removed = state.removed(in: row.first..<row.end)
            try note(row.lengths, removed: removed, keys: &keys)
            for (term, list) in row.terms { try add(term, list, end: row.end, removed: removed) }
        }
        guard keyTerms.isEmpty else { throw .corrupt("A document cannot be found by its key.") }
    }

    private mutating func note(
        _ source: SourceLengths, removed: ArraySlice<Int>, keys: inout KeyReader<Storage>
    ) throws(SearchFailure) {
        let removed = Array(removed)
        for (rank, document) in source.documents.enumerated() where !SortedNumbers.contains(removed, document) {
            sums[document] = 0
            lengths[document] = source.lengths.map { $0[rank] }
            guard let key = try keys.key(of: document) else { throw .corrupt("A document has no key.") }
            guard documents.updateValue(document, forKey: key) == nil else {
                throw .corrupt("Two documents have one key.")
            }
            keyTerms[document] = Self.hash(KeyTerm.property, KeyTerm.bytes(key)[1...])
        }
    }

    private mutating func add(
        _ term: [UInt8], _ list: TermList, end: Int, removed: ArraySlice<Int>
    ) throws(SearchFailure) {
        guard let property = term.first, property == KeyTerm.property || property < index.properties.count else {
            throw .corrupt("A term has no property.")
        }
        let hash = Self.hash(property, term[1...])
        var postings = Postings()
        for place in list.pieces {
            try postings.add(
                try list.piece(place, index.storage), end: end, removed: removed, withPositions: true)
        }
        if property == KeyTerm.property {
            for document in postings.documents {
                guard keyTerms.removeValue(forKey: document) == hash else {
                    throw .corrupt("A document has another key than its term.")
                }
            }
            return
        }
        var next = 0
        for (document, count) in zip(postings.documents, postings.counts) {
            guard var sum = sums[document] else { throw .corrupt("A list has a document that has no length.") }
            for position in postings.positions[next..<(next + count)] { sum &+= Self.sum(hash, position) }
            sums[document] = sum
            next += count
        }
    }

    /// Compares a record with the document of its key.
    package mutating func check(_ document: SearchDocument) throws(SearchFailure) {
        guard let number = documents[document.key], let found = sums.removeValue(forKey: number)
        else {
            differences.append(.missing(key: document.key))
            return
        }
        var sum: UInt64 = 0
        var counts: [UInt16] = []
        for property in index.properties.indices {
            var position = 0
            var count = 0
            for text in property < document.texts.count ? document.texts[property] : [] {
                position = Analyzer.words.forEachWord(of: text, from: position) { word in
                    sum &+= Self.sum(Self.hash(UInt8(truncatingIfNeeded: property), word.bytes), word.position)
                    count += 1
                }
                position += SearchDocument.gap
            }
            counts.append(UInt16(min(count, Relevance.longest)))
        }
        if sum != found || counts != lengths[number] { differences.append(.different(key: document.key)) }
    }

    /// The differences, after the last record.
    package mutating func finish() -> [SearchDifference] {
        differences += sums.keys.sorted().map { .surplus(document: $0) }
        sums = [:]
        return differences
    }

    private static func hash(_ property: UInt8, _ word: some Sequence<UInt8>) -> UInt64 {
        FNV1a.hash(word, from: FNV1a.basis ^ UInt64(property))
    }

    private static func sum(_ hash: UInt64, _ position: Int) -> UInt64 {
        var value = hash &+ UInt64(truncatingIfNeeded: position) &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
