/// Writes HTML.
///
/// The names of elements and attributes are literals of the program, and everything else is escaped where it is written. So
/// no value of a store can become markup, whatever it contains.
struct HTML {
    private(set) var bytes: [UInt8] = []

    /// An attribute of an element. A flag has no value.
    struct Attribute {
        fileprivate let name: StaticString
        fileprivate let value: String?

        init(_ name: StaticString, _ value: String) { (self.name, self.value) = (name, value) }
        private init(flag: StaticString) { (name, value) = (flag, nil) }

        static func flag(_ name: StaticString) -> Attribute { Attribute(flag: name) }
        static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
        static func id(_ value: String) -> Attribute { Attribute("id", value) }
        static func href(_ address: Address) -> Attribute { Attribute("href", address.text) }
    }

    /// An element with its content.
    mutating func element<E: Error>(
        _ name: StaticString, _ attributes: Attribute..., content: (inout HTML) throws(E) -> Void
    ) throws(E) {
        try element(name, attributes, content: content)
    }
    mutating func element<E: Error>(
        _ name: StaticString, _ attributes: [Attribute], content: (inout HTML) throws(E) -> Void
    ) throws(E) {
        open(name, attributes)
        try content(&self)
        close(name)
    }

    /// An element that has text alone.
    mutating func element(_ name: StaticString, _ attributes: Attribute..., text: String) {
        open(name, attributes)
        self.text(text)
        close(name)
    }

    /// An element that never has content, such as `input`.
    mutating func void(_ name: StaticString, _ attributes: [Attribute]) { open(name, attributes) }
    mutating func void(_ name: StaticString, _ attributes: Attribute...) { open(name, attributes) }

    mutating func text(_ text: String) { Self.escape(text, into: &bytes) }

    /// The first line of a page.
    mutating func doctype() { bytes += "<!DOCTYPE html>".utf8 }

    private mutating func open(_ name: StaticString, _ attributes: [Attribute]) {
        bytes.append(UInt8(ascii: "<"))
        write(name)
        for attribute in attributes {
            bytes.append(UInt8(ascii: " "))
            write(attribute.name)
            guard let value = attribute.value else { continue }
            bytes += "=\"".utf8
            text(value)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    /// Cells, rows and entries of lists end where the next one begins, or where the element around them ends.
    /// A large table is shorter by a sixth without their end tags.
    private mutating func close(_ name: StaticString) {
        guard !name.withUTF8Buffer({ Self.endsByItself($0) }) else { return }
        bytes += "</".utf8
        write(name)
        bytes.append(UInt8(ascii: ">"))
    }

    private static func endsByItself(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        ["td", "tr", "th", "dt", "dd", "li"].contains { (known: StaticString) in
            known.withUTF8Buffer { name.elementsEqual($0) }
        }
    }

    private mutating func write(_ name: StaticString) { name.withUTF8Buffer { bytes += $0 } }

    /// Characters that a page cannot have, or that reorder the text around them, are written as visible characters.
    private static func escape(_ text: String, into bytes: inout [UInt8]) {
        var text = text
        let isWhole = text.withUTF8 { utf8 in
            guard utf8.allSatisfy(isPlain) else { return false }
            bytes += utf8
            return true
        }
        guard !isWhole else { return }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: bytes += "&amp;".utf8
            case 0x3C: bytes += "&lt;".utf8
            case 0x3E: bytes += "&gt;".utf8
            case 0x22: bytes += "&quot;".utf8
            case 0x27: bytes += "&#39;".utf8
            case 0x09, 0x0A: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            // Pictures of the control characters follow each other from U+2400.
            case 0..<0x20: append(0x2400 + scalar.value, to: &bytes)
            case 0x7F: append(0x2421, to: &bytes)
            case 0x80...0x9F, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF:
                bytes += "⟨U+\(String(scalar.value, radix: 16, uppercase: true))⟩".utf8
            default: append(scalar.value, to: &bytes)
            }
        }
    }

    /// Returns whether a byte of UTF-8 can be neither a character that is escaped, nor the first byte of one.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0A: true
        case 0..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0x7F, 0xC2, 0xE2, 0xEF: false
        default: true
        }
    }

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        if let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) { bytes += encoded }
    }
}
