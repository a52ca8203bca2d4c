internal import Foundation
internal import StorageAPI

extension Conformance {
    /// Q7: what is computed over records.
    static let aggregateCases: [ConformanceCase] = [
        ConformanceCase(
            "aggregates/nothing", for: [.q7: [2]], "Over nothing sum is 0, and min, max and average are nil."
        ) {
            t in
            let store = try await t.open(Measure.self)
            // No record, then only nil values, then a filter that matches none.
            for round in 0..<3 {
                if round == 1 { try await store.insert([Measure(id: 1), Measure(id: 2)]) }
                let query = store.select(Measure.self) { round == 2 ? $0.where { $0.id > 5 } : $0 }
                try t.expect(try await query.run("sum { $0.number }") { try await $0.sum { $0.number } }, equals: 0)
                try t.expect(try await query.run("sum { $0.real }") { try await $0.sum { $0.real } }, equals: 0)
                try t.expect(
                    try await query.run("average { $0.number }") { try await $0.average { $0.number } }, equals: nil)
                try t.expect(try await query.run("min { $0.number }") { try await $0.min { $0.number } }, equals: nil)
                try t.expect(try await query.run("max { $0.text }") { try await $0.max { $0.text } }, equals: nil)
            }
        },
        ConformanceCase("aggregates/nil-left-out", for: [.q7: [1]], "nil is left out of sum, average, min and max.") {
            t in
            let store = try await t.open(Measure.self)
            try await store.insert([
                Measure(id: 1, number: 4, real: 0.5, text: "b"), Measure(id: 2),
                Measure(id: 3, number: -1, real: -1.5, text: "a"),
            ])
            let query = store.select(Measure.self)
            try t.expect(try await query.run("sum { $0.number }") { try await $0.sum { $0.number } }, equals: 3)
            try t.expect(
                try await query.run("average { $0.number }") { try await $0.average { $0.number } }, equals: 1.5)
            try t.expect(try await query.run("average { $0.real }") { try await $0.average { $0.real } }, equals: -0.5)
            try t.expect(try await query.run("min { $0.number }") { try await $0.min { $0.number } }, equals: -1)
            try t.expect(try await query.run("max { $0.text }") { try await $0.max { $0.text } }, equals: "b")
        },
        ConformanceCase(
            "aggregates/exact-integers", for: [.q7: [3], .v4: [1]], "A sum of integers beyond 2^53 is exact."
        ) {
            t in
            let store = try await t.open(Holder<UInt64>.self, Measure.self)
            try await store.insert([Measure(id: 1, number: (1 << 53) + 1), Measure(id: 2, number: 2)])
            try await store.insert([Holder<UInt64>(id: 1, value: 1 << 63), Holder<UInt64>(id: 2, value: 6)])
            let sum = try await store.select(Measure.self).run("sum { $0.number }") { try await $0.sum { $0.number } }
            try t.expect(sum, equals: (1 << 53) + 3)
            let wide = try await store.select(Holder<UInt64>.self).run("sum { $0.value }") {
                try await $0.sum { $0.value }
            }
            try t.expect(wide, equals: (1 << 63) + 6)
        },
        ConformanceCase("aggregates/small-integers", for: [.q7: [3]], "A sum of Int8 may be more than an Int8.") { t in
            let store = try await t.open(Holder<Int8>.self)
            try await store.insert((0..<3).map { Holder<Int8>(id: $0, value: 127) })
            let sum = try await store.select(Holder<Int8>.self).run("sum { $0.value }") {
                try await $0.sum { $0.value }
            }
            try t.expect(sum, equals: 381)
        },
        ConformanceCase(
            "aggregates/overflow", for: [.q7: [3]], "An integer sum beyond its range is overflow, never wrapped."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert([Measure(id: 1, number: .max), Measure(id: 2, number: 1)])
            try await t.expectError(.overflow) {
                try await store.select(Measure.self).run("sum { $0.number }") { try await $0.sum { $0.number } }
            }
            let one = store.select(Measure.self) { $0.where { $0.id == 1 } }
            try t.expect(try await one.run("sum { $0.number }") { try await $0.sum { $0.number } }, equals: .max)
        },
        ConformanceCase("aggregates/decimals", for: [.q7: [6], .v4: [6]], "Decimals are summed and compared by value.")
        {
            t in
            let store = try await t.open(Holder<Decimal>.self)
            let values = ["9", "10", "0.1", "-0.10"].compactMap { Decimal(string: $0) }
            try await store.insert(values.enumerated().map { Holder(id: $0.offset, value: $0.element) })
            let query = store.select(Holder<Decimal>.self)
            try t.expect(try await query.run("sum { $0.value }") { try await $0.sum { $0.value } }, equals: 19)
            try t.expect(try await query.run("max { $0.value }") { try await $0.max { $0.value } }, equals: 10)
            try t.expect(try await query.run("min { $0.value }") { try await $0.min { $0.value } }, equals: values[3])
            let long = try t.required(Decimal(string: String(repeating: "9", count: 38)))
            let parts = try [long, t.required(Decimal(string: "0.6")), -1, 0, t.required(Decimal(string: "0.25"))]
            try await store.insert(parts.enumerated().map { Holder(id: 10 + $0.offset, value: $0.element) })
            let rounded = store.select(Holder<Decimal>.self) { $0.where { $0.id >= 10 } }
            try t.expect(
                try await rounded.run("sum { $0.value }") { try await $0.sum { $0.value } }, equals: long,
                "The sum is not rounded once.")
        },
        ConformanceCase(
            "aggregates/durations", for: [.q7: [5, 6], .v4: [7]],
            "Durations are summed exactly, and their average is in seconds."
        ) { t in
            let store = try await t.open(Holder<Duration>.self)
            let query = store.select(Holder<Duration>.self)
            try t.expect(try await query.run("sum { $0.value }") { try await $0.sum { $0.value } }, equals: .zero)
            let values: [Int128] = [.max, 1_500_000_000_000_000_000, .min, 1, -(1 << 64)]
            try await store.insert(
                values.enumerated().map { Holder(id: $0.offset, value: Duration(attoseconds: $0.element)) })
            let sum = Duration(attoseconds: 1_500_000_000_000_000_000 - (1 << 64))
            try t.expect(try await query.run("sum { $0.value }") { try await $0.sum { $0.value } }, equals: sum)
            let one = store.select(Holder<Duration>.self) { $0.where { $0.id == 1 } }
            try t.expect(
                try await one.run("average { $0.value }") { try await $0.average { $0.value } }, equals: 1.5)
            try await store.insert([8, 9].map { Holder(id: $0, value: Duration(attoseconds: .max)) })
            try await t.expectError(.overflow) {
                try await query.run("sum { $0.value }") { try await $0.sum { $0.value } }
            }
        },
        ConformanceCase("aggregates/nan", for: [.v4: [1]], "NaN is the greatest Double, and makes a sum NaN.") { t in
            let store = try await t.open(Measure.self)
            try await store.insert([
                Measure(id: 1, real: .infinity), Measure(id: 2, real: .nan), Measure(id: 3, real: 1),
            ])
            let query = store.select(Measure.self)
            try t.expect(try await query.run("max { $0.real }") { try await $0.max { $0.real } }, equals: .nan)
            try t.expect(try await query.run("min { $0.real }") { try await $0.min { $0.real } }, equals: 1)
            try t.expect(try await query.run("sum { $0.real }") { try await $0.sum { $0.real } }, equals: .nan)
        },
        ConformanceCase(
            "aggregates/chosen", for: [.q1: [1]], "Aggregates are over what the filter, limit and offset leave."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert((1...10).map { Measure(id: $0, number: $0) })
            let filtered = store.select(Measure.self) { $0.where { $0.number > 7 } }
            try t.expect(try await filtered.run("sum { $0.number }") { try await $0.sum { $0.number } }, equals: 27)
            let top = store.select(Measure.self) { $0.order { $0.number.descending }.limit(2).offset(1) }
            try t.expect(try await top.run("sum { $0.number }") { try await $0.sum { $0.number } }, equals: 17)
        },
    ]
}
