/// An inverted index in the tables of a store, as it is in one transaction.
///
/// A commit adds documents under numbers that are never used again, and removes others; an update is both. Its words are one
/// row. So many rows become a segment, whose blocks never change, and segments become larger ones, in steps of bounded work in
/// later commits. What a commit has removed is noted by number, with the commit and then with its segment, until a merge leaves
/// out both the document and the note.
///
/// An index belongs to one transaction and is used by one task at a time. Its ``cache`` may be handed on to a later transaction,
/// unless this one was undone.
package final class SearchIndex<Storage: SearchStorage> {
    package let storage: Storage
    package let properties: [SearchProperty]
    package let limits: SearchLimits
    /// The cached content of segments and commits, which never change.
    package internal(set) var cache: SearchCache
    private var loaded: IndexState?

    package init(
        _ storage: Storage, properties: [SearchProperty], limits: SearchLimits = SearchLimits(),
        cache: SearchCache = SearchCache()
    ) {
        self.storage = storage
        self.properties = properties
        self.limits = limits
        self.cache = cache
    }

    /// The number of documents and of their words.
    package func statistics() throws(SearchFailure) -> SearchStatistics { try searchable().statistics }

    /// The number of rows and segments, for tests and measurements.
    package func shape() throws(SearchFailure) -> (pending: Int, segments: Int, isMerging: Bool) {
        let state = try state()
        return (state.pending.count, state.segments.count, state.work != nil)
    }

    /// Forgets the state, which a write has changed.
    func forget() { (loaded, cache.state) = (nil, nil) }

    func state() throws(SearchFailure) -> IndexState {
        if let loaded { return loaded }
        if let known = cache.state, known.properties == properties.count, try isCurrent(known) {
            loaded = known
            return known
        }
        let state = try load()
        keep(state)
        return state
    }

    /// Returns whether the tables have the state that an earlier session has read.
    ///
    /// Each commit that changes the index adds a row to `pending`, or makes segments of all of them, the greatest segment among
    /// these. Numbers are never used again. So the last pending row names the state, or else the last segment.
    private func isCurrent(_ known: IndexState) throws(SearchFailure) -> Bool {
        let last = try storage.last(.pending)
        guard last == known.pending.last?.number else { return false }
        if last != nil { return true }
        guard let greatest = known.segments.map(\.header.number).max() else { return false }
        return try storage.last(.segments) == greatest
    }

    func keep(_ state: IndexState) { (loaded, cache.state) = (state, state) }

    /// The state with what only a search needs, which takes time with the number of documents that are removed.
    ///
    /// - Throws: ``SearchFailure/unfinished`` while the index is being built.
    func searchable() throws(SearchFailure) -> IndexState {
        var state = try state()
        // A build that has ended does not begin again.
        if state.isComplete { return state }
        guard try build() == nil else { throw .unfinished }
        try state.complete { header throws(SearchFailure) in try lengths(of: header) }
        keep(state)
        return state
    }

    private func load() throws(SearchFailure) -> IndexState {
        var state = IndexState(properties: properties.count)
        var segments: [Int: Segment] = [:]
        let count = properties.count
        var headers: [SegmentHeader] = []
        try storage.rows(.segments, 0...Int.max) { number, bytes throws(SearchFailure) in
            if number == 0 {
                state.work = try SuspendedWork(bytes)
            } else {
                headers.append(try SegmentHeader(number: number, bytes: bytes, properties: count))
            }
        }
        for header in headers {
            if let segment = cache.segments[header.number], segment.header == header {
                segments[header.number] = segment
            } else {
                cache.lengths[header.number] = nil
                cache.keyMaps[header.number] = nil
                segments[header.number] = try Segment(header, storage)
            }
        }
        cache.segments = segments
        cache.lengths = cache.lengths.filter { segments[$0.key] != nil }
        cache.keyMaps = cache.keyMaps.filter { segments[$0.key] != nil }
        state.segments = segments.values.sorted { ($0.header.first, $0.header.end) < ($1.header.first, $1.header.end) }
        var numbers: [Int] = []
        try storage.numbers(.pending, 0...Int.max, limit: Int.max) { numbers.append($0) }
        var rows: [Int: PendingRow] = [:]
        let missing = numbers.filter { cache.pending[$0] == nil }
        var found: [Int: [UInt8]] = [:]
        if missing.count > 1 { for (number, bytes) in try storage.rows(.pending, missing) { found[number] = bytes } }
        for number in numbers {
            if let row = cache.pending[number] {
                rows[number] = row
                state.pending.append(row)
                continue
            }
            var bytes = found[number]
            if bytes == nil { bytes = try storage.row(.pending, number) }
            guard let bytes else { throw .corrupt("A commit is missing.") }
            let row = try PendingRow(number: number, bytes: bytes, properties: count)
            rows[number] = row
            state.pending.append(row)
        }
        cache.pending = rows
        try state.check()
        return state
    }

    /// The lengths of a segment's documents.
    func lengths(of header: SegmentHeader) throws(SearchFailure) -> SourceLengths {
        if let lengths = cache.lengths[header.number] { return lengths }
        let lengths = try SourceLengths(header, storage)
        cache.lengths[header.number] = lengths
        return lengths
    }
}

