/// Writes the keys of a segment's documents, in the order of the documents.
struct KeyWriter<Storage: SearchStorage> {
    let storage: Storage
    let segment: Int
    private(set) var state: SuspendedKeys
    private var block = ByteWriter()
    private var last: [UInt8] = []
    private var count = 0

    /// Continues with the keys that a suspended segment has.
    init(_ storage: Storage, segment: Int, _ state: SuspendedKeys) {
        (self.storage, self.segment, self.state) = (storage, segment, state)
    }

    /// Adds the key of the next document.
    mutating func add(_ key: [UInt8]) throws(SearchFailure) {
        let size = block.bytes.count + key.count + 4
        if count > 0, size > SegmentFormat.keyBlockSize { try endBlock() }
        block.term(key[...], after: last)
        last = key
        count += 1
    }

    private mutating func endBlock() throws(SearchFailure) {
        guard count > 0 else { return }
        try storage.put(.blocks, SegmentFormat.block(segment, area: .keys, index: state.blocks), bytes: block.bytes)
        state.blocks += 1
        var map = ByteWriter(bytes: state.map)
        map.number(count)
        state.map = map.bytes
        if state.map.count >= SegmentFormat.blockSize { try endMap() }
        block.bytes.removeAll(keepingCapacity: true)
        (last, count) = ([], 0)
    }

    private mutating func endMap() throws(SearchFailure) {
        guard !state.map.isEmpty else { return }
        try storage.put(.blocks, SegmentFormat.block(segment, area: .keyMap, index: state.maps), bytes: state.map)
        state.maps += 1
        state.map = []
    }

    /// Ends the block that is being written, and returns the state to continue from.
    mutating func suspend() throws(SearchFailure) -> SuspendedKeys {
        try endBlock()
        return state
    }

    /// Writes what remains.
    mutating func finish() throws(SearchFailure) {
        try endBlock()
        try endMap()
    }
}

/// The keys of a segment of which a part is written.
struct SuspendedKeys: Equatable {
    var blocks = 0
    var maps = 0
    /// The part of the map that is not in a block.
    var map: [UInt8] = []
}

/// The place of each document's key in the blocks of a segment.
struct KeyMap: Sendable {
    /// The number of documents before each block, and at the end that of all.
    private let firsts: [Int]

    init<Storage: SearchStorage>(_ header: SegmentHeader, _ storage: Storage) throws(SearchFailure) {
        var reader = ByteReader(try Segment.joined(storage, header, area: .keyMap, count: header.keyMaps))
        var firsts = [0]
        while !reader.isAtEnd {
            let count = try reader.number()
            guard count > 0, count <= header.documents - (firsts.last ?? 0) else {
                throw .corrupt("A segment has more keys than documents.")
            }
            firsts.append((firsts.last ?? 0) + count)
        }
        guard firsts.last == header.documents, firsts.count - 1 == header.keys else {
            throw .corrupt("A segment has fewer keys than documents.")
        }
        self.firsts = firsts
    }

    /// The block with the key of the document that so many others precede, and the number of documents before the block.
    func block(of rank: Int) -> (block: Int, first: Int) {
        let block = SortedNumbers.place(firsts, of: rank + 1) - 1
        return (block, firsts[block])
    }
}

/// Reads the keys of documents. Fastest where documents ascend, since a block is then read once.
struct KeyReader<Storage: SearchStorage> {
    private let index: SearchIndex<Storage>
    private let state: IndexState
    private var source: (segment: Segment, lengths: SourceLengths?, map: KeyMap)?
    private var block: (number: Int, first: Int, keys: KeyBlock)?
    private let blocks: BlockReader<Storage>

    init(_ index: SearchIndex<Storage>) throws(SearchFailure) {
        self.index = index
        state = try index.state()
        blocks = BlockReader(index.storage)
    }

    /// The key of a document that a segment or a commit has, removed or not.
    mutating func key(of document: Int) throws(SearchFailure) -> [UInt8]? {
        if let first = state.pending.first, first.first <= document {
            guard let row = state.pending.last(where: { $0.first <= document && document < $0.end }) else { return nil }
            return row.keys[document - row.first]
        }
        guard let (number, first, rank) = try place(of: document) else { return nil }
        if block?.number != number {
            guard let bytes = try blocks.block(number) else { throw .corrupt("Keys of a segment are missing.") }
            block = (number, first, KeyBlock(bytes))
        }
        return try block?.keys.key(at: rank - first)
    }

    /// Reads the blocks with the keys of documents, ascending, at once.
    mutating func readAhead(_ documents: some Sequence<Int>) throws(SearchFailure) {
        var numbers: [Int] = []
        for document in documents {
            guard let number = try place(of: document)?.block else { continue }
            if number != numbers.last, number != block?.number { numbers.append(number) }
        }
        try blocks.readAhead(numbers)
    }

    /// The block with the key of a segment's document, the number of documents of the segment before the block, and that of the
    /// documents before this one.
    private mutating func place(of document: Int) throws(SearchFailure) -> (block: Int, first: Int, rank: Int)? {
        let isOpen = source.map { $0.segment.header.first <= document && document < $0.segment.header.end }
        if isOpen != true {
            guard let found = state.segments.last(where: { $0.header.first <= document && document < $0.header.end })
            else { return nil }
            let header = found.header
            source = (found, header.isDense ? nil : try index.lengths(of: header), try index.keyMap(of: header))
        }
        guard let source else { return nil }
        let rank = source.lengths.map { $0.rank(document) } ?? document - source.segment.header.first
        guard let rank else { return nil }
        let (block, first) = source.map.block(of: rank)
        return (SegmentFormat.block(source.segment.header.number, area: .keys, index: block), first, rank)
    }
}

