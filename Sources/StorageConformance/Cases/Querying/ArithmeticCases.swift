internal import Foundation
internal import StorageAPI

/// An operation on two numbers, as a query's term and with the meaning that Swift gives it.
private struct Operation<V: ScalarValue>: Sendable {
    let symbol: String
    let term: @Sendable (QueryExpression<V>, QueryExpression<V?>) -> QueryExpression<V?>
    /// Nil where the result is beyond the type, or none at all.
    let swift: @Sendable (V, V) -> V?
}

extension Operation where V: NumericValue & FixedWidthInteger {
    static var all: [Operation] {
        [
            Operation(symbol: "+", term: { $0 + $1 }, swift: { part($0.addingReportingOverflow($1)) }),
            Operation(symbol: "-", term: { $0 - $1 }, swift: { part($0.subtractingReportingOverflow($1)) }),
            Operation(symbol: "*", term: { $0 * $1 }, swift: { part($0.multipliedReportingOverflow(by: $1)) }),
            Operation(symbol: "/", term: { $0 / $1 }, swift: { part($0.dividedReportingOverflow(by: $1)) }),
            Operation(symbol: "%", term: { $0 % $1 }) { left, right in
                // Swift calls the remainder of the least number by -1 an overflow; the number itself, 0, is not.
                right == 0 ? nil : left.remainderReportingOverflow(dividingBy: right).partialValue
            },
        ]
    }

    private static func part(_ result: (partialValue: V, overflow: Bool)) -> V? {
        result.overflow ? nil : result.partialValue
    }
}

extension Operation where V: NumericValue & BinaryFloatingPoint {
    /// Every result is a number of its type: an infinity or NaN where there is no other.
    static var all: [Operation] {
        [
            Operation(symbol: "+", term: { $0 + $1 }, swift: { $0 + $1 }),
            Operation(symbol: "-", term: { $0 - $1 }, swift: { $0 - $1 }),
            Operation(symbol: "*", term: { $0 * $1 }, swift: { $0 * $1 }),
            Operation(symbol: "/", term: { $0 / $1 }, swift: { $0 / $1 }),
        ]
    }
}

extension Operation where V == Decimal {
    static var all: [Operation] {
        [
            Operation(symbol: "+", term: { $0 + $1 }, swift: { number($0 + $1) }),
            Operation(symbol: "-", term: { $0 - $1 }, swift: { number($0 - $1) }),
            Operation(symbol: "*", term: { $0 * $1 }, swift: { number($0 * $1) }),
            Operation(symbol: "/", term: { $0 / $1 }, swift: { $1.isZero ? nil : number($0 / $1) }),
        ]
    }

    private static func number(_ result: Decimal) -> Decimal? { result.isNaN ? nil : result }
}

extension Operation where V == Duration {
    static var all: [Operation] {
        [
            Operation(symbol: "+", term: { $0 + $1 }) { left, right in
                part(left.attoseconds.addingReportingOverflow(right.attoseconds))
            },
            Operation(symbol: "-", term: { $0 - $1 }) { left, right in
                part(left.attoseconds.subtractingReportingOverflow(right.attoseconds))
            },
        ]
    }

    private static func part(_ result: (partialValue: Int128, overflow: Bool)) -> Duration? {
        result.overflow ? nil : Duration(attoseconds: result.partialValue)
    }
}

extension Conformance {
    /// Every operation on every two of the values, and on each and nil; each computed for one record at a time.
    private static func arithmetic<V: ScalarValue>(
        _ name: String, over values: [V], operations: [Operation<V>], _ sentence: String
    ) -> ConformanceCase {
        ConformanceCase("arithmetic/\(name)", for: [.q3: [6]], sentence) { t in
            let store = try await t.open(Holder<V>.self)
            let pairs = values.flatMap { left in (values.map(Optional.some) + [nil]).map { (left, $0) } }
            try await store.insert(
                pairs.enumerated().map { Holder(id: $0.offset, value: $0.element.0, optional: $0.element.1) })
            for operation in operations {
                for (id, (left, right)) in pairs.enumerated() {
                    let query = store.select(Holder<V>.self) { $0.where { $0.id == id } }
                    func computed() async throws -> [V?] {
                        try await query.run("only { $0.value \(operation.symbol) $0.optional }.all()") {
                            try await $0.only { operation.term($0.value, $0.optional) }.all()
                        }
                    }
                    guard let right else {
                        try t.expect(try await computed(), equals: [nil], "A number and nil give something.")
                        continue
                    }
                    guard let result = operation.swift(left, right) else {
                        try await t.expectError(.overflow) { try await computed() }
                        continue
                    }
                    try t.expect(try await computed(), equals: [result])
                }
            }
        }
    }

    private static let exact =
        "equal Swift's; beyond the type's range, and by zero, they are overflow; nil gives nil."
    private static let pairs = (0..<36).map { number in
        Holder<Int>(id: number, value: number / 6 - 2, optional: number % 6 == 5 ? nil : number % 6 - 2)
    }

