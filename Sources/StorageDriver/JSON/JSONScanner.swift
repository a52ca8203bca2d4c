/// The reason why a text is no JSON, and the position.
package struct JSONProblem: Error {
    package let message: String
    /// The byte of the text at which it shows.
    package let offset: Int

    @usableFromInline
    package init(_ message: String, at offset: Int) { (self.message, self.offset) = (message, offset) }
}

/// Scans the tokens of JSON text, as strictly as RFC 8259 requires. Readers of stored arrays (``JSONReader``), of archives and
/// of imports use it, each for different values.
///
/// It never reads beyond the text. After an error it must not be used again.
@frozen
package struct JSONScanner {
    /// Must outlive the scanner: the creator of the scanner holds the text.
    @usableFromInline let text: UnsafeRawBufferPointer
    @usableFromInline let deepest: Int
    @usableFromInline var depth = 0
    /// The next byte.
    @usableFromInline package var position = 0

    /// - Parameter deepest: how deep lists may nest; text of another program must not overflow the stack.
    @inlinable
    package init(_ text: UnsafeRawBufferPointer, deepest: Int = 128) { (self.text, self.deepest) = (text, deepest) }

    @usableFromInline
    package func problem(_ message: String) -> JSONProblem { JSONProblem(message, at: position) }

    // MARK: Bytes

    /// True if only white space is left.
    package var isAtEnd: Bool {
        mutating get { peek() == nil }
    }

    /// True at the end of the text.
    @inlinable package var isExactlyAtEnd: Bool { position == text.count }

    /// True if an array begins here.
    @inlinable package var startsArray: Bool { position < text.count && text[position] == UInt8(ascii: "[") }

    /// The next byte after white space.
    @inlinable @inline(__always)
    package mutating func peek() -> UInt8? {
        while position < text.count, text[position].isJSONSpace { position &+= 1 }
        return position < text.count ? text[position] : nil
    }

    /// Passes over white space and a byte; false where another one follows.
    @inlinable @inline(__always)
    package mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position &+= 1
        return true
    }

    /// Passes over a byte that follows at once.
    @inlinable @inline(__always)
    package mutating func takeExactly(_ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Passes over bytes that follow at once.
    @inlinable
    package mutating func takeExactly(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= text.count - position else { return false }
        for index in 0..<count where text[position + index] != word.utf8Start[index] { return false }
        position += count
        return true
    }

    /// The bytes from an offset up to the position.
    @inlinable @inline(__always)
    package func bytes(from start: Int) -> UnsafeRawBufferPointer { bytes(start..<position) }

    @inlinable @inline(__always)
    package func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[range]) }

    /// Returns the number of bytes from an offset on.
    @usableFromInline func left(from start: Int) -> Int { text.count - start }

    // MARK: Lists

    /// Begins an array or an object with its bracket.
    @inlinable
    package mutating func enter(_ open: UInt8) throws(JSONProblem) {
        guard take(open) else { throw problem("A value is expected here.") }
        depth += 1
        guard depth <= deepest else { throw problem("The value is deeper than \(deepest) levels.") }
    }

    /// Returns whether an element or a member follows, and skips the text before it. At the end, skips the bracket.
    @inlinable @inline(__always)
    package mutating func hasNext(_ close: UInt8, isFirst: Bool) throws(JSONProblem) -> Bool {
        if take(close) {
            depth &-= 1
            return false
        }
        guard isFirst || take(UInt8(ascii: ",")) else { throw unended(close) }
        return true
    }

    @usableFromInline
    func unended(_ close: UInt8) -> JSONProblem {
        problem("There is neither a comma nor the \(close == UInt8(ascii: "]") ? "array" : "object")'s end.")
    }

    /// Passes over a value of any kind.
    package mutating func passValue() throws(JSONProblem) {
        switch peek() {
        case UInt8(ascii: "{")?:
            try enter(UInt8(ascii: "{"))
            var isFirst = true
            while try hasNext(UInt8(ascii: "}"), isFirst: isFirst) {
                isFirst = false
                _ = try unescape(try name()) { _ in }
                try passValue()
            }
        case UInt8(ascii: "[")?:
            try enter(UInt8(ascii: "["))
            var isFirst = true
            while try hasNext(UInt8(ascii: "]"), isFirst: isFirst) {
                isFirst = false
                try passValue()
            }
        case UInt8(ascii: "\"")?: _ = try unescape(try string()) { _ in }
        case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: _ = try number()
        default: guard takeExactly("null") || takeExactly("true") || takeExactly("false") else { throw noValue() }
        }
    }

    /// Returns the problem at a position where no value begins.
    package mutating func noValue() -> JSONProblem {
        problem(peek() == nil ? "The text ends where a value should be." : "A value is expected here.")
    }

    // MARK: Numbers

    /// Passes over a number that begins here, and gives its characters.
    @inlinable
    package mutating func number() throws(JSONProblem) -> UnsafeRawBufferPointer {
        let start = position
        _ = takeExactly(UInt8(ascii: "-"))
        let whole = digits()
        guard whole > 0, whole == 1 || text[position - whole] != UInt8(ascii: "0") else {
            throw problem("This is not a number in JSON.")
        }
        if takeExactly(UInt8(ascii: ".")), digits() == 0 { throw problem("There are no digits after the point.") }
        if takeExactly(UInt8(ascii: "e")) || takeExactly(UInt8(ascii: "E")) {
            if !takeExactly(UInt8(ascii: "+")) { _ = takeExactly(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw problem("There are no digits in the exponent.") }
        }
        return bytes(from: start)
    }

    @inlinable @inline(__always)
    mutating func digits() -> Int {
        let start = position
        while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        return position &- start
    }

    /// The integer that the characters of a number are; nil where they have a point or an exponent, or it is out of range.
    @inlinable
    package static func integer<I: FixedWidthInteger>(_ number: UnsafeRawBufferPointer, as type: I.Type = I.self) -> I?
    {
        let isNegative = number.first == UInt8(ascii: "-")
        var value: I = 0
        for byte in number.dropFirst(isNegative ? 1 : 0) {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, carry) =
                isNegative ? tens.subtractingReportingOverflow(I(digit)) : tens.addingReportingOverflow(I(digit))
            guard !overflow, !carry else { return nil }
            value = next
        }
        return value
    }

    // MARK: Strings

    /// A string of the text, without its quotes.
    @frozen
    package struct Text {
        package let range: Range<Int>
        package let hasEscapes: Bool
        /// True if its characters are ASCII, before escapes are replaced.
        package let isASCII: Bool

        @inlinable
        init(range: Range<Int>, hasEscapes: Bool, isASCII: Bool) {
            (self.range, self.hasEscapes, self.isASCII) = (range, hasEscapes, isASCII)
        }
    }

    /// Passes over a string that begins here, in which all control characters are escaped.
    @inlinable
    package mutating func string() throws(JSONProblem) -> Text {
        guard takeExactly(UInt8(ascii: "\"")) else { throw problem("A value is expected here.") }
        let start = position
        var hasEscapes = false
        // All bytes so far, joined by or.
        var all: UInt8 = 0
        while position < text.count {
            let byte = text[position]
            all |= byte
            if byte == UInt8(ascii: "\"") {
                position &+= 1
                return Text(range: start..<position &- 1, hasEscapes: hasEscapes, isASCII: all < 0x80)
            }
            if byte < 0x20 { throw problem("A text contains a control character; write it as an escape.") }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                position &+= 1
                // Escapes are read when the text is made; here it matters that it may be a quote.
                if position == text.count { break }
                if text[position] < 0x20 { continue }
            }
            position &+= 1
        }
        throw problem("A text does not end.")
    }

    /// Skips the name of an object's member and the colon after it.
    package mutating func name() throws(JSONProblem) -> Text {
        guard peek() == UInt8(ascii: "\"") else { throw problem("A member's name is expected here.") }
        let name = try string()
        guard take(UInt8(ascii: ":")) else { throw problem("There is no colon after a member's name.") }
        return name
    }

    /// A string without its escapes.
    package func decoded(_ string: Text) throws(JSONProblem) -> String {
        guard let text = try unescape(string, { String(wellFormed: $0) }) else {
            throw JSONProblem("A text is not UTF-8.", at: string.range.lowerBound)
        }
        return text
    }

    /// Hands out a string's bytes without its escapes.
    package func unescape<R>(_ string: Text, _ body: (UnsafeRawBufferPointer) -> R) throws(JSONProblem) -> R {
        guard string.hasEscapes else { return body(bytes(string.range)) }
        // The text of an escape has fewer bytes than the escape.
        let result = withUnsafeTemporaryAllocation(byteCount: string.range.count, alignment: 1) { decoded in
            Result { () throws(JSONProblem) in
                let count = try unescape(string, to: decoded)
                return body(UnsafeRawBufferPointer(rebasing: decoded[..<count]))
            }
        }
        return try result.get()
    }

    private func unescape(_ string: Text, to decoded: UnsafeMutableRawBufferPointer) throws(JSONProblem) -> Int {
        var rest = JSONScanner(bytes(0..<string.range.upperBound))
        rest.position = string.range.lowerBound
        var count = 0
        while rest.position < rest.text.count {
            let byte = rest.text[rest.position]
            rest.position += 1
            if byte != UInt8(ascii: "\\") {
                decoded[count] = byte
                count += 1
                continue
            }
            for byte in UTF8.encode(try rest.escape()) ?? UTF8.encodedReplacementCharacter {
                decoded[count] = byte
                count += 1
            }
        }
        return count
    }

    private mutating func escape() throws(JSONProblem) -> Unicode.Scalar {
        let byte = position < text.count ? text[position] : 0
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw problem("An escape is not one of JSON's.")
        }
    }

    private mutating func unicodeEscape() throws(JSONProblem) -> Unicode.Scalar {
        var value = try hexadecimal()
        if value & 0xFC00 == 0xD800 {
            let isPair = takeExactly("\\u")
            let second = isPair ? try hexadecimal() : 0
            guard second & 0xFC00 == 0xDC00 else { throw problem("A high surrogate is not followed by a low one.") }
            value = 0x10000 + (value & 0x3FF) << 10 + (second & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw problem("A low surrogate does not follow a high one.")
        }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONProblem) -> UInt32 {
        guard position + 4 <= text.count, let value = Hexadecimal.number(bytes(position..<position + 4)) else {
            throw problem("\\u is not followed by four hexadecimal digits.")
        }
        position += 4
        return UInt32(truncatingIfNeeded: value)
    }
}

extension UInt8 {
    /// Returns whether the byte is white space in JSON.
    @inlinable @inline(__always)
    package var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
