internal import Foundation
internal import StorageAPI

extension Conformance {
    /// E: errors, misuse, limits and what is declared.
    static let errorCases: [ConformanceCase] = [
        ConformanceCase(
            "errors/place", for: [.e1: [1]],
            "An error names operation, model, key, element and backend, and says what to do."
        ) { t in
            let store = try await t.open(Pair.self)
            let pairs = [Pair(first: "a", second: "1"), Pair(first: "b'\"", second: "2")]
            try await store.insert(pairs[1])
            let insert = try await t.expectError(.duplicateKey) { try await store.insert(pairs) }
            try t.expect(insert.operation, equals: "insert")
            try t.expect(insert.model, equals: "Pair")
            try t.expect(insert.key, equals: [.text("b'\""), .text("2")])
            try t.expect(insert.element, equals: 1)
            try t.expect(insert.backend, equals: store.info.name)
            try t.expect(insert.message.count > 10 && insert.message.hasSuffix("."), "The message is no sentence.")
            for part in ["duplicateKey", "insert", "Pair", "\"2\"", "element 1", store.info.name, insert.message] {
                try t.expect(insert.description.contains(part), "The description does not have \(part): \(insert)")
            }
            let inside = try await t.expectError(.duplicateKey) {
                try await store.transaction { _, tx in try tx.insert(pairs[1]) }
            }
            try t.expect(inside.operation == "insert" && inside.model == "Pair", "\(inside) does not name its call.")
            try t.expect(inside.backend, equals: store.info.name)
            let update = try await t.expectError(.notFound) { try await store.update(pairs[0]) }
            try t.expect(update.operation, equals: "update")
            try t.expect(update.element, equals: nil)
            let query = try await t.expectError(.invalidQuery) { try await store.all(Pair.self) { $0.limit(-1) } }
            try t.expect(query.operation, equals: "select")
            try t.expect(query.backend, equals: store.info.name)
            let stream = try await t.expectError(.invalidQuery) {
                try await store.select(Pair.self) { $0.limit(-1) }.stream()
            }
            try t.expect(stream.operation == "stream" && stream.model == "Pair", "\(stream) does not name its call.")
            try await store.close()
            let find = try await t.expectError(.closed) { try await store.find(Pair.self, key: ("a", "1")) }
            try t.expect(find.operation == "find" && find.model == "Pair", "\(find) does not name its call.")
        },
        ConformanceCase(
            "errors/unknown-property", for: [.q9: [5], .e2: [1]],
            "A property that the schema does not have is invalidQuery, never all records."
        ) {
            t in
            typealias Model = WideItem<Columns128>
            let store = try await t.open(Model.self)
            try await store.insert(Model(id: 1, values: Array(repeating: 0, count: 127)))
            try await t.expectError(.invalidQuery) {
                try await store.store.select(Model.self).where { $0.unknown == 1 }.all()
            }
            try await t.expectError(.invalidQuery) {
                try await store.store.select(Model.self).order { $0.unknown }.keys()
            }
            try await t.expectError(.invalidQuery) {
                try await store.store.delete(Model.self).where { $0.unknown == 1 }.run()
            }
            try t.expect(try await store.select(Model.self).count(), equals: 1)
        },
        ConformanceCase(
            "errors/misfit-conformance", for: [.e2: [1]],
            "A conformance that disagrees with its schema is configuration, no trap."
        ) {
            t in
            let store = try await t.open(MisfitItem.self)
            try await store.store.insert(MisfitItem(id: 1))
            for id in [-1, -2, -3] {
                let error = try await t.expectError(.configuration) {
                    try await store.store.insert([MisfitItem(id: 2), MisfitItem(id: id)])
                }
                try t.expect(error.model, equals: "Misfit")
                try await t.expectError(.configuration) { try await store.store.save(MisfitItem(id: id)) }
            }
            try await t.expectError(.configuration) { try await store.store.delete(MisfitItem(id: -4)) }
            for fault in [MisfitItem.Fault.readsLess, .readsMore, .readsChild] {
                try await MisfitItem.$fault.withValue(fault) {
                    let query = store.select(MisfitItem.self)
                    let error = try await t.expectError(.configuration) { try await query.all() }
                    try t.expect(error.model, equals: "Misfit")
                    try await t.expectError(.configuration) { try await query.stream() }
                    try await t.expectError(.configuration) { try await store.find(MisfitItem.self, key: 1) }
                }
            }
            try t.expect(try await store.select(MisfitItem.self).keys(), equals: [1])
        },
        ConformanceCase(
            "errors/refused-declarations", for: [.v1: [17], .e2: [1]],
            "A declaration that cannot be stored is configuration."
        ) { t in
            let store = try await t.open(Pen.self)
            try await t.expectError(.configuration) { try await store.select(Item<NoName>.self).count() }
            try await t.expectError(.configuration) { try await store.select(Item<NULInName>.self).count() }
            try await t.expectError(.configuration) { try await store.select(Item<SameName>.self).count() }
            try await t.expectError(.configuration) { try await store.select(Item<DoubleAsKey>.self).count() }
            try await t.expectError(.configuration) { try await store.select(RefusedItem<Hiding>.self).count() }
            try await t.expectError(.configuration) { try await store.insert(RefusedItem<Hiding>(id: 1)) }
            try await t.expectError(.configuration) { try await store.insert(RefusedItem<NoProperties>(id: 1)) }
            try await t.expectError(.configuration) { try await store.insert(RefusedItem<ChildAsKey>(id: 1)) }
            try await store.insert(Pen(id: 1))
        },
        ConformanceCase("errors/after-an-error", for: [.e2: [1]], "After any refused call the store goes on.") { t in
            let store = try await t.open(Person.self)
            try await store.insert(Samples.person(1))
            for _ in 0..<20 {
                try await t.expectError(.duplicateKey) { try await store.insert(Samples.person(1)) }
                try await t.expectError(.notFound) { try await store.update(Samples.person(2)) }
                try await t.expectError(.invalidQuery) { try await store.all(Person.self) { $0.offset(-1) } }
            }
            try await store.insert(Samples.person(2))
            try t.expect(try await store.all(Person.self), equals: [Samples.person(1), Samples.person(2)])
        },
        ConformanceCase(
            "limits/key-bytes", for: [.e4: [2]], "A key of the declared length passes; one byte more is limitExceeded."
        ) { t in
            let store = try await t.open(Pair.self)
            let longest = String(repeating: "k", count: store.info.limits.keyBytes)
            try await store.insert(Pair(first: longest, second: "1", note: "longest"))
            try t.expect(try await store.find(Pair.self, key: (longest, "1"))?.note, equals: "longest")
            let error = try await t.expectError(.limitExceeded) {
                try await store.insert([Pair(first: "a", second: "b"), Pair(first: longest + "k", second: "1")])
            }
            try t.expect(error.model, equals: "Pair")
            try t.expect(error.element, equals: 1)
            try t.expect(try await store.select(Pair.self).count(), equals: 1)
        },
        ConformanceCase(
            "limits/whole-key", for: [.e4: [2], .k4: [1]],
            "Every part of a key may be as long as declared, whatever it holds, and so may that of an owner."
        ) { t in
            let store = try await t.open(Pair.self)
            let limit = store.info.limits.keyBytes
            let (first, second) = (Samples.noise(limit, 1), Samples.noise(limit, 2))
            let other = String(second.dropLast()) + "\u{7F}"
            try await store.store.insert([
                Pair(first: first, second: second, note: "a", nodes: [Node(id: 1)]),
                Pair(first: first, second: other, note: "b", nodes: [Node(id: 2), Node(id: 3)]),
            ])
            try t.expect(try await store.store.find(Pair.self, key: (first, second))?.note, equals: "a")
            try t.expect(try await store.store.find(Pair.self, key: (first, other))?.note, equals: "b")
            for (one, two) in [(first + "x", second), (first, second + "x")] {
                try await t.expectError(.limitExceeded) { try await store.store.insert(Pair(first: one, second: two)) }
            }
            try t.expect(try await store.store.delete(Pair.self, keys: [(first, second)]), equals: 1)
            let left = try await store.store.select(Pair.self).all()
            try t.expect(left.map(\.note), equals: ["b"])
            try t.expect(left.map { $0.nodes.map(\.id) }, equals: [[2, 3]])
        },
        ConformanceCase(
            "limits/indexed-bytes", for: [.e4: [2]],
            "An indexed or unique value may be as long as any other, whatever it holds; queries find it by the index."
        ) { t in
            let store = try await t.open(Member.self, Person.self)
            // As in the case of values' bytes: no more than every machine has.
            let length = min(store.info.limits.valueBytes, 1 << 20)
            let text = Samples.noise(length, 3)
            let near = String(text.dropLast()) + "\u{7F}"
            try await store.store.insert([Member(id: 1, email: text), Member(id: 2, email: near), Member(id: 3)])
            try await t.expectError(.constraint) { try await store.store.insert(Member(id: 4, email: near)) }
            let members = store.store.select(Member.self)
            try t.expect(try await members.where { $0.email == text }.keys(), equals: [1])
            try t.expect(try await members.where { $0.email > text }.keys(), equals: [2])
            try t.expect(
                try await members.where { $0.email.hasPrefix(String(text.dropLast())) }.keys(), equals: [1, 2])
            try t.expect(try await members.order { $0.email.descending }.keys(), equals: [2, 1, 3])
            try await store.store.insert([Person(id: 1, name: text), Person(id: 2, name: text)])
            try t.expect(
                try await store.store.select(Person.self).where { $0.name.isIn([text, near]) }.keys(), equals: [1, 2])
        },
        ConformanceCase(
            "limits/value-bytes", for: [.e4: [2]],
            "A value of the declared size passes where memory allows; one byte more is limitExceeded."
        ) {
            t in
            let store = try await t.open(Pen.self)
            let limit = store.info.limits.valueBytes
            try t.expect(limit > 0, "The declared limit of values is not positive.")
            // A gibibyte is more than a case should ask of a machine; then a size that every machine has must pass.
            let isLarge = limit > 1 << 26
            let longest = String(repeating: "v", count: isLarge ? 1 << 24 : limit)
            try await store.insert(Pen(id: 1, color: longest))
            let stored = try t.required(try await store.find(Pen.self, key: 1))
            try t.expect(stored.color == longest, "The value is another.")
            if !isLarge {
                try await t.expectError(.limitExceeded) { try await store.insert(Pen(id: 2, color: longest + "v")) }
            }
            try t.expect(try await store.select(Pen.self).count(), equals: 1)
        },
        ConformanceCase(
            "limits/columns", for: [.e4: [2]],
            "A model of as many columns as declared passes; one more is limitExceeded."
        ) { t in
            let store = try await t.open()
            let limit = store.info.limits.columns
            // The key is one of the columns.
            try await AtTheLimit(t, store).visit(limit - 1)
            try await BeyondTheLimit(t, store).visit(limit)
        },
        ConformanceCase(
            "capabilities/declared", for: [.e4: [1]],
            "Every capability that is lacking has a reason; limits are positive."
        ) { t in
            let info = try await t.info()
            for (capability, reason) in info.lacking {
                try t.expect(reason.count > 5, "The capability \(capability.rawValue) is lacking without a reason.")
            }
            try t.expect(!info.name.isEmpty && !info.location.isEmpty, "The backend has no name or no place.")
            let limits = info.limits
            try t.expect(
                limits.valueBytes > 0 && limits.keyBytes >= 1024 && limits.depth >= 64 && limits.columns >= 128,
                "A declared limit is less than the contract asks for: \(limits)")
        },
        ConformanceCase(
            "capabilities/constant", for: [.e4: [1]], "What is declared is the same for every store on the place."
        ) {
            t in
            let first = try await t.info()
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            try t.expect(store.info.lacking.mapValues { $0 }, equals: first.lacking)
            try t.expect(store.info.limits.keyBytes, equals: first.limits.keyBytes)
            try t.expect(store.info.limits.valueBytes, equals: first.limits.valueBytes)
            try t.expect(store.info.limits.depth, equals: first.limits.depth)
            try t.expect(store.info.limits.columns, equals: first.limits.columns)
        },
        ConformanceCase(
            "capabilities/writing", for: [.e4: [1], .w1: [1]], needs: [.writing],
            "A store that does not declare itself read-only is written."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            try t.expect(try await store.select(Pen.self).count(), equals: 1)
        },
    ]
}

