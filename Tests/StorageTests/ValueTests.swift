import Foundation
import StorageKit
import Testing

@Suite("V Values come back exactly, in every place a value can have")
struct ValueTests {
    /// Writes the values to columns, arrays and children, reads them, saves what was read and reads it again.
    private func expectExact<V: ScalarValue>(
        _ values: [V], on backend: Backend, sourceLocation: SourceLocation = #_sourceLocation,
        same: @escaping (V, V) -> Bool
    ) async throws {
        try await withStore(backend) { store in
            let full = values.enumerated().map { Holder(id: $0.offset, value: $0.element) }
            let holders =
                full + values.enumerated().map { Holder(id: -1 - $0.offset, value: $0.element, isEmpty: true) }
            try await store.insert(holders)
            for _ in 1...2 {
                let stored = try await store.select(Holder<V>.self).all()
                #expect(stored.count == holders.count, sourceLocation: sourceLocation)
                for holder in stored {
                    let given = values[holder.id < 0 ? -1 - holder.id : holder.id]
                    let wanted = Holder(id: holder.id, value: given, isEmpty: holder.id < 0)
                    #expect(isSame(holder, wanted, same), "\(holder)", sourceLocation: sourceLocation)
                }
                try await store.save(stored)
            }
            try await store.save(HolderOwner(id: 1, holders: full))
            let owned = try await store.find(HolderOwner<V>.self, key: 1)?.holders ?? []
            #expect(owned.count == full.count, sourceLocation: sourceLocation)
            for (holder, wanted) in zip(owned, full) {
                #expect(isSame(holder, wanted, same), "\(holder)", sourceLocation: sourceLocation)
            }
        }
    }

    private func isSame<V>(_ left: Holder<V>, _ right: Holder<V>, _ same: (V, V) -> Bool) -> Bool {
        func isSameOptional(_ left: V?, _ right: V?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return same(left, right)
        }
        func isSameList(_ left: [V?], _ right: [V?]) -> Bool {
            left.count == right.count && zip(left, right).allSatisfy { isSameOptional($0, $1) }
        }
        return left.id == right.id && same(left.value, right.value) && isSameOptional(left.optional, right.optional)
            && isSameList(left.list, right.list) && isSameList(left.optionals, right.optionals)
            && (left.optionalList == nil) == (right.optionalList == nil)
            && isSameList(left.optionalList ?? [], right.optionalList ?? [])
    }

    private func expectIntegers<I: IntegerColumnValue>(_: I.Type, on backend: Backend) async throws {
        try await expectExact([.min, .min + 1, 0, 1, .max / 2, .max - 1, .max], on: backend, same: ==)
    }

    @Test("V2 all bits of the integers: min, max and around", arguments: Backend.allCases)
    func integers(_ backend: Backend) async throws {
        try await expectIntegers(Int.self, on: backend)
        try await expectIntegers(Int8.self, on: backend)
        try await expectIntegers(Int16.self, on: backend)
        try await expectIntegers(Int32.self, on: backend)
        try await expectIntegers(Int64.self, on: backend)
        try await expectIntegers(UInt.self, on: backend)
        try await expectIntegers(UInt8.self, on: backend)
        try await expectIntegers(UInt16.self, on: backend)
        try await expectIntegers(UInt32.self, on: backend)
        try await expectIntegers(UInt64.self, on: backend)
    }

    @Test("V2 UInt64 beyond Int64.max, and Int64 beyond 2^53", arguments: Backend.allCases)
    func wideIntegers(_ backend: Backend) async throws {
        let border = UInt64(Int64.max)
        try await expectExact([border - 1, border, border + 1, border + 2, .max], on: backend, same: ==)
        try await expectExact([(1 << 53) - 1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1] as [Int], on: backend, same: ==)
    }

    @Test("V2 Bool", arguments: Backend.allCases)
    func bools(_ backend: Backend) async throws {
        try await expectExact([true, false], on: backend, same: ==)
    }

    @Test("V2 the bits of Double: denormals, neighbours, infinities; NaN is NaN", arguments: Backend.allCases)
    func doubles(_ backend: Backend) async throws {
        let values: [Double] = [
            0.1, 1, -1, 1.0.nextUp, 1.0.nextDown, .leastNonzeroMagnitude, .leastNormalMagnitude,
            -.leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity,
            .pi, 1e22, 1e23, .leastNonzeroMagnitude, 123_456_789_012_345_680, 1e300, .ulpOfOne,
        ]
        try await expectExact(values, on: backend) { $0.bitPattern == $1.bitPattern }
        try await expectExact([Double.nan, -Double.nan, .signalingNaN], on: backend) { $0.isNaN && $1.isNaN }
        try await expectExact([0.0, -0.0], on: backend) { $0 == $1 }
    }

