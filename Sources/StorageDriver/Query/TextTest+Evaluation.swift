extension TextTest {
    /// Returns whether the text passes, by UTF-8 bytes. Costs at most the product of both lengths.
    public func holds(_ text: String, _ pattern: String) -> Bool {
        var text = text
        var pattern = pattern
        return text.withUTF8 { text in
            pattern.withUTF8 { pattern in holds(text, pattern) }
        }
    }

    /// Returns whether a text passes when it is folded. The pattern is folded already.
    ///
    /// ASCII text is compared as it is, without a folded copy, except by `like`.
    package func holds(
        _ text: UnsafeBufferPointer<UInt8>, folding: TextFolding, _ pattern: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard self != .like, TextFolding.isASCII(text) else {
            let folded = folding.fold(String(decoding: text, as: UTF8.self))
            return holds(folded, String(decoding: pattern, as: UTF8.self))
        }
        guard text.count >= pattern.count else { return false }
        func isEqual(at start: Int) -> Bool {
            for place in 0..<pattern.count where folding.fold(ascii: text[start + place]) != pattern[place] {
                return false
            }
            return true
        }
        let last = text.count - pattern.count
        switch self {
        case .hasPrefix: return isEqual(at: 0)
        case .hasSuffix: return isEqual(at: last)
        case .contains, .like:
            guard let first = pattern.first else { return true }
            for start in 0...last where folding.fold(ascii: text[start]) == first && isEqual(at: start) { return true }
            return false
        }
    }

    private func holds(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .hasPrefix: text.starts(with: pattern)
        case .hasSuffix: text.count >= pattern.count && text.suffix(pattern.count).elementsEqual(pattern)
        case .contains: Self.contains(text, pattern)
        case .like: Self.isLike(text, pattern)
        }
    }

    private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { start in
            text[start] == first && text[start..<start + part.count].elementsEqual(part)
        }
    }

    /// The last `*` matches as little as possible, and more if the rest does not match. No earlier one needs to
    /// change.
    private static func isLike(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        var next = 0
        var star: (pattern: Int, text: Int)?
        while place < text.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                next += 1
                star = (next, place)
            } else if let step = step(text, at: place, pattern: pattern, next: next) {
                place += step.text
                next += step.pattern
            } else if let last = star {
                place = last.text + 1
                star = (last.pattern, place)
                next = last.pattern
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Returns the distance by which the pattern's next character advances both; nil if it does not match.
    private static func step(
        _ text: UnsafeBufferPointer<UInt8>, at place: Int, pattern: UnsafeBufferPointer<UInt8>, next: Int
    ) -> (text: Int, pattern: Int)? {
        guard next < pattern.count else { return nil }
        if pattern[next] == UInt8(ascii: "?") {
            // If a star was extended into the middle of a scalar, the rest of it is not a scalar.
            return isContinuation(text[place]) ? nil : (scalarLength(text, place), 1)
        }
        let isEscaped = pattern[next] == UInt8(ascii: "\\") && next + 1 < pattern.count
        return text[place] == pattern[isEscaped ? next + 1 : next] ? (1, isEscaped ? 2 : 1) : nil
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func scalarLength(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
        var end = place + 1
        while end < text.count, isContinuation(text[end]) { end += 1 }
        return end - place
    }
}
