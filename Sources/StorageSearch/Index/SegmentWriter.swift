/// Writes the blocks of a segment, term by term in ascending order.
struct SegmentWriter<Storage: SearchStorage> {
    let storage: Storage
    let number: Int
    private(set) var leaves: Int
    private(set) var directories: Int
    private var leaf = ByteWriter()
    private var leafTerm: [UInt8] = []
    private var last: [UInt8] = []
    /// The current entry of a term, which is kept for its memory.
    private var entry = ByteWriter()
    private var directory: ByteWriter
    private var directoryTerm: [UInt8]
    private var greatest: [UInt8]
    private var keys: KeyWriter<Storage>

    init(_ storage: Storage, number: Int) {
        self.storage = storage
        self.number = number
        (leaves, directories, directory, directoryTerm) = (0, 0, ByteWriter(), [])
        greatest = []
        keys = KeyWriter(storage, segment: number, SuspendedKeys())
    }

    /// The number of blocks with terms and keys.
    var blocks: Int { leaves + keys.state.blocks }

    /// Goes on with a segment that was suspended.
    init(_ storage: Storage, _ state: SuspendedSegment) {
        self.storage = storage
        number = state.number
        leaves = state.leaves
        directories = state.directories
        directory = ByteWriter(bytes: state.directory)
        directoryTerm = state.directoryTerm
        greatest = state.greatest
        keys = KeyWriter(storage, segment: state.number, state.keys)
    }

    /// Ends the leaf that is being written, and returns the state to continue from.
    mutating func suspend() throws(SearchFailure) -> SuspendedSegment {
        try endLeaf()
        return SuspendedSegment(
            number: number, leaves: leaves, directories: directories, directory: directory.bytes,
            directoryTerm: directoryTerm, greatest: greatest, keys: try keys.suspend())
    }

    /// Adds a term, whose documents begin after `base`.
    mutating func add(_ term: ArraySlice<UInt8>, _ list: EncodedList, base: Int) throws(SearchFailure) {
        entry.bytes.removeAll(keepingCapacity: true)
        entry.number(list.count)
        let size = list.documents.bytes.count + list.positions.bytes.count
        if size > SegmentFormat.longList {
            try endLeaf()
            try chunks(list)
        } else {
            entry.number(list.documents.bytes.count << 1)
            entry.number(list.positions.bytes.count)
            entry.bytes += list.documents.bytes
            entry.bytes += list.positions.bytes
        }
        if !leaf.bytes.isEmpty, leaf.bytes.count + entry.bytes.count + term.count + 4 > SegmentFormat.blockSize {
            try endLeaf()
        }
        if leaf.bytes.isEmpty {
            leafTerm = Array(term)
            last = []
        }
        leaf.term(term, after: last)
        last.removeAll(keepingCapacity: true)
        last += term
        leaf.bytes += entry.bytes
        // The differences of a very long list's chunks may make a leaf longer than a block, so it is one of its own.
        if leaf.bytes.count >= SegmentFormat.blockSize { try endLeaf() }
    }

    private mutating func chunks(_ list: EncodedList) throws(SearchFailure) {
        var documents = ByteReader(list.documents.bytes)
        var positions = ByteReader(list.positions.bytes)
        var skips: [Int] = []
        let first = leaves
        while !documents.isAtEnd {
            let (documentStart, positionStart) = (documents.at, positions.at)
            var difference = 0
            while !documents.isAtEnd,
                documents.at - documentStart + positions.at - positionStart < SegmentFormat.blockSize - 200
            {
                let (before, beforePositions) = (documents, positions)
                let value = try documents.number()
                let count = value & 1 == 1 ? 1 : try documents.number()
                try positions.skip(count)
                let size = documents.at - documentStart + positions.at - positionStart
                if size > SegmentFormat.blockSize - 8, before.at > documentStart {
                    (documents, positions) = (before, beforePositions)
                    break
                }
                difference += value >> 1
            }
            var chunk = ByteWriter()
            chunk.number(documents.at - documentStart)
            chunk.bytes += list.documents.bytes[documentStart..<documents.at]
            chunk.bytes += list.positions.bytes[positionStart..<positions.at]
            try put(chunk.bytes)
            skips.append(difference)
        }
        entry.number(first << 1 | 1)
        entry.numbers(skips)
    }

