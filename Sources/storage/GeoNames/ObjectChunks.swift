import Foundation

/// Cuts one large JSON object into smaller ones of whole members.
///
/// A decoder takes a text as a whole and says nothing meanwhile; given these, a reader knows how far it has come, and a
/// file of 80 MB is never held decoded twice.
struct ObjectChunks {
    private let text: Data
    private let size: Int
    private let file: URL
    private var position = 0
    private var isFinished = false

    /// - Parameter size: the least bytes of a chunk; only the last one is smaller.
    init(_ text: Data, of file: URL, size: Int) throws(ToolError) {
        self.text = text
        self.size = size
        self.file = file
        skipSpace()
        guard position < text.count, text[position] == UInt8(ascii: "{") else {
            throw ToolError("\(file.path) does not hold what it should: it does not begin with a JSON object.")
        }
        position += 1
    }

    /// How much of the text has been given, from 0 to 1.
    var fraction: Double { Double(position) / Double(text.count) }

    /// The next members, as an object of their own; nil at the end.
    mutating func next() throws(ToolError) -> Data? {
        if isFinished { return nil }
        guard let end = endOfMembers() else {
            throw ToolError("\(file.path) is cut off: its JSON object does not end.")
        }
        var chunk = Data("{".utf8)
        chunk.append(text[position..<end])
        chunk.append(UInt8(ascii: "}"))
        isFinished = text[end] == UInt8(ascii: "}")
        position = end + 1
        if isFinished { try checkEnd() }
        return chunk
    }

    private func checkEnd() throws(ToolError) {
        var rest = self
        rest.skipSpace()
        guard rest.position == text.count else {
            throw ToolError("\(file.path) does not hold what it should: there is text after its JSON object.")
        }
    }

    private mutating func skipSpace() {
        while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
    }

    /// Where the object ends, or the first comma between members that makes the chunk long enough.
    private func endOfMembers() -> Int? {
        text.withUnsafeBytes { bytes in
            var scanner = MemberScanner()
            for index in position..<bytes.count {
                switch scanner.take(bytes[index]) {
                case .inside: continue
                case .end: return index
                case .betweenMembers: if index - position >= size { return index }
                }
            }
            return nil
        }
    }
}

/// Follows JSON text byte by byte, knowing no more of it than strings and brackets.
private struct MemberScanner {
    enum Place { case inside, betweenMembers, end }

    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    mutating func take(_ byte: UInt8) -> Place {
        if isInString {
            takeInString(byte)
            return .inside
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 0 { return .end }
            depth -= 1
        case UInt8(ascii: ","): if depth == 0 { return .betweenMembers }
        default: break
        }
        return .inside
    }

    private mutating func takeInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }
}
