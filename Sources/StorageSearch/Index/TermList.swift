/// The documents and positions of a term in one source: in the bytes where the term is, or in chunks.
struct TermList {
    /// A part that is decoded apart.
    struct Piece {
        var bytes: [UInt8]
        var documents: Range<Int>
        var positions: Range<Int>
        /// The number before its first document.
        var base: Int
    }

    /// The block of a chunk, and the number before its first document.
    struct Chunk {
        var block: Int
        var base: Int
    }

    var count: Int
    private var piece: Piece
    private(set) var chunks: [Chunk] = []

    /// Reads what follows a term in a leaf or a row of `pending`. `block` gives the number of a chunk's block.
    init(_ reader: inout ByteReader, base: Int, block: (Int) -> Int?) throws(SearchFailure) {
        count = try reader.number()
        let size = try reader.number()
        piece = Piece(bytes: [], documents: 0..<0, positions: 0..<0, base: base)
        if size & 1 == 0 {
            let positions = try reader.number()
            piece.documents = try reader.range(size >> 1)
            piece.positions = try reader.range(positions)
            piece.bytes = reader.bytes
        } else {
            var (place, before) = (size >> 1, base)
            for difference in try reader.numbers() {
                guard let number = block(place), difference >= 1 else { throw .corrupt("A chunk does not exist.") }
                chunks.append(Chunk(block: number, base: before))
                place += 1
                before += difference
                guard before < ByteReader.greatest else { throw .corrupt("A list is too long.") }
            }
        }
    }

    /// The number of pieces.
    var pieces: Range<Int> { 0..<(chunks.isEmpty ? 1 : chunks.count) }

    /// The number before the first document of a piece.
    func base(_ index: Int) -> Int { chunks.isEmpty ? piece.base : chunks[index].base }

    /// The block of a piece that is a chunk.
    func block(_ index: Int) -> Int? { chunks.isEmpty ? nil : chunks[index].block }

    /// A piece, which is read from its block if it is a chunk.
    func piece(_ index: Int, _ blocks: some BlockSource) throws(SearchFailure) -> Piece {
        if chunks.isEmpty { return piece }
        guard let bytes = try blocks.block(chunks[index].block) else { throw .corrupt("A chunk is missing.") }
        var reader = ByteReader(bytes)
        let documents = try reader.range(try reader.number())
        return Piece(
            bytes: bytes, documents: documents, positions: documents.upperBound..<bytes.count, base: chunks[index].base)
    }
}

/// Decoded documents of a term, with the occurrences of each and, on demand, their positions.
struct Postings {
    var documents: [Int] = []
    var counts: [Int] = []
    /// The positions in all documents, those of one document after those of the one before.
    var positions: [Int] = []

    /// The start of each document's positions.
    var starts: [Int] {
        var next = 0
        return counts.map { count in
            defer { next += count }
            return next
        }
    }

    /// Adds a piece. Documents are greater than those before and less than `end`.
    ///
    /// - Parameters:
    ///   - removed: Documents to be left out, ascending.
    ///   - withPositions: Whether positions are read, which the documents before must have as well.
    mutating func add(
        _ piece: TermList.Piece, end: Int, removed: ArraySlice<Int>, withPositions: Bool = false
    ) throws(SearchFailure) {
        // Each document and each position takes at least one byte, so that the arrays have room for all of a piece. Elements
        // are not appended one by one, which would take longer than to decode them.
        let (start, first) = (documents.count, positions.count)
        let most = piece.documents.count
        let maximumPositions = withPositions ? piece.positions.count : 0
        documents += repeatElement(0, count: most)
        counts += repeatElement(0, count: most)
        positions += repeatElement(0, count: maximumPositions)
        var (added, addedPositions) = (0, 0)
        defer {
            documents.removeLast(most - added)
            counts.removeLast(most - added)
            positions.removeLast(maximumPositions - addedPositions)
        }
        try documents.withUnsafeMutableBufferPointer { documents throws(SearchFailure) in
            try counts.withUnsafeMutableBufferPointer { counts throws(SearchFailure) in
                try positions.withUnsafeMutableBufferPointer { positions throws(SearchFailure) in
                    try piece.read(end: end) { reader throws(SearchFailure) in
                        var removal = removed.startIndex
                        while try reader.next() {
                            while removal < removed.endIndex, removed[removal] < reader.document { removal += 1 }
                            if removal < removed.endIndex, removed[removal] == reader.document { continue }
                            documents[start + added] = reader.document
                            counts[start + added] = reader.count
                            added += 1
                            guard withPositions else { continue }
                            try reader.readPositions { position in
                                positions[first + addedPositions] = position
                                addedPositions += 1
                            }
                        }
                        if withPositions { try reader.checkEnd() }
                    }
                }
            }
        }
    }

    /// Adds the documents of a piece that are among candidates, ascending, with their positions.
    mutating func add(_ piece: TermList.Piece, end: Int, among candidates: [Int]) throws(SearchFailure) {
        try piece.read(end: end) { reader throws(SearchFailure) in
            try reader.forEach(of: candidates, after: piece.base) { _, reader throws(SearchFailure) in
                documents.append(reader.document)
                counts.append(reader.count)
                try reader.readPositions { positions.append($0) }
            }
        }
    }

    /// Adds the starts of a phrase whose next word a piece has, `offset` words behind its start.
    ///
    /// - Parameter starts: those of the phrase.
    mutating func follow(
        _ phrase: Postings, starts: [Int], piece: TermList.Piece, end: Int, offset: Int
    ) throws(SearchFailure) {
        try piece.read(end: end) { reader throws(SearchFailure) in
            try reader.forEach(of: phrase.documents, after: piece.base) { place, reader throws(SearchFailure) in
                let first = positions.count
                var at = starts[place]
                let last = at + phrase.counts[place]
                try reader.readPositions { position in
                    let start = position - offset
                    while at < last, phrase.positions[at] < start { at += 1 }
                    if at < last, phrase.positions[at] == start { positions.append(start) }
                }
                guard positions.count > first else { return }
                documents.append(reader.document)
                counts.append(positions.count - first)
            }
        }
    }
}
