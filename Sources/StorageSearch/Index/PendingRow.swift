/// The additions and removals of one commit.
struct PendingRow: Sendable {
    let number: Int
    let first: Int
    let lengths: SourceLengths
    let keys: [[UInt8]]
    let removed: [Int]
    let terms: [(term: [UInt8], list: TermList)]
    let size: Int
    let words: [Int]
    /// A bit for the hash of each term. A search asks many rows for few terms, and most rows have none of them.
    private var filter: SIMD8<UInt64> = .zero

    var end: Int { first + (lengths.lengths.first?.count ?? 0) }

    init(number: Int, bytes: [UInt8], properties: Int) throws(SearchFailure) {
        var reader = ByteReader(bytes)
        guard try reader.number() == SegmentFormat.version, try reader.number() == properties else {
            throw .corrupt("A pending commit has another format.")
        }
        let first = try reader.number()
        let count = try reader.count()
        guard first >= 1, first <= 1 << 47 else { throw .corrupt("A document's number is too large.") }
        var lengths = [[UInt16]](repeating: [], count: properties)
        for _ in 0..<count {
            for property in 0..<properties {
                let length = try reader.number()
                guard length <= Relevance.longest else { throw .corrupt("A length is too large.") }
                lengths[property].append(UInt16(length))
            }
        }
        var keys: [[UInt8]] = []
        var key: [UInt8] = []
        for _ in 0..<count {
            try reader.key(after: &key)
            keys.append(key)
        }
        removed = try reader.ascending()
        var terms: [(term: [UInt8], list: TermList)] = []
        var term: [UInt8] = []
        while !reader.isAtEnd {
            try reader.term(after: &term)
            if let last = terms.last, !last.term.lexicographicallyPrecedes(term) {
                throw .corrupt("The terms of a commit do not ascend.")
            }
            terms.append((term, try TermList(&reader, base: first - 1) { _ in nil }))
            let bit = TermHash(term)
            filter[bit.word] |= bit.mask
        }
        self.number = number
        self.first = first
        self.keys = keys
        self.lengths = SourceLengths(first: first, numbers: nil, lengths: lengths)
        self.terms = terms
        size = bytes.count
        words = lengths.map { $0.reduce(0) { $0 + Int($1) } }
    }

    static func bytes(_ words: Accumulator, removed: [Int]) throws(SearchFailure) -> [UInt8] {
        var writer = ByteWriter()
        for value in [SegmentFormat.version, words.properties, words.first, words.documents] { writer.number(value) }
        for length in words.lengths { writer.number(Int(length)) }
        var last: [UInt8] = []
        for key in words.keys {
            writer.term(key[...], after: last)
            last = key
        }
        writer.ascending(removed)
        last = []
        try words.forEachTerm { term, list in
            writer.term(term, after: last)
            last = Array(term)
            writer.number(list.count)
            writer.number(list.documents.bytes.count << 1)
            writer.number(list.positions.bytes.count)
            writer.bytes += list.documents.bytes
            writer.bytes += list.positions.bytes
        }
        return writer.bytes
    }

    /// Returns false if the row certainly has no term of a hash.
    @inline(__always)
    func mayHave(_ hash: TermHash) -> Bool { filter[hash.word] & hash.mask != 0 }

    /// The list of a term. Most commits have one document, whose key is the last term.
    func list(of term: [UInt8]) -> TermList? {
        guard let last = terms.last, !last.term.lexicographicallyPrecedes(term) else { return nil }
        let place = place(of: term)
        return place < terms.count && terms[place].term == term ? terms[place].list : nil
    }

    /// The place of the first term that is not less than one.
    func place(of term: [UInt8]) -> Int {
        var (low, high) = (0, terms.count)
        while low < high {
            let middle = (low + high) / 2
            if terms[middle].term.lexicographicallyPrecedes(term) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The place of a term in the filters of pending commits.
struct TermHash {
    let word: Int
    let mask: UInt64

    init(_ term: [UInt8]) {
        var hash = FNV1a.hash(term)
        hash ^= hash >> 32
        word = Int(hash >> 6 & 7)
        mask = 1 << (hash & 63)
    }
}
