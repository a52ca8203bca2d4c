// How many cells of a terminal a text takes. Swift counts characters, and tables made by that count fall apart in any
// script but a few: 上海 takes four cells, the marks of दिल्ली some none.

extension String {
    /// The number of terminal cells that the text takes.
    package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The text with spaces to fill the width.
    package func padded(to width: Int, _ alignment: TextTable.Alignment = .left) -> String {
        let space = String(repeating: " ", count: max(0, width - displayWidth))
        return alignment == .left ? self + space : space + self
    }

    /// The text, or its beginning and an ellipsis if it is too wide.
    package func cut(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var shown = ""
        var left = width - 1
        for character in self {
            left -= character.displayWidth
            if left < 0 { break }
            shown.append(character)
        }
        return shown + "…"
    }

    /// The text without characters that move the cursor or reverse the line: data must not draw outside its cell.
    package var printable: String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.turnsText {
            result.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }
}

extension Character {
    /// The sum of the scalars' widths, except for emoji of several scalars, which are drawn as one.
    fileprivate var displayWidth: Int {
        let scalars = unicodeScalars
        guard scalars.count > 1 else { return scalars.first?.displayWidth ?? 0 }
        let isEmoji = scalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
        return isEmoji ? 2 : scalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    /// As the C library's `wcwidth` counts: 0 for marks and format characters, 2 for wide ones.
    fileprivate var displayWidth: Int {
        if value < 0x300 { return self == "\u{AD}" ? 1 : properties.generalCategory == .control ? 0 : 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        return isWide ? 2 : 1
    }

    private var isWide: Bool {
        guard value >= 0x1100 else { return false }
        return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) }
    }

    /// Embeddings, overrides and isolates of the bidirectional algorithm.
    fileprivate var turnsText: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }

    /// Unicode's East Asian wide and fullwidth characters, except emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul initials
        0x2329...0x232A,  // angle brackets
        0x2E80...0x303E,  // radicals, CJK punctuation
        0x3041...0x4DFF,  // Kana, Bopomofo, compatibility Jamo, CJK symbols, extension A, hexagrams
        0x4E00...0xA4CF,  // CJK ideographs, Yi
        0xA960...0xA97C,  // Hangul initials, extended
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // compatibility ideographs
        0xFE10...0xFE19, 0xFE30...0xFE6B,  // vertical and small forms
        0xFF01...0xFF60, 0xFFE0...0xFFE6,  // fullwidth forms
        0x16FE0...0x18D08,  // Tangut, Khitan
        0x1AFF0...0x1B2FB,  // Kana, extended; Nushu
        0x1F200...0x1F265,  // enclosed ideographs
        0x20000...0x3FFFD,  // the ideographic planes
    ]
}
