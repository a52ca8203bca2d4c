internal import StorageAPI

extension Conformance {
    private static let words = [
        "", "a", "A", "ab", "abc", "ba", "a%", "a_", "a*", "a?", "[a]", "\\", "a\0b", "é", "e\u{301}", "👨‍👩‍👧", "👨", "%",
        "_",
        "*", "'", "\"", "ß", "SS", "\u{FEFF}a",
    ]

    /// A case that compares a test of text with the same over UTF-8 bytes in Swift.
    private static func text(
        _ id: String, for proof: Proof, _ sentence: String,
        _ filter: @escaping @Sendable (QueryExpression<String?>, String) -> QueryExpression<Bool>,
        _ expected: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) -> ConformanceCase {
        ConformanceCase(id, for: proof, sentence) { t in
            let store = try await t.open(Measure.self)
            try await store.insert(
                words.enumerated().map { Measure(id: $0.offset, text: $0.element) } + [Measure(id: 99)])
            for pattern in words {
                let keys = try await store.select(Measure.self) { $0.where { filter($0.text, pattern) } }.keys()
                let wanted = words.indices.filter { expected(Array(words[$0].utf8), Array(pattern.utf8)) }
                try t.expect(keys, equals: wanted, "The last test holds for others.")
                let others = try await store.select(Measure.self) { $0.where { !filter($0.text, pattern) } }.count()
                try t.expect(others, equals: words.count + 1 - wanted.count, "Its negation is not exactly the others.")
            }
        }
    }

