/// The word boundaries of Unicode Standard Annex #29, rules WB1 to WB999.
///
/// Every scalar is looked at once, and once more where a rule depends on the next letter, so a text takes linear time.
package struct WordBreaks {
    let text: UnsafeBufferPointer<UInt8>
    /// Takes letters of scripts without spaces for boundaries, as the analyzer needs, which makes pairs of them itself.
    let separatesPairs: Bool

    package init(text: UnsafeBufferPointer<UInt8>, separatesPairs: Bool) {
        self.text = text
        self.separatesPairs = separatesPairs
    }

    typealias Class = ScalarKind.Class

    private struct Scalar {
        var `class`: Class
        var isPictographic: Bool
        var length: Int
    }

    private func scalar(at index: Int) -> Scalar {
        let decoded = DecodedScalar(text, at: index)
        let kind = ScalarTables.kind(decoded.value)
        if separatesPairs, kind.isPaired { return Scalar(class: .other, isPictographic: false, length: decoded.length) }
        return Scalar(class: kind.class, isPictographic: kind.isPictographic, length: decoded.length)
    }

    /// The boundary that ends the segment that begins at a place.
    package func end(from start: Int) -> Int {
        var next = scalar(at: start)
        var at = start + next.length
        // The class before, the one before that, both without ignored scalars, and the scalar before with them.
        var before = next.class
        var earlier = Class.other
        var last = next.class
        var indicators = before == .regionalIndicator ? 1 : 0
        while at < text.count {
            next = scalar(at: at)
            let isIgnored = next.class == .extend || next.class == .format || next.class == .joiner
            if Self.endsLine(last) || Self.endsLine(next.class) {
                if last == .carriageReturn && next.class == .lineFeed { return at + next.length }  // WB3
                return at  // WB3a, WB3b
            }
            if isIgnored {  // WB4
                last = next.class
                at += next.length
                continue
            }
            let joins =
                (last == .joiner && next.isPictographic)  // WB3c
                || (last == .space && next.class == .space)  // WB3d
                || joins(before, next.class, earlier: earlier, after: at + next.length)
                || (next.class == .regionalIndicator && before == .regionalIndicator && indicators == 1)  // WB15, WB16
            guard joins else { return at }
            indicators = next.class == .regionalIndicator ? indicators + 1 : 0
            (earlier, before, last) = (before, next.class, next.class)
            at += next.length
        }
        return at
    }

    /// Rules WB5 to WB13b.
    private func joins(_ before: Class, _ next: Class, earlier: Class, after: Int) -> Bool {
        switch (before, next) {
        case (.letter, .letter), (.letter, .hebrewLetter), (.hebrewLetter, .letter), (.hebrewLetter, .hebrewLetter),
            (.letter, .numeric), (.hebrewLetter, .numeric), (.numeric, .letter), (.numeric, .hebrewLetter),
            (.numeric, .numeric), (.katakana, .katakana):
            true
        case (.letter, .extendNumberLetter), (.hebrewLetter, .extendNumberLetter), (.numeric, .extendNumberLetter),
            (.katakana, .extendNumberLetter), (.extendNumberLetter, .extendNumberLetter),
            (.extendNumberLetter, .letter), (.extendNumberLetter, .hebrewLetter), (.extendNumberLetter, .numeric),
            (.extendNumberLetter, .katakana):
            true
        case (.hebrewLetter, .singleQuote):
            true
        case (.hebrewLetter, .doubleQuote):
            following(after) == .hebrewLetter
        case (.doubleQuote, .hebrewLetter):
            earlier == .hebrewLetter
        case (.letter, .midLetter), (.letter, .midNumberLetter), (.letter, .singleQuote), (.hebrewLetter, .midLetter),
            (.hebrewLetter, .midNumberLetter):
            Self.isLetter(following(after))
        case (.midLetter, .letter), (.midLetter, .hebrewLetter), (.midNumberLetter, .letter),
            (.midNumberLetter, .hebrewLetter), (.singleQuote, .letter), (.singleQuote, .hebrewLetter):
            Self.isLetter(earlier)
        case (.numeric, .midNumber), (.numeric, .midNumberLetter), (.numeric, .singleQuote):
            following(after) == .numeric
        case (.midNumber, .numeric), (.midNumberLetter, .numeric), (.singleQuote, .numeric):
            earlier == .numeric
        default:
            false
        }
    }

    /// The class of the next scalar that is not ignored.
    private func following(_ start: Int) -> Class {
        var at = start
        while at < text.count {
            let next = scalar(at: at)
            if next.class != .extend && next.class != .format && next.class != .joiner { return next.class }
            at += next.length
        }
        return .other
    }

    private static func isLetter(_ value: Class) -> Bool { value == .letter || value == .hebrewLetter }

    private static func endsLine(_ value: Class) -> Bool {
        value == .carriageReturn || value == .lineFeed || value == .newline
    }
}
