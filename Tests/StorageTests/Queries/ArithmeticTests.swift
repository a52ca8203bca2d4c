import Foundation
import StorageKit
import Testing

@Suite("Q3 Arithmetic in queries")
struct ArithmeticTests {
    @Storable struct Item: Equatable {
        var id: Int
        var a: Int
        var b: Int
        var maybe: Int?
        var small: Int8 = 0
        var unsigned: UInt8 = 0
        var wide: UInt64 = 0
        var price = 0.0
        var ratio: Float = 0
        var exact: Decimal = 0
        @Indexed var group = 0
    }

    @Test(arguments: Backend.allCases)
    func `Q3 + - * / % and unary minus on integers, with Swift's rounding`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let pairs = [-7, -2, -1, 1, 2, 7, 1 << 53, (1 << 53) + 1]
            let rows = pairs.enumerated().flatMap { i, a in
                pairs.enumerated().map { j, b in
                    Item(
                        id: i * 10 + j, a: a, b: b, maybe: j % 3 == 0 ? nil : b, wide: UInt64(abs(a)),
                        price: Double(b) / 4)
                }
            }
            try await store.insert(rows)
            func expect(
                _ condition: (Item.Columns) -> QueryExpression<Bool>, sourceLocation: SourceLocation = #_sourceLocation,
                _ swift: (Item) -> Bool
            ) async throws {
                let keys = try await store.select(Item.self).where(condition).keys()
                #expect(keys == rows.filter(swift).map(\.id), sourceLocation: sourceLocation)
            }
            try await expect({ $0.a + $0.b == 0 }) { $0.a + $0.b == 0 }
            try await expect({ $0.a - $0.b > 1 }) { $0.a - $0.b > 1 }
            try await expect({ $0.a / $0.b == -3 }) { $0.a / $0.b == -3 }
            try await expect({ $0.a % $0.b == -1 }) { $0.a % $0.b == -1 }
            try await expect({ -$0.a == $0.b }) { -$0.a == $0.b }
            try await expect({ ($0.a + 1) * 2 - 3 > 10 }) { ($0.a + 1) * 2 - 3 > 10 }
            try await expect({ 10 - $0.a < $0.b }) { 10 - $0.a < $0.b }
            try await expect({ 100 / $0.a == 14 }) { 100 / $0.a == 14 }
            try await expect({ $0.maybe + 1 == 3 }) { $0.maybe.map { $0 + 1 } == 3 }
            try await expect({ ($0.maybe + $0.a) == nil }) { $0.maybe == nil }
            try await expect({ $0.a < 9 && $0.b < 9 && $0.a * $0.maybe != 4 }) { row in
                row.a < 9 && row.b < 9 && row.maybe.map { $0 * row.a } != 4
            }
            try await expect({ $0.wide + 1 == 8 }) { $0.wide + 1 == 8 }
            try await expect({ $0.price * 4 + 0.5 == 1.5 }) { $0.price * 4 + 0.5 == 1.5 }
            try await expect({ -$0.price / 0 > 1 }) { -$0.price / 0 > 1 }
            let sorted = rows.sorted { ($0.a - $0.b, $0.id) < ($1.a - $1.b, $1.id) }
            #expect(try await store.select(Item.self).order { $0.a - $0.b }.all() == sorted)
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q7 a result beyond the property's own type is overflow, in filters, orders and results`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { (store) async throws in
            try await store.insert(
                Item(id: 1, a: .max, b: .min, small: 127, unsigned: 0, wide: .max, exact: .greatestFiniteMagnitude))
            let select = store.select(Item.self)
            let error = await expectError(.overflow) { try await select.where { $0.a + 1 > 0 }.all() }
            #expect(error?.model == "Item" && error?.backend == backend.name && error?.message.contains("+ 1") == true)
            await expectError(.overflow) { try await select.where { $0.small + 1 > 0 }.all() }
            await expectError(.overflow) { try await select.where { $0.unsigned - 1 > 0 }.count() }
            await expectError(.overflow) { try await select.where { $0.wide * 2 > 0 }.exists() }
            await expectError(.overflow) { try await select.where { -$0.b > 0 }.keys() }
            await expectError(.overflow) { try await select.where { $0.b / -1 > 0 }.first() as Any }
            await expectError(.overflow) { try await select.where { $0.exact * 10 > 0 }.first() as Any }
            await expectError(.overflow) { try await select.order { $0.a + 1 }.all() }
            await expectError(.overflow) { try await select.sum { $0.a + 1 } }
            #expect(try await select.where { $0.a + 0 == .max && $0.small - 1 == 126 && $0.wide / 2 > 5 }.keys() == [1])
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q7 integer division by zero is overflow, unless a condition in front excludes it`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { (store) async throws in
            try await store.insert([Item(id: 1, a: 6, b: 0, group: 1), Item(id: 2, a: 6, b: 2, group: 1)])
            let select = store.select(Item.self)
            await expectError(.overflow) { try await select.where { $0.a / $0.b == 3 }.keys() }
            await expectError(.overflow) { try await select.where { $0.a % $0.b == 0 }.keys() }
            await expectError(.overflow) { try await select.where { $0.a / $0.b == 3 && $0.b != 0 }.keys() }
            await expectError(.overflow) { try await select.where { $0.a / $0.b == 3 }.limit(1).keys() }
            await expectError(.overflow) { try await select.where { $0.a / ($0.b - 2) != 9 }.limit(1).keys() }
            await expectError(.overflow) { try await select.where { $0.a / ($0.b - 2) != 9 }.exists() }
            await expectError(.overflow) { try await select.where { $0.exact / 0 == 1 }.keys() }
            #expect(try await select.where { $0.b != 0 && $0.a / $0.b == 3 }.keys() == [2])
            #expect(try await select.where { $0.group == 1 && $0.b != 0 && $0.a / $0.b == 3 }.keys() == [2])
            #expect(try await select.where { $0.b == 0 || $0.a / $0.b == 3 }.keys() == [1, 2])
            #expect(try await select.where { !($0.b == 0 || $0.a / $0.b == 4) }.keys() == [2])
        }
    }
}