/// Does something with a model of so many columns beside its key.
private protocol WidthVisitor {
    func visit<W: Width>(_: W.Type) async throws
}

extension WidthVisitor {
    /// Makes the type of the number's width, digit by digit: a model's schema belongs to its type.
    func visit(_ width: Int) async throws {
        try await visit(None.self, String(width, radix: 2)[...])
    }

    private func visit<W: Width>(_: W.Type, _ digits: Substring) async throws {
        switch digits.first {
        case nil: try await visit(W.self)
        case "0": try await visit(Twice<W>.self, digits.dropFirst())
        default: try await visit(TwiceAndOne<W>.self, digits.dropFirst())
        }
    }
}

private enum None: Width { static var count: Int { 0 } }
private enum Twice<W: Width>: Width { static var count: Int { 2 * W.count } }
private enum TwiceAndOne<W: Width>: Width { static var count: Int { 2 * W.count + 1 } }

private struct AtTheLimit: WidthVisitor {
    let trial: Trial
    let store: RecordedStore

    init(_ trial: Trial, _ store: RecordedStore) {
        self.trial = trial
        self.store = store
    }

    func visit<W: Width>(_: W.Type) async throws {
        let items = (0..<3).map { id in WideItem<W>(id: id, values: (0..<W.count).map { $0 + id }) }
        try await store.store.insert(items)
        try trial.expect(try await store.store.select(WideItem<W>.self).all(), equals: items)
        try await store.store.truncate(WideItem<W>.self)
        try await store.store.insert(items[1])
        try trial.expect(
            try await store.store.select(WideItem<W>.self).where { $0.last == W.count }.keys(), equals: [1])
    }
}

private struct BeyondTheLimit: WidthVisitor {
    let trial: Trial
    let store: RecordedStore

    init(_ trial: Trial, _ store: RecordedStore) {
        self.trial = trial
        self.store = store
    }

    func visit<W: Width>(_: W.Type) async throws {
        try await trial.expectError(.limitExceeded) { try await store.store.select(WiderItem<W>.self).count() }
    }
}
