internal import StorageAPI
import StorageDriver

/// A text with its forms without case, without diacritics, and without both, written by hand.
private struct Folded: Sendable {
    let text: String
    let withoutCase: String
    let withoutDiacritics: String
    let withoutBoth: String

    init(_ text: String, _ withoutCase: String, diacritics withoutDiacritics: String, both withoutBoth: String) {
        self.text = text
        self.withoutCase = withoutCase
        self.withoutDiacritics = withoutDiacritics
        self.withoutBoth = withoutBoth
    }

    func without(_ folding: TextFolding) -> [UInt8] {
        let text =
            switch (folding.contains(.case), folding.contains(.diacritics)) {
            case (false, false): text
            case (true, false): withoutCase
            case (false, true): withoutDiacritics
            case (true, true): withoutBoth
            }
        return Array(text.utf8)
    }

    static let all = [
        Folded("", "", diacritics: "", both: ""), Folded("a", "a", diacritics: "a", both: "a"),
        Folded("A", "a", diacritics: "A", both: "a"), Folded("aB", "ab", diacritics: "aB", both: "ab"),
        Folded("\u{E9}", "\u{E9}", diacritics: "e", both: "e"), Folded("\u{C9}", "\u{E9}", diacritics: "E", both: "e"),
        Folded("e\u{301}", "e\u{301}", diacritics: "e", both: "e"),
        Folded("E\u{301}", "e\u{301}", diacritics: "E", both: "e"),
        Folded("Stra\u{DF}e", "strasse", diacritics: "Stra\u{DF}e", both: "strasse"),
        Folded("STRASSE", "strasse", diacritics: "STRASSE", both: "strasse"),
        Folded("stra\u{1E9E}e", "strasse", diacritics: "stra\u{1E9E}e", both: "strasse"),
        Folded(
            "\u{3A3}\u{3AF}\u{3C2}", "\u{3C3}\u{3AF}\u{3C3}", diacritics: "\u{3A3}\u{3B9}\u{3C2}",
            both: "\u{3C3}\u{3B9}\u{3C3}"),
        Folded(
            "\u{3C3}\u{38A}\u{3A3}", "\u{3C3}\u{3AF}\u{3C3}", diacritics: "\u{3C3}\u{399}\u{3A3}",
            both: "\u{3C3}\u{3B9}\u{3C3}"),
        Folded("\u{1EDF}", "\u{1EDF}", diacritics: "o", both: "o"),
        Folded("\u{1EDE}", "\u{1EDF}", diacritics: "O", both: "o"),
        Folded("\u{416}", "\u{436}", diacritics: "\u{416}", both: "\u{436}"),
        Folded("\u{131}", "\u{131}", diacritics: "\u{131}", both: "\u{131}"),
        Folded("I", "i", diacritics: "I", both: "i"), Folded("%_", "%_", diacritics: "%_", both: "%_"),
        Folded("\0A", "\0a", diacritics: "\0A", both: "\0a"),
        Folded("\u{1F600}", "\u{1F600}", diacritics: "\u{1F600}", both: "\u{1F600}"),
        Folded("\u{6210}", "\u{6210}", diacritics: "\u{6210}", both: "\u{6210}"),
    ]
}

extension Conformance {
    private static let texts = [
        "", "a", "b", "ab", "ba", "aab", "abab", "abc", "A", "a*", "*", "?", "a?b", "\\", "a\\b", "%", "a%b", "_", "\0",
        "a\0b", "\u{E9}", "e\u{301}", "\u{1F600}", "a\u{1F600}b", "a\nb", "\u{10FFFF}b",
    ]
    private static let patterns =
        texts + [
            "**", "a*b", "*b", "*b*", "a?", "??", "?*?", "\\*", "a\\?b", "\\\\", "*\\", "\\a", "*ab", "*ab*", "a*a*b",
            "?b",
            "*\u{1F600}*", "a??b", "%*", "*?*?*?", "***a***",
        ]

    /// A case that compares a test, under each folding, with the same over the bytes of what the texts fold to.
    private static func folded(
        _ id: String, _ sentence: String,
        _ test: @escaping @Sendable (QueryExpression<String?>, String, TextFolding) -> QueryExpression<Bool>,
        _ expected: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) -> ConformanceCase {
        ConformanceCase(id, for: [.q3: [2]], sentence) { t in
            let store = try await t.open(Measure.self)
            let models = Folded.all.enumerated().map { Measure(id: $0.offset, text: $0.element.text) }
            try await store.insert(models + [Measure(id: 99)])
            for folding in [TextFolding.case, .diacritics, [.case, .diacritics]] {
                for pattern in Folded.all {
                    let wanted = Folded.all.map { expected($0.without(folding), pattern.without(folding)) } + [false]
                    for isNegated in [false, true] {
                        let keys = try await store.select(Measure.self) {
                            $0.where { columns in
                                let condition = test(columns.text, pattern.text, folding)
                                return isNegated ? !condition : condition
                            }
                        }.keys()
                        let ids = (models.map(\.id) + [99]).enumerated().filter { wanted[$0.offset] != isNegated }
                        try t.expect(keys, equals: ids.map(\.element), "The last test holds for others.")
                    }
                }
            }
        }
    }

