internal import StorageAPI
import StorageDriver

/// A condition of so many levels, and the most that pass.
private struct Nesting: Sendable {
    let passes: Int
    let condition: @Sendable (Node.Columns, Int) -> QueryExpression<Bool>
}

/// Nested conditions on children, which alternate between the quantifiers.
@Sendable private func quantified(_ node: Node.Columns, _ levels: Int) -> QueryExpression<Bool> {
    if levels == 0 { return node.name == "" && node.id > 0 }
    switch levels % 3 {
    case 0: return node.children.any { $0.name == "" && quantified($0, levels - 1) }
    case 1: return node.children.all { quantified($0, levels - 1) || $0.name == "x" }
    default: return node.children.count { quantified($0, levels - 1) } > 0
    }
}

private let nestings = [
    Nesting(passes: 75) { node, levels in
        (0..<levels).reduce(node.id == 1) { inner, level in
            switch level % 3 {
            case 0: node.name == "" && inner
            case 1: inner || node.name == "x"
            default: !inner
            }
        }
    },
    Nesting(passes: 67) { node, levels in
        (0..<levels).reduce(node.id == 1) { inner, level in
            level % 2 == 0 ? node.name != "x" && inner && node.id > 0 : node.name > "x" || inner || node.id.isIn([5])
        }
    },
    // Of conditions that can fail fewer pass.
    Nesting(passes: 18) { node, levels in
        (0..<levels).reduce(node.id + 1 == 2) { inner, level in
            level % 2 == 0 ? node.name != "x" && inner && node.id > 0 : node.name > "x" || inner || node.id == 7
        }
    },
    Nesting(passes: 15) { node, levels in
        (0..<levels).reduce(node.id) { inner, level in level % 2 == 0 ? 1 + inner : inner - 1 } == 0
    },
    Nesting(passes: 6, condition: quantified),
]

extension Conformance {
    /// E4 for queries: how large one may be.
    static let limitCases: [ConformanceCase] = [
        ConformanceCase(
            "limits/long-chains", for: [.e4: [2]], "10,000 conditions joined by or, and by and, are one query."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert((0..<30).map { Measure(id: $0, number: $0) })
            let either = store.store.select(Measure.self).where { measure in
                (1..<10_000).reduce(measure.id == 0) { $0 || measure.number == $1 * 10 }
            }
            try t.expect(try await either.keys(), equals: [0, 10, 20])
            let all = store.store.select(Measure.self).where { measure in
                (1..<10_000).reduce(measure.id != 0) { $0 && measure.number != $1 * 3 }
            }
            try t.expect(try await all.count(), equals: 20)
            let text = (0..<5000).map { "number == \($0 * 7)" }.joined(separator: " or ")
            try t.expect(
                try await store.store.select(Measure.self).where(text: text).keys(), equals: [0, 7, 14, 21, 28])
        },
        ConformanceCase(
            "limits/values", for: [.e4: [2]],
            "A query takes so many values and no more; the values of one list count as one."
        ) {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert(Measure(id: 1, number: 1))
            func query(_ values: Int) -> Select<Measure, Store> {
                store.store.select(Measure.self).where { measure in
                    (1..<values).reduce(measure.number == 0) { $0 || measure.number == $1 }
                }
            }
            try t.expect(try await query(QueryLimits.values).keys(), equals: [1])
            try await t.expectError(.limitExceeded) { try await query(QueryLimits.values + 1).keys() }
        },
        ConformanceCase(
            "limits/levels", for: [.e4: [2], .e2: [1]], "64 levels are answered; what nests too deep is limitExceeded."
        ) {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert([Measure(id: 1, number: 1), Measure(id: 2)])
            func nots(_ levels: Int) -> Select<Measure, Store> {
                store.store.select(Measure.self).where { measure in
                    (0..<levels).reduce(measure.number == 1) { not, _ in !not }
                }
            }
            func sums(_ levels: Int) -> Select<Measure, Store> {
                store.store.select(Measure.self).where { measure in
                    (0..<levels).reduce(measure.id) { sum, _ in sum + 1 } == levels + 2
                }
            }
            try t.expect(try await nots(64).keys(), equals: [1])
            try t.expect(try await nots(65).keys(), equals: [2])
            try t.expect(try await sums(12).keys(), equals: [2])
            for levels in [200, 5000] {
                try await t.expectError(.limitExceeded) { try await nots(levels).all() }
                try await t.expectError(.limitExceeded) { try await sums(levels).all() }
                try await t.expectError(.limitExceeded) {
                    try await store.store.select(Measure.self).order { measure in
                        (0..<levels).reduce(measure.id) { sum, _ in sum + 1 }.ascending
                    }.all()
                }
            }
        },
        ConformanceCase(
            "limits/exact-levels", for: [.e4: [2]],
            "Conditions of each kind nest as deep as the toolkit declares and are answered; one level more is limitExceeded."
        ) { t in
            let store = try await t.open(Node.self)
            try await store.insert(Node(id: 1, children: [Node(id: 2)]))
            for nesting in nestings {
                for levels in [nesting.passes - 1, nesting.passes] {
                    let query = store.store.select(Node.self).where { nesting.condition($0, levels) }
                    try t.expect(try await query.all().count, equals: try await query.count())
                }
                try await t.expectError(.limitExceeded) {
                    try await store.store.select(Node.self).where { nesting.condition($0, nesting.passes + 1) }.count()
                }
            }
        },
        ConformanceCase(
            "limits/text", for: [.e4: [2]], "64 parentheses are read; a text that nests too deep is limitExceeded."
        ) {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert([Measure(id: 1, flag: true), Measure(id: 2)])
            func nested(_ open: String, _ levels: Int, inner: String, close: String = "") -> Select<Measure, Store> {
                let text = String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
                return store.store.select(Measure.self).where(text: text)
            }
            try t.expect(try await nested("(", 64, inner: "flag == true", close: ")").keys(), equals: [1])
            try t.expect(try await nested("not ", 64, inner: "flag == true").keys(), equals: [1])
            try await t.expectError(.limitExceeded) {
                try await nested("(", 5000, inner: "flag == true", close: ")").all()
            }
            try await t.expectError(.limitExceeded) { try await nested("not ", 5000, inner: "flag == true").all() }
            try await t.expectError(.limitExceeded) { try await nested("-", 5000, inner: "id > 0").all() }
            try await t.expectError(.invalidQuery) { try await nested("(", 64, inner: "flag == true", close: "").all() }
        },
    ]
}