/// A block of keys, each of which shares its beginning with the one before. Fastest where keys are asked for in their order.
private struct KeyBlock {
    private let bytes: [UInt8]
    /// The place of the next key.
    private var at = 0
    /// The key that was read last, in the first bytes.
    private var key: [UInt8]
    private var count = 0
    /// The number of keys that were read.
    private var read = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Each byte of a key is one of the block.
        key = [UInt8](repeating: 0, count: bytes.count)
    }

    mutating func key(at wanted: Int) throws(SearchFailure) -> [UInt8] {
        if wanted < read - 1 { (at, count, read) = (0, 0, 0) }
        try bytes.withUnsafeBufferPointer { bytes throws(SearchFailure) in
            try key.withUnsafeMutableBufferPointer { key throws(SearchFailure) in
                var reader = PointerReader(bytes, at..<bytes.count)
                while read <= wanted {
                    let shared = try reader.number()
                    let rest = try reader.range(try reader.number())
                    guard shared <= count, shared + rest.count <= key.count else {
                        throw .corrupt("A key shares more than there is.")
                    }
                    for (offset, place) in rest.enumerated() { key[shared + offset] = bytes[place] }
                    count = shared + rest.count
                    read += 1
                }
                at = reader.at
            }
        }
        return Array(key[..<count])
    }
}

extension SearchIndex {
    /// The keys of documents, in the order of these.
    package func keys(of documents: [Int]) throws(SearchFailure) -> [[UInt8]] {
        var keys = [[UInt8]](repeating: [], count: documents.count)
        var reader = try KeyReader(self)
        var order = Array(documents.indices)
        if !zip(documents, documents.dropFirst()).allSatisfy(<) {
            order.sort { documents[$0] < documents[$1] }
        }
        // Each document may have its key in a separate block.
        let most = BlockReader<Storage>.most
        for start in stride(from: 0, to: order.count, by: most) {
            let part = order[start..<min(start + most, order.count)]
            try reader.readAhead(part.lazy.map { documents[$0] })
            for place in part {
                guard let key = try reader.key(of: documents[place]) else { throw .corrupt("A document has no key.") }
                keys[place] = key
            }
        }
        return keys
    }

    /// The document of a record; nil if the index has none.
    package func document(of key: [UInt8]) throws(SearchFailure) -> Int? {
        let state = try state()
        let term = KeyTerm.bytes(key)
        // The latest of the documents that the record had; those before it are removed.
        for row in state.pending.reversed() {
            guard let list = row.list(of: term), let document = try latest(list, end: row.end, key: key) else {
                continue
            }
            return state.isRemoved(document) ? nil : document
        }
        return try document(of: key, as: term, in: Self.likely(state.segments), by: storage, at: state)
    }

    /// The segments in the order in which they are likely to have a record.
    private static func likely(_ segments: [Segment]) -> [Segment] {
        segments.sorted { $0.header.documents > $1.header.documents }
    }

    /// The document of a record in some segments. One at most is not removed, so their order does not matter.
    private func document(
        of key: [UInt8], as term: [UInt8], in segments: some Sequence<Segment>, by blocks: some BlockSource,
        at state: IndexState
    ) throws(SearchFailure) -> Int? {
        for segment in segments {
            guard let list = try segment.list(blocks, of: term),
                let document = try latest(list, end: segment.header.end, key: key)
            else { continue }
            if !state.isRemoved(document) { return document }
        }
        return nil
    }

    /// The documents of records that have one, by key, from as few questions as ``document(of:)`` has for one record.
    func documents(of keys: [[UInt8]]) throws(SearchFailure) -> [[UInt8]: Int] {
        let state = try state()
        var found: [[UInt8]: Int] = [:]
        var left: [(key: [UInt8], term: [UInt8])] = []
        for key in keys {
            let term = KeyTerm.bytes(key)
            if state.pending.contains(where: { $0.list(of: term) != nil }) {
                found[key] = try document(of: key)
            } else {
                left.append((key, term))
            }
        }
        let segments = Self.likely(state.segments)
        let blocks = BlockReader(storage)
        for part in [segments.prefix(1), segments.dropFirst()] where !left.isEmpty && !part.isEmpty {
            let numbers = Set(left.flatMap { key in part.compactMap { $0.block(of: key.term) } })
            try blocks.readAhead(numbers.sorted(), most: 4 * BlockReader<Storage>.most)
            var rest: [(key: [UInt8], term: [UInt8])] = []
            for (key, term) in left {
                if let document = try document(of: key, as: term, in: part, by: blocks, at: state) {
                    found[key] = document
                } else {
                    rest.append((key, term))
                }
            }
            left = rest
        }
        return found
    }

    private func latest(_ list: TermList, end: Int, key: [UInt8]) throws(SearchFailure) -> Int? {
        var postings = Postings()
        for piece in list.pieces { try postings.add(try list.piece(piece, storage), end: end, removed: []) }
        if !KeyTerm.isShared(key) { return postings.documents.last }
        var reader = try KeyReader(self)
        for document in postings.documents.reversed() {
            if try reader.key(of: document) == key { return document }
        }
        return nil
    }

    func keyMap(of header: SegmentHeader) throws(SearchFailure) -> KeyMap {
        if let map = cache.keyMaps[header.number] { return map }
        let map = try KeyMap(header, storage)
        cache.keyMaps[header.number] = map
        return map
    }
}