/// The work that an index does at once.
package struct SearchLimits: Sendable {
    /// The number of commits that become a segment.
    package var pendingRows = 64
    /// The size of the commits that become a segment, in bytes.
    package var pendingBytes = 1 << 20
    /// A commit of more bytes of words is a separate segment.
    package var commitBytes = 1 << 20
    /// The memory for words that are collected, in bytes.
    package var memory = 64 << 20
    /// The number of segments of a size that become one.
    package var fanout = 4
    /// The blocks that a merge writes in a commit, besides the list of one term.
    package var blocks = 16

    package init() {}
}

/// The knowledge about segments and commits from earlier transactions.
package struct SearchCache: Sendable {
    var segments: [Int: Segment] = [:]
    var lengths: [Int: SourceLengths] = [:]
    var keyMaps: [Int: KeyMap] = [:]
    var pending: [Int: PendingRow] = [:]
    /// The state that was read last.
    var state: IndexState?

    package init() {}

    /// True if the state that was read last has pending commits.
    package var hasPending: Bool { state?.pending.isEmpty == false }
}

/// The segments and commits of an index.
struct IndexState: Sendable {
    let properties: Int
    /// By ascending documents.
    var segments: [Segment] = []
    var pending: [PendingRow] = []
    var work: SuspendedWork?
    /// True if everything that follows is known.
    private(set) var isComplete = false
    /// The documents that are stored and removed, ascending.
    var removed: [Int] = []
    var statistics = SearchStatistics(documents: 0, words: [])

    init(properties: Int) { self.properties = properties }

    var nextDocument: Int { max(pending.map(\.end).max() ?? 1, segments.map(\.header.end).max() ?? 1) }
    var nextPending: Int { max(pending.last?.number ?? 0, segments.map(\.header.lastPending).max() ?? 0) + 1 }
    var nextSegment: Int {
        max(segments.map(\.header.number).max() ?? 0, work?.greatestSegment ?? 0) + 1
    }

    /// Adds a commit that no merge follows.
    mutating func append(_ row: PendingRow) {
        pending.append(row)
        isComplete = false
    }

    /// Checks that the sources follow each other.
    func check() throws(SearchFailure) {
        var end = 1
        for segment in segments {
            guard segment.header.first >= end else { throw .corrupt("Segments overlap.") }
            end = segment.header.end
        }
        for row in pending {
            guard row.first >= end else { throw .corrupt("Commits overlap.") }
            end = row.end
        }
    }

    /// Counts the documents, and finds the removed ones.
    mutating func complete(
        _ lengths: (SegmentHeader) throws(SearchFailure) -> SourceLengths
    ) throws(SearchFailure) {
        removed = (segments.flatMap(\.removed) + pending.flatMap(\.removed)).sorted()
        var words = [Int](repeating: 0, count: properties)
        var documents = 0
        for segment in segments {
            documents += segment.header.documents
            for property in words.indices { words[property] += segment.header.words[property] }
        }
        for row in pending {
            documents += row.end - row.first
            for property in words.indices { words[property] += row.words[property] }
        }
        var present: [Int] = []
        func subtract(_ range: ArraySlice<Int>, _ lengths: SourceLengths) {
            for document in range {
                guard let rank = lengths.rank(document), present.last != document else { continue }
                present.append(document)
                for property in words.indices { words[property] -= Int(lengths.lengths[property][rank]) }
            }
        }
        for segment in segments {
            let range = removed(in: segment.header.first..<segment.header.end)
            if !range.isEmpty { subtract(range, try lengths(segment.header)) }
        }
        for row in pending { subtract(removed(in: row.first..<row.end), row.lengths) }
        removed = present
        guard words.allSatisfy({ $0 >= 0 }) else { throw .corrupt("Segments count too few words.") }
        statistics = SearchStatistics(documents: documents - present.count, words: words)
        isComplete = true
    }

    /// Returns whether a commit has removed a document, also before the state is complete.
    func isRemoved(_ document: Int) -> Bool {
        pending.contains { SortedNumbers.contains($0.removed, document) }
            || segments.contains { SortedNumbers.contains($0.removed, document) }
    }

    /// The documents of a range that are removed.
    func removed(in range: Range<Int>) -> ArraySlice<Int> {
        removed[place(range.lowerBound)..<place(range.upperBound)]
    }

    private func place(_ document: Int) -> Int {
        var (low, high) = (0, removed.count)
        while low < high {
            let middle = (low + high) / 2
            if removed[middle] < document { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
