/// Collects the words of documents, and gives them back in the order of an index.
///
/// Words are numbered as they come, and each occurrence is noted as two numbers, so that collecting is cheap; the order is made
/// once, by counting.
struct Accumulator {
    let first: Int
    let properties: Int
    private(set) var documents = 0
    /// The lengths by document and property.
    private(set) var lengths: [UInt16] = []
    /// The keys of the documents.
    private(set) var keys: [[UInt8]] = []
    private var arena: [UInt8] = []
    private var starts: [Int32] = [0]
    private var slots: [Int32]
    private var terms: [UInt32] = []
    private var positions: [UInt32] = []
    private var documentEnds: [Int] = []
    private var keyBytes = 0

    init(first: Int, properties: Int, expected: Int = 1 << 9) {
        self.first = first
        self.properties = properties
        slots = [Int32](repeating: -1, count: expected)
    }

    /// About the memory that is used.
    var size: Int { terms.count * 16 + arena.count + starts.count * 12 + keyBytes }
    var end: Int { first + documents }

    mutating func add(_ document: SearchDocument) {
        let texts = document.texts
        for property in 0..<properties {
            let before = terms.count
            var position = 0
            for text in property < texts.count ? texts[property] : [] {
                position = Analyzer.words.forEachWord(of: text, from: position) { word in
                    terms.append(term(UInt8(truncatingIfNeeded: property), word.bytes))
                    positions.append(UInt32(truncatingIfNeeded: word.position))
                }
                position += SearchDocument.gap
            }
            lengths.append(UInt16(min(terms.count - before, Relevance.longest)))
        }
        KeyTerm.bytes(document.key).withUnsafeBufferPointer { key in
            terms.append(term(KeyTerm.property, UnsafeBufferPointer(rebasing: key.dropFirst())))
        }
        positions.append(0)
        keys.append(document.key)
        keyBytes += document.key.count + 32
        documents += 1
        documentEnds.append(terms.count)
    }

    @inline(__always)
    private static func hash(_ property: UInt8, _ word: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = FNV1a.hash(word, from: FNV1a.basis ^ UInt64(property))
        return Int(truncatingIfNeeded: (hash ^ hash >> 29) & 0x7FFF_FFFF)
    }

    /// The number of a term.
    @inline(__always)
    private mutating func term(_ property: UInt8, _ word: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let mask = slots.count - 1
        var slot = Self.hash(property, word) & mask
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            let start = Int(starts[index])
            if Int(starts[index + 1]) - start == word.count + 1, arena[start] == property {
                var same = 0
                while same < word.count, arena[start + 1 + same] == word[same] { same += 1 }
                if same == word.count { return UInt32(truncatingIfNeeded: index) }
            }
            slot = (slot + 1) & mask
        }
        return insert(property, word, slot: slot)
    }

    @inline(never)
    private mutating func insert(_ property: UInt8, _ word: UnsafeBufferPointer<UInt8>, slot: Int) -> UInt32 {
        let index = starts.count - 1
        slots[slot] = Int32(index)
        arena.append(property)
        arena.append(contentsOf: word)
        starts.append(Int32(arena.count))
        if starts.count * 2 > slots.count { grow() }
        return UInt32(index)
    }

    private mutating func grow() {
        let mask = slots.count * 2 - 1
        slots = [Int32](repeating: -1, count: mask + 1)
        arena.withUnsafeBufferPointer { arena in
            for index in 0..<(starts.count - 1) {
                let word = UnsafeBufferPointer(rebasing: arena[Int(starts[index] + 1)..<Int(starts[index + 1])])
                var slot = Self.hash(arena[Int(starts[index])], word) & mask
                while slots[slot] >= 0 { slot = (slot + 1) & mask }
                slots[slot] = Int32(index)
            }
        }
    }

    /// Calls `body` for each term in order, with its documents and positions encoded from the first document on.
    func forEachTerm(
        _ body: (_ term: ArraySlice<UInt8>, _ list: EncodedList) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        let order = sortedTerms()
        // Where the occurrences of each term begin, once they are sorted by term.
        var offsets = [Int](repeating: 0, count: starts.count)
        for term in terms { offsets[Int(term) + 1] += 1 }
        for index in 1..<max(offsets.count, 1) { offsets[index] += offsets[index - 1] }
        var next = offsets
        var sorted = [UInt64](repeating: 0, count: terms.count)
        var at = 0
        for document in 0..<documents {
            while at < documentEnds[document] {
                let term = Int(terms[at])
                sorted[next[term]] = UInt64(document) << 32 | UInt64(positions[at])
                next[term] += 1
                at += 1
            }
        }
        var list = EncodedList()
        for term in order {
            list.removeAll()
            var at = offsets[term]
            let end = offsets[term + 1]
            var last = -1
            while at < end {
                let document = Int(sorted[at] >> 32)
                var next = at
                var before = 0
                while next < end, Int(sorted[next] >> 32) == document {
                    let position = Int(sorted[next] & 0xFFFF_FFFF)
                    list.positions.number(position - before)
                    before = position
                    next += 1
                }
                list.add(difference: document - last, count: next - at)
                last = document
                at = next
            }
            try body(arena[Int(starts[term])..<Int(starts[term + 1])], list)
        }
    }

    private func sortedTerms() -> [Int] {
        // The first eight bytes decide nearly always.
        var keys: [(UInt64, Int32)] = []
        keys.reserveCapacity(starts.count - 1)
        for index in 0..<(starts.count - 1) {
            let end = Int(starts[index + 1])
            var at = Int(starts[index])
            var key: UInt64 = 0
            for _ in 0..<8 {
                key = key << 8 | (at < end ? UInt64(arena[at]) : 0)
                at += 1
            }
            keys.append((key, Int32(index)))
        }
        arena.withUnsafeBufferPointer { arena in
            keys.sort { left, right in
                if left.0 != right.0 { return left.0 < right.0 }
                let first = arena[Int(starts[Int(left.1)])..<Int(starts[Int(left.1) + 1])]
                let second = arena[Int(starts[Int(right.1)])..<Int(starts[Int(right.1) + 1])]
                return first.lexicographicallyPrecedes(second)
            }
        }
        return keys.map { Int($0.1) }
    }
}

/// The documents and positions of a term, encoded.
struct EncodedList {
    var count = 0
    var documents = ByteWriter()
    var positions = ByteWriter()

    mutating func removeAll() {
        count = 0
        documents.bytes.removeAll(keepingCapacity: true)
        positions.bytes.removeAll(keepingCapacity: true)
    }

    mutating func add(difference: Int, count occurrences: Int) {
        count += 1
        documents.number(difference << 1 | (occurrences == 1 ? 1 : 0))
        if occurrences != 1 { documents.number(occurrences) }
    }
}
