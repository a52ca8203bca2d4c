import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("E2 Queries that are made to end the process")
struct HostileQueryTests {
    @Storable struct Sample: Equatable {
        var id: Int
        var number: Int
        var stamp: Date
    }

    static let samples = [
        Sample(id: 1, number: .min, stamp: Date(timeIntervalSinceReferenceDate: 1)),
        Sample(id: 2, number: .max, stamp: Date(timeIntervalSinceReferenceDate: -1)),
    ]

    @Test
    func `the least integer can be negated in a text`() async throws {
        try await withStore(.memory) { store in
            try await store.insert(Self.samples)
            let select = store.select(Sample.self)
            try await expect(select.where(text: "number == - -9223372036854775808").keys(), equals: [])
            try await expect(select.where(text: "number < - -9223372036854775808").keys(), equals: [1, 2])
            try await expect(select.where(text: "number == -?", Int.min).keys(), equals: [])
            try await expect(select.where(text: "number == - -?", Int.min).keys(), equals: [1])
            try await expect(select.where(text: "number > -?", UInt64.max).keys(), equals: [1, 2])
            try await expect(select.where(text: "number == -?", Decimal(Int.max)).keys(), equals: [])
            await expectError(.invalidQuery) { try await select.where(text: "stamp == -?", Int.min).keys() }
            await expectError(.invalidQuery) { try await select.where(text: "number == -'a'").keys() }
        }
    }

    @Test(arguments: [" or ", " and "])
    func `a chain of any length is refused, and does not take the stack`(_ word: String) async throws {
        try await withStore(.memory) { store in
            try await store.insert(Self.samples)
            // A thread's stack has room for a hundredth of it.
            let count = TestExtent.count(40_000)
            let text = Array(repeating: "number == 1", count: count).joined(separator: word)
            await expectError(.limitExceeded) { try await store.select(Sample.self).where(text: text).keys() }
            let sum = Array(repeating: "number", count: count).joined(separator: word == " or " ? " + " : " * ")
            await expectError(.limitExceeded) { try await store.select(Sample.self).where(text: sum + " > 0").keys() }
            await expectError(.limitExceeded) {
                try await store.select(Sample.self).where { sample in
                    (0..<count).reduce(sample.id == 1) { chain, number in
                        word == " or " ? chain || sample.id == number : sample.id == number && chain
                    }
                }.keys()
            }
            await expectError(.limitExceeded) {
                try await store.select(Sample.self).where { (0..<count).reduce($0.id == 1) { term, _ in !term } }
                    .keys()
            }
            try await expect(store.select(Sample.self).count(), equals: 2)
        }
    }
}
