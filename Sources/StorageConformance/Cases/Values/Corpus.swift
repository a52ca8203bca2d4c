internal import Foundation
internal import StorageAPI

/// The values that every context is tried with: all different, in the order of clause V4.
enum Corpus {
    static func integers<I: FixedWidthInteger>(_: I.Type) -> [I] {
        let middle = I.max / 2
        let signed: [I] = I.isSigned ? [.min, .min + 1, 0 - 1] : []
        return signed + [0, 1, middle, middle + 1, .max - 1, .max]
    }

    /// Around 2^53, where Double begins to round, and Int64.max, where an unsigned one begins to be more.
    static let wide: [UInt64] =
        [0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, .max - 1, .max]

    static let long: [Int64] =
        [.min, .min + 1, -(1 << 53) - 1, -(1 << 53), -1, 0, 1, 1 << 53, (1 << 53) + 1, .max - 1, .max]

    static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1e23, -1.5, -.leastNormalMagnitude, -.leastNonzeroMagnitude, 0,
        .leastNonzeroMagnitude, .leastNormalMagnitude.nextDown, .leastNormalMagnitude, .ulpOfOne, 0.1,
        1.0.nextDown, 1, 1.0.nextUp, .pi, 9_007_199_254_740_992, 123_456_789_012_345_680, 1e22, 1e23,
        .greatestFiniteMagnitude, .infinity, .nan,
    ]

    static let floats: [Float] = [
        -.infinity, -.greatestFiniteMagnitude, -0.1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude,
        .leastNormalMagnitude, 0.1, 1, Float(1).nextUp, .pi, 16_777_216, .greatestFiniteMagnitude, .infinity, .nan,
    ]

    static let texts: [String] = [
        "", " ", "a", "A", "aa", "a\0b", "a\0c", "\0", "\0\0", "é", "e\u{301}", "👨‍👩‍👧‍👦", "👨", "🇩🇪🏳️‍🌈👍🏽",
        "\u{202E}abc\u{202C}", "\u{FEFF}bom", "\u{200B}", "\u{FFFF}", "\u{10FFFF}", "\u{FFFD}", "0012", "1e3", "NaN",
        "null", "true", "nil", "  spaces  ", "\t", "\r", "\n", "\r\n", "a\r\nb\n", "'; DROP TABLE Holder; --",
        "\"quoted\"", "'", "\\", "\\0", "%", "_", "*", "?", "[", "]", ",", "|", "{}", "[\"a\"]",
        "\u{1}\u{1F}\u{7F}\u{85}\u{2028}\u{2029}", "Ünïcödé", "成都", "İı", "-0", "+1", "1.0", "Infinity", "x'00'",
        "ﬀ", "ẞß", "𝒳", "ა", "ไทย", "नमस्ते", "../../x", "NULL", "$null", "$0",
    ].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }

    static let bytes: [[UInt8]] = [
        [], [0], [0, 0], [0, 1], [0, 1, 0], Array(0...255), [1], [0x7F], [0x80], [0xC3, 0x28], [0xFF, 0xFE],
        Array((0...255).reversed()),
    ]

    static let dates: [Date] = [
        -.infinity, Date.distantPast.timeIntervalSinceReferenceDate, -978_307_200.001, -978_307_200, -0.5,
        0, .leastNonzeroMagnitude, 0.1, 700_000_000.123_456_78, 252_423_993_599.999, 252_423_993_600, .infinity,
    ].sorted().map { Date(timeIntervalSinceReferenceDate: $0) }

    static let uuids: [UUID] =
        ([
            "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
            "0A000000-0000-0000-0000-000000000000", "7FFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            "80000000-0000-0000-0000-000000000000", "DEADBEEF-0000-4000-8000-00000000000A",
            "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        ]).compactMap(UUID.init)

    static let urls: [URL] = [
        "#fragment", "../up", "HTTP://EXAMPLE.com/%7Ea/./b/../c", "a", "data:text/plain,hi", "file:///tmp/a%20b",
        "http://user:pw@host:80/", "http://xn--mnchen-3ya.de/", "https://example.com/a/b?q=1&r=%20#f", "mailto:a@b.c",
        "relative/path?x=y",
    ].compactMap { URL(string: $0) }

    static let decimals: [Decimal] =
        [-Decimal.greatestFiniteMagnitude]
        + [
            "-12345678901234567890123456789012345678", "-1", "-0.1", "-0.000000000000000000000000000000000001", "0",
            "1e-127", "0.12345678901234567890123456789012345678", "0.5", "1", "1.0000000000000000000000000000000000001",
            "9", "10", "12345678901234567890.123456789012345678", "99999999999999999999999999999999999998",
            "99999999999999999999999999999999999999", "1e127",
        ].compactMap { Decimal(string: $0) } + [.greatestFiniteMagnitude, .nan]

    /// Around the second, the attosecond, the half of the 128 bits, and the ends of the type.
    static let durations: [Duration] = [
        .min, .min + 1, -(1 << 64), -1_500_000_000_000_000_000, -1, 0, 1, 999, 1000, 1_000_000_000_000_000_000,
        90_000_000_000_000_000_001, (1 << 64) - 1, 1 << 64, 1 << 100, .max - 1, .max,
    ].sorted().map { (attoseconds: Int128) in Duration(attoseconds: attoseconds) }

    static let vectors: [Vector] = [
        [], [0], [0, 0], [1], [-1], [0.1], [1, 2, 3], [3, 2, 1], [.nan], [.infinity, -.infinity],
        [.leastNonzeroMagnitude, .greatestFiniteMagnitude], [16_777_216, 1, 0.333_333_34],
        Vector((0..<1536).map { Float($0) / 7 }),
    ].sorted { Value($0) < Value($1) }
}
