internal import Foundation
internal import StorageAPI

extension String: GeneratedValue {
    /// Text that stores have been seen to change, to cut, to take for something else or to compare wrongly.
    private static let corners = [
        "", "a", "A", "ab", "aB", "b", "\u{E9}", "e\u{301}", "\0", "a\0", "a\0b", "%", "_", "*", "?", "\\", "a%", "a_b",
        "'", "\"", "'; DROP TABLE Gadget; --", " ", " a ", "a\n", "\r\n", "\t", "0", "0012", "1e3", "NaN", "null",
        "nil",
        "true", "\u{FEFF}a", "\u{200B}", "\u{202E}a", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}",
        "\u{1F468}\u{200D}\u{1F469}",
        "\u{1F1E9}\u{1F1EA}", "\u{DF}", "ss", "\u{130}", "i", "[\"a\"]", "a,b", "$0", "?1", "\u{7F}",
    ]
    /// Few texts, so that programs meet equal ones, and those that are only nearly so.
    private static let common = ["", "a", "A", "b", "ab", "\u{E9}", "e\u{301}", "a\0", "a\0b", "a%"]
    private static let letters = ["a", "b", "A", "%", "_", "\u{E9}", "\u{301}", "\0", " ", "\u{1F600}"]

    static func random(_ generator: inout SeededGenerator) -> String {
        if let value = generator.one(of: common), generator.chance(45) { return value }
        if let corner = generator.one(of: corners), generator.chance(70) { return corner }
        if generator.chance(3) { return String(repeating: "long ", count: 60 + generator.below(400)) }
        return (0..<generator.below(5)).map { _ in generator.one(of: letters) ?? "" }.joined()
    }

    func order(to other: String) -> NaiveOrder { NaiveOrder.ofBytes(Array(utf8), Array(other.utf8)) }

    /// The first half of a long text.
    var simpler: [String] {
        let count = unicodeScalars.count
        return count > 4 ? [String(unicodeScalars.prefix(count / 2))] : []
    }

    /// Every scalar that is not plain is shown by its number, so that equal texts are equal scalar by scalar.
    func swift(_: LiteralStyle) -> String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case " "..."~": text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text + "\""
    }
}

extension Data: GeneratedValue {
    static func random(_ generator: inout SeededGenerator) -> Data {
        switch generator.below(8) {
        case 0: Data()
        case 1: Data([0])
        case 2: Data(UInt8.min...UInt8.max)
        case 3: Data([0, 0xFF, 0])
        default: Data(generator.some(UInt8.self, upTo: 4))
        }
    }

    func order(to other: Data) -> NaiveOrder { NaiveOrder.ofBytes(Array(self), Array(other)) }

    func swift(_: LiteralStyle) -> String { "Data([" + map { String($0) }.joined(separator: ", ") + "])" }
}

extension UUID: GeneratedValue {
    private var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

    static func random(_ generator: inout SeededGenerator) -> UUID {
        let byte = generator.pick(0, 1, 0x7F, 0x80, 0xFF) as UInt8
        let last = generator.pick(0, 0xFF, UInt8(generator.below(4)))
        return UUID(
            uuid: (byte, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, last))
    }

    func order(to other: UUID) -> NaiveOrder { NaiveOrder.ofBytes(bytes, other.bytes) }

    func swift(_: LiteralStyle) -> String { "UUID(uuidString: \"\(uuidString)\")!" }
}

extension URL: GeneratedValue {
    private static let corners = [
        "https://example.org/a?b=c&d=%20#e", "https://example.org", "https://example.org/", "HTTPS://example.org",
        "a/b",
        "../c", "file:///tmp/x", "mailto:a@b", "https://example.org/%C3%A9",
    ]

    static func random(_ generator: inout SeededGenerator) -> URL {
        generator.one(of: corners).flatMap { URL(string: $0) } ?? URL(filePath: "/")
    }

    func order(to other: URL) -> NaiveOrder { relativeString.order(to: other.relativeString) }

    func swift(_: LiteralStyle) -> String { "URL(string: \(relativeString.swift))!" }
}
