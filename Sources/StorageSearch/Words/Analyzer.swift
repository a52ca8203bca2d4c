/// The rules by which texts and queries are made into words.
///
/// ``words`` works so:
///
/// 1. Characters are read as their plain forms, whatever their width, direction or place in a word: `Ａ` as `A`, `ｶ` as `カ`, `ﻼ` as
///    the two letters that it joins. What is written for an apostrophe within words, such as `’` and `ʼ`, is `'`.
/// 2. A text is divided by the word boundaries of Unicode (UAX #29). A segment is a word if it has a letter, a digit or an
///    emoji. So `don't`, `3.14` and `foo_bar` are a word each, and punctuation and symbols none.
/// 3. A word is folded as a comparison that ignores case and diacritics: `Straße` and `STRASSE` are one word, `é` and `e`.
///    Invisible characters are left out, such as the soft hyphen and variation selectors, but for the joiner of emoji.
/// 4. Scripts that do not separate words (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar and the like) give overlapping pairs of
///    letters, and the last letter of a run alone. So any part of a run is found, and one letter too.
/// 5. A word longer than 120 bytes is cut after its last letter, digit or emoji within them, in texts and queries alike.
///
/// The tables are those of Unicode 15.0.0 and never change; other rules have another name.
public struct Analyzer: Hashable, Sendable {
    /// The name with the version, which a store records.
    public let name: String

    /// Unicode's words, folded.
    public static let words = Analyzer(name: "words.2")

    /// The names of the analyzers of earlier versions, whose indexes are built again: `words.1` had no plain forms.
    package static let earlier: Set<String> = ["words.1"]

    private init(name: String) { self.name = name }

    /// The analyzer of a recorded name, and nil for one that this version of the package does not have.
    public init?(named name: String) {
        guard name == Self.words.name else { return nil }
        self = .words
    }

    /// The words of a text, in its order.
    public func tokens(of text: String) -> [SearchToken] {
        var tokens: [SearchToken] = []
        forEachWord(of: text) { word in
            tokens.append(
                SearchToken(
                    term: String(decoding: word.bytes, as: UTF8.self), position: word.position,
                    range: word.start..<word.end, isLastOfRun: word.kind == .lastOfRun, isPair: word.kind == .pair))
        }
        return tokens
    }

    /// The number of words of a text.
    public func count(_ text: String) -> Int {
        var count = 0
        forEachWord(of: text) { _ in count += 1 }
        return count
    }

    /// Calls `visit` for each word of a text, counting positions from one, and returns the position after the last.
    @inline(__always) @discardableResult
    func forEachWord(of text: String, from position: Int = 0, _ visit: (ScannedWord) -> Void) -> Int {
        if let end = text.utf8.withContiguousStorageIfAvailable({ WordScanner.scan($0, from: position, visit) }) {
            return end
        }
        // Texts of Apple's frameworks, which have no bytes of their own.
        return Array(text.utf8).withUnsafeBufferPointer { WordScanner.scan($0, from: position, visit) }
    }
}

/// A word of a text.
public struct SearchToken: Hashable, Sendable {
    /// The folded word, or a pair of letters.
    public let term: String
    /// The number of words before it. A letter of a script without spaces counts as one.
    public let position: Int
    /// The place of the word in the UTF-8 of the text.
    public let range: Range<Int>
    /// The last letter of a run of a script without spaces, which stands alone.
    let isLastOfRun: Bool
    let isPair: Bool
}
