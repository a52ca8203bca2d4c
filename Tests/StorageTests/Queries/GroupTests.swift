import Foundation
import StorageKit
import Testing

@Suite("Q1 Q7 Groups, distinct values and chosen properties")
struct GroupTests {
    @Test(arguments: Backend.allCases)
    func `Q7 count, sum, min, max and average of groups; nil is a group of its own`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let select = check.store.select(Sample.self)
            let found = try await select.where { $0.number.isIn(-5...5) }.group { $0.maybe }
                .all {
                    (
                        $0.key, $0.count, $0.sum { $0.number }, $0.min { $0.name }, $0.max { $0.small },
                        $0.average { $0.maybe }
                    )
                }
            let rows = Dictionary(grouping: check.rows.filter { (-5...5).contains($0.number) }, by: \.maybe)
            #expect(found.map(\.0) == [nil, -1, 0, 1, 2, 5])
            for (key, count, sum, min, max, average) in found {
                let group = try #require(rows[key])
                #expect(count == group.count)
                #expect(sum == group.reduce(0) { $0 + $1.number })
                #expect(min == group.map(\.name).min { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
                #expect(max == group.map(\.small).max())
                #expect(average == key.map(Double.init))
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q1 groups by several terms, filtered, ordered and paged`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let groups = check.store.select(Sample.self).group { ($0.color, $0.main.name) }
            let all = try await groups.all { ($0.key.0, $0.key.1, $0.count) }
            #expect(all.reduce(0) { $0 + $1.2 } == check.rows.count)
            #expect(Set(all.map { "\($0.0) \($0.1?.unicodeScalars.map(\.value) ?? [9])" }).count == all.count)
            let few = try await groups.having { $0.count > 2 }.order { $0.count.descending }.limit(3).offset(1)
                .all { ($0.key.0, $0.key.1, $0.count) }
            let wanted = all.enumerated().filter { $0.element.2 > 2 }
                .sorted { ($1.element.2, $0.offset) < ($0.element.2, $1.offset) }.map(\.element).dropFirst().prefix(3)
            for (found, wanted) in zip(few, wanted) { #expect(found == wanted) }
            #expect(few.count == wanted.count)
            let none = try await groups.having { $0.sum { $0.small } > 1_000_000 }.all { $0.count }
            #expect(none.isEmpty)
            await expectError(.invalidQuery) { try await groups.limit(-1).all { $0.count } }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q7 limit and order choose the rows that are grouped or summed`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let first = check.store.select(Sample.self).order { $0.small.descending }.order { $0.id }.limit(10).offset(
                2)
            let rows = check.rows.sorted { ($1.small, $0.id) < ($0.small, $1.id) }.dropFirst(2).prefix(10)
            #expect(try await first.sum { $0.small } == rows.reduce(0) { $0 + Int($1.small) })
            let counts = try await first.group { $0.flag }.all { ($0.key, $0.count) }
            #expect(counts.map(\.1) == [rows.count { !$0.flag }, rows.count { $0.flag }].filter { $0 > 0 })
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q7 a sum does not depend on the order of rows: exact, rounded once`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            var sample = Sample(id: 0, number: .max, name: "")
            var rows: [Sample] = []
            let values: [(Int, Double, String)] = [
                (.max, 1e300, "99999999999999999999999999999999999999"), (1, 1, "0.6"), (-2, -1e300, "-1"),
                (0, 0.1, "0"),
                (0, 1e-300, "0.25"), (0, 1e308, "0"), (0, 1e308, "0"), (0, -1e308, "0"), (0, -1e308, "0"),
            ]
            for (id, value) in values.enumerated() {
                sample.id = id
                (sample.number, sample.price, sample.exact) = (value.0, value.1, Decimal(string: value.2) ?? 0)
                rows.append(sample)
            }
            try await store.insert(rows)
            let select = store.select(Sample.self)
            #expect(try await select.sum { $0.number } == .max - 1)
            #expect(try await select.sum { $0.price } == 1.1)
            #expect(try await select.sum { $0.exact }.description == "99999999999999999999999999999999999999")
            #expect(try await select.average { $0.number } == Double(Int.max) / 9)
            #expect(try await select.where { $0.price > 1e307 }.sum { $0.price } == .infinity)
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q1 distinct keeps one of equal values, in their order`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let select = check.store.select(Sample.self)
            #expect(try await select.only { $0.maybe }.distinct().all() == [nil, -1, 0, 1, 2, 5])
            let some = try await select.only { $0.maybe }.distinct().limit(2).offset(1).all()
            #expect(some == [-1, 0])
            let pairs = try await select.only { ($0.flag, $0.color) }.distinct().all()
            #expect(pairs.count == Set(check.rows.map { "\($0.flag)\($0.color)" }).count)
            #expect(try await select.only { $0.price }.distinct().all().count == 8)
            let first = try await select.limit(5).only { $0.small }.distinct().all()
            #expect(first == Set(check.rows.prefix(5).map(\.small)).sorted())
        }
    }

    @Test(arguments: Backend.allCases)
    func `C6 chosen properties and children as tuples, in the query's order`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let select = check.store.select(Sample.self)
            let plain = try await select.only { ($0.id, $0.name, $0.mood, $0.main.name, $0.colors) }.all()
            #expect(plain.map(\.0) == check.rows.map(\.id))
            #expect(plain.map(\.1) == check.rows.map(\.name))
            #expect(plain.map(\.2) == check.rows.map(\.mood))
            #expect(plain.map(\.3) == check.rows.map(\.main?.name))
            #expect(plain.map(\.4) == check.rows.map(\.colors))
            let rows = check.rows.sorted { ($1.small, $0.id) < ($0.small, $1.id) }.dropFirst(3).prefix(20)
            let some = try await select.order { $0.small.descending }.limit(20).offset(3)
                .only { ($0.parts, $0.id, $0.spares, $0.main, $0.parts.count) }.all()
            #expect(some.map(\.1) == rows.map(\.id))
            #expect(some.map(\.0) == rows.map(\.parts))
            #expect(some.map(\.2) == rows.map(\.spares))
            #expect(some.map(\.3) == rows.map(\.main))
            #expect(some.map(\.4) == rows.map(\.parts.count))
            #expect(try check.store.blocking.select(Sample.self).only { $0.id }.limit(3).all() == [0, 1, 2])
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q5 nil stands where the order says`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let select = check.store.select(Sample.self)
            let none = check.rows.filter { $0.maybe == nil }.map(\.id)
            let some = check.rows.filter { $0.maybe != nil }
            let up = some.sorted { ($0.maybe ?? 0, $0.id) < ($1.maybe ?? 0, $1.id) }.map(\.id)
            let down = some.sorted { ($1.maybe ?? 0, $0.id) < ($0.maybe ?? 0, $1.id) }.map(\.id)
            #expect(try await select.order { $0.maybe.ascending.nilsLast }.keys() == up + none)
            #expect(try await select.order { $0.maybe.descending.nilsFirst }.keys() == none + down)
            #expect(try await select.order { $0.maybe.ascending.nilsFirst }.keys() == none + up)
            #expect(try await select.order { $0.maybe.descending.nilsLast }.keys() == down + none)
        }
    }
}
