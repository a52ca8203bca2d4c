import Foundation
import StorageKit
import TestSupport
import Testing

@Storable private struct Amount: Equatable {
    var id: Int
    var value: Decimal
}

@Storable private struct Word: Equatable {
    var id: Int
    var text: String
}

/// Decimals with as many digits as an integer holds are computed as integers, and others as texts (clauses Q2 and Q6).
@Suite("Decimals and folded texts mean the same on their fast ways")
struct DecimalBorderTests {
    /// Digits and fractions on both sides of 18 digits.
    private static let texts = [
        "0", "0.5", "-0.5", "0.05", "00.50", "1", "-1", "1.5", "10", "100.01", "99.9", "-99.9", "0.1",
        "0.000000000000000001",
        "0.0000000000000000001", "-0.000000000000000001", "999999999999999999", "-999999999999999999",
        "1000000000000000000",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "99999999999999999.9",
        "999999999999999999.9",
        "123456789012345678", "1234567890123456789", "0.123456789012345678", "0.1234567890123456789",
        "12345678901234567890123456789012345678", "0.00000000000000000000000000000000000001", "2", "02", "2.0", "-7.25",
    ]

    private static func amounts() throws -> [Amount] {
        try texts.enumerated().map { Amount(id: $0, value: try #require(Decimal(string: $1))) }
    }

    @Test(arguments: Backend.allCases)
    func `decimals of any number of digits are sorted, compared and found by their values`(backend: Backend)
        async throws
    {
        let amounts = try Self.amounts()
        try await withStore(backend) { store in
            try await store.insert(amounts)
            let sorted = amounts.sorted { ($0.value, $0.id) < ($1.value, $1.id) }
            try await expect(store.select(Amount.self).order { $0.value }.all(), equals: sorted)
            try await expect(
                store.select(Amount.self).order { $0.value }.limit(5).all(), equals: Array(sorted.prefix(5)))
            for border in amounts.map(\.value) {
                try await expect(
                    store.select(Amount.self).where { $0.value < border }.count(),
                    equals: amounts.count { $0.value < border })
                try await expect(
                    store.select(Amount.self).where { $0.value == border }.keys(),
                    equals: amounts.filter { $0.value == border }.map(\.id))
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `sums are exact whatever digits their terms have`(backend: Backend) async throws {
        let amounts = try Self.amounts().filter {
            $0.value.magnitude < Decimal(sign: .plus, exponent: 18, significand: 1)
        }
        .filter { $0.value.exponent >= -18 }
        try await withStore(backend) { store in
            try await store.insert(amounts)
            let sum = amounts.reduce(Decimal(0)) { $0 + $1.value }
            try await expect(store.select(Amount.self).sum { $0.value }, equals: sum)
            try await store.insert(
                Amount(id: 1000, value: try #require(Decimal(string: "0.0000000000000000000000001"))))
            try await expect(
                store.select(Amount.self).where { $0.id >= 1000 || $0.id < 3 }.sum { $0.value },
                equals: Decimal(string: "0.0000000000000000000000001"))
            try await expect(store.select(Amount.self).where { $0.id < 0 }.sum { $0.value }, equals: 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `texts with and without letters beyond ASCII are found alike`(backend: Backend) async throws {
        let words = [
            "", "a", "A", "Zebra", "zEBRA crossing", "[z`", "ÄZ", "äz", "straße", "STRASSE", "x\u{0}Y", "é",
            "e\u{301}Q",
        ]
        try await withStore(backend) { store in
            try await store.insert(words.enumerated().map { Word(id: $0, text: $1) })
            func found(_ condition: String) async throws -> [String] {
                try await store.records("Word").where(text: condition).order(text: "id").all()
                    .compactMap { if case .text(let text) = $0.value("text") { text } else { nil } }
            }
            try await expect(found("text contains[c] 'Z'"), equals: ["Zebra", "zEBRA crossing", "[z`", "ÄZ", "äz"])
            try await expect(found("text contains[c] ''"), equals: words)
            try await expect(found("text beginswith[c] 'ZEB'"), equals: ["Zebra", "zEBRA crossing"])
            try await expect(found("text endswith[c] 'Y'"), equals: ["x\u{0}Y"])
            try await expect(found("text contains[c] 'SS'"), equals: ["zEBRA crossing", "straße", "STRASSE"])
            try await expect(found("text contains[d] 'E'"), equals: ["zEBRA crossing", "STRASSE"])
            try await expect(found("text contains[cd] 'EQ'"), equals: ["e\u{301}Q"])
            try await expect(found("text like[c] 'z*A'"), equals: ["Zebra"])
            try await expect(found("text contains[c] 'a crossing to the other side'"), equals: [])
        }
    }
}
