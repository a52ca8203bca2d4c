internal import StorageAPI

extension Conformance {
    /// Q5 to Q8: order, pages, aggregates, results.
    static let orderCases: [ConformanceCase] = [
        ConformanceCase(
            "order/key-order", for: [.q5: [2]], "Without sort keys records come in key order, however they were stored."
        ) { t in
            let store = try await t.open(Pen.self)
            for id in SeededGenerator(seed: t.seed).shuffled(Array(-20...20)) { try await store.insert(Pen(id: id)) }
            try t.expect(try await store.select(Pen.self).keys(), equals: Array(-20...20))
            try t.expect(try await store.all(Pen.self).map(\.id), equals: Array(-20...20))
            try await store.save((5...9).map { Pen(id: $0, color: "saved") })
            try t.expect(try await store.select(Pen.self).keys(), equals: Array(-20...20))
            try t.expect(
                try await store.select(Pen.self) { $0.where { $0.color == "saved" } }.keys(), equals: Array(5...9))
        },
        ConformanceCase(
            "order/ties", for: [.q5: [1]], "Records equal on all sort keys come in key order, in both directions."
        ) {
            t in
            let store = try await t.open(Person.self)
            let ids = SeededGenerator(seed: 3).shuffled(Array(0..<60))
            for id in ids { try await store.insert(Person(id: id, name: "n\(id % 3)", age: id % 5)) }
            func wanted(_ before: (Int, Int) -> Bool?) -> [Int] {
                (0..<60).sorted { before($0, $1) ?? ($0 < $1) }
            }
            let up = try await store.select(Person.self) { $0.order { $0.age.ascending } }.keys()
            try t.expect(up, equals: wanted { $0 % 5 == $1 % 5 ? nil : $0 % 5 < $1 % 5 })
            let down = try await store.select(Person.self) { $0.order { $0.age.descending } }.keys()
            try t.expect(down, equals: wanted { $0 % 5 == $1 % 5 ? nil : $0 % 5 > $1 % 5 })
            let indexed = try await store.select(Person.self) { $0.order { $0.name.descending } }.keys()
            try t.expect(indexed, equals: wanted { $0 % 3 == $1 % 3 ? nil : $0 % 3 > $1 % 3 })
        },
        ConformanceCase(
            "order/several-keys", for: [.q1: [1]],
            "Several sort keys count one after the other, each with its direction."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(
                (0..<60).map { Person(id: $0, name: "n\($0 % 3)", age: $0 % 5, height: Double($0 % 2)) })
            let keys = try await store.select(Person.self) {
                $0.order { $0.name.descending }.order { $0.age.ascending }.order { $0.height.descending }
            }.keys()
            let wanted = (0..<60).sorted { left, right in
                if left % 3 != right % 3 { return left % 3 > right % 3 }
                if left % 5 != right % 5 { return left % 5 < right % 5 }
                return left % 2 != right % 2 ? left % 2 > right % 2 : left < right
            }
            try t.expect(keys, equals: wanted)
        },
        ConformanceCase("order/key-descending", for: [.q1: [1]], "Sorting by the key itself turns the order around.") {
            t in
            let store = try await t.open(Pair.self)
            let pairs = ["a", "b"].flatMap { first in ["x", "y"].map { Pair(first: first, second: $0) } }
            try await store.insert(pairs)
            let found = try await store.all(Pair.self) { $0.order { $0.first.descending } }
            try t.expect(found.map { $0.first + $0.second }, equals: ["bx", "by", "ax", "ay"])
        },
        ConformanceCase("order/nil-ends", for: [.v4: [10]], "nil comes first ascending and last descending.") { t in
            let store = try await t.open(Measure.self)
            try await store.insert([
                Measure(id: 1, number: 5), Measure(id: 2), Measure(id: 3, number: -5), Measure(id: 4),
            ])
            try t.expect(
                try await store.select(Measure.self) { $0.order { $0.number.ascending } }.keys(), equals: [2, 4, 3, 1])
            try t.expect(
                try await store.select(Measure.self) { $0.order { $0.number.descending } }.keys(), equals: [1, 3, 2, 4])
        },
        ConformanceCase(
            "pages/walk", for: [.q5: [1]], "Pages of 7 over 100 records, with ties, neither repeat nor skip."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert((0..<100).map { Person(id: $0, age: $0 % 4) })
            for isSorted in [false, true] {
                var walked: [Int] = []
                for page in 0..<16 {
                    let part = try await store.select(Person.self) {
                        (isSorted ? $0.order { $0.age.descending } : $0).limit(7).offset(page * 7)
                    }.keys()
                    try t.expect(part.count, equals: page < 14 ? 7 : page == 14 ? 2 : 0)
                    walked += part
                }
                let whole = try await store.select(Person.self) { isSorted ? $0.order { $0.age.descending } : $0 }
                    .keys()
                try t.expect(walked, equals: whole)
            }
        },
        ConformanceCase(
            "pages/limits", for: [.q6: [1, 2]], "limit 0 gives nothing; limits and offsets beyond the end are fine."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert((1...5).map { Pen(id: $0) })
            try t.expect(try await store.select(Pen.self) { $0.limit(0) }.keys(), equals: [])
            try t.expect(try await store.all(Pen.self) { $0.limit(0) }, equals: [])
            try t.expect(try await store.select(Pen.self) { $0.limit(1) }.keys(), equals: [1])
            try t.expect(try await store.select(Pen.self) { $0.limit(.max) }.keys(), equals: [1, 2, 3, 4, 5])
            try t.expect(try await store.select(Pen.self) { $0.offset(4) }.keys(), equals: [5])
            try t.expect(try await store.select(Pen.self) { $0.offset(5) }.keys(), equals: [])
            try t.expect(try await store.select(Pen.self) { $0.offset(.max) }.keys(), equals: [])
            try t.expect(try await store.select(Pen.self) { $0.limit(.max).offset(.max) }.keys(), equals: [])
            try t.expect(try await store.select(Pen.self) { $0.limit(2).offset(2) }.keys(), equals: [3, 4])
        },
        ConformanceCase("pages/count", for: [.q6: [1, 2]], "count, exists and first respect limit and offset.") { t in
            let store = try await t.open(Pen.self)
            try await store.insert((1...5).map { Pen(id: $0) })
            try t.expect(try await store.select(Pen.self) { $0.limit(2).offset(4) }.count(), equals: 1)
            try t.expect(try await store.select(Pen.self) { $0.limit(0) }.count(), equals: 0)
            try t.expect(try await store.select(Pen.self) { $0.limit(0) }.exists(), equals: false)
            try t.expect(try await store.select(Pen.self) { $0.offset(5) }.exists(), equals: false)
            try t.expect(try await store.select(Pen.self) { $0.offset(4) }.exists(), equals: true)
            try t.expect(try await store.select(Pen.self) { $0.offset(3) }.first()?.id, equals: 4)
            try t.expect(try await store.select(Pen.self) { $0.limit(0) }.first()?.id, equals: nil)
        },
        ConformanceCase("pages/negative", for: [.q6: [3]], "A negative limit or offset is invalidQuery.") { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            try await t.expectError(.invalidQuery) { try await store.all(Pen.self) { $0.limit(-1) } }
            try await t.expectError(.invalidQuery) { try await store.all(Pen.self) { $0.offset(-1) } }
            try await t.expectError(.invalidQuery) { try await store.select(Pen.self) { $0.limit(.min) }.count() }
            try await t.expectError(.invalidQuery) { try await store.select(Pen.self) { $0.limit(-1) }.first() }
            try await t.expectError(.invalidQuery) { try await store.select(Pen.self) { $0.limit(-1) }.keys() }
            try await t.expectError(.invalidQuery) { try await store.select(Pen.self) { $0.offset(-1) }.exists() }
            try await t.expectError(.invalidQuery) { try await store.select(Pen.self) { $0.offset(.min) }.stream() }
        },
        ConformanceCase("results/counts", for: [.q1: [1]], "count and exists agree with the records that all gives.") {
            t in
            let store = try await t.open(Person.self)
            try await store.insert((1...20).map(Samples.person))
            let filters: [@Sendable (Person.Columns) -> QueryExpression<Bool>] = [
                { $0.age > 20 }, { $0.nickname == nil }, { $0.pens.any { $0.color == "p3" } }, { $0.age > 1000 },
                { $0.city.name == "c1" },
            ]
            for filter in filters {
                let all = try await store.all(Person.self) { $0.where(filter) }
                try t.expect(try await store.select(Person.self) { $0.where(filter) }.count(), equals: all.count)
                try t.expect(try await store.select(Person.self) { $0.where(filter) }.exists(), equals: !all.isEmpty)
                try t.expect(
                    try await store.select(Person.self) { $0.where(filter) }.first()?.id, equals: all.first?.id)
                try t.expect(try await store.select(Person.self) { $0.where(filter) }.keys(), equals: all.map(\.id))
            }
        },
        ConformanceCase(
            "results/stream", for: [.q8: [2], .q6: [1]],
            "A stream gives what all gives, with order, filter and children."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert((1...700).map(Samples.person))
            let all = try await store.all(Person.self)
            try t.expect(try await store.select(Person.self).stream(), equals: all)
            let sorted = store.select(Person.self) {
                $0.where { $0.age > 10 }.order { $0.name.descending }.limit(300).offset(5)
            }
            try t.expect(try await sorted.stream(), equals: try await sorted.all())
            try t.expect(try await store.select(Person.self) { $0.limit(0) }.stream(), equals: [])
        },
        ConformanceCase("results/stream-stopped", for: [.q8: [4]], "A stream that is stopped early holds nothing back.")
        {
            t in
            let store = try await t.open(Person.self)
            try await store.insert((1...600).map(Samples.person))
            for limit in [1, 255, 256, 257] {
                try t.expect(try await store.select(Person.self).stream(limit: limit).count, equals: limit)
            }
            try t.expect(try await store.delete(Person.self) { $0 }, equals: 600)
            try await store.insert(Samples.person(1))
            try t.expect(try await store.select(Person.self).count(), equals: 1)
        },
        ConformanceCase(
            "results/stream-snapshot", for: [.t3: [2]], "A stream goes on over the state that it began with."
        ) {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert((0..<1000).map { Pen(id: $0, color: "old") })
            var iterator = store.store.select(Pen.self).stream().makeAsyncIterator()
            _ = try await iterator.next()
            try await store.update(Pen.self) { $0.set(\.color, to: "new") }
            try await store.delete(Pen.self) { $0.where { $0.id > 500 } }
            var rest: [Pen] = []
            while let pen = try await iterator.next() { rest.append(pen) }
            try t.expect(rest.count, equals: 999)
            try t.expect(rest.count { $0.color == "old" }, equals: 999, "The stream sees later commits.")
        },
        ConformanceCase(
            "results/empty", for: [.s1: [1], .q7: [2]], "A model that has no record gives nothing, everywhere."
        ) { t in
            let store = try await t.open(Person.self)
            try t.expect(try await store.all(Person.self), equals: [])
            try t.expect(try await store.select(Person.self).count(), equals: 0)
            try t.expect(try await store.select(Person.self).first()?.id, equals: nil)
            try t.expect(try await store.select(Person.self).stream(), equals: [])
            try t.expect(try await store.find(Person.self, key: 1)?.id, equals: nil)
            try t.expect(try await store.update(Person.self) { $0.set(\.age, to: 1) }, equals: 0)
        },
    ]
}
