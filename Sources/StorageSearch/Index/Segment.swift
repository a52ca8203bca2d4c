/// A segment as it is searched: its row, its directory and its removals from earlier ones.
struct Segment: Sendable {
    let header: SegmentHeader
    /// The first term of each leaf, and the leaf's place.
    var directory: [(term: [UInt8], leaf: Int)] = []
    var removed: [Int] = []

    init<Storage: SearchStorage>(_ header: SegmentHeader, _ storage: Storage) throws(SearchFailure) {
        self.header = header
        var term: [UInt8] = []
        try Self.blocks(storage, header, area: .directory, count: header.directories) { bytes throws(SearchFailure) in
            var reader = ByteReader(bytes)
            term = []
            while !reader.isAtEnd {
                try reader.term(after: &term)
                let leaf = try reader.number()
                guard leaf < header.leaves else { throw .corrupt("A leaf does not exist.") }
                if let last = directory.last, !last.term.lexicographicallyPrecedes(term) || last.leaf >= leaf {
                    throw .corrupt("The terms of a directory do not ascend.")
                }
                directory.append((term, leaf))
            }
        }
        let bytes = try Self.joined(storage, header, area: .removed, count: header.removals)
        if !bytes.isEmpty {
            var reader = ByteReader(bytes)
            removed = try reader.ascending()
        }
    }

    static func blocks<Storage: SearchStorage>(
        _ storage: Storage, _ header: SegmentHeader, area: SegmentFormat.Area, count: Int,
        _ body: ([UInt8]) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        guard count > 0 else { return }
        var found = 0
        let first = SegmentFormat.block(header.number, area: area, index: 0)
        try storage.rows(.blocks, first...(first + count - 1)) { _, bytes throws(SearchFailure) in
            found += 1
            try body(bytes)
        }
        guard found == count else { throw .corrupt("Blocks of a segment are missing.") }
    }

    static func joined<Storage: SearchStorage>(
        _ storage: Storage, _ header: SegmentHeader, area: SegmentFormat.Area, count: Int
    ) throws(SearchFailure) -> [UInt8] {
        var all: [UInt8] = []
        try blocks(storage, header, area: area, count: count) { all += $0 }
        return all
    }

    /// The place in the directory of the leaf that may have a term.
    func leaf(of term: [UInt8]) -> Int {
        var (low, high) = (0, directory.count)
        while low < high {
            let middle = (low + high) / 2
            if term.lexicographicallyPrecedes(directory[middle].term) { high = middle } else { low = middle + 1 }
        }
        return max(low - 1, 0)
    }

    /// The block of the leaf that may have a term; nil if the segment does not have the term.
    func block(of term: [UInt8]) -> Int? {
        guard !directory.isEmpty, !header.greatest.lexicographicallyPrecedes(term) else { return nil }
        return SegmentFormat.block(header.number, area: .leaves, index: directory[leaf(of: term)].leaf)
    }

    func read(_ blocks: some BlockSource, leaf place: Int) throws(SearchFailure) -> ByteReader {
        try read(blocks, SegmentFormat.block(header.number, area: .leaves, index: directory[place].leaf))
    }

    private func read(_ blocks: some BlockSource, _ number: Int) throws(SearchFailure) -> ByteReader {
        guard let bytes = try blocks.block(number) else { throw .corrupt("A leaf is missing.") }
        return ByteReader(bytes)
    }

    /// Calls `body` for the terms from one on, until it says no.
    func forEachTerm(
        _ blocks: some BlockSource, from term: [UInt8],
        _ body: ([UInt8], TermList) throws(SearchFailure) -> Bool
    ) throws(SearchFailure) {
        var place = leaf(of: term)
        while place < directory.count {
            var reader = try read(blocks, leaf: place)
            var current: [UInt8] = []
            while !reader.isAtEnd {
                try reader.term(after: &current)
                let list = try list(&reader)
                if current.lexicographicallyPrecedes(term) { continue }
                guard try body(current, list) else { return }
            }
            place += 1
        }
    }

