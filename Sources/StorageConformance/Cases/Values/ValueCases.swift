internal import Foundation
internal import StorageAPI

extension Conformance {
    /// The corpus of every type in every context.
    static let corpusCases: [ConformanceCase] =
        integers("int8", Corpus.integers(Int8.self)) + integers("int16", Corpus.integers(Int16.self))
        + integers("int32", Corpus.integers(Int32.self)) + integers("int64", Corpus.long)
        + integers("int", Corpus.integers(Int.self)) + integers("uint8", Corpus.integers(UInt8.self))
        + integers("uint16", Corpus.integers(UInt16.self)) + integers("uint32", Corpus.integers(UInt32.self))
        + integers("uint64", Corpus.wide) + integers("uint", Corpus.integers(UInt.self))
        + comparable("double", Corpus.doubles, rules: .fraction) + comparable("float", Corpus.floats, rules: .fraction)
        + comparable("string", Corpus.texts, rules: .text)
        + comparable("date", Corpus.dates, rules: ValueRules(type: 6, exact: [5], order: 3))
        + comparable("decimal", Corpus.decimals, rules: ValueRules(type: 9, exact: [6], order: 6))
        + comparable("duration", Corpus.durations, rules: ValueRules(type: 10, exact: [7], order: 7))
        + equatable("vector", Corpus.vectors, rules: ValueRules(type: 11, exact: [8], order: 9))
        + sortable("bool", [false, true], rules: ValueRules(type: 1, order: 2))
        + sortable("uuid", Corpus.uuids, rules: ValueRules(type: 7, order: 5))
        + sortable("url", Corpus.urls, rules: ValueRules(type: 8, order: 8))
        + sortable("data", Corpus.bytes.map { Data($0) }, rules: .bytes)
        + equatable("bytes", Corpus.bytes, rules: .bytes)
        + [
            ValueFamily(name: "string", rules: .text, values: Corpus.texts).key,
            ValueFamily(name: "uuid", rules: ValueRules(type: 7, order: 5), values: Corpus.uuids).key,
        ]

    private static func equatable<V: ScalarValue & Equatable>(
        _ name: String, _ values: [V], rules: ValueRules
    ) -> [ConformanceCase] {
        let family = ValueFamily(name: name, rules: rules, values: values)
        return family.everywhere + [family.equality]
    }

    private static func sortable<V: SortableValue & ScalarValue & Equatable>(
        _ name: String, _ values: [V], rules: ValueRules
    ) -> [ConformanceCase] where V.Scalar == V {
        equatable(name, values, rules: rules) + [ValueFamily(name: name, rules: rules, values: values).order]
    }

    private static func comparable<V: SortableValue & ScalarValue & Comparable>(
        _ name: String, _ values: [V], rules: ValueRules
    ) -> [ConformanceCase] where V.Scalar == V {
        let family = ValueFamily(name: name, rules: rules, values: values)
        return sortable(name, values, rules: rules) + [family.comparison, family.ranged]
    }

    private static func integers<I: IntegerColumnValue>(_ name: String, _ values: [I]) -> [ConformanceCase]
    where I.Scalar == I {
        comparable(name, values, rules: .integer) + [ValueFamily(name: name, rules: .integer, values: values).key]
    }

