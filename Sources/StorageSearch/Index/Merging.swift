/// The terms of a source, in order.
protocol TermSource {
    /// The next term, nil at the end.
    var term: [UInt8]? { get }
    /// The list of the next term.
    var list: TermList? { get }
    mutating func advance<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure)
}

/// A source that is merged, with what it removes.
struct MergeSource<Terms: TermSource> {
    var first: Int
    var end: Int
    var removed: [Int]
    var terms: Terms
}

/// Merges the terms of adjacent sources.
struct Merger<Terms: TermSource> {
    private var sources: [MergeSource<Terms>]
    private let base: Int
    /// What the sources remove: of themselves, and of earlier ones.
    private let inner: [Int]
    private let outer: [Int]
    private(set) var last: [UInt8] = []
    private var list = EncodedList()

    init(_ sources: [MergeSource<Terms>], base: Int) {
        self.sources = sources
        self.base = base
        let removed = sources.flatMap(\.removed).sorted()
        inner = removed.filter { $0 > base }
        outer = removed.filter { $0 <= base }
    }

    /// Merges the next term; false at the end.
    mutating func step<Storage: SearchStorage>(
        _ storage: Storage, into writer: inout SegmentWriter<Storage>
    ) throws(SearchFailure) -> Bool {
        var least: [UInt8]?
        for source in sources {
            guard let term = source.terms.term else { continue }
            if let known = least, !term.lexicographicallyPrecedes(known) { continue }
            least = term
        }
        guard let least else { return false }
        list.removeAll()
        var before = base
        for index in sources.indices where sources[index].terms.term == least {
            if let entry = sources[index].terms.list {
                for piece in entry.pieces { try append(try piece.read(storage), sources[index].end, &before) }
            }
            try sources[index].terms.advance(storage)
        }
        if list.count > 0 { try writer.add(least[...], list, base: base) }
        last = least
        return true
    }

    /// Adds a piece to the list, without what is removed.
    private mutating func append(
        _ piece: TermList.Piece, _ end: Int, _ before: inout Int
    ) throws(SearchFailure) {
        var documents = ByteReader(piece.bytes, piece.documents)
        var positions = ByteReader(piece.bytes, piece.positions)
        var document = piece.base
        while !documents.isAtEnd {
            let value = try documents.number()
            document += value >> 1
            let count = value & 1 == 1 ? 1 : try documents.number()
            guard value > 1, document > before, document < end, count > 0 else {
                throw .corrupt("A list has no such document.")
            }
            let start = positions.at
            try positions.skip(count)
            if !inner.isEmpty, inner.containsSorted(document) { continue }
            list.add(difference: document - before, count: count)
            list.positions.bytes += piece.bytes[start..<positions.at]
            before = document
        }
        guard positions.isAtEnd else { throw .corrupt("A list has more positions than documents.") }
    }

    /// The documents that remain of the sources.
    func content(
        _ lengths: [SourceLengths], first: Int, end: Int, lastPending: Int
    ) throws(SearchFailure) -> SegmentContent {
        var content = SegmentContent(
            first: first, end: end, numbers: [], lengths: [], removed: outer, lastPending: lastPending)
        for source in lengths {
            while content.lengths.count < source.lengths.count { content.lengths.append([]) }
            for (rank, document) in source.documents.enumerated() where !inner.containsSorted(document) {
                content.numbers.append(document)
                for property in source.lengths.indices {
                    content.lengths[property].append(source.lengths[property][rank])
                }
            }
        }
        return content
    }
}

/// The terms of a pending commit.
struct PendingTerms: TermSource {
    private let row: PendingRow
    private var at = 0

    init(_ row: PendingRow) { self.row = row }

    var term: [UInt8]? { at < row.terms.count ? row.terms[at].term : nil }
    var list: TermList? { at < row.terms.count ? row.terms[at].list : nil }

    mutating func advance<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure) { at += 1 }
}

/// The terms of a segment.
struct SegmentTerms: TermSource {
    private let segment: Segment
    private var place: Int
    private var reader: ByteReader?
    private(set) var term: [UInt8]?
    private(set) var list: TermList?

    /// The terms after one.
    init<Storage: SearchStorage>(
        _ segment: Segment, after term: [UInt8], _ storage: Storage
    ) throws(SearchFailure) {
        self.segment = segment
        place = segment.leaf(of: term)
        try advance(storage)
        while let next = self.term, !term.lexicographicallyPrecedes(next), !term.isEmpty { try advance(storage) }
    }

    mutating func advance<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure) {
        if reader?.isAtEnd ?? true {
            guard place < segment.directory.count else {
                (term, list) = (nil, nil)
                return
            }
            reader = try segment.read(storage, leaf: place)
            place += 1
            term = []
        }
        guard var reader else { return }
        var next = term ?? []
        try reader.term(after: &next)
        list = try segment.list(&reader)
        term = next
        self.reader = reader
    }
}

extension TermList.Piece {
    /// The piece with its bytes, which may be in a block of its own.
    func read<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure) -> TermList.Piece {
        guard let block else { return self }
        guard let bytes = try storage.row(.blocks, block) else { throw .corrupt("A chunk is missing.") }
        var reader = ByteReader(bytes)
        let documents = try reader.range(try reader.number())
        return TermList.Piece(
            block: nil, bytes: bytes, documents: documents, positions: documents.upperBound..<bytes.count, base: base)
    }
}

extension [Int] {
    /// Whether a number is among these, which ascend.
    func containsSorted(_ number: Int) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number
    }
}
