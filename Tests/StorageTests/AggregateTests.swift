import Foundation
import StorageKit
import Testing

@Suite("Q7 Aggregates")
struct AggregateTests {
    @Storable struct Sale: Equatable {
        var id: Int
        var amount: Int?
        var small: Int8 = 0
        var wide: UInt64 = 0
        var price: Double?
        var exact: Decimal?
        var name: String?
        var day: Date?
    }

    @Test("Q7 over nothing: sum 0, the others nil", arguments: Backend.allCases)
    func nothing(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            func expectNothing(_ select: Select<Sale>) async throws {
                #expect(try await select.sum { $0.amount } == 0)
                #expect(try await select.sum { $0.price } == 0)
                #expect(try await select.sum { $0.exact } == 0)
                #expect(try await select.average { $0.amount } == nil)
                #expect(try await select.min { $0.amount } == nil)
                #expect(try await select.max { $0.name } == nil)
            }
            try await expectNothing(store.select(Sale.self))
            try await store.insert([Sale(id: 1), Sale(id: 2)])
            try await expectNothing(store.select(Sale.self))
            try await expectNothing(store.select(Sale.self).where { $0.id > 5 })
        }
    }

    @Test("Q7 nil is left out; integers are exact, averages are Doubles", arguments: Backend.allCases)
    func values(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let day = Date(timeIntervalSinceReferenceDate: 0.5)
            try await store.insert([
                Sale(id: 1, amount: (1 << 53) + 1, small: 127, wide: 1, price: 0.25, exact: 9, name: "b", day: day),
                Sale(id: 2),
                Sale(
                    id: 3, amount: 2, small: 127, wide: 1 << 63, price: -1.25, exact: 10, name: "a", day: .distantPast),
                Sale(id: 4, amount: -1, small: 127, wide: 5, price: 2.5, exact: Decimal(string: "0.1"), name: "é"),
            ])
            let select = store.select(Sale.self)
            #expect(try await select.sum { $0.amount } == (1 << 53) + 2)
            #expect(try await select.sum { $0.small } == 381)
            #expect(try await select.sum { $0.wide } == (1 << 63) + 6)
            #expect(try await select.sum { $0.price } == 1.5)
            #expect(try await select.sum { $0.exact } == Decimal(string: "19.1"))
            #expect(try await select.average { $0.price } == 0.5)
            #expect(try await select.where { $0.id > 1 }.average { $0.amount } == 0.5)
            #expect(try await select.min { $0.exact } == Decimal(string: "0.1"))
            #expect(try await select.max { $0.exact } == 10)
            #expect(try await select.min { $0.amount } == -1)
            #expect(try await select.max { $0.wide } == 1 << 63)
            #expect(try await select.min { $0.name } == "a")
            #expect(try await select.max { $0.name } == "é")
            #expect(try await select.max { $0.day } == day)
            #expect(try await select.order { $0.amount.descending }.limit(1).sum { $0.price } == 0.25)
            #expect(try store.blocking.select(Sale.self).where { $0.amount < 5 }.sum { $0.amount } == 1)
        }
    }

    @Test("Q7 NaN is the greatest Double; a sum with it is NaN", arguments: Backend.allCases)
    func nan(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Sale(id: 1, price: .infinity), Sale(id: 2, price: .nan), Sale(id: 3, price: 1)])
            let select = store.select(Sale.self)
            #expect(try await select.max { $0.price }?.isNaN == true)
            #expect(try await select.min { $0.price } == 1)
            #expect(try await select.sum { $0.price }.isNaN)
        }
    }

    @Test("Q7 an integer sum beyond its type is overflow", arguments: Backend.allCases)
    func overflow(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Sale(id: 1, amount: .max, wide: .max), Sale(id: 2, amount: 1, wide: 1)])
            let error = await expectError(.overflow) { try await store.select(Sale.self).sum { $0.amount } }
            #expect(error?.model == "Sale" && error?.backend == backend.name)
            await expectError(.overflow) { try await store.select(Sale.self).sum { $0.wide } }
            #expect(try await store.select(Sale.self).where { $0.id == 1 }.sum { $0.amount } == .max)
        }
    }
}
