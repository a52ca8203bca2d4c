/// Reads the documents of a piece one after the other, and the positions of those that are asked for.
struct PieceReader: ~Copyable {
    private var documents: PointerReader
    private var positions: PointerReader
    private let most: Int
    private let end: Int
    /// The document that was read last; at first the number before the first one.
    private(set) var document: Int
    /// The number of occurrences in the document.
    private(set) var count = 0
    /// The number of positions before those of the document, and of the document, that are to be skipped.
    private var (skipped, unread) = (0, 0)

    fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>, _ piece: TermList.Piece, end: Int) {
        documents = PointerReader(bytes, piece.documents)
        positions = PointerReader(bytes, piece.positions)
        most = piece.positions.count
        document = piece.base
        self.end = end
    }

    /// Reads the next document, and returns false at the end.
    @inline(__always)
    mutating func next() throws(SearchFailure) -> Bool {
        guard !documents.isAtEnd else { return false }
        let value = try documents.number()
        document += value >> 1
        count = value & 1 == 1 ? 1 : try documents.number()
        guard value > 1, document < end, count > 0, count <= most else {
            throw .corrupt("A list has no such document.")
        }
        skipped += unread
        unread = count
        return true
    }

    /// Reads documents up to the first that is not less than a number, and returns false if none exists.
    @inline(__always)
    mutating func advance(to number: Int) throws(SearchFailure) -> Bool {
        while document < number {
            guard try next() else { return false }
        }
        return true
    }

    /// Calls `body` for each document that is one of several, ascending, with its place among these.
    ///
    /// - Parameter base: a number that none of the piece's documents is below.
    @inline(__always)
    mutating func forEach(
        of documents: [Int], after base: Int,
        _ body: (_ place: Int, inout PieceReader) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        var place = SortedNumbers.place(documents, of: base + 1)
        while place < documents.count, try advance(to: documents[place]) {
            if document == documents[place] {
                try body(place, &self)
                place += 1
            } else {
                place = SortedNumbers.advance(documents, place, to: document)
            }
        }
    }

    /// Calls `body` for the positions of the document. They are read once.
    @inline(__always)
    mutating func readPositions(_ body: (Int) -> Void) throws(SearchFailure) {
        try positions.skip(skipped)
        skipped = 0
        var position = 0
        for _ in 0..<unread {
            position += try positions.number()
            guard position < 1 << 40 else { throw .corrupt("A position is too large.") }
            body(position)
        }
        unread = 0
    }

    /// Checks that the documents, all of which were read, have all positions.
    mutating func checkEnd() throws(SearchFailure) {
        try positions.skip(skipped + unread)
        (skipped, unread) = (0, 0)
        guard positions.isAtEnd else { throw .corrupt("A list has more positions than documents.") }
    }
}

extension TermList.Piece {
    /// Calls `body` with a reader of the documents.
    ///
    /// - Parameter end: the number that all documents are less than.
    @inline(__always)
    func read(
        end: Int, _ body: (inout PieceReader) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        try bytes.withUnsafeBufferPointer { bytes throws(SearchFailure) in
            var reader = PieceReader(bytes, self, end: end)
            try body(&reader)
        }
    }
}