    @Test("V2 the bits of Float, without noise from widening", arguments: Backend.allCases)
    func floats(_ backend: Backend) async throws {
        let values: [Float] = [
            0.1, -0.1, 1, Float(1).nextUp, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, .infinity, -.infinity, .pi,
        ]
        try await expectExact(values, on: backend) { $0.bitPattern == $1.bitPattern }
        try await expectExact([Float.nan], on: backend) { $0.isNaN && $1.isNaN }
    }

    static let texts: [String] = [
        "", " ", "a", "a\0b", "\0", "\0\0", "é", "e\u{301}", "👨‍👩‍👧‍👦", "🇩🇪🏳️‍🌈👍🏽", "\u{202E}abc\u{202C}",
        "\u{FEFF}bom", "\u{200B}", "\u{FFFF}", "\u{10FFFF}", "\u{FFFD}", "0012", "1e3", "NaN", "null", "true", "nil",
        "  spaces  ", "\t", "\r", "\n", "\r\n", "a\r\nb\n", "'; DROP TABLE Holder; --", "\"quoted\"", "'", "\\", "\\0",
        "%", "_", "*", "?", "[", "]", ",", "|", "{}", "\u{1}\u{1F}\u{7F}\u{85}\u{2028}\u{2029}", "Ünïcödé", "成都", "İı",
        "-0", "+1", "1.0", "Infinity", "x'00'", "\u{0}e\u{0}", "ﬀ", "ẞß", "𝒳", "ა", "ไทย", "नमस्ते",
    ]

    @Test("V2 every scalar of a String: NUL, composed and decomposed, emoji, bidi", arguments: Backend.allCases)
    func strings(_ backend: Backend) async throws {
        // Swift's own == would call two normal forms the same.
        try await expectExact(Self.texts, on: backend) { Array($0.unicodeScalars) == Array($1.unicodeScalars) }
    }

    @Test("V2 a String and Data of 1 MB", arguments: Backend.allCases)
    func largeValues(_ backend: Backend) async throws {
        let text = String(repeating: "0123456789abcdeé", count: 1 << 16)
        try await expectExact([text], on: backend) { Array($0.utf8) == Array($1.utf8) }
        let bytes = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await expectExact([bytes], on: backend, same: ==)
    }

    @Test("V2 every byte of Data and [UInt8], empty and zeros at the ends", arguments: Backend.allCases)
    func bytes(_ backend: Backend) async throws {
        let values: [[UInt8]] = [
            [], [0], [0, 0], Array(0...255), Array((0...255).reversed()), [0, 1, 0], [0xFF, 0xFE],
        ]
        try await expectExact(values.map { Data($0) }, on: backend, same: ==)
        try await expectExact(values, on: backend, same: ==)
        // A slice does not begin at index 0.
        try await expectExact([Data(Array(0...255)).dropFirst(10)], on: backend) { Array($0) == Array($1) }
    }

    @Test("V2 Date to the bit of its interval", arguments: Backend.allCases)
    func dates(_ backend: Backend) async throws {
        let values: [Date] = [
            .distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -0.001),
            Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_78),
            Date(timeIntervalSinceReferenceDate: -63_114_076_800),
            Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
            Date(timeIntervalSinceReferenceDate: 252_423_993_599.999), Date(timeIntervalSinceReferenceDate: .infinity),
        ]
        try await expectExact(values, on: backend) {
            $0.timeIntervalSinceReferenceDate.bitPattern == $1.timeIntervalSinceReferenceDate.bitPattern
        }
    }

    @Test("V2 UUID: zeros, ones and mixed", arguments: Backend.allCases)
    func uuids(_ backend: Backend) async throws {
        let ones = UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
        let zeros = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        try await expectExact([ones, zeros, UUID(), UUID()], on: backend, same: ==)
    }

    @Test("V2 URL as given, relative ones too", arguments: Backend.allCases)
    func urls(_ backend: Backend) async throws {
        let texts = [
            "https://example.com/a/b?q=1&r=%20#f", "file:///tmp/a%20b", "relative/path?x=y", "../up", "#fragment",
            "mailto:a@b.c", "http://user:pw@host:80/", "HTTP://EXAMPLE.com/%7Ea/./b/../c", "data:text/plain,hi", "a",
            "http://xn--mnchen-3ya.de/",
        ]
        try await expectExact(try texts.map { try #require(URL(string: $0)) }, on: backend) {
            $0.absoluteString == $1.absoluteString && $0.baseURL == nil
        }
    }

    @Test("V2 Decimal by value with 38 digits, NaN and every exponent", arguments: Backend.allCases)
    func decimals(_ backend: Backend) async throws {
        let texts = [
            "0", "1.00", "1.0", "-1", "0.1", "99999999999999999999999999999999999999",
            "-12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678", "1e127", "1e-127",
            "9", "10", "-0.000000000000000000000000000000000001", "12345678901234567890.123456789012345678",
        ]
        let values = try texts.map { try #require(Decimal(string: $0)) }
        try await expectExact(values + [.greatestFiniteMagnitude, .leastNonzeroMagnitude], on: backend, same: ==)
        try await expectExact([Decimal.nan], on: backend) { $0.isNaN && $1.isNaN }
    }
}