    /// The list of a term.
    ///
    /// A leaf's term is compared by the bytes it shares with the one before, so most are skipped by two numbers.
    func list(_ blocks: some BlockSource, of term: [UInt8]) throws(SearchFailure) -> TermList? {
        guard let block = block(of: term) else { return nil }
        var reader = try read(blocks, block)
        guard let place = try Self.list(of: term, in: reader.bytes) else { return nil }
        reader = ByteReader(reader.bytes, place..<reader.bytes.count)
        return try list(&reader)
    }

    /// The place of a term's list in a leaf.
    private static func list(of term: [UInt8], in leaf: [UInt8]) throws(SearchFailure) -> Int? {
        try leaf.withUnsafeBufferPointer { leaf throws(SearchFailure) in
            var reader = PointerReader(leaf, 0..<leaf.count)
            // The bytes that the term and the one before in the leaf, which is less, have in common.
            var common = 0
            while !reader.isAtEnd {
                let shared = try reader.number()
                let rest = try reader.range(try reader.number())
                if shared < common { return nil }
                if shared == common {
                    var at = rest.lowerBound
                    while at < rest.upperBound, common < term.count, leaf[at] == term[common] {
                        at += 1
                        common += 1
                    }
                    if common == term.count { return at == rest.upperBound ? reader.at : nil }
                    if at < rest.upperBound, leaf[at] > term[common] { return nil }
                }
                try skipList(&reader)
            }
            return nil
        }
    }

    @inline(__always)
    private static func skipList(_ reader: inout PointerReader) throws(SearchFailure) {
        _ = try reader.number()
        let size = try reader.number()
        if size & 1 == 0 {
            let positions = try reader.number()
            _ = try reader.range((size >> 1) + positions)
        } else {
            try reader.skip(try reader.number())
        }
    }

    func list(_ reader: inout ByteReader) throws(SearchFailure) -> TermList {
        try TermList(&reader, base: header.first - 1) { place in
            place < header.leaves ? SegmentFormat.block(header.number, area: .leaves, index: place) : nil
        }
    }
}

/// The lengths of the documents of a source.
struct SourceLengths: Sendable {
    let first: Int
    /// The documents, if they are not all of the range.
    var numbers: [Int]?
    /// By property.
    var lengths: [[UInt16]]

    init(first: Int, numbers: [Int]?, lengths: [[UInt16]]) {
        self.first = first
        self.numbers = numbers
        self.lengths = lengths
    }

    init<Storage: SearchStorage>(_ header: SegmentHeader, _ storage: Storage) throws(SearchFailure) {
        first = header.first
        let bytes = try Segment.joined(storage, header, area: .lengths, count: header.lengths)
        guard bytes.count == header.documents * header.words.count * 2 else {
            throw .corrupt("A segment has too few lengths.")
        }
        lengths = []
        for property in header.words.indices {
            let start = property * header.documents
            lengths.append(
                (start..<(start + header.documents)).map { UInt16(bytes[$0 * 2]) | UInt16(bytes[$0 * 2 + 1]) << 8 })
        }
        guard !header.isDense else { return }
        let offsets = try Segment.joined(storage, header, area: .documents, count: header.numbers)
        guard offsets.count == header.documents * 5 else { throw .corrupt("A segment has too few documents.") }
        var numbers: [Int] = []
        for index in 0..<header.documents {
            let offset = (0..<5).reduce(0) { $0 | Int(offsets[index * 5 + $1]) << ($1 * 8) }
            let number = header.first + offset
            guard number < header.end, numbers.last ?? 0 < number else { throw .corrupt("Documents do not ascend.") }
            numbers.append(number)
        }
        self.numbers = numbers
    }

    var documents: [Int] { numbers ?? Array(first..<(first + (lengths.first?.count ?? 0))) }

    /// The place of a document among the lengths, nil for one that is not here.
    @inline(__always)
    func rank(_ document: Int) -> Int? {
        if numbers == nil {
            let rank = document - first
            return rank >= 0 && rank < (lengths.first?.count ?? 0) ? rank : nil
        }
        return sparseRank(document)
    }

    private func sparseRank(_ document: Int) -> Int? {
        guard let numbers else { return nil }
        let place = SortedNumbers.place(numbers, of: document)
        return place < numbers.count && numbers[place] == document ? place : nil
    }
}
