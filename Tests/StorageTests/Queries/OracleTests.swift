import Foundation
import StorageDriver
import StorageKit
import TestSupport
import Testing

/// Random queries with the Swift expression that means the same, made side by side.
struct RandomQuery {
    typealias Condition<C, M> = (query: @Sendable (C) -> QueryExpression<Bool>, swift: @Sendable (M) -> Bool)
    var random: SeededGenerator

    private mutating func leaf() -> Condition<Sample.Columns, Sample> {
        let number = random.pick([-3, -1, 0, 1, 2, 7, .max])
        let text = random.pick(Sample.texts)
        let bytes = Array(text.utf8)
        let small: Int8 = random.pick([-128, -1, 0, 1, 5, 127])
        switch random.next() % 18 {
        case 0: return ({ $0.number >= number }, { $0.number >= number })
        case 1: return ({ $0.maybe == number }, { $0.maybe == number })
        case 2: return ({ $0.maybe != number }, { $0.maybe != number })
        case 3: return ({ $0.maybe < number }, { $0.maybe.map { $0 < number } ?? false })
        case 4: return ({ number == $0.number }, { number == $0.number })
        case 5: return ({ $0.small.isIn([small, 0]) }, { [small, 0].contains($0.small) })
        case 6: return ({ $0.name.hasPrefix(text) }, { Array($0.name.utf8).starts(with: bytes) })
        case 7:
            return (
                { $0.nick.contains(text) }, { $0.nick.map { TextTest.contains.holds($0, text) } ?? false }
            )
        case 8:
            let folded = TextFolding.case.fold(text)
            return (
                { $0.name.equals(text, ignoring: .case) },
                { TextFolding.case.fold($0.name).utf8.elementsEqual(folded.utf8) }
            )
        case 9: return ({ $0.price <= 0.5 }, { $0.price <= 0.5 })
        case 10: return ({ $0.price == .nan }, { $0.price.isNaN })
        case 11: return ({ $0.tags.contains(text) }, { $0.tags.contains { $0.utf8.elementsEqual(bytes) } })
        case 12: return ({ $0.main.name == text }, { $0.main.map { $0.name.utf8.elementsEqual(bytes) } ?? false })
        case 13: return ({ $0.mood == .green }, { $0.mood == .green })
        case 14: return ({ $0.main.weight == nil }, { $0.main?.weight == nil })
        case 15: return ({ $0.wide > 5 && $0.wide != .max }, { $0.wide > 5 && $0.wide != .max })
        case 16:
            return (
                { $0.number.isIn(-9...9) && $0.number * 3 - 1 > number % 9 },
                { (-9...9).contains($0.number) && $0.number * 3 - 1 > number % 9 }
            )
        default: return ({ $0.flag && $0.exact > 9 }, { $0.flag && $0.exact > 9 })
        }
    }

    private mutating func part(_ depth: Int) -> Condition<Sample.Part.Columns, Sample.Part> {
        let text = random.pick(Sample.texts)
        let number = random.pick([0, 1, 2])
        guard depth > 0, random.next() % 2 == 0 else {
            switch random.next() % 3 {
            case 0: return ({ $0.weight > 1 }, { $0.weight.map { $0 > 1 } ?? false })
            case 1: return ({ $0.name == text }, { $0.name.utf8.elementsEqual(text.utf8) })
            default: return ({ $0.count == number }, { $0.count == number })
            }
        }
        let (a, b) = (part(depth - 1), part(depth - 1))
        return random.next() % 2 == 0
            ? ({ a.query($0) && !b.query($0) }, { a.swift($0) && !b.swift($0) })
            : ({ a.query($0) || b.query($0) }, { a.swift($0) || b.swift($0) })
    }

    mutating func sample(_ depth: Int) -> Condition<Sample.Columns, Sample> {
        guard depth > 0 else { return leaf() }
        let (a, b) = (sample(depth - 1), sample(Int(random.next() % UInt64(depth))))
        switch random.next() % 6 {
        case 0: return ({ a.query($0) && b.query($0) }, { a.swift($0) && b.swift($0) })
        case 1: return ({ a.query($0) || b.query($0) }, { a.swift($0) || b.swift($0) })
        case 2: return ({ !a.query($0) }, { !a.swift($0) })
        case 3:
            let part = part(depth - 1)
            return ({ $0.parts.any { part.query($0) } }, { $0.parts.contains { part.swift($0) } })
        case 4:
            let part = part(depth - 1)
            return ({ $0.spares.all { part.query($0) } }, { ($0.spares ?? []).allSatisfy { part.swift($0) } })
        default:
            let part = part(depth - 1)
            let wanted = random.pick([0, 1, 2])
            return ({ $0.parts.count { part.query($0) } > wanted }, { $0.parts.count { part.swift($0) } > wanted })
        }
    }
}

@Suite("Q Queries mean what plain Swift means")
struct OracleTests {
    /// A seed in STORAGE_SEED and a number in STORAGE_QUERIES repeat a run, or make a longer one.
    static let seed = ProcessInfo.processInfo.environment["STORAGE_SEED"].flatMap(UInt64.init) ?? 20_260
    static let queries = ProcessInfo.processInfo.environment["STORAGE_QUERIES"].flatMap(Int.init) ?? 150

    @Test(arguments: Backend.allCases)
    func `random queries: filter, partition, order, page, count and groups`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend, seed: Self.seed) { (check) async throws in
            var random = RandomQuery(random: SeededGenerator(seed: Self.seed))
            let select = check.store.blocking.select(Sample.self)
            for number in 0..<Self.queries {
                let condition = random.sample(Int(random.random.next() % 7))
                let what: Comment = "seed \(Self.seed), query \(number)"
                let wanted = check.rows.filter { condition.swift($0) }
                let query = select.where(condition.query)
                try #require(try query.keys() == wanted.map(\.id), what)
                try #require(try select.where { !condition.query($0) }.count() == check.rows.count - wanted.count, what)
                let offset = Int(random.random.next() % 20)
                let page = wanted.sorted { ($1.small, $0.id) < ($0.small, $1.id) }.dropFirst(offset).prefix(7)
                let ordered = query.order { $0.small.descending }.limit(7).offset(offset)
                try #require(try ordered.keys() == page.map(\.id), what)
                try #require(try ordered.sum { $0.small } == page.reduce(0) { $0 + Int($1.small) }, what)
                let groups = try query.group { $0.maybe }.all { ($0.key, $0.count, $0.max { $0.number }) }
                let expected = Dictionary(grouping: wanted, by: \.maybe)
                try #require(groups.count == expected.count, what)
                for group in groups {
                    try #require(expected[group.0]?.count == group.1, what)
                    try #require(expected[group.0]?.map(\.number).max() == group.2, what)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `C6 records without children, chosen by the same queries`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let loaded = try await check.store.select(Sample.self).where { $0.parts.count > 1 }.withoutChildren().all()
            let wanted = check.rows.filter { $0.parts.count > 1 }
            #expect(try loaded.map { try $0.name } == wanted.map(\.name))
            #expect(try loaded.map { try $0.mood } == wanted.map(\.mood))
            #expect(try loaded.map { try $0.numbers } == wanted.map(\.numbers))
            #expect(try loaded.map { try $0.day } == wanted.map(\.day))
        }
    }
}
