internal import StorageAPI

/// 60 levels of conditions on a number; below, the same in Swift.
private func nested(_ number: QueryExpression<Int?>) -> QueryExpression<Bool> {
    var filter: QueryExpression<Bool> = number == 0
    for level in 0..<50 {
        let here: QueryExpression<Bool> = number == level
        filter = level % 2 == 0 ? !(filter && !here) : filter || here
    }
    return filter
}

private func nested(_ number: Int) -> Bool {
    var filter = number == 0
    for level in 0..<50 {
        let here = number == level
        filter = level % 2 == 0 ? !(filter && !here) : filter || here
    }
    return filter
}

extension Conformance {
    /// Five records with every mixture of nil, for the two-valued logic of Q2.
    private static let measures: [Measure] = [
        Measure(id: 1, number: 1, real: 1.5, text: "a", flag: true),
        Measure(id: 2, number: 2, real: 1, text: "b", flag: false),
        Measure(id: 3), Measure(id: 4, number: 5, text: "ab"),
        Measure(id: 5, real: -1, text: "", flag: true),
    ]

    /// A case that compares filters with the same expressions in Swift over the records.
    private static func filters(
        _ id: String, for proof: Proof, _ sentence: String,
        pairs: Equivalent<Measure>...
    ) -> ConformanceCase { ConformanceCase(id, for: proof, sentence, over: measures, pairs: pairs) }

