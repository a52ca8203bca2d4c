internal import Foundation
internal import StorageAPI

/// A condition as text with its arguments, and as the builder makes it.
private struct TextEquivalent: Sendable {
    let text: String
    let arguments: [Value]
    let filter: @Sendable (Person.Columns) -> QueryExpression<Bool>

    init(
        _ text: String, _ arguments: [Value] = [],
        _ filter: @escaping @Sendable (Person.Columns) -> QueryExpression<Bool>
    ) {
        self.text = text
        self.arguments = arguments
        self.filter = filter
    }
}

/// A value that a predicate may capture and a query cannot: an object whose property is read when the predicate is
/// evaluated.
private final class Settings: Codable, Sendable {
    let limit: Int

    init(limit: Int) { self.limit = limit }
}

extension Conformance {
    private static let people = (1...24).map(Samples.person)

    /// A case that compares conditions as text with the same from the builder.
    private static func text(_ id: String, for proof: Proof, _ sentence: String, pairs: TextEquivalent...)
        -> ConformanceCase
    {
        ConformanceCase(id, for: proof, sentence) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            for pair in pairs {
                let built = store.select(Person.self) { $0.where(pair.filter) }
                t.note("try await store.select(Person.self).where(text: \(SwiftSource.literal(pair.text))).keys()")
                let written = store.store.select(Person.self).where(text: pair.text, arguments: pair.arguments)
                try t.expect(try await written.keys(), equals: try await built.keys(), "\(pair.text) holds for others.")
                let negated = store.store.select(Person.self).where(
                    text: "not (\(pair.text))", arguments: pair.arguments)
                try t.expect(
                    try await negated.count(), equals: people.count - (try await built.count()),
                    "not (\(pair.text)) is not exactly the others.")
            }
        }
    }

    /// Q9: the text form and Foundation's predicates.
    static let formCases: [ConformanceCase] = [
        text(
            "forms/text-operators", for: [.q3: [1]],
            "Comparisons, logic, sets, ranges and arithmetic mean as text what they mean typed.",
            pairs: TextEquivalent("age == 9") { $0.age == 9 },
            TextEquivalent("9 <> age && name != 'person 1'") { $0.age != 9 && $0.name != "person 1" },
            TextEquivalent("age < 9 or age >= 30 and isMember") { $0.age < 9 || $0.age >= 30 && $0.isMember },
            TextEquivalent("NOT (age => 9 OR isMember == true)") { !($0.age >= 9 || $0.isMember == true) },
            TextEquivalent("age in {3, 9, 300}") { $0.age.isIn([3, 9, 300]) },
            TextEquivalent("nickname in {'n1', nil}") { $0.nickname.isIn(["n1", nil]) },
            TextEquivalent("age not in (3, 9)") { !$0.age.isIn([3, 9]) },
            TextEquivalent("age between {6, 24}") { $0.age.isIn(6...24) },
            TextEquivalent("age between 6 and 24 and isMember") { $0.age.isIn(6...24) && $0.isMember },
            TextEquivalent("1 = `age` || !isMember") { $0.age == 1 || !$0.isMember },
            TextEquivalent("age < 100 and age + 1 =< 3 * (2 + 1)") { $0.age < 100 && $0.age + 1 <= 9 },
            TextEquivalent("isMember") { $0.isMember },
            TextEquivalent("TRUEPREDICATE") { $0.id > 0 },
            TextEquivalent("false or isMember") { $0.isMember },
            TextEquivalent("nickname is not nil and name == \"person 1\"") {
                $0.nickname != nil && $0.name == "person 1"
            },
            TextEquivalent("nickname is nil") { $0.nickname == nil },
            TextEquivalent("nickname != null") { $0.nickname != nil },
            TextEquivalent("age * 2 - 1 > 10 + id") { $0.age * 2 - 1 > $0.id + 10 },
            TextEquivalent("age % 4 == 1 and -age < -10") { $0.age % 4 == 1 && -$0.age < -10 },
            TextEquivalent("height >= 0.5 and height < 1e2") { $0.height >= 0.5 && $0.height < 100 },
            TextEquivalent("age >= ? and name beginswith ?", [.int(9), .text("person")]) {
                $0.age >= 9 && $0.name.hasPrefix("person")
            },
            TextEquivalent("nickname == ?", [.null]) { $0.nickname == nil }),
        text(
            "forms/text-tests", for: [.q3: [2, 3, 4]],
            "Tests of text, of arrays and of children mean as text what they mean typed.",
            pairs: TextEquivalent("name beginswith 'person'") { $0.name.hasPrefix("person") },
            TextEquivalent("name ENDSWITH '1' or name CONTAINS ' 2'") {
                $0.name.hasSuffix("1") || $0.name.contains(" 2")
            },
            TextEquivalent("name contains[cd] 'RSON 3'") {
                $0.name.contains("RSON 3", ignoring: [.case, .diacritics])
            },
            TextEquivalent("name ==[c] 'PERSON 4'") { $0.name.equals("PERSON 4", ignoring: .case) },
            TextEquivalent("name BEGINSWITH[c] 'PERSON 1'") { $0.name.hasPrefix("PERSON 1", ignoring: .case) },
            TextEquivalent("name like '*?5'") { $0.name.like("*?5") },
            TextEquivalent("name contains '*'") { $0.name.contains("*") },
            TextEquivalent("tags contains 't1'") { $0.tags.contains("t1") },
            TextEquivalent("'t2' in tags") { $0.tags.contains("t2") },
            TextEquivalent("any tags == 't1'") { $0.tags.contains("t1") },
            TextEquivalent("count(pens) == 2") { $0.pens.count == 2 },
            TextEquivalent("spares == nil") { $0.spares.isNil },
            TextEquivalent("tags.@count == 2") { $0.tags.count == 2 },
            TextEquivalent("city.name == 'c1'") { $0.city.name == "c1" },
            TextEquivalent("city == nil") { $0.city == nil },
            TextEquivalent("any pens.price > 9") { $0.pens.any { $0.price > 9 } },
            TextEquivalent("ALL pens.price < 30") { $0.pens.all { $0.price < 30 } },
            TextEquivalent("none spares.id == 0") { $0.spares.none { $0.id == 0 } },
            TextEquivalent("any pens (price > 9 and color == 'p2')") {
                $0.pens.any { $0.price > 9 && $0.color == "p2" }
            },
            TextEquivalent("count(pens where price > 9) > 1") { $0.pens.count { $0.price > 9 } > 1 },
            TextEquivalent("any city.districts (any lamps.price == 1)") {
                $0.city.districts.any { $0.lamps.any { $0.price == 1 } }
            }),
        ConformanceCase(
            "forms/text-order", for: [.q1: [1]], "An order as text is the order as it is typed."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let typed = store.select(Person.self) {
                $0.order { $0.isMember.descending }.order { $0.nickname.ascending.nilsLast }.order { $0.city.name }
            }
            t.note("try await store.select(Person.self).order(text: …).keys()")
            let written = store.store.select(Person.self)
                .order(text: "isMember DESC, nickname nils last, city.name ascending")
            try t.expect(try await written.keys(), equals: try await typed.keys())
            let counted = store.store.select(Person.self).order(text: "pens.@count")
            try t.expect(
                try await counted.keys(),
                equals: try await store.select(Person.self) { $0.order { $0.pens.count } }.keys())
        },
        ConformanceCase(
            "forms/text-values", for: [.q1: [2]], "Whatever stands in a text's values and arguments is a value."
        ) { t in
            let store = try await t.open(Person.self)
            let hostile = [
                "' or true or '", "\" or age > 0 or \"", "x'); DROP TABLE Person; --", "?", "age", "nil", "%@", "\\",
                "{1}",
            ]
            try await store.insert(hostile.enumerated().map { Person(id: $0.offset, name: $0.element) })
            for (id, text) in hostile.enumerated() {
                t.note(
                    "try await store.select(Person.self).where(text: \"name == ?\", \(SwiftSource.literal(text))).keys()"
                )
                let query = store.store.select(Person.self).where(text: "name == ?", text)
                try t.expect(try await query.keys(), equals: [id])
                let quoted = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
                let literal = store.store.select(Person.self).where(text: "name == '\(quoted)'")
                try t.expect(try await literal.keys(), equals: [id])
            }
            let set = store.store.select(Person.self).where(text: "name in ?", hostile)
            try t.expect(try await set.count(), equals: hostile.count)
            // Of dates, UUIDs and enums a text has the written form.
            let (moment, code) = (Date(timeIntervalSinceReferenceDate: 0), Corpus.uuids[0])
            try await store.store.insert([Holder(id: 1, value: moment), Holder(id: 2, value: moment + 1)])
            try await store.store.insert(Corpus.uuids.map { Keyed(id: $0) })
            try await store.store.insert([Choice(id: 1, kind: .odd), Choice(id: 2, kind: .small)])
            let dates = store.store.select(Holder<Date>.self).where(text: "value <= '2001-01-01T00:00:00Z'")
            try t.expect(try await dates.keys(), equals: [1])
            let codes = store.store.select(Keyed<UUID>.self).where(text: "id = '\(code.uuidString)'")
            try t.expect(try await codes.keys(), equals: [code])
            let kinds = store.store.select(Choice.self).where(text: "kind == \"small\"")
            try t.expect(try await kinds.keys(), equals: [2])
        },
        ConformanceCase(
            "forms/text-errors", for: [.q9: [1, 5]],
            "A text that cannot be read is invalidQuery, with its word and character."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let mistakes: [(text: String, character: Int, word: String)] = [
                ("agee > 3", 1, "agee"), ("name == 'a' and agee > 3", 17, "agee"), ("city.nam == 'a'", 6, "nam"),
                ("age >", 6, "expected"), ("(age > 1", 9, ")"), ("age > 1)", 8, ")"), ("age ! 1", 5, "!"),
                ("name == 'a", 9, "closed"), ("age == 'a'", 5, "int64"), ("name > 5", 6, "string"),
                ("name + 1 > 2", 10, "string"),
                ("age in {1 2}", 11, ","), ("age > # 2", 7, "#"), ("pens.price == 1", 12, "any"),
                ("age == ?", 8, "argument"),
                ("any age > 1", 5, "array"), ("", 1, "expected"),
                ("age == 1e500", 8, "1e500"), ("name contains 5", 6, "string"), ("age like 'a'", 5, "int64"),
                ("age in {1, name}", 12, "plain"), ("name.x == 1", 1, "name"), ("name ==[x] 'a'", 9, "cd"),
                ("pens == 1", 6, "child"),
            ]
            for (text, character, word) in mistakes {
                t.note("try await store.select(Person.self).where(text: \(SwiftSource.literal(text))).all()")
                let error = try await t.expectError(.invalidQuery) {
                    try await store.store.select(Person.self).where(text: text).all()
                }
                try t.expect(error.message.contains(word), "\(text): \(error.message)")
                try t.expect(error.message.contains("(character \(character),"), "\(text): \(error.message)")
                try await t.expectError(.invalidQuery) {
                    try await store.store.delete(Person.self).where(text: text).run()
                }
            }
            try await t.expectError(.invalidQuery) {
                try await store.store.select(Person.self).where(text: "age == 1", 5).all()
            }
            for order in ["age up", "tags"] {
                try await t.expectError(.invalidQuery) {
                    try await store.store.select(Person.self).order(text: order).all()
                }
            }
            try await t.expectError(.invalidQuery) {
                try await store.store.select(Person.self).where(text: "age").all()
            }
            try t.expect(try await store.select(Person.self).count(), equals: people.count)
        },
        ConformanceCase(
            "forms/predicate-expressions", for: [.q3: [1]], "Foundation's predicates mean what they mean in Swift."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let (least, names, ages): (Int, [String], Set<Int>) = (9, ["person 1", "person 2"], [3, 9])
            let predicates: [(Predicate<Person>, @Sendable (Person) -> Bool)] = [
                (#Predicate { $0.age >= least && $0.isMember }, { $0.age >= least && $0.isMember }),
                (#Predicate { !($0.age == 9) || $0.height < 1 }, { !($0.age == 9) || $0.height < 1 }),
                (#Predicate { names.contains($0.name) }, { names.contains($0.name) }),
                (#Predicate { $0.age * 2 + 1 > 30 }, { $0.age * 2 + 1 > 30 }),
                (#Predicate { $0.nickname == nil }, { $0.nickname == nil }),
                (#Predicate { ($0.nickname ?? "n1") == "n1" }, { ($0.nickname ?? "n1") == "n1" }),
                (#Predicate { $0.name.starts(with: "person") }, { $0.name.hasPrefix("person") }),
                (#Predicate { (10..<20).contains($0.age) }, { (10..<20).contains($0.age) }),
                (#Predicate { $0.tags.contains("t1") }, { $0.tags.contains("t1") }),
                (#Predicate { $0.tags.count == 2 || $0.pens.isEmpty }, { $0.tags.count == 2 || $0.pens.isEmpty }),
                (#Predicate { ages.contains($0.age) }, { ages.contains($0.age) }),
                (#Predicate { (10...20).contains($0.age) }, { (10...20).contains($0.age) }),
                (#Predicate { ($0.isMember ? $0.age : 0) > 3 }, { ($0.isMember ? $0.age : 0) > 3 }),
                (#Predicate { -$0.age / 2 < -10 || $0.age % 2 == 1 }, { -$0.age / 2 < -10 || $0.age % 2 == 1 }),
                (
                    #Predicate { if let name = $0.nickname { name != "n2" } else { false } },
                    { $0.nickname.map { $0 != "n2" } ?? false }
                ),
                (#Predicate { $0.nickname?.contains("2") == true }, { $0.nickname?.contains("2") == true }),
                (#Predicate { $0.nickname?.contains("2") ?? true }, { $0.nickname?.contains("2") ?? true }),
                (#Predicate { $0.name.isEmpty || $0.tags.isEmpty }, { $0.name.isEmpty || $0.tags.isEmpty }),
                (#Predicate { $0.city?.id == 1 }, { $0.city?.id == 1 }),
                (#Predicate { $0.city?.name == "c1" }, { $0.city?.name == "c1" }),
                (#Predicate { $0.pens.contains { $0.color == "p2" } }, { $0.pens.contains { $0.color == "p2" } }),
                (#Predicate { $0.pens.allSatisfy { $0.id == 1 } }, { $0.pens.allSatisfy { $0.id == 1 } }),
                (
                    #Predicate { $0.pens.filter { $0.color != "p0" }.count > 1 },
                    { $0.pens.count { $0.color != "p0" } > 1 }
                ),
            ]
            for (predicate, holds) in predicates {
                t.note("try await store.select(Person.self).where(\(predicate)).keys()")
                let found = try await store.store.select(Person.self).where(predicate).keys()
                try t.expect(found, equals: people.filter(holds).map(\.id))
            }
        },
        ConformanceCase(
            "forms/predicate-unsupported", for: [.q9: [1, 5]],
            "What a query has no counterpart of is invalidQuery, never every record."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let settings = Settings(limit: 3)
            let predicates: [(Predicate<Person>, names: String)] = [
                (#Predicate { $0.age > settings.limit }, "Settings"), (#Predicate { $0.tags[0] == "t0" }, "Subscript"),
                (#Predicate { $0.name.count == 8 }, ""),
            ]
            for (predicate, word) in predicates {
                t.note("try await store.select(Person.self).where(#Predicate { … }).all()")
                let error = try await t.expectError(.invalidQuery) {
                    try await store.store.select(Person.self).where(predicate).all()
                }
                try t.expect(
                    word.isEmpty || error.message.contains(word), "The error does not name \(word): \(error.message)")
                try await t.expectError(.invalidQuery) {
                    try await store.store.delete(Person.self).where(predicate).run()
                }
            }
            try t.expect(try await store.select(Person.self).count(), equals: people.count)
        },
    ]
}
