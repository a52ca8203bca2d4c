/// The documents and positions of a term in one source, in pieces that are decoded apart.
struct TermList {
    struct Piece {
        /// The block that has it, if it is not read yet.
        var block: Int?
        var bytes: [UInt8]
        var documents: Range<Int>
        var positions: Range<Int>
        /// The number before its first document.
        var base: Int
    }

    var count: Int
    var pieces: [Piece]

    init(count: Int, pieces: [Piece]) {
        self.count = count
        self.pieces = pieces
    }

    /// Reads what follows a term in a leaf or a row of `pending`. `block` gives the number of a chunk's block.
    init(_ reader: inout ByteReader, base: Int, block: (Int) -> Int?) throws(SearchFailure) {
        count = try reader.number()
        let size = try reader.number()
        if size & 1 == 0 {
            let positions = try reader.number()
            let documentRange = try reader.range(size >> 1)
            let positionRange = try reader.range(positions)
            pieces = [
                Piece(block: nil, bytes: reader.bytes, documents: documentRange, positions: positionRange, base: base)
            ]
        } else {
            pieces = []
            var (place, before) = (size >> 1, base)
            for difference in try reader.numbers() {
                guard let number = block(place), difference >= 1 else { throw .corrupt("A chunk does not exist.") }
                pieces.append(Piece(block: number, bytes: [], documents: 0..<0, positions: 0..<0, base: before))
                place += 1
                before += difference
                guard before < ByteReader.greatest else { throw .corrupt("A list is too long.") }
            }
        }
    }
}

/// Decoded documents of a term, with the occurrences of each and, on demand, their positions.
struct Postings {
    var documents: [Int] = []
    var counts: [Int] = []
    /// Where the positions of each document begin; the last is the end.
    var starts: [Int] = []
    var positions: [Int] = []

    /// Adds a piece. Documents are greater than those before and less than `end`.
    ///
    /// - Parameter removed: Documents to be left out, ascending.
    mutating func add(
        _ piece: TermList.Piece, end: Int, removed: ArraySlice<Int>, positions isWanted: Bool
    ) throws(SearchFailure) {
        if isWanted { try addPositions(piece, end, removed) } else { try addDocuments(piece, end, removed) }
    }

    private mutating func addDocuments(
        _ piece: TermList.Piece, _ end: Int, _ removed: ArraySlice<Int>
    ) throws(SearchFailure) {
        var reader = ByteReader(piece.bytes, piece.documents)
        var document = piece.base
        var removal = removed.startIndex
        while !reader.isAtEnd {
            let value = try reader.number()
            document += value >> 1
            let count = value & 1 == 1 ? 1 : try reader.number()
            guard value > 1, document < end, count > 0 else { throw .corrupt("A list has no such document.") }
            while removal < removed.endIndex, removed[removal] < document { removal += 1 }
            if removal < removed.endIndex, removed[removal] == document { continue }
            documents.append(document)
            counts.append(count)
        }
    }

    private mutating func addPositions(
        _ piece: TermList.Piece, _ end: Int, _ removed: ArraySlice<Int>
    ) throws(SearchFailure) {
        var reader = ByteReader(piece.bytes, piece.documents)
        var places = ByteReader(piece.bytes, piece.positions)
        var document = piece.base
        var removal = removed.startIndex
        while !reader.isAtEnd {
            let value = try reader.number()
            document += value >> 1
            let count = value & 1 == 1 ? 1 : try reader.number()
            guard value > 1, document < end, count > 0 else { throw .corrupt("A list has no such document.") }
            while removal < removed.endIndex, removed[removal] < document { removal += 1 }
            if removal < removed.endIndex, removed[removal] == document {
                try places.skip(count)
                continue
            }
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
        guard places.isAtEnd else { throw .corrupt("A list has more positions than documents.") }
    }
}