    /// Q3: patterns, and what case and diacritics are.
    static let patternCases: [ConformanceCase] = [
        ConformanceCase(
            "text/like", for: [.q3: [9], .q4: [2]],
            "In like, * is any characters, ? is one Unicode scalar, and \\ takes their meaning away."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert(
                texts.enumerated().map { Measure(id: $0.offset, text: $0.element) } + [Measure(id: 99)])
            for pattern in patterns {
                let wanted = texts.indices.filter {
                    isLike(Array(texts[$0].unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
                }
                let keys = try await store.select(Measure.self) { $0.where { $0.text.like(pattern) } }.keys()
                try t.expect(keys, equals: wanted, "The last pattern is like others.")
                let others = try await store.select(Measure.self) { $0.where { !$0.text.like(pattern) } }.count()
                try t.expect(others, equals: texts.count + 1 - wanted.count)
            }
        },
        ConformanceCase("text/like-folded", for: [.q3: [2]], "like ignores case and diacritics where it is asked to.") {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert(
                ["Caf\u{C9}", "cafe", "CAFE\u{301}s", "kaffee"].enumerated().map {
                    Measure(id: $0.offset, text: $0.element)
                })
            let expected: [(TextFolding, [Int])] = [
                ([], []), (.case, [0]), (.diacritics, [1]), ([.case, .diacritics], [0, 1, 2]),
            ]
            for (folding, ids) in expected {
                let query = store.select(Measure.self) { $0.where { $0.text.like("ca?\u{E9}*", ignoring: folding) } }
                try t.expect(try await query.keys(), equals: ids)
            }
        },
        ConformanceCase("text/like-slow", for: [.q3: [9]], "A pattern of many stars is answered soon.") { t in
            let store = try await t.open(Measure.self)
            let text = String(repeating: "a", count: 2000)
            try await store.insert([Measure(id: 1, text: text + "b"), Measure(id: 2, text: text)])
            let pattern = String(repeating: "a*", count: 200) + "b"
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.text.like(pattern) } }.keys(), equals: [1])
        },
        ConformanceCase(
            "text/pattern-limit", for: [.e4: [2]], "A pattern of 65,536 bytes is the longest that like takes."
        ) {
            t in
            let store = try await t.open(Measure.self)
            let longest = String(repeating: "a", count: QueryLimits.patternBytes)
            try await store.insert([Measure(id: 1, text: longest), Measure(id: 2, text: longest + "a")])
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.text.like(longest) } }.keys(), equals: [1])
            try await t.expectError(.limitExceeded) {
                try await store.select(Measure.self) { $0.where { $0.text.like(longest + "*") } }.all()
            }
            let large = String(repeating: "a", count: 1 << 20)
            try await t.expectError(.limitExceeded) {
                try await store.select(Measure.self) { $0.where { $0.text.like(large, ignoring: .case) } }.all()
            }
            // Other tests have no wildcards, so nothing to be slow about.
            let parts = store.select(Measure.self) {
                $0.where { $0.text.contains(large) || $0.text.hasPrefix(longest) }
            }
            try t.expect(try await parts.keys(), equals: [1, 2])
        },
        folded(
            "text/folded-equal", "Texts are equal but for case, for diacritics, or for both.",
            { $0.equals($1, ignoring: $2) }
        ) { $0 == $1 },
        folded(
            "text/folded-prefix", "hasPrefix ignores case, diacritics, or both.", { $0.hasPrefix($1, ignoring: $2) }
        ) { $0.starts(with: $1) },
        folded(
            "text/folded-suffix", "hasSuffix ignores case, diacritics, or both.", { $0.hasSuffix($1, ignoring: $2) }
        ) { $0.reversed().starts(with: $1.reversed()) },
        folded(
            "text/folded-contains", "contains ignores case, diacritics, or both.", { $0.contains($1, ignoring: $2) }
        ) { whole, part in part.isEmpty || whole.indices.contains { whole[$0...].starts(with: part) } },
        ConformanceCase(
            "text/folded-nil", for: [.q3: [2], .q2: [1]], "nil is equal to nil alone, whatever is ignored."
        ) {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert([Measure(id: 1), Measure(id: 2, text: ""), Measure(id: 3, text: "NIL")])
            let query = store.select(Measure.self) { $0.where { $0.text.equals(nil, ignoring: .case) } }
            try t.expect(try await query.keys(), equals: [1])
        },
        ConformanceCase("text/properties", for: [.q3: [2]], "A text is tested against another property's.") { t in
            let store = try await t.open(Person.self)
            let people = ["", "a", "ab", "\u{E9}"].flatMap { name in ["", "a", "b", nil].map { (name, $0) } }
                .enumerated().map { Person(id: $0.offset, name: $0.element.0, nickname: $0.element.1) }
            try await store.insert(people)
            for pair: Equivalent<Person> in [
                Equivalent(
                    { $0.name.hasPrefix($0.nickname) },
                    { person in person.nickname.map { person.name.hasPrefix($0) } ?? false }),
                Equivalent(
                    { $0.name.hasSuffix($0.nickname) },
                    { person in person.nickname.map { person.name.hasSuffix($0) } ?? false }),
                Equivalent(
                    { $0.nickname.contains($0.name) },
                    { $0.nickname == $0.name || $0.name.isEmpty && $0.nickname != nil }),
            ] { try await pair.check(on: store, holding: people, t) }
        },
    ]
}