    /// Q2: filters are two-valued.
    static let filterCases: [ConformanceCase] = [
        filters(
            "filters/equal-nil", for: [.q2: [1, 2]],
            "nil equals nil, and no value; != holds where the other side is nil.",
            pairs: Equivalent({ $0.number == nil }, { $0.number == nil }),
            Equivalent({ $0.number != nil }, { $0.number != nil }),
            Equivalent({ $0.number == Int?.none }, { $0.number == nil }),
            Equivalent({ $0.number != Int?.none }, { $0.number != nil }),
            Equivalent({ $0.number == 2 }, { $0.number == 2 }),
            Equivalent({ $0.number != 2 }, { $0.number != 2 }),
            Equivalent({ $0.text == "" }, { $0.text == "" }),
            Equivalent({ $0.text != "a" }, { $0.text != "a" }),
            Equivalent({ $0.flag == false }, { $0.flag == false }),
            Equivalent({ $0.flag != true }, { $0.flag != true })),
        filters(
            "filters/ordered-nil", for: [.q2: [3]], "An ordered comparison with nil is false.",
            pairs: Equivalent({ $0.number < 3 }, { $0.number.map { $0 < 3 } ?? false }),
            Equivalent({ $0.number <= 2 }, { $0.number.map { $0 <= 2 } ?? false }),
            Equivalent({ $0.number > -1 }, { $0.number.map { $0 > -1 } ?? false }),
            Equivalent({ $0.number >= 2 }, { $0.number.map { $0 >= 2 } ?? false }),
            Equivalent({ $0.real < 1.25 }, { $0.real.map { $0 < 1.25 } ?? false }),
            Equivalent({ $0.text > "a" }, { $0.text.map { $0 > "a" } ?? false })),
        filters(
            "filters/and-or", for: [.q2: [4], .q3: [1]],
            "and, or and their negations have two values, whatever is nil.",
            pairs: Equivalent({ $0.number > 1 && $0.real > 0 }, { ($0.number ?? -9) > 1 && ($0.real ?? -9) > 0 }),
            Equivalent({ $0.number > 1 || $0.real > 1 }, { ($0.number ?? -9) > 1 || ($0.real ?? -9) > 1 }),
            Equivalent({ $0.number == nil || $0.text == nil }, { $0.number == nil || $0.text == nil }),
            Equivalent({ $0.number == nil && $0.text != nil }, { $0.number == nil && $0.text != nil }),
            Equivalent({ !($0.number == 1) && !($0.number == 2) }, { !($0.number == 1) && !($0.number == 2) }),
            Equivalent({ !($0.number > 1 || $0.flag == true) }, { !(($0.number ?? -9) > 1 || $0.flag == true) }),
            Equivalent(
                { ($0.number == 1 || $0.number == 2) && $0.flag == true },
                { ($0.number == 1 || $0.number == 2) && $0.flag == true }),
            Equivalent(
                { $0.number == 1 || $0.number == 2 && $0.flag == true },
                { $0.number == 1 || $0.number == 2 && $0.flag == true })),
        filters(
            "filters/not-not", for: [.q2: [4]], "A double negation is the filter itself.",
            pairs: Equivalent({ !(!($0.number > 1)) }, { ($0.number ?? -9) > 1 }),
            Equivalent({ !(!($0.text == nil)) }, { $0.text == nil }),
            Equivalent({ !(!($0.number != 1 && $0.real != 1)) }, { $0.number != 1 && $0.real != 1 })),
        filters(
            "filters/nil-tests", for: [.q2: [1], .q3: [1]], "isNil finds exactly what is nil.",
            pairs: Equivalent({ $0.text.isNil }, { $0.text == nil }),
            Equivalent({ !$0.real.isNil }, { $0.real != nil }),
            Equivalent({ $0.flag.isNil && $0.number.isNil }, { $0.flag == nil && $0.number == nil })),
        filters(
            "filters/properties", for: [.q2: [1], .q3: [1]],
            "Two properties are compared with each other, nil equal to nil.",
            pairs: Equivalent({ $0.number == $0.number }, { _ in true }),
            Equivalent({ $0.number == $0.id }, { $0.number == $0.id }),
            Equivalent({ $0.number != $0.id }, { $0.number != $0.id }),
            Equivalent({ $0.number < $0.id }, { measure in measure.number.map { $0 < measure.id } ?? false })),
        filters(
            "filters/in", for: [.q3: [1], .q4: [1]], "Membership is equality with one of the values, nil among them.",
            pairs: Equivalent({ $0.number.isIn([1, 5, 77]) }, { [1, 5, 77].contains($0.number) }),
            Equivalent({ $0.number.isIn([nil, 2]) }, { [nil, 2].contains($0.number) }),
            Equivalent({ $0.number.isIn([Int?]()) }, { _ in false }),
            Equivalent({ $0.text.isIn(["", "ab"]) }, { ["", "ab"].contains($0.text) }),
            Equivalent({ $0.number.isIn([2, 2, 2]) }, { $0.number == 2 })),
        ConformanceCase(
            "filters/ranges", for: [.q3: [1]], "A range has both its ends, or not the upper one, as it is written."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert((1...10).map { Person(id: $0, name: "\($0)", age: $0 * 10, height: Double($0) / 2) })
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.age.isIn(20...40) } }.keys(), equals: [2, 3, 4])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.age.isIn(20..<40) } }.keys(), equals: [2, 3])
            try t.expect(try await store.select(Person.self) { $0.where { $0.age.isIn(20..<20) } }.keys(), equals: [])
            try t.expect(
                try await store.select(Person.self) { $0.where { $0.height.isIn(0.5...1.5) } }.keys(),
                equals: [1, 2, 3])
        },
        ConformanceCase("filters/in-10000", for: [.q4: [1]], "in takes 10,000 values, and finds what is among them.") {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert((0..<100).map { Measure(id: $0, number: $0 * 1000, text: "\($0)") })
            let numbers = (0..<10_000).map { Optional($0 * 3) }
            let found = try await store.select(Measure.self) { $0.where { $0.number.isIn(numbers) } }.keys()
            try t.expect(found, equals: (0..<100).filter { $0 * 1000 % 3 == 0 && $0 * 1000 < 30_000 })
            let texts = (0..<10_000).map { Optional("\($0 * 2)") }
            let even = try await store.select(Measure.self) { $0.where { $0.text.isIn(texts) } }.count()
            try t.expect(even, equals: 50)
            let others = try await store.select(Measure.self) { $0.where { !$0.text.isIn(texts) } }.count()
            try t.expect(others, equals: 50)
        },
        ConformanceCase("filters/in-1000000", for: [.q4: [1]], "in takes a million values.") { t in
            let store = try await t.open(Measure.self)
            try await store.insert((0..<10).map { Measure(id: $0, number: $0 * 300_000) })
            let numbers = (0..<1_000_000).map(Optional.some)
            let found = try await store.select(Measure.self) { $0.where { $0.number.isIn(numbers) } }.keys()
            try t.expect(found, equals: [0, 1, 2, 3])
        },
        ConformanceCase(
            "filters/nested-50", for: [.q3: [1]], "50 levels of and, or and not mean what they mean in Swift."
        ) {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert((0..<64).map { Measure(id: $0, number: $0) })
            let keys = try await store.select(Measure.self) { $0.where { nested($0.number) } }.keys()
            try t.expect(keys, equals: (0..<64).filter { nested($0) })
        },
        ConformanceCase("filters/too-deep", for: [.e2: [1]], "A filter of 5,000 levels is limitExceeded, and no crash.")
        {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert(Measure(id: 1))
            try await t.expectError(.limitExceeded) {
                try await store.store.select(Measure.self).where { columns in
                    var filter: QueryExpression<Bool> = columns.number == 0
                    for _ in 0..<5000 { filter = !filter }
                    return filter
                }.all()
            }
            try t.expect(try await store.select(Measure.self).count(), equals: 1)
        },
        ConformanceCase("filters/several-where", for: [.q1: [1], .q3: [1]], "Several conditions all have to be met.") {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert(measures)
            let keys = try await store.select(Measure.self) { $0.where { $0.number > 0 }.where { $0.flag == true } }
                .keys()
            try t.expect(keys, equals: [1])
        },
        ConformanceCase(
            "filters/wide-integers", for: [.v4: [1]], "2^53 + 1 is neither 2^53 nor more than itself in a filter."
        ) { t in
            let store = try await t.open(Measure.self)
            let numbers = [1 << 53, (1 << 53) + 1, .max - 1, .max]
            try await store.insert(numbers.enumerated().map { Measure(id: $0.offset, number: $0.element) })
            for (id, number) in numbers.enumerated() {
                try t.expect(
                    try await store.select(Measure.self) { $0.where { $0.number == number } }.keys(), equals: [id])
                let more = try await store.select(Measure.self) { $0.where { $0.number > number } }.count()
                try t.expect(more, equals: 3 - id)
            }
        },
        ConformanceCase(
            "filters/injection", for: [.q1: [2], .e2: [1]],
            "An operand is a value, whatever it looks like; nothing else happens."
        ) { t in
            let store = try await t.open(Pen.self)
            let hostile = [
                "' OR 1=1; --", "'; DROP TABLE Pen; --", "\"", "\\", "%", "_", "*", "?", ":1", "$1", "@p", "0x00",
                "x'00'",
                "NULL", "); DELETE FROM Pen; --", "${jndi:ldap://x}", "{{7*7}}", "\0' OR 1=1", "id", "Pen.color",
            ]
            try await store.insert(hostile.enumerated().map { Pen(id: $0.offset, color: $0.element) })
            for (id, text) in hostile.enumerated() {
                try t.expect(try await store.select(Pen.self) { $0.where { $0.color == text } }.keys(), equals: [id])
                let count = try await store.update(Pen.self) { $0.where { $0.color == text }.set(\.color, to: text) }
                try t.expect(count, equals: 1)
            }
            try t.expect(try await store.all(Pen.self).map(\.color), equals: hostile)
        },
    ]
}
