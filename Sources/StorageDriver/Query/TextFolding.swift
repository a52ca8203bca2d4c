/// The differences that a test of text ignores.
///
/// ```swift
/// store.select(Person.self).where { $0.name.hasPrefix("chéng", ignoring: [.case, .diacritics]) }
/// ```
///
/// The definition is the same on every backend, and works scalar by scalar, independently of the language:
///
/// 1. For `diacritics`, a letter that Unicode decomposes canonically into a letter and diacritics (é, ở, ΐ) becomes the
///    letter.
/// 2. For `case`, a scalar becomes the lowercase of the uppercase of its lowercase, so that ß, ẞ, SS and ss are equal,
///    and σ, ς and Σ. The dotless ı stays itself.
/// 3. For `diacritics`, nonspacing marks with the Unicode property Diacritic are dropped.
///
/// No other normalisation takes place: without `diacritics`, é as one scalar differs from é as two. The properties come from
/// the Swift runtime (on Apple's platforms the system's) and the decompositions from a table, so a scalar that is newer
/// than either folds to itself. No folded text is stored, so a newer version of Unicode changes no file.
public struct TextFolding: OptionSet, Hashable, Sendable {
    /// The foldings as bits.
    public let rawValue: UInt8

    /// The foldings of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Uppercase and lowercase letters are equal.
    public static let `case` = TextFolding(rawValue: 1)
    /// Letters with and without diacritics are equal.
    public static let diacritics = TextFolding(rawValue: 2)

    /// The folded text, which is the same for all texts that count as equal.
    public func fold(_ text: String) -> String {
        if isEmpty { return text }
        var plain = text
        if let folded = plain.withUTF8({ fold(ascii: $0) }) { return folded }
        var folded = ""
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { append(scalar, to: &folded.unicodeScalars) }
        return folded
    }

    /// The folded text of ASCII; nil for any other text.
    private func fold(ascii text: UnsafeBufferPointer<UInt8>) -> String? {
        guard Self.isASCII(text) else { return nil }
        return String(unsafeUninitializedCapacity: text.count) { bytes in
            for place in text.indices { bytes[place] = fold(ascii: text[place]) }
            return text.count
        }
    }

    /// The folded byte of ASCII.
    func fold(ascii byte: UInt8) -> UInt8 { contains(.case) && byte &- 0x41 < 26 ? byte | 0x20 : byte }

    static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in text { all |= byte }
        return all < 0x80
    }

    private func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
        if scalar.isASCII {
            folded.append(contains(.case) ? Self.lowercase(ascii: scalar) : scalar)
        } else if contains(.diacritics) {
            for letter in Self.letters[scalar] ?? [scalar] {
                for part in caseFolded(letter) where !Self.isDiacritic(part) { folded.append(part) }
            }
        } else {
            folded.append(contentsOf: caseFolded(scalar))
        }
    }

    private func caseFolded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard contains(.case), scalar != "\u{131}" else { return [scalar] }
        return scalar.properties.lowercaseMapping.unicodeScalars
            .flatMap { $0.properties.uppercaseMapping.unicodeScalars }
            .flatMap { $0.properties.lowercaseMapping.unicodeScalars }
    }

    private static func lowercase(ascii scalar: Unicode.Scalar) -> Unicode.Scalar {
        (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value) + 0x20) : scalar
    }

    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && scalar.properties.isDiacritic && scalar.properties.generalCategory == .nonspacingMark
    }

    /// The letters that consist of other letters and diacritics, with these.
    private static let letters: [Unicode.Scalar: [Unicode.Scalar]] = {
        var letters: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        let parts = LetterTable.pairs.unicodeScalars.split { $0 == " " || $0 == "\n" }
        for place in stride(from: 1, to: parts.count, by: 2) {
            for composed in parts[place] { letters[composed] = Array(parts[place - 1]) }
        }
        return letters
    }()
}