    /// V: what the corpus does not show.
    static let valueCases: [ConformanceCase] = [
        ConformanceCase(
            "values/negative-zero", for: [.v2: [2], .v4: [1]], "-0.0 equals 0.0 in filters, order and membership."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert([Measure(id: 1, real: -0.0), Measure(id: 2, real: 0.0), Measure(id: 3, real: 1)])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.real == 0.0 } }.keys(), equals: [1, 2])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.real == -0.0 } }.keys(), equals: [1, 2])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.real < 0.0 } }.keys(), equals: [])
            let order = try await store.select(Measure.self) { $0.order { $0.real.descending } }.keys()
            try t.expect(order, equals: [3, 1, 2], "-0.0 and 0.0 are a tie, which the key decides.")
        },
        ConformanceCase(
            "values/negative-zero-elements", for: [.v4: [1]], "Arrays of -0.0 and of 0.0 are equal, and so are members."
        ) {
            t in
            let store = try await t.open(Holder<Double>.self)
            try await store.insert([
                Holder(id: 1, value: 0.0, list: [0.0, 0.0]), Holder(id: 2, value: -0.0, list: [-0.0, 0.0]),
                Holder(id: 3, value: 1.0, list: [1.0]),
            ])
            for zero in [0.0, -0.0] {
                let equal = store.select(Holder<Double>.self) { $0.where { $0.list == [zero, zero] } }
                try t.expect(try await equal.keys(), equals: [1, 2])
                let members = store.select(Holder<Double>.self) { $0.where { $0.value.isIn([zero]) } }
                try t.expect(try await members.keys(), equals: [1, 2])
            }
        },
        ConformanceCase(
            "values/equal-forms", for: [.v4: [1, 6]], "1.0 and 1.00, and arrays of them, are equal by value."
        ) { t in
            let decimals = try await t.open(Holder<Decimal>.self)
            let (long, short) = (try t.required(Decimal(string: "1.00")), try t.required(Decimal(string: "1.0")))
            try await decimals.insert(Holder(id: 1, value: long, optional: long, list: [long, long]))
            let one = decimals.select(Holder<Decimal>.self) {
                $0.where { $0.optional == short && $0.optional.isIn([short]) && $0.list == [short, short] }
            }
            try t.expect(try await one.keys(), equals: [1])
        },
        ConformanceCase("values/nan", for: [.v2: [2], .v4: [1]], "NaN comes back as NaN, equals NaN, and is no nil.") {
            t in
            let store = try await t.open(Measure.self)
            let values: [Double?] = [.nan, -.nan, .signalingNaN, .infinity, nil]
            try await store.insert(values.enumerated().map { Measure(id: $0.offset, real: $0.element) })
            let stored = try await store.all(Measure.self)
            try t.expect(stored.prefix(3).allSatisfy { $0.real?.isNaN == true }, "NaN came back as something else.")
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.real == .nan } }.keys(), equals: [0, 1, 2])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.real.isNil } }.keys(), equals: [4])
            try t.expect(
                try await store.select(Measure.self) { $0.where { $0.real > .infinity } }.keys(), equals: [0, 1, 2])
        },
        ConformanceCase(
            "values/integral-double-stays-double", for: [.v2: [9]],
            "1.0 in an array or an embedded value stays a Double."
        ) {
            t in
            let store = try await t.open(Holder<Double>.self, Document.self)
            let holder = Holder(id: 1, value: 1.0, list: [1, 2, 1e15, 1e300])
            try await store.insert(holder)
            try t.expect(try await store.find(Holder<Double>.self, key: 1), equals: holder)
            let document = Document(id: 1, body: Payload(text: "a", part: .init(sizes: ["a": 1, "b": 0.1])))
            try await store.insert(document)
            try t.expect(try await store.find(Document.self, key: 1), equals: document)
        },
        ConformanceCase(
            "values/embedded", for: [.v1: [15], .v3: [1]], "An embedded Codable value comes back whole, and nil as nil."
        ) {
            t in
            let store = try await t.open(Document.self)
            let part = Payload.Part(title: "", sizes: ["é": 0.1, "": -1e300])
            let documents = [
                Document(id: 1, body: Payload(text: "\0\"\\\u{1}", part: part, parts: [part, .init()]), draft: nil),
                Document(id: 2, body: Payload(text: ""), draft: Payload(text: "d", part: part)),
            ]
            try await store.insert(documents)
            try t.expect(try await store.all(Document.self), equals: documents)
            try await store.update(Document.self) { $0.where { $0.id == 2 }.set(\.draft, to: nil) }
            try t.expect(try await store.find(Document.self, key: 2)?.draft?.text, equals: nil)
        },
        ConformanceCase(
            "values/embedded-null", for: [.v1: [15], .v3: [1]],
            "An embedded value that is null in JSON is not nil, where it is read and in filters."
        ) { t in
            let store = try await t.open(Document.self)
            let replies: [Reply?] = [nil, .open, .given(""), .given("null")]
            let documents = replies.enumerated().map {
                Document(id: $0.offset, body: Payload(text: ""), reply: $0.element)
            }
            try await store.insert(documents)
            try t.expect(try await store.all(Document.self).map(\.reply), equals: replies)
            try t.expect(try await store.select(Document.self) { $0.where { $0.reply.isNil } }.keys(), equals: [0])
            try await store.update(Document.self) { $0.where { $0.id == 2 }.set(\.reply, to: .open) }
            try await store.update(Document.self) { $0.where { $0.id == 3 }.set(\.reply, to: nil) }
            try t.expect(try await store.all(Document.self).map(\.reply), equals: [nil, .open, .open, nil])
            try t.expect(try await store.select(Document.self) { $0.where { $0.reply.isNil } }.keys(), equals: [0, 3])
        },
        ConformanceCase(
            "values/nested-arrays", for: [.v1: [14], .v2: [9], .v3: [1]], "Arrays of arrays keep their shape."
        ) {
            t in
            let store = try await t.open(Document.self)
            let grids: [[[Int]]] = [[], [[]], [[], []], [[1], [], [2, 3]], [[.min, .max]]]
            let documents = grids.enumerated().map {
                Document(id: $0.offset, body: Payload(text: ""), grid: $0.element)
            }
            try await store.insert(documents)
            try t.expect(try await store.all(Document.self), equals: documents)
        },
        ConformanceCase(
            "values/enums", for: [.v1: [12, 13, 14]],
            "Enums come back by their raw values: plain, optional and in arrays."
        ) {
            t in
            let store = try await t.open(Choice.self)
            let choices = [
                Choice(id: 1, kind: .odd, level: .high, kinds: [.odd, .small, .odd], levels: [.low, .high]),
                Choice(id: 2, kind: .small, level: nil), Choice(id: 3, kind: .large, level: .low, kinds: [.large]),
            ]
            try await store.insert(choices)
            try t.expect(try await store.all(Choice.self), equals: choices)
            try t.expect(try await store.select(Choice.self) { $0.where { $0.kind == .odd } }.keys(), equals: [1])
            try t.expect(try await store.select(Choice.self) { $0.where { $0.level != .low } }.keys(), equals: [1, 2])
            try t.expect(
                try await store.select(Choice.self) { $0.where { $0.kind.isIn([.small, .large]) } }.keys(),
                equals: [2, 3])
            try t.expect(
                try await store.select(Choice.self) { $0.where { $0.kinds.contains(.odd) } }.keys(), equals: [1])
            let order = try await store.select(Choice.self) { $0.order { $0.kind } }.keys()
            try t.expect(order, equals: [3, 1, 2], "Enums sort by their raw values.")
        },
        ConformanceCase("values/string-1mb", for: [.v2: [3]], "A text of one mebibyte comes back exactly.") { t in
            let store = try await t.open(Pen.self)
            let text = String(repeating: "0123456789abcdé\u{301}", count: 1 << 16)
            try await store.insert(Pen(id: 1, color: text))
            let stored = try t.required(try await store.find(Pen.self, key: 1))
            try t.expect(stored.color.utf8.elementsEqual(text.utf8), "The text is another.")
            try t.expect(try await store.select(Pen.self) { $0.where { $0.color == text } }.count(), equals: 1)
        },
        ConformanceCase("values/data-1mb", for: [.v2: [4]], "A mebibyte of bytes comes back exactly.") { t in
            let store = try await t.open(Holder<Data>.self)
            let data = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try await store.insert(Holder(id: 1, value: data))
            let stored = try t.required(try await store.find(Holder<Data>.self, key: 1))
            try t.expect(stored.value == data, "The bytes are others.")
            // A slice does not begin at index 0.
            try await store.save(Holder(id: 1, value: data.dropFirst(10).prefix(300)))
            let slice = try t.required(try await store.find(Holder<Data>.self, key: 1))
            try t.expect(slice.value == Data(data[10..<310]), "The bytes of a slice are others.")
        },
        ConformanceCase("values/array-10000", for: [.v2: [9]], "An array of 10,000 elements keeps its order and count.")
        {
            t in
            let store = try await t.open(Holder<Int>.self)
            let list = (0..<10_000).map { ($0 &* 7919) % 10_007 }
            try await store.insert(Holder(id: 1, value: 0, list: list))
            try t.expect(try await store.find(Holder<Int>.self, key: 1)?.list == list, "The array is another.")
        },
        ConformanceCase(
            "values/empty-nil-zero", for: [.v3: [1]], "nil, empty and zero are three values, in filters too."
        ) {
            t in
            let store = try await t.open(Measure.self)
            let all = [
                Measure(id: 1), Measure(id: 2, number: 0, real: 0, text: "", flag: false),
                Measure(id: 3, number: 1, real: 1, text: "nil", flag: true),
            ]
            try await store.insert(all)
            try t.expect(try await store.all(Measure.self), equals: all)
            try t.expect(try await store.select(Measure.self) { $0.where { $0.text == "" } }.keys(), equals: [2])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.text == nil } }.keys(), equals: [1])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.number == 0 } }.keys(), equals: [2])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.flag == false } }.keys(), equals: [2])
            try t.expect(try await store.select(Measure.self) { $0.where { $0.flag == nil } }.keys(), equals: [1])
        },
        ConformanceCase(
            "values/children-empty-nil", for: [.v3: [1], .c3: [2]], "nil, [] and one empty child are three values."
        ) { t in
            let store = try await t.open(Person.self)
            let all = [
                Person(id: 1, spares: nil), Person(id: 2, spares: []), Person(id: 3, spares: [Pen(id: 0)]),
            ]
            try await store.insert(all)
            try t.expect(try await store.all(Person.self), equals: all)
        },
        ConformanceCase(
            "values/embedded-not-finite", for: [.v1: [15]], "Infinities and NaN in an embedded value come back."
        ) {
            t in
            let store = try await t.open(Document.self)
            let sizes = ["a": Double.infinity, "b": -.infinity, "c": 0.1]
            let document = Document(id: 1, body: Payload(text: "", part: .init(sizes: sizes)))
            try await store.insert(document)
            try t.expect(try await store.all(Document.self), equals: [document])
            try await store.save(Document(id: 1, body: Payload(text: "", part: .init(sizes: ["d": .nan]))))
            let stored = try t.required(try await store.find(Document.self, key: 1)?.body.part?.sizes["d"])
            try t.expect(stored, equals: .nan)
        },
        ConformanceCase(
            "values/relative-url", for: [.e1: [1], .w4: [2]],
            "A URL that needs a base is invalidValue, before any effect."
        ) { t in
            let store = try await t.open(Holder<URL>.self)
            let base = try t.required(URL(string: "http://a/"))
            let relative = try t.required(URL(string: "b", relativeTo: base))
            let error = try await t.expectError(.invalidValue) {
                try await store.insert([Holder(id: 1, value: base), Holder(id: 2, value: relative)])
            }
            try t.expect(error.property, equals: "value", "The error does not name the property.")
            try t.expect(error.element, equals: 1)
            try t.expect(try await store.select(Holder<URL>.self).count(), equals: 0)
        },
        ConformanceCase(
            "values/unknown-enum-number", for: [.v5: [1, 2, 3]],
            "A stored number that no case of an enum has is typeMismatch."
        ) {
            t in
            let store = try await t.open(IntItem.self)
            try await store.insert([IntItem(id: 1, value: -5), IntItem(id: 2, value: 6)])
            let error = try await t.expectError(.typeMismatch) { try await store.find(EnumItem<Level>.self, key: 2) }
            try t.expect(error.storedValue, equals: .int(6))
            try t.expect(try await store.find(EnumItem<Level>.self, key: 1)?.value, equals: .low)
            try t.expect(
                try await store.all(IntItem.self).map(\.value), equals: [-5, 6], "What was stored is changed.")
        },
        ConformanceCase(
            "values/unknown-enum-case", for: [.v5: [1, 2]], "A stored raw value that no case has is typeMismatch."
        ) {
            t in
            let store = try await t.open(TextItem.self)
            try await store.insert(
                ["small", "gone", "large"].enumerated().map { TextItem(id: $0.offset + 1, value: $0.element) })
            let error = try await t.expectError(.typeMismatch) { try await store.all(EnumItem<Kind>.self) }
            try t.expect(error.model, equals: "Item")
            try t.expect(error.property, equals: "value")
            try t.expect(error.key, equals: [.int(2)])
            try t.expect(error.storedValue, equals: .text("gone"))
            try t.expect(
                try await store.find(EnumItem<Kind>.self, key: 3)?.value, equals: .large, "Others are not readable.")
            try t.expect(try await store.all(EnumItem<Kind>.self) { $0.where { $0.id != 2 } }.count, equals: 2)
        },
    ]
}
