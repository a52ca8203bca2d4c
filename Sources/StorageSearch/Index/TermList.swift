/// The documents and positions of a term in one source: in the bytes where the term is, or in chunks.
struct TermList {
    /// A part that is decoded apart.
    struct Piece {
        var bytes: [UInt8]
        var documents: Range<Int>
        var positions: Range<Int>
        /// The number before its first document.
        var base: Int

        /// Reads the next document, and returns its number of occurrences.
        ///
        /// - Parameter end: the number that all documents are less than.
        @inline(__always)
        func next(_ reader: inout ByteReader, _ document: inout Int, end: Int) throws(SearchFailure) -> Int {
            let value = try reader.number()
            document += value >> 1
            let count = value & 1 == 1 ? 1 : try reader.number()
            guard value > 1, document < end, count > 0, count <= positions.count else {
                throw .corrupt("A list has no such document.")
            }
            return count
        }
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
    /// The start of each document's positions; the last one is the end.
    var starts: [Int] = []
    var positions: [Int] = []

    /// Adds a piece. Documents are greater than those before and less than `end`.
    ///
    /// - Parameter removed: Documents to be left out, ascending.
    mutating func add(_ piece: TermList.Piece, end: Int, removed: ArraySlice<Int>) throws(SearchFailure) {
        let start = documents.count
        let most = piece.documents.count
        documents += repeatElement(0, count: most)
        counts += repeatElement(0, count: most)
        var added = 0
        defer {
            documents.removeLast(most - added)
            counts.removeLast(most - added)
        }
        // Both arrays have `start + most` elements. Each document takes at least one byte of the piece's `most`, so
        // `start + added` is always one of their indices.
        try documents.withUnsafeMutableBufferPointer { documents throws(SearchFailure) in
            try counts.withUnsafeMutableBufferPointer { counts throws(SearchFailure) in
                var reader = ByteReader(piece.bytes, piece.documents)
                var document = piece.base
                var removal = removed.startIndex
                while !reader.isAtEnd {
                    let count = try piece.next(&reader, &document, end: end)
                    while removal < removed.endIndex, removed[removal] < document { removal += 1 }
                    if removal < removed.endIndex, removed[removal] == document { continue }
                    documents[start + added] = document
                    counts[start + added] = count
                    added += 1
                }
            }
        }
    }

    /// Adds the documents of a piece with their positions.
    ///
    /// - Parameters:
    ///   - removed: Documents to be left out, ascending.
    ///   - candidates: The documents that are asked for, ascending, or nil for all.
    mutating func add(
        _ piece: TermList.Piece, end: Int, removed: ArraySlice<Int>, among candidates: [Int]?
    ) throws(SearchFailure) {
        var reader = ByteReader(piece.bytes, piece.documents)
        var places = ByteReader(piece.bytes, piece.positions)
        var document = piece.base
        var candidate = candidates.map { SortedNumbers.place($0, of: piece.base + 1) } ?? 0
        var removal = removed.startIndex
        var skipped = 0
        while !reader.isAtEnd {
            let count = try piece.next(&reader, &document, end: end)
            var isWanted = true
            if let candidates {
                while candidate < candidates.count, candidates[candidate] < document { candidate += 1 }
                guard candidate < candidates.count else { return }
                isWanted = candidates[candidate] == document
            }
            while removal < removed.endIndex, removed[removal] < document { removal += 1 }
            if removal < removed.endIndex, removed[removal] == document { isWanted = false }
            guard isWanted else {
                skipped += count
                continue
            }
            try places.skip(skipped)
            skipped = 0
            documents.append(document)
            counts.append(count)
            starts.append(positions.count)
            var position = 0
            for _ in 0..<count {
                position += try places.number()
                guard position < 1 << 40 else { throw .corrupt("A position is too large.") }
                positions.append(position)
            }
        }
        try places.skip(skipped)
        guard places.isAtEnd else { throw .corrupt("A list has more positions than documents.") }
    }

    /// Adds the starts of a phrase whose next word a piece has, `offset` words behind its start.
    mutating func follow(
        _ phrase: Postings, _ piece: TermList.Piece, end: Int, offset: Int
    ) throws(SearchFailure) {
        var reader = ByteReader(piece.bytes, piece.documents)
        var places = ByteReader(piece.bytes, piece.positions)
        var document = piece.base
        var place = SortedNumbers.place(phrase.documents, of: piece.base + 1)
        var skipped = 0
        while !reader.isAtEnd {
            let count = try piece.next(&reader, &document, end: end)
            while place < phrase.documents.count, phrase.documents[place] < document { place += 1 }
            guard place < phrase.documents.count else { return }
            guard phrase.documents[place] == document else {
                skipped += count
                continue
            }
            try places.skip(skipped)
            skipped = 0
            let first = positions.count
            var at = phrase.starts[place]
            let last = at + phrase.counts[place]
            var position = 0
            for _ in 0..<count {
                position += try places.number()
                guard position < 1 << 40 else { throw .corrupt("A position is too large.") }
                let start = position - offset
                while at < last, phrase.positions[at] < start { at += 1 }
                if at < last, phrase.positions[at] == start { positions.append(start) }
            }
            guard positions.count > first else { continue }
            documents.append(document)
            starts.append(first)
            counts.append(positions.count - first)
        }
    }
}
