/// A word as the scanner finds it. The bytes are valid until the scanner goes on.
struct ScannedWord {
    enum Kind { case word, pair, lastOfRun }

    let bytes: UnsafeBufferPointer<UInt8>
    let kind: Kind
    let position: Int
    let start: Int
    let end: Int
}

/// Finds the words of a text, folded, as ``Analyzer`` says.
///
/// The text's bytes and those of the words are read by pointers, which stay within the closure that gives the text and within
/// `visit`; each access is within the buffer's count.
struct WordScanner {
    /// A word has at most so many bytes; the rest is cut off.
    static let limit = 120

    private let text: UnsafeBufferPointer<UInt8>
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private let breaks: WordBreaks
    private var position: Int
    private var word = 0
    // The letter before, where a run of paired letters goes on. It is at the front of the scratch.
    private var runCount = 0
    private var runStart = 0
    private var runEnd = 0

    /// Calls `visit` for each word, in order, and returns the position after the last.
    @inline(__always)
    static func scan(
        _ text: UnsafeBufferPointer<UInt8>, from position: Int = 0, _ visit: (ScannedWord) -> Void
    ) -> Int {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit + 16) { scratch in
            var scanner = WordScanner(text, scratch: scratch, position: position)
            scanner.run(visit)
            return scanner.position
        }
    }

    private init(
        _ text: UnsafeBufferPointer<UInt8>, scratch: UnsafeMutableBufferPointer<UInt8>, position: Int
    ) {
        self.text = text
        self.scratch = scratch
        self.position = position
        breaks = WordBreaks(text: text, separatesPairs: true)
    }

    @inline(__always)
    private mutating func run(_ visit: (ScannedWord) -> Void) {
        var at = 0
        while at < text.count {
            let byte = text[at]
            if byte < 0x80 {
                if Ascii.kind(byte) == .other {
                    if at + 1 == text.count || text[at + 1] < 0x80 {
                        if runCount > 0 { finishRun(visit) }
                        at += 1
                        continue
                    }
                } else {
                    if runCount > 0 { finishRun(visit) }
                    if let end = asciiEnd(from: at) {
                        if word > 0 { emit(word, .word, start: at, end: end, visit) }
                        at = end
                        continue
                    }
                }
            }
            at = other(at, visit)
        }
        if runCount > 0 { finishRun(visit) }
    }

    /// Handles what begins at a place and is not ASCII alone, and returns its end.
    @inline(never)
    private mutating func other(_ at: Int, _ visit: (ScannedWord) -> Void) -> Int {
        let scalar = DecodedScalar(text, at: at)
        let kind = ScalarTables.kind(scalar.value)
        if kind.isPaired {
            pair(scalar, at, visit)
            return at + scalar.length
        }
        if runCount > 0 {
            if kind.isIgnored { return at + scalar.length }
            finishRun(visit)
        }
        let end = breaks.end(from: at)
        if fold(at, end) { emit(word, .word, start: at, end: end, visit) }
        return end
    }

    @inline(__always)
    private mutating func emit(
        _ count: Int, _ kind: ScannedWord.Kind, start: Int, end: Int, _ visit: (ScannedWord) -> Void
    ) {
        visit(
            ScannedWord(
                bytes: UnsafeBufferPointer(rebasing: scratch[0..<count]), kind: kind, position: position, start: start,
                end: end))
        position += 1
    }
}

extension WordScanner {
    /// Folds a word of ASCII into the scratch and returns its end; nil where it may go on with another scalar.
    ///
    /// A count of 0 is left where it has neither letter nor digit.
    @inline(__always)
    private mutating func asciiEnd(from start: Int) -> Int? {
        var at = start
        var count = 0
        var kept = 0
        var last = Ascii.Kind.other
        while at < text.count {
            let byte = text[at]
            let kind = Ascii.kind(byte)
            if kind != .other {
                if count < Self.limit {
                    scratch[count] = Ascii.lowercase(byte)
                    count += 1
                    if kind != .underscore { kept = count }
                }
                last = kind
                at += 1
                continue
            }
            if byte >= 0x80 { return nil }
            guard Ascii.joins(byte, last), at + 1 < text.count else { break }
            let next = text[at + 1]
            if next >= 0x80 { return nil }
            guard Ascii.kind(next) == last else { break }
            if count < Self.limit {
                scratch[count] = byte
                count += 1
            }
            at += 1
        }
        word = kept == 0 ? 0 : at - start > Self.limit ? kept : count
        return at
    }

