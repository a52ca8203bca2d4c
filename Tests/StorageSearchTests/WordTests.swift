import Foundation
import StorageSearch
import TestSupport
import Testing

@Suite("Words")
struct WordTests {
    /// Unicode's own tests of its word boundaries.
    @Test func boundariesAreUnicodes() throws {
        let url = try #require(
            Bundle.module.url(forResource: "WordBreakTest", withExtension: "txt", subdirectory: "Fixtures"))
        var count = 0
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            var text = ""
            var expected: [Int] = []
            for part in line.split(separator: " ") {
                switch part {
                case "÷": expected.append(text.utf8.count)
                case "×": break
                default: text.unicodeScalars.append(try #require(UInt32(part, radix: 16).flatMap(Unicode.Scalar.init)))
                }
            }
            let found = Array(text.utf8).withUnsafeBufferPointer { bytes in
                let breaks = WordBreaks(text: bytes, separatesPairs: false)
                var found = [0]
                while let at = found.last, at < bytes.count { found.append(breaks.end(from: at)) }
                return found
            }
            expect(found, equals: expected, "\(line)")
            count += 1
        }
        expect(count, equals: 1823)
    }

    private func words(_ text: String) -> [String] { Analyzer.words.tokens(of: text).map(\.term) }

    @Test(
        arguments: [
            ("Don't panic, it's 3.14!", ["don't", "panic", "it's", "3.14"]),
            ("foo_bar real-time C++ a.b.", ["foo_bar", "real", "time", "c", "a.b"]),
            ("Straße STRASSE", ["strasse", "strasse"]),
            ("é e\u{301} ΣΊΣΥΦΟΣ", ["e", "e", "σισυφοσ"]),
            ("明月光", ["明月", "月光", "光"]),
            ("iPhone手机x", ["iphone", "手机", "机", "x"]),
            ("日,本", ["日", "本"]),
            ("ไทย", ["ไท", "ทย", "ย"]),
            ("한국어abc", ["한국", "국어", "어", "abc"]),
            ("カタカナ", ["カタ", "タカ", "カナ", "ナ"]),
            ("a\u{AD}b 👩\u{200D}💻 ❤\u{FE0F} 🇩🇪🇫🇷", ["ab", "👩\u{200D}💻", "❤", "🇩🇪", "🇫🇷"]),
            ("שלום العَرَبِيّة", ["שלום", "العربية"]),
            ("\u{301} \u{0} -- ___ ™ ©", []),
            ("a\u{0}b", ["a", "b"]),
            ("x\u{301}\u{301}'y", ["x'y"]),
            ("Don’t “l’été” 'O‘Brien' ʼtis dogs’", ["don't", "l'ete", "o'brien", "tis", "dogs"]),
            ("ＡＢＣ１２３ ３．１４ ａ＿ｂ　ｃ", ["abc123", "3.14", "a_b", "c"]),
            ("ｶﾞﾗｽ ガラス", ["カラ", "ラス", "ス", "カラ", "ラス", "ス"]),
            ("\u{FEB3}\u{FEFC}\u{FEE1} \u{FDF2} \u{FDFA}", ["سلام", "الله", "\u{FDFA}"]),
            ("צה״ל צה\"ל גב׳ גב'", ["צה\"ל", "צה\"ל", "גב'", "גב'"]),
            ("\u{149}", ["'n"]),
            ("Swift™ m² ½", ["swift", "m", "²", "½"]),
        ] as [(String, [String])])
    func wordsOfTexts(_ text: String, _ expected: [String]) { expect(words(text), equals: expected) }

    @Test func rangesAreThoseOfTheText() {
        let text = "Größe 明月 x"
        let parts = Analyzer.words.tokens(of: text).map { String(decoding: Array(text.utf8)[$0.range], as: UTF8.self) }
        expect(parts, equals: ["Größe", "明月", "月", "x"])
        expect(Analyzer.words.tokens(of: text).map(\.position), equals: [0, 1, 2, 3])
    }

    @Test func longWordsAreCut() {
        let long = String(repeating: "a", count: 1 << 20)
        expect(words(long + " b"), equals: [String(repeating: "a", count: 120), "b"])
        expect(words(String(repeating: "é", count: 200)), equals: [String(repeating: "e", count: 120)])
        let dotted = String(repeating: "a", count: 119) + ".b"
        expect(words(dotted), equals: [String(repeating: "a", count: 119)])
        expect(words(dotted + "é"), equals: [String(repeating: "a", count: 119)])
        // A megabyte of marks takes linear time.
        expect(words("a." + String(repeating: "\u{301}", count: 1 << 20) + "b").count, equals: 1)
        expect(words(String(repeating: "a.", count: 1 << 19)).count, equals: 1)
    }

    /// The path for ASCII and the one for all other texts are one rule.
    @Test func bothPathsAgree() {
        var generator = Seeded(state: 7)
        let alphabet = Array("aZ09_'.:,;\"- \r\n\t\u{B}")
        for _ in 0..<5000 {
            let text = String(
                (0..<Int.random(in: 1...12, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! })
            let bytes = Array(text.utf8)
            let slow = bytes.withUnsafeBufferPointer { buffer in
                let breaks = WordBreaks(text: buffer, separatesPairs: true)
                var at = 0
                var words: [String] = []
                while at < buffer.count {
                    let end = breaks.end(from: at)
                    let word = String(decoding: buffer[at..<end], as: UTF8.self).lowercased()
                    if word.contains(where: { $0.isLetter || $0.isNumber }) { words.append(word) }
                    at = end
                }
                return words
            }
            expect(words(text), equals: slow, "\(text.debugDescription)")
        }
    }

    private func folded(_ scalar: UInt32) -> [UInt32] {
        let fold = ScalarTables.fold(scalar)
        if fold == 0 { return [scalar] }
        let bytes = (0..<ScalarTables.foldedCount(fold)).map { ScalarTables.foldedByte(fold, $0) }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
    }

    /// Unicode's compatibility forms, by the platform's tables, which are no part of the analyzer.
    @Test func formsAreReadAsTheirPlainCharacters() throws {
        let blocks: [ClosedRange<UInt32>] = [
            0xF900...0xFAFF, 0xFB00...0xFDFF, 0xFE10...0xFE1F, 0xFE30...0xFE6F, 0xFE70...0xFEFF, 0xFF00...0xFFEF,
            0x2F800...0x2FA1F,
        ]
        var changed = 0
        for value in blocks.joined() {
            let scalar = try #require(Unicode.Scalar(value))
            // These stand for letters that are forms of others, in blocks that do not exist for forms.
            if 0xFFA0...0xFFDC ~= value || value == 0xFBDD || scalar.properties.generalCategory == .unassigned {
                continue
            }
            let form = String(scalar)
            let plain = form.precomposedStringWithCompatibilityMapping
            if plain.unicodeScalars.contains(" ") { continue }
            expect(words(form), equals: words(plain), "\(String(value, radix: 16))")
            expect(
                words("a" + form + "b"), equals: words("a" + plain + "b"), "\(String(value, radix: 16)) between letters"
            )
            if !plain.unicodeScalars.elementsEqual([scalar]) { changed += 1 }
        }
        expect(changed > 2000)
        expect(words("ﾡ"), equals: words("ㄱ"))
    }

    /// Folding twice is folding once, for every scalar, and each has its entries in the tables.
    @Test func foldingIsStable() {
        for scalar in 0...0x10FFFF as ClosedRange<UInt32> {
            let once = folded(scalar)
            expect(once.flatMap(folded) == once || once == [scalar], "\(scalar)")
            _ = ScalarTables.kind(scalar)
        }
        expect(folded(0xDF), equals: [0x73, 0x73])
        expect(folded(0x131), equals: [0x131])
        expect(folded(0x301), equals: [])
    }
}

struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
