internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Takes the text of an XML property list apart into tags and the text between them.
struct XMLScanner {
    // The bytes outlive this value: the call that makes it holds them.
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    enum Tag {
        case open(String)
        case close(String)
        case empty(String)
    }

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    func damage(_ what: String) -> StorageError { PropertyListReader.damage(what, at: position) }

    // MARK: Between elements

    /// Skips the declaration, the document type, comments and white space. A document type with definitions of its own
    /// is refused.
    mutating func skipProlog() throws(StorageError) {
        if take("\u{FEFF}") {}
        while true {
            skipSpace()
            if take("<?") {
                try skip(past: "?>")
            } else if take("<!--") {
                try skip(past: "-->")
            } else if take("<!DOCTYPE") {
                let start = position
                try skip(past: ">")
                guard !bytes[start..<position].contains(UInt8(ascii: "[")) else {
                    throw damage("The property list defines entities, which are not read")
                }
            } else {
                return
            }
        }
    }

    /// The next tag; between here and there must be nothing but white space and comments.
    mutating func tag() throws(StorageError) -> Tag {
        skipSpace()
        while take("<!--") {
            try skip(past: "-->")
            skipSpace()
        }
        guard take("<") else { throw damage("A tag is expected") }
        let isClosing = take("/")
        let start = position
        while position < bytes.count, Self.isLetter(bytes[position]) { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        let rest = position
        try skip(past: ">")
        if isClosing { return .close(name) }
        return position - 2 >= rest && bytes[position - 2] == UInt8(ascii: "/") ? .empty(name) : .open(name)
    }

    /// The text of an element that holds text alone, its end tag included.
    mutating func text(upTo name: String) throws(StorageError) -> [UInt8] {
        var text: [UInt8] = []
        while position < bytes.count {
            if take("</") {
                guard take(name) else { throw damage("A <\(name)> is not closed") }
                skipSpace()
                guard take(">") else { throw damage("A <\(name)> is not closed") }
                return text
            }
            if take("<![CDATA[") {
                let start = position
                try skip(past: "]]>")
                text += bytes[start..<position - 3]
            } else if take("<!--") {
                try skip(past: "-->")
            } else if take("&") {
                text += Array(String(Character(try entity())).utf8)
            } else {
                guard bytes[position] != UInt8(ascii: "<") else { throw damage("A <\(name)> holds another element") }
                text.append(bytes[position])
                position += 1
            }
        }
        throw damage("A <\(name)> is not closed")
    }

    private mutating func entity() throws(StorageError) -> Unicode.Scalar {
        for (name, scalar) in [("lt;", "<"), ("gt;", ">"), ("amp;", "&"), ("quot;", "\""), ("apos;", "'")]
            as [(String, Unicode.Scalar)]
        where take(name) {
            return scalar
        }
        guard take("#") else { throw damage("An entity is not known") }
        let radix = take("x") ? 16 : 10
        let start = position
        while position < bytes.count, position - start < 8, bytes[position] != UInt8(ascii: ";") { position += 1 }
        let digits = String(decoding: bytes[start..<position], as: UTF8.self)
        guard take(";"), let number = UInt32(digits, radix: radix), let scalar = Unicode.Scalar(number) else {
            throw damage("A character's number is none")
        }
        return scalar
    }

    // MARK: Bytes

    private mutating func take(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func skip(past end: String) throws(StorageError) {
        while position < bytes.count {
            if take(end) { return }
            position += 1
        }
        throw damage("The property list ends too early")
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

    // MARK: Values

    static func bytes(base64 text: [UInt8]) -> [UInt8]? {
        let digits = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return Data(base64Encoded: Data(digits)).map { [UInt8]($0) }
    }

    /// Seconds since 2001 of a date like 2015-05-28T14:02:11Z.
    static func seconds(_ text: String) -> Double? {
        let parts = text.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        guard parts.count == 6, text.hasSuffix("Z"), (1...9999).contains(parts[0]), (1...12).contains(parts[1]),
            (1...31).contains(parts[2]), parts[3] < 24, parts[4] < 60, parts[5] < 61
        else { return nil }
        // Days of the proleptic Gregorian calendar, years beginning in March.
        let year = parts[1] > 2 ? parts[0] : parts[0] - 1
        let month = (parts[1] + 9) % 12
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + parts[2] - 1
        let daysTo2001 = 730_791
        return Double((days - daysTo2001) * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5])
    }
}