    /// Q3 on text and through children, Q4's patterns.
    static let textCases: [ConformanceCase] = [
        text(
            "text/prefix", for: [.q3: [2], .q4: [2]],
            "hasPrefix compares UTF-8 bytes; no character is a wildcard; nil has no prefix.",
            { $0.hasPrefix($1) }
        ) {
            $0.starts(with: $1)
        },
        text(
            "text/suffix", for: [.q3: [2], .q4: [2]],
            "hasSuffix compares UTF-8 bytes; no character is a wildcard; nil has no suffix.",
            { $0.hasSuffix($1) }
        ) {
            $0.reversed().starts(with: $1.reversed())
        },
        text(
            "text/contains", for: [.q3: [2], .q4: [2]],
            "contains compares UTF-8 bytes; no character is a wildcard; nil contains nothing.",
            { $0.contains($1) }
        ) {
            whole, part in
            part.isEmpty || whole.indices.contains { whole[$0...].starts(with: part) }
        },
        text(
            "text/order", for: [.q3: [1], .v4: [4]], "Text is ordered by UTF-8 bytes, not by any language's rules.",
            { $0 < $1 }
        ) {
            $0.lexicographicallyPrecedes($1)
        },
        ConformanceCase(
            "text/joined", for: [.q3: [10], .v4: [4]],
            "A joined text is compared, tested, sorted and grouped by as a property is, by its bytes; nil stays nil."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert(
                words.enumerated().map { Measure(id: $0.offset, text: $0.element) } + [Measure(id: 99)])
            func keys(_ condition: @escaping @Sendable (Measure.Columns) -> QueryExpression<Bool>) async throws -> [Int]
            {
                try await store.select(Measure.self) { $0.where(condition) }.keys()
            }
            func wanted(_ holds: ([UInt8]) -> Bool) -> [Int] { words.indices.filter { holds(Array(words[$0].utf8)) } }
            for part in words {
                let bytes = Array(part.utf8)
                let same = try await keys { $0.text + part == part + $0.text }
                try t.expect(same, equals: wanted { $0 + bytes == bytes + $0 } + [99])
                let before = try await keys { part + $0.text < $0.text + "a" }
                try t.expect(before, equals: wanted { (bytes + $0).lexicographicallyPrecedes($0 + [97]) })
                let suffix = try await keys { ($0.text + part).hasSuffix("a" + part) }
                try t.expect(suffix, equals: wanted { $0.last == 97 })
            }
            try t.expect(try await keys { ("a" + $0.text).isNil }, equals: [99])
            let written = try await store.store.records("Measure").where(text: "text + 'b' = 'ab'").count()
            try t.expect(written, equals: 1)
            let sorted = try await store.select(Measure.self) { $0.order { ("x" + $0.text).descending } }.keys()
            let order = words.indices.sorted { words[$1].utf8.lexicographicallyPrecedes(words[$0].utf8) }
            try t.expect(sorted, equals: order + [99])
        },
        ConformanceCase(
            "text/indexed-prefix", for: [.q3: [2]],
            "A prefix of an indexed property finds what it finds without an index."
        ) { t in
            let store = try await t.open(Person.self)
            let names = [
                "Zhang", "Zhao", "zhang", "Z", "", "Zh\u{10FFFF}", "Zhan", "Zi", "Zh", "Ähm", "\u{7F}", "Zh\u{7F}",
            ]
            try await store.insert(
                names.enumerated().map { Person(id: $0.offset, name: $0.element, nickname: $0.element) })
            for prefix in ["", "Z", "Zh", "Zhan", "Zhang", "zh", "Zh\u{10FFFF}", "\u{7F}", "Ä"] {
                let keys = try await store.select(Person.self) { $0.where { $0.name.hasPrefix(prefix) } }.keys()
                let wanted = names.indices.filter { Array(names[$0].utf8).starts(with: Array(prefix.utf8)) }
                try t.expect(keys, equals: wanted)
                let plain = try await store.select(Person.self) { $0.where { $0.nickname.hasPrefix(prefix) } }.keys()
                try t.expect(plain, equals: wanted)
            }
        },
        ConformanceCase(
            "text/normal-forms", for: [.v4: [4]], "Two normal forms of one text are two texts in every test."
        ) {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert([Measure(id: 1, text: "caf\u{E9}"), Measure(id: 2, text: "cafe\u{301}")])
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.text == "caf\u{E9}" } }.keys(), equals: [1])
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.text.hasSuffix("\u{301}") } }.keys(), equals: [2])
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.text.contains("e") } }.keys(), equals: [2])
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.text.isIn(["cafe\u{301}"]) } }.keys(), equals: [2])
        },
        ConformanceCase(
            "through/one", for: [.q3: [4]], "A property of an optional child is nil where there is no child."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert([
                Person(id: 1, city: City(id: 1, name: "a", spell: "x")), Person(id: 2, city: City(id: 2, name: "b")),
                Person(id: 3),
            ])
            try t.expect(try await store.select(Person.self) { $0.where { $0.city.name == "a" } }.keys(), equals: [1])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.city.name != "a" } }.keys(), equals: [2, 3])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.city.spell == nil } }.keys(), equals: [2, 3])
            try t.expect(try await store.select(Person.self) { $0.where { $0.city == nil } }.keys(), equals: [3])
            try t.expect(try await store.select(Person.self) { $0.where { $0.city != nil } }.keys(), equals: [1, 2])
            try t.expect(try await store.select(Person.self) { $0.where { $0.city.id < 2 } }.keys(), equals: [1])
            try t.expect(try await store.select(Person.self) { $0.where { !($0.city.id < 2) } }.keys(), equals: [2, 3])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.city.name.hasPrefix("b") } }.keys(), equals: [2])
        },
        ConformanceCase(
            "through/order", for: [.q3: [4], .v4: [10]],
            "Sorting by a child's property puts owners without one at nil's end."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert([
                Person(id: 1, city: City(id: 1, name: "b")), Person(id: 2), Person(id: 3, city: City(id: 3, name: "a")),
                Person(id: 4),
            ])
            let up = try await store.select(Person.self) { $0.order { $0.city.name.ascending } }.keys()
            try t.expect(up, equals: [2, 4, 3, 1])
            let down = try await store.select(Person.self) { $0.order { $0.city.name.descending } }.keys()
            try t.expect(down, equals: [1, 3, 2, 4])
        },
        ConformanceCase(
            "through/any-all-none", for: [.q3: [4]], "any, all and none over children, also where there are none."
        ) {
            t in
            let store = try await t.open(Person.self)
            let people = (1...20).map(Samples.person)
            try await store.insert(people)
            let dear: @Sendable (Pen) -> Bool = { ($0.price ?? 0) > 10 }
            let any = try await store.select(Person.self) { $0.where { $0.pens.any { $0.price > 10 } } }.keys()
            try t.expect(any, equals: people.filter { $0.pens.contains(where: dear) }.map(\.id))
            let all = try await store.select(Person.self) { $0.where { $0.pens.all { $0.price > 10 } } }.keys()
            try t.expect(all, equals: people.filter { $0.pens.allSatisfy(dear) }.map(\.id))
            let none = try await store.select(Person.self) { $0.where { $0.pens.none { $0.price > 10 } } }.keys()
            try t.expect(none, equals: people.filter { !$0.pens.contains(where: dear) }.map(\.id))
            let negated = try await store.select(Person.self) { $0.where { !$0.pens.any { $0.price > 10 } } }.keys()
            try t.expect(negated, equals: none)
        },
        ConformanceCase(
            "through/two-conditions", for: [.q3: [4]], "Two conditions inside any hold for one child, not for two."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert([
                Person(id: 1, pens: [Pen(id: 1, color: "red", price: 1), Pen(id: 2, color: "blue", price: 9)]),
                Person(id: 2, pens: [Pen(id: 1, color: "red", price: 9)]),
            ])
            let one = try await store.select(Person.self) {
                $0.where { $0.pens.any { $0.color == "red" && $0.price > 5 } }
            }.keys()
            try t.expect(one, equals: [2])
            let two = try await store.select(Person.self) {
                $0.where { $0.pens.any { $0.color == "red" } && $0.pens.any { $0.price > 5 } }
            }.keys()
            try t.expect(two, equals: [1, 2])
        },
        ConformanceCase("through/nested", for: [.q3: [4]], "any inside any reaches children of children.") { t in
            let store = try await t.open(Person.self)
            let people = (1...24).map(Samples.person)
            try await store.insert(people)
            let found = try await store.select(Person.self) {
                $0.where { $0.city.districts.any { $0.name == "d2" && $0.lamps.any { $0.price == 1 } } }
            }.keys()
            let wanted = people.filter { person in
                person.city?.districts.contains { district in
                    district.name == "d2" && district.lamps?.contains { $0.price == 1 } == true
                } == true
            }
            try t.expect(found, equals: wanted.map(\.id))
            try t.expect(!wanted.isEmpty, "The case asks for nothing.")
        },
        ConformanceCase(
            "through/optional-array", for: [.q3: [4]],
            "Over a nil array any is false, all and none are true, as over an empty one."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert([Person(id: 1), Person(id: 2, spares: []), Person(id: 3, spares: [Pen(id: 1)])])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.spares.any { $0.id == 1 } } }.keys(), equals: [3])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.spares.all { $0.id == 2 } } }.keys(),
                equals: [1, 2])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.spares.none { $0.id == 1 } } }.keys(),
                equals: [1, 2])
            try t.expect(try await store.select(Person.self) { $0.where { $0.spares.isNil } }.keys(), equals: [1])
        },
    ]
}