    /// Q3: computing with numbers.
    static let arithmeticCases: [ConformanceCase] = [
        arithmetic(
            "int8", over: [.min, -7, -1, 0, 1, 2, 100, .max], operations: Operation<Int8>.all,
            "+ - * / % of Int8 \(exact)"),
        arithmetic(
            "uint8", over: [0, 1, 2, 7, 200, .max], operations: Operation<UInt8>.all, "+ - * / % of UInt8 \(exact)"),
        arithmetic(
            "int64", over: [.min, .min + 1, -3, -1, 0, 1, 2, 1 << 32, (1 << 53) + 1, .max],
            operations: Operation<Int64>.all,
            "+ - * / % of Int64 \(exact)"),
        arithmetic(
            "uint64", over: [0, 1, 2, 1 << 32, (1 << 53) + 1, 1 << 63, .max], operations: Operation<UInt64>.all,
            "+ - * / % of UInt64 \(exact)"),
        arithmetic(
            "double", over: [-.infinity, -2.5, -0.1, 0, 0.1, 3, .greatestFiniteMagnitude, .infinity, .nan],
            operations: Operation<Double>.all,
            "+ - * / of Double give what IEEE 754 says, infinities and NaN too; nil gives nil."),
        arithmetic(
            "float", over: [-2.5, 0, 0.1, 3, .greatestFiniteMagnitude, .nan], operations: Operation<Float>.all,
            "+ - * / of Float are rounded to a Float, as in Swift; nil gives nil."),
        arithmetic(
            "decimal",
            over: ["-7", "-0.1", "0", "0.2", "3", "12345678901234567890.12"].compactMap { Decimal(string: $0) },
            operations: Operation<Decimal>.all,
            "+ - * / of Decimal equal Decimal's in Swift; a division by zero is overflow."),
        arithmetic(
            "duration",
            over: [.min, -(1 << 64), -1, 0, 1, 1_500_000_000_000_000_000, 1 << 64, .max]
                .map { (attoseconds: Int128) in Duration(attoseconds: attoseconds) },
            operations: Operation<Duration>.all,
            "+ - of Duration are exact to the attosecond; beyond all durations is overflow."),
        ConformanceCase(
            "arithmetic/filters", for: [.q3: [1], .q2: [2]],
            "A computed number is compared as any other, and nil as nil.",
            over: pairs,
            pairs: [
                Equivalent(
                    { $0.value + $0.optional > 1 }, { holder in holder.optional.map { holder.value + $0 > 1 } ?? false }
                ),
                Equivalent({ $0.value * $0.optional == nil }, { $0.optional == nil }),
                Equivalent(
                    { $0.value - $0.optional != 1 }, { holder in holder.optional.map { holder.value - $0 } != 1 }),
                Equivalent({ ($0.value + 3) % 3 == 1 }, { ($0.value + 3) % 3 == 1 }),
                Equivalent({ -$0.value <= $0.id / 6 }, { -$0.value <= $0.id / 6 }),
                Equivalent({ -$0.optional == 2 }, { $0.optional == -2 }),
                Equivalent({ 10 - $0.value * 2 > $0.id - 5 }, { 10 - $0.value * 2 > $0.id - 5 }),
                Equivalent({ ($0.value + 1).isIn([0, 2]) }, { [0, 2].contains($0.value + 1) }),
                Equivalent({ ($0.value + $0.optional).isNil }, { $0.optional == nil }),
                Equivalent({ ($0.value * 2).isIn(-2..<3) }, { (-2..<3).contains($0.value * 2) }),
            ]),
        ConformanceCase(
            "arithmetic/decides", for: [.q3: [7]],
            "Conditions are looked at from left to right, as far as they decide.",
            over: pairs.filter { $0.optional != nil },
            pairs: [
                Equivalent(
                    { $0.optional != 0 && $0.value / $0.optional > 0 },
                    { ($0.optional ?? 0) != 0 && $0.value / ($0.optional ?? 1) > 0 }),
                Equivalent(
                    { $0.optional == 0 || $0.value / $0.optional > 0 },
                    { ($0.optional ?? 0) == 0 || $0.value / ($0.optional ?? 1) > 0 }),
                Equivalent(
                    { !($0.optional == 0) && $0.value % $0.optional == 0 && $0.id >= 0 },
                    { ($0.optional ?? 0) != 0 && $0.value % ($0.optional ?? 1) == 0 }),
                Equivalent({ $0.value / $0.optional > 0 && $0.optional != 0 }, failing),
                Equivalent({ $0.value / $0.optional > 0 || $0.optional == 0 }, failing),
                Equivalent({ $0.id == -1 || $0.value / $0.optional > 0 }, failing),
                Equivalent({ $0.id == -1 && $0.value / $0.optional > 0 }, { _ in false }),
            ]),
        ConformanceCase(
            "arithmetic/every-row", for: [.q3: [7]],
            "A query that computes looks at every row in its scope, whatever its limit."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert((1...9).map { Measure(id: $0, number: $0 == 9 ? .max : $0) })
            let page = store.select(Measure.self) { $0.where { $0.number + 1 > 0 }.limit(2) }
            let error = try await t.expectError(.overflow) { try await page.all() }
            try t.expect(error.model, equals: "Measure")
            try t.expect(error.backend, equals: store.info.name)
            try t.expect(error.message.contains("+ 1"), "The error does not show the computation: \(error)")
            try await t.expectError(.overflow) {
                try await store.select(Measure.self) { $0.where { $0.number + 1 > 0 }.limit(0) }.all()
            }
            try await t.expectError(.overflow) {
                try await store.select(Measure.self) { $0.limit(0).where { $0.number + 1 > 0 } }
                    .run("sum { $0.number }") { try await $0.sum { $0.number } }
            }
            try await t.expectError(.overflow) {
                try await store.select(Measure.self) { $0.where { $0.number + 1 > 0 }.offset(100) }.all()
            }
            try await t.expectError(.overflow) { try await page.first() }
            try await t.expectError(.overflow) { try await page.keys() }
            try await t.expectError(.overflow) { try await page.count() }
            try await t.expectError(.overflow) { try await page.exists() }
            try await t.expectError(.overflow) { try await page.stream() }
            try await t.expectError(.overflow) {
                try await store.select(Measure.self) { $0.order { ($0.number + 1).ascending }.limit(1) }.all()
            }
            try await t.expectError(.overflow) {
                try await store.select(Measure.self) {
                    $0.where { $0.number + 1 > 0 }.order { $0.id.ascending }.limit(1)
                }
                .all()
            }
            try await t.expectError(.overflow) {
                try await store.update(Measure.self) { $0.where { $0.number + 1 > 0 }.set(\.flag, to: true) }
            }
            try await t.expectError(.overflow) {
                try await store.delete(Measure.self) { $0.where { $0.number + 1 > 0 } }
            }
            let computed = store.select(Measure.self) { $0.where { $0.number + 1 > 0 } }
            try await t.expectError(.overflow) {
                try await computed.run("min { $0.id }") { try await $0.min { $0.id } }
            }
            for limit in [0, 1] {
                try await t.expectError(.overflow) {
                    try await computed.run("only { $0.id }.distinct().limit(\(limit)).all()") {
                        try await $0.only { $0.id }.distinct().limit(limit).all()
                    }
                }
            }
            // What cannot be set is refused before any row is looked at.
            try await t.expectError(.invalidQuery) {
                try await store.update(Measure.self) { $0.where { $0.number + 1 > 0 }.set(\.id, to: 5) }
            }
            try t.expect(try await store.all(Measure.self).compactMap(\.flag), equals: [])
            let found = store.select(Measure.self) { $0.where { $0.id < 9 && $0.number + 1 > 3 }.limit(2) }
            try t.expect(try await found.keys(), equals: [3, 4])
            try await store.insert(Measure(id: 10, number: .min))
            for text in ["-number > 0", "number / -1 > 0"] {
                try await t.expectError(.overflow) {
                    try await store.store.select(Measure.self).where(text: text).keys()
                }
            }
        },
        ConformanceCase(
            "arithmetic/stream", for: [.q3: [8]],
            "A stream that computes in key order gives the records in front of the one that fails; with an order, none."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert((1...600).map { Measure(id: $0, number: $0 == 599 ? .max : $0) })
            let query = store.select(Measure.self) { $0.where { $0.number + 1 > 0 } }
            try t.expect(try await query.stream(limit: 256).map(\.id), equals: Array(1...256))
            try await t.expectError(.overflow) { try await query.stream() }
            let sorted = store.select(Measure.self) { $0.where { $0.number + 1 > 0 }.order { $0.id.ascending } }
            try await t.expectError(.overflow) { try await sorted.stream(limit: 1) }
        },
        ConformanceCase(
            "arithmetic/everywhere", for: [.q3: [1]],
            "A computed term sorts, is summed, projected and grouped by as a property is."
        ) { t in
            let store = try await t.open(Holder<Int>.self)
            try await store.insert(pairs)
            let query = store.select(Holder<Int>.self)
            let sorted = store.select(Holder<Int>.self) {
                $0.order { ($0.value * $0.value - $0.id).descending }
            }
            let wanted = pairs.sorted { $0.value * $0.value - $0.id > $1.value * $1.value - $1.id }
            try t.expect(try await sorted.keys(), equals: wanted.map(\.id))
            let sum = try await query.run("sum { $0.value * 3 + $0.optional }") {
                try await $0.sum { $0.value * 3 + $0.optional }
            }
            try t.expect(
                sum, equals: pairs.reduce(0) { sum, pair in sum + (pair.optional.map { pair.value * 3 + $0 } ?? 0) })
            let maximum = try await query.run("max { -$0.value }") { try await $0.max { -$0.value } }
            try t.expect(maximum, equals: 2)
            let rests = try await query.run("group { ($0.value + 6) % 2 }.all { ($0.key, $0.count) }") {
                try await $0.group { ($0.value + 6) % 2 }.all { ($0.key, $0.count) }.map { [$0.0, $0.1] }
            }
            try t.expect(rests, equals: [[0, 18], [1, 18]])
        },
    ]

    /// The contract's result for a condition that divides by zero.
    @Sendable private static func failing(_: Holder<Int>) throws(ExpectedError) -> Bool {
        throw ExpectedError(.overflow)
    }
}
