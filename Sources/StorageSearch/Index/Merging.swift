/// The terms of a source, in order.
protocol TermSource: AnyObject {
    /// The next term, nil at the end.
    var term: [UInt8]? { get }
    /// The list of the next term.
    var list: TermList? { get }
    func advance<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure)
}

/// A source that is merged, with its removals.
struct MergeSource<Terms: TermSource> {
    var first: Int
    var end: Int
    var removed: [Int]
    var terms: Terms
}

/// Merges the terms of adjacent sources.
struct Merger<Terms: TermSource> {
    private var sources: [MergeSource<Terms>]
    /// The first bytes of the next term of each source, which decide nearly always.
    private var keys: [UInt64]
    private let base: Int
    /// The removals by the sources: from themselves, and from earlier ones.
    private let inner: [Int]
    private let outer: [Int]
    private(set) var last: [UInt8] = []
    private var list = EncodedList()
    private var found: [Int] = []

    init(_ sources: [MergeSource<Terms>], base: Int) {
        self.sources = sources
        self.base = base
        keys = sources.map { Self.key($0.terms.term) }
        let removed = sources.flatMap(\.removed).sorted()
        inner = removed.filter { $0 > base }
        outer = removed.filter { $0 <= base }
    }

    private static func key(_ term: [UInt8]?) -> UInt64 {
        guard let term else { return .max }
        var key: UInt64 = 0
        for index in 0..<8 { key = key << 8 | (index < term.count ? UInt64(term[index]) : 0) }
        return key
    }

    /// Merges the next term; false at the end.
    mutating func step<Storage: SearchStorage>(
        _ storage: Storage, into writer: inout SegmentWriter<Storage>
    ) throws(SearchFailure) -> Bool {
        guard let least = next() else { return false }
        list.removeAll()
        var before = base
        for index in found {
            if let entry = sources[index].terms.list {
                var ahead: BlockReader<Storage>?
                if entry.pieces.count > 1, storage.waitsForServer {
                    ahead = BlockReader(storage)
                    try ahead?.readAhead(entry.pieces.compactMap(entry.block))
                }
                for place in entry.pieces {
                    let piece = if let ahead { try entry.piece(place, ahead) } else { try entry.piece(place, storage) }
                    if inner.isEmpty {
                        try splice(piece, end: sources[index].end, before: &before)
                    } else {
                        try append(piece, end: sources[index].end, before: &before)
                    }
                }
            }
            try sources[index].terms.advance(storage)
            keys[index] = Self.key(sources[index].terms.term)
        }
        if list.count > 0 { try writer.add(least[...], list, base: base) }
        last = least
        return true
    }

    /// The least next term, and in `found` the sources that have it.
    private mutating func next() -> [UInt8]? {
        found.removeAll(keepingCapacity: true)
        guard let key = keys.min(), key < .max else { return nil }
        var least: [UInt8] = []
        for index in keys.indices where keys[index] == key {
            guard let term = sources[index].terms.term else { continue }
            if !found.isEmpty, term != least {
                guard term.lexicographicallyPrecedes(least) else { continue }
                found.removeAll(keepingCapacity: true)
            }
            if found.isEmpty { least = term }
            found.append(index)
        }
        return found.isEmpty ? nil : least
    }

    /// Adds a piece to the list as it is, but for the difference of its first document.
    private mutating func splice(_ piece: TermList.Piece, end: Int, before: inout Int) throws(SearchFailure) {
        var documents = ByteReader(piece.bytes, piece.documents)
        var document = piece.base
        var occurrences = 0
        var start = documents.at
        var isFirst = true
        while !documents.isAtEnd {
            let value = try documents.number()
            document += value >> 1
            guard value > 1, document > before, document < end else {
                throw .corrupt("A list has no such document.")
            }
            if isFirst {
                list.documents.number((document - before) << 1 | value & 1)
                start = documents.at
                isFirst = false
            }
            let count = value & 1 == 1 ? 1 : try documents.number()
            guard count > 0, count <= piece.positions.count else { throw .corrupt("A list has too few positions.") }
            occurrences += count
            list.count += 1
        }
        guard !isFirst else { return }
        var numbers = 0
        for index in piece.positions where piece.bytes[index] < 128 { numbers += 1 }
        guard numbers == occurrences else { throw .corrupt("A list has more or fewer positions than documents.") }
        list.documents.bytes += piece.bytes[start..<documents.end]
        list.positions.bytes += piece.bytes[piece.positions]
        before = document
    }

    /// Adds a piece to the list, without removed documents.
    private mutating func append(_ piece: TermList.Piece, end: Int, before: inout Int) throws(SearchFailure) {
        var documents = ByteReader(piece.bytes, piece.documents)
        var positions = ByteReader(piece.bytes, piece.positions)
        var document = piece.base
        while !documents.isAtEnd {
            let value = try documents.number()
            document += value >> 1
            let count = value & 1 == 1 ? 1 : try documents.number()
            guard value > 1, document > before, document < end, count > 0, count <= piece.positions.count else {
                throw .corrupt("A list has no such document.")
            }
            let start = positions.at
            try positions.skip(count)
            if SortedNumbers.contains(inner, document) { continue }
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
            for (rank, document) in source.documents.enumerated() where !SortedNumbers.contains(inner, document) {
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
final class PendingTerms: TermSource {
    private let row: PendingRow
    private var at = 0

    init(_ row: PendingRow) { self.row = row }

    var term: [UInt8]? { at < row.terms.count ? row.terms[at].term : nil }
    var list: TermList? { at < row.terms.count ? row.terms[at].list : nil }

    func advance<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure) { at += 1 }
}

/// The terms of a segment.
final class SegmentTerms: TermSource {
    private let segment: Segment
    private var place: Int
    private var reader: ByteReader?
    private(set) var term: [UInt8]?
    private(set) var list: TermList?
    /// The next leaves, if a server has given several at once.
    private var ahead: [Int: [UInt8]] = [:]
    /// The number of leaves that are read at once.
    private static let leavesAhead = 16

    /// The terms after one.
    init<Storage: SearchStorage>(
        _ segment: Segment, after term: [UInt8], _ storage: Storage
    ) throws(SearchFailure) {
        self.segment = segment
        place = segment.leaf(of: term)
        try advance(storage)
        while let next = self.term, !term.lexicographicallyPrecedes(next), !term.isEmpty { try advance(storage) }
    }

    func advance<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure) {
        if reader?.isAtEnd ?? true {
            guard place < segment.directory.count else {
                (term, list) = (nil, nil)
                return
            }
            reader = try leaf(storage)
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

    private func leaf<Storage: SearchStorage>(_ storage: Storage) throws(SearchFailure) -> ByteReader {
        guard storage.waitsForServer else { return try segment.read(storage, leaf: place) }
        func number(_ leaf: Int) -> Int { SegmentFormat.block(segment.header.number, area: .leaves, index: leaf) }
        let wanted = number(segment.directory[place].leaf)
        if ahead[wanted] == nil {
            let leaves = segment.directory[place...].prefix(Self.leavesAhead).map { number($0.leaf) }
            ahead = [:]
            for (number, bytes) in try storage.rows(.blocks, leaves) { ahead[number] = bytes }
        }
        guard let bytes = ahead[wanted] else { throw .corrupt("A leaf is missing.") }
        return ByteReader(bytes)
    }
}
