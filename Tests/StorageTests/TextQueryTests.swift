import Foundation
import StorageKit
import Testing

@Suite("Q3 Q4 Text tests, by UTF-8 bytes and without wildcards")
struct TextQueryTests {
    @Storable struct Line: Equatable {
        var id: Int
        var text: String
        @Indexed var optional: String?
    }

    static let patterns = [
        "", "a", "A", "ab", "b", "%", "_", "*", "?", "\\", "[a]", "a%", "%a", "a_", "\0", "a\0", "\0b", "é", "e\u{301}",
        "e",
        "\u{301}", "👍", "👍🏽", "🏽", "'", "\"", "''", " ", "\n", "\u{10FFFF}", "\u{D7FF}", "\u{7F}", "ÿ", "z", "zz", "10%",
    ]

    static let lines =
        (patterns + ["xaby", "a%b", "a_b", "aXb", "100%", "a\0b", "x\0", "éa", "ae\u{301}", "\u{10FFFF}a", "abab"])
        .enumerated().map { Line(id: $0.offset, text: $0.element, optional: $0.offset % 5 == 0 ? nil : $0.element) }

    @Test(arguments: Backend.allCases)
    func `Q3 prefix, suffix and contains for every pattern against every text`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.lines)
            let select = store.select(Line.self)
            func ids(_ isIncluded: ([UInt8]) -> Bool) -> [Int] {
                Self.lines.filter { isIncluded(Array($0.text.utf8)) }.map(\.id)
            }
            func optionalIDs(_ ids: [Int]) -> [Int] { ids.filter { $0 % 5 != 0 } }
            for pattern in Self.patterns {
                let bytes = Array(pattern.utf8)
                let what: Comment = "\(pattern.debugDescription)"
                let prefixed = ids { $0.starts(with: bytes) }
                let suffixed = ids { $0.reversed().starts(with: bytes.reversed()) }
                let containing = ids { text in
                    (0...text.count).contains { text[$0...].starts(with: bytes) }
                }
                #expect(try await select.where { $0.text.hasPrefix(pattern) }.keys() == prefixed, what)
                #expect(try await select.where { $0.text.hasSuffix(pattern) }.keys() == suffixed, what)
                #expect(try await select.where { $0.text.contains(pattern) }.keys() == containing, what)
                #expect(try await select.where { $0.optional.hasPrefix(pattern) }.keys() == optionalIDs(prefixed), what)
                #expect(try await select.where { $0.optional.hasSuffix(pattern) }.keys() == optionalIDs(suffixed), what)
                #expect(
                    try await select.where { $0.optional.contains(pattern) }.keys() == optionalIDs(containing), what)
                let not = try await select.where { !$0.optional.contains(pattern) }.count()
                #expect(not == Self.lines.count - optionalIDs(containing).count, what)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q1 hostile operands are values: nothing is interpreted`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let texts = KeyTests.hostile
            try await store.insert(texts.enumerated().map { Line(id: $0.offset, text: $0.element) })
            for (id, text) in texts.enumerated() {
                #expect(try await store.select(Line.self).where { $0.text == text }.keys() == [id])
                #expect(try await store.select(Line.self).where { $0.text.isIn([text]) }.keys() == [id])
                #expect(
                    try await store.update(Line.self).where { $0.text == text }.set(\.optional, to: text).run() == 1)
            }
            #expect(try await store.select(Line.self).where { $0.optional == $0.text }.count() == texts.count)
        }
    }
}