    private mutating func put(_ bytes: [UInt8]) throws(SearchFailure) {
        try storage.put(.blocks, SegmentFormat.block(number, area: .leaves, index: leaves), bytes: bytes)
        leaves += 1
    }

    private mutating func endLeaf() throws(SearchFailure) {
        guard !leaf.bytes.isEmpty else { return }
        greatest = last
        if directory.bytes.count > SegmentFormat.blockSize - 160 { try endDirectory() }
        directory.term(leafTerm[...], after: directoryTerm)
        directory.number(leaves)
        directoryTerm = leafTerm
        try put(leaf.bytes)
        leaf.bytes.removeAll(keepingCapacity: true)
        last = []
    }

    private mutating func endDirectory() throws(SearchFailure) {
        guard !directory.bytes.isEmpty else { return }
        try storage.put(
            .blocks, SegmentFormat.block(number, area: .directory, index: directories), bytes: directory.bytes)
        directories += 1
        directory = ByteWriter()
        directoryTerm = []
    }

    /// Adds the key of the next document, after the last term.
    mutating func add(key: [UInt8]) throws(SearchFailure) { try keys.add(key) }

    /// Writes what remains, and the row of the segment.
    mutating func finish(_ content: SegmentContent) throws(SearchFailure) -> SegmentHeader {
        try endLeaf()
        try endDirectory()
        try keys.finish()
        var header = SegmentHeader(
            number: number, first: content.first, end: content.end, documents: content.numbers.count,
            words: content.words, lastPending: content.lastPending, greatest: greatest, leaves: leaves,
            keys: keys.state.blocks, keyMaps: keys.state.maps, directories: directories)
        var lengths = ByteWriter()
        for property in content.lengths {
            for length in property {
                lengths.bytes.append(UInt8(truncatingIfNeeded: length))
                lengths.bytes.append(UInt8(truncatingIfNeeded: length >> 8))
            }
        }
        header.lengths = try put(lengths.bytes, .lengths)
        if !header.isDense {
            var numbers = ByteWriter()
            for number in content.numbers {
                for shift in stride(from: 0, to: 40, by: 8) {
                    numbers.bytes.append(UInt8(truncatingIfNeeded: (number - content.first) >> shift))
                }
            }
            header.numbers = try put(numbers.bytes, .documents)
        }
        var removals = ByteWriter()
        if !content.removed.isEmpty { removals.ascending(content.removed) }
        header.removals = try put(removals.bytes, .removed)
        try storage.put(.segments, number, bytes: header.bytes)
        return header
    }

    private func put(_ bytes: [UInt8], _ area: SegmentFormat.Area) throws(SearchFailure) -> Int {
        var place = 0
        var at = 0
        while at < bytes.count {
            let end = min(at + SegmentFormat.blockSize, bytes.count)
            try storage.put(
                .blocks, SegmentFormat.block(number, area: area, index: place), bytes: Array(bytes[at..<end]))
            place += 1
            at = end
        }
        return place
    }
}

/// The content of a segment besides its terms.
struct SegmentContent {
    var first: Int
    var end: Int
    /// The documents, and by property their lengths.
    var numbers: [Int]
    var lengths: [[UInt16]]
    /// Documents that are removed from earlier segments.
    var removed: [Int]
    var lastPending: Int

    var words: [Int] { lengths.map { $0.reduce(0) { $0 + Int($1) } } }
}

/// A segment of which a part is written.
struct SuspendedSegment: Equatable {
    var number: Int
    var leaves: Int
    var directories: Int
    var directory: [UInt8]
    var directoryTerm: [UInt8]
    /// The greatest term that is written.
    var greatest: [UInt8] = []
    var keys = SuspendedKeys()

    var blocks: Int { leaves + keys.blocks }
}