    /// Folds a segment into the scratch; false where it has neither letter, digit nor emoji.
    private mutating func fold(_ start: Int, _ end: Int) -> Bool {
        var at = start
        var count = 0
        // The end of the last scalar that makes a word: where a long word is cut.
        var kept = 0
        var isWord = false
        var isCut = false
        while at < end {
            let scalar = DecodedScalar(text, at: at)
            let kind = ScalarTables.kind(scalar.value)
            at += scalar.length
            if kind.makesWord { isWord = true }
            if isCut {
                if isWord { break }
                continue
            }
            let isJoiner = kind.class == .joiner && at < end
            let joins = isJoiner && ScalarTables.kind(DecodedScalar(text, at: at).value).isPictographic
            let after = append(scalar, at: count, asItself: joins)
            guard after <= Self.limit else {
                isCut = true
                continue
            }
            count = after
            if kind.makesWord { kept = count }
        }
        word = isCut ? kept : count
        return isWord && word > 0
    }

    /// Writes a scalar's folded bytes into the scratch, and returns their end. The scratch has room beyond the limit.
    private func append(_ scalar: DecodedScalar, at start: Int, asItself: Bool = false) -> Int {
        if scalar.value < 0x80 {
            scratch[start] = Ascii.lowercase(UInt8(scalar.value))
            return start + 1
        }
        let fold = asItself ? 0 : ScalarTables.fold(scalar.value)
        if fold != 0 {
            let count = ScalarTables.foldedCount(fold)
            for index in 0..<count { scratch[start + index] = ScalarTables.foldedByte(fold, index) }
            return start + count
        }
        let value = scalar.value
        func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(value >> shift & 63) }
        if value < 0x800 {
            scratch[start] = 0xC0 | UInt8(value >> 6)
            scratch[start + 1] = tail(0)
            return start + 2
        }
        if value < 0x10000 {
            scratch[start] = 0xE0 | UInt8(value >> 12)
            scratch[start + 1] = tail(6)
            scratch[start + 2] = tail(0)
            return start + 3
        }
        scratch[start] = 0xF0 | UInt8(value >> 18)
        scratch[start + 1] = tail(12)
        scratch[start + 2] = tail(6)
        scratch[start + 3] = tail(0)
        return start + 4
    }

    /// Makes a pair of the letter before and a next one.
    private mutating func pair(_ scalar: DecodedScalar, _ at: Int, _ visit: (ScannedWord) -> Void) {
        let before = runCount
        let end = append(scalar, at: before)
        guard end > before else { return }
        if before > 0 {
            emit(end, .pair, start: runStart, end: at + scalar.length, visit)
            for index in before..<end { scratch[index - before] = scratch[index] }
        }
        runCount = end - before
        runStart = at
        runEnd = at + scalar.length
    }

    private mutating func finishRun(_ visit: (ScannedWord) -> Void) {
        let count = runCount
        runCount = 0
        emit(count, .lastOfRun, start: runStart, end: runEnd, visit)
    }
}

/// The word rules for ASCII, which the tables have too.
enum Ascii {
    enum Kind { case other, letter, digit, underscore }

    @inline(__always)
    static func kind(_ byte: UInt8) -> Kind {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A: .letter
        case 0x30...0x39: .digit
        case 0x5F: .underscore
        default: .other
        }
    }

    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    /// Tells if a word goes on after this, where the scalar before is of a kind and the next of the same.
    @inline(__always)
    static func joins(_ byte: UInt8, _ kind: Kind) -> Bool {
        switch byte {
        case 0x27, 0x2E: kind == .letter || kind == .digit
        case 0x3A: kind == .letter
        case 0x2C, 0x3B: kind == .digit
        default: false
        }
    }
}
