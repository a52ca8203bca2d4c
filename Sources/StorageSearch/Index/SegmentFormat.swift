/// The bytes of an index. Numbers are those of ``ByteWriter``.
///
/// **A term** is a byte for the property, its place in the list of searched properties, and the word's UTF-8. The key of a
/// document is a term as well (``KeyTerm``), with the byte FF and the position 0.
///
/// **Documents of a term**: for each, `difference << 1 | once` from the one before, and the number of occurrences if it is not
/// once. Before the first is the number before the row's first document. **Positions of a term**: for each document, the
/// differences of its positions, beginning with 0.
///
/// **A row of `pending`**: version, number of properties, first document, number of documents, their lengths by document and
/// property, their keys as shared bytes and further bytes; the documents that the commit has removed; terms: shared bytes, further bytes, number of documents, byte counts of
/// documents and positions, these.
///
/// **A row of `segments`**: version, number of properties, first document and the end, number of documents, words of each
/// property, the number of the last row of `pending` in it, block counts of each area, the length of the greatest term and it.
///
/// **A block** has the number `segment << 24 | area << 21 | place`. Areas 0 and 1 are one: leaves and chunks, by place up to
/// 2²². A leaf has terms as a row of `pending` has, but where documents and positions are more than 1,500 bytes, they are
/// chunks of their own: instead of the byte count of documents times two there is the place of the first chunk times two and
/// one, the number of chunks and the difference of the last documents of each. A chunk has the byte count of its documents, these
/// and positions; before its first document is the last of the chunk before. Area 2 has the keys of the documents, in their
/// order: shared bytes, further bytes. Area 3 has the number of keys in each block of area 2. Area 4 is the directory: the first term of each leaf
/// and its place. Area 5 has lengths, two bytes each, property by property. Area 6 has the documents that there are, five bytes
/// each from the first, if the range has others. Area 7 has documents removed from earlier segments, as differences.
package enum SegmentFormat {
    /// The format of an index as a store records it. Format 1 had the keys in a separate table.
    package static let version = 2
    package static let blockSize = 4000
    static let keyBlockSize = 1000
    static let maximumTermLength = WordScanner.limit + 1
    static let longList = 1500

    enum Area: Int { case leaves = 0, keys = 2, keyMap = 3, directory = 4, lengths = 5, documents = 6, removed = 7 }

    static func block(_ segment: Int, area: Area, index place: Int) -> Int {
        segment << 24 | area.rawValue << 21 | place
    }

    static func placeLimit(_ area: Area) -> Int { area == .leaves ? 1 << 22 : 1 << 21 }
}

/// The row of a segment.
struct SegmentHeader: Equatable {
    var number: Int
    var first: Int
    var end: Int
    var documents: Int
    var words: [Int]
    var lastPending: Int
    /// A term that none is greater than.
    var greatest: [UInt8] = []
    var leaves = 0
    var keys = 0
    var keyMaps = 0
    var directories = 0
    var lengths = 0
    var numbers = 0
    var removals = 0

    /// Every number of the range is a document.
    var isDense: Bool { documents == end - first }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        for value in [SegmentFormat.version, words.count, first, end, documents] + words { writer.number(value) }
        for value in [lastPending, leaves, keys, keyMaps, directories, lengths, numbers, removals] {
            writer.number(value)
        }
        writer.data(greatest)
        return writer.bytes
    }
}

extension SegmentHeader {
    init(number: Int, bytes: [UInt8], properties: Int) throws(SearchFailure) {
        var reader = ByteReader(bytes)
        guard try reader.number() == SegmentFormat.version, try reader.number() == properties else {
            throw .corrupt("A segment has another format.")
        }
        self.number = number
        first = try reader.number()
        end = try reader.number()
        documents = try reader.number()
        words = []
        for _ in 0..<properties { words.append(try reader.number()) }
        lastPending = try reader.number()
        leaves = try reader.number()
        keys = try reader.number()
        keyMaps = try reader.number()
        directories = try reader.number()
        lengths = try reader.number()
        numbers = try reader.number()
        removals = try reader.number()
        greatest = try reader.data()
        guard number > 0, number < 1 << 38, first >= 1, first <= end, end <= 1 << 48, documents <= end - first,
            words.allSatisfy({ $0 < 1 << 50 }),
            leaves <= SegmentFormat.placeLimit(.leaves),
            [keys, keyMaps, directories, lengths, numbers, removals].allSatisfy({
                $0 <= SegmentFormat.placeLimit(.directory)
            }),
            reader.isAtEnd
        else { throw .corrupt("The row of a segment contradicts itself.") }
    }
}
