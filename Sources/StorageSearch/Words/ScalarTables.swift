/// The frozen properties of a scalar.
package struct ScalarKind {
    /// Unicode's classes of the word rules, in the order of the table.
    enum Class: UInt8 {
        case other, carriageReturn, lineFeed, newline, extend, joiner, format, katakana, hebrewLetter, letter
        case singleQuote, doubleQuote, midNumberLetter, midLetter, midNumber, numeric, extendNumberLetter
        case regionalIndicator, space
    }

    let bits: UInt8

    var `class`: Class { Class(rawValue: bits & 31) ?? .other }
    var isPictographic: Bool { bits & 32 != 0 }
    /// A letter of a script that does not separate words.
    var isPaired: Bool { bits & 64 != 0 }
    /// A letter, a digit or an emoji, which make a word of what surrounds them.
    var makesWord: Bool { bits & 128 != 0 }
    /// Marks and format characters, which belong to the scalar before them.
    var isIgnored: Bool {
        let value = bits & 31
        return value >= Class.extend.rawValue && value <= Class.format.rawValue
    }
}

/// Reads the generated tables.
///
/// The pointers are those of static strings, which live as long as the program. A scalar is at most 10FFFF, for which each
/// table has its entries: `ScalarTableTests` looks up every scalar.
package enum ScalarTables {
    package static func kind(_ scalar: UInt32) -> ScalarKind {
        let place = place(of: scalar, BreakTable.groups, BreakTable.stage)
        let index = Int(BreakTable.blocks.utf8Start[place] &- 48)
        return ScalarKind(bits: UInt8(truncatingIfNeeded: number(BreakTable.kinds, index)))
    }

    /// The place of a scalar's folded text, and 0 for one that stays itself.
    package static func fold(_ scalar: UInt32) -> Int {
        number(FoldTable.blocks, place(of: scalar, FoldTable.groups, FoldTable.stage))
    }

    /// The number of bytes of a folded text.
    package static func foldedCount(_ fold: Int) -> Int { Int(FoldTable.results.utf8Start[fold * 5] &- 48) }

    package static func foldedByte(_ fold: Int, _ index: Int) -> UInt8 {
        let (slot, byte) = index.quotientAndRemainder(dividingBy: 3)
        // Of the three bytes of a slot the first has a character and two bits of the next, and so on.
        let place = byte * 8 / 6
        let start = FoldTable.results.utf8Start + ((fold + slot) * 5 + 1 + place)
        let bits = UInt16(start[0] &- 48) << 6 | UInt16(start[1] &- 48)
        return UInt8(truncatingIfNeeded: bits >> UInt16(4 - (byte * 8 - place * 6)))
    }

    /// The offset of a scalar's entry in the blocks of a table.
    private static func place(of scalar: UInt32, _ groups: StaticString, _ stage: StaticString) -> Int {
        let group = number(stage, Int(scalar >> 10))
        return number(groups, group << 5 | Int(scalar >> 5 & 31)) << 5 | Int(scalar & 31)
    }

    private static func number(_ table: StaticString, _ index: Int) -> Int {
        let start = table.utf8Start + index * 2
        return Int(start[0] &- 48) << 6 | Int(start[1] &- 48)
    }
}

/// A scalar of a text in UTF-8.
struct DecodedScalar {
    let value: UInt32
    let length: Int

    /// The scalar at a place of a text. Where the bytes are no UTF-8, which a `String` never has, a byte is a scalar.
    init(_ text: UnsafeBufferPointer<UInt8>, at index: Int) {
        let lead = text[index]
        let left = text.count - index
        func tail(_ offset: Int) -> UInt32 { UInt32(text[index + offset] & 63) }
        if lead < 0xC0 || left < 2 {
            (value, length) = (UInt32(lead), 1)
        } else if lead < 0xE0 {
            (value, length) = (UInt32(lead & 31) << 6 | tail(1), 2)
        } else if lead < 0xF0, left >= 3 {
            (value, length) = (UInt32(lead & 15) << 12 | tail(1) << 6 | tail(2), 3)
        } else if lead < 0xF5, left >= 4 {
            let scalar = UInt32(lead & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)
            (value, length) = (min(scalar, 0x10FFFF), 4)
        } else {
            (value, length) = (UInt32(lead), 1)
        }
    }
}
