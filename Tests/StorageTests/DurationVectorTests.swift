import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("V1 V4 Q3 Durations and vectors")
struct DurationVectorTests {
    @Storable struct Call: Equatable {
        var id: Int
        var wait: Duration = .zero
        var maximum: Duration?
        var spot: Vector = []
    }

    /// A Duration as it was before it was a type of its own: any other Codable value.
    enum Before {
        struct Wait: Codable, Equatable, Sendable {
            let duration: Duration

            init(_ duration: Duration) { self.duration = duration }
            init(from decoder: any Decoder) throws { duration = try Duration(from: decoder) }
            func encode(to encoder: any Encoder) throws { try duration.encode(to: encoder) }
        }

        @Storable("Call") struct Call: Equatable {
            var id: Int
            var wait = Wait(.zero)
        }
    }

    private static let calls = [
        Call(id: 1, wait: .seconds(90), spot: [1, 0]),
        Call(id: 2, wait: .milliseconds(1500), maximum: .seconds(2), spot: [0, 1]),
        Call(id: 3, wait: .seconds(-1), spot: [-1, 0]), Call(id: 4, wait: Duration(attoseconds: .max), spot: [3, 0.1]),
    ]

    @Test("a text sets durations against numbers of seconds and texts")
    func durationsInTexts() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Self.calls)
            func keys(_ text: String, _ arguments: (any ColumnValue)...) async throws -> [Int] {
                try await store.select(Call.self).where(text: text, arguments: arguments.map { Value($0) }).keys()
            }
            try await expect(keys("wait > 1.5"), equals: [1, 4])
            try await expect(keys("wait >= 1.5 and wait < 91"), equals: [1, 2])
            try await expect(keys("wait == '90'"), equals: [1])
            try await expect(keys("wait == 1.5000000000000000001"), equals: [])
            try await expect(keys("wait > 1.4999999999999999999"), equals: [1, 2, 4])
            try await expect(keys("wait < 1e40"), equals: [1, 2, 3, 4])
            try await expect(keys("wait in {90, -1}"), equals: [1, 3])
            try await expect(keys("wait < 90 and wait + 1 > 2"), equals: [2])
            try await expect(keys("maximum == ?", Duration.seconds(2)), equals: [2])
            let error = await expectError(.invalidQuery) { try await keys("wait == 'long'") }
            expect(error?.message.contains("duration"), equals: true)
            await expectError(.invalidQuery) { try await keys("wait * 2 > 3") }
            await expectError(.overflow) { try await keys("wait + 1 > 2") }
        }
    }

    @Test("a text measures distances")
    func distancesInTexts() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Self.calls)
            let wanted: Vector = [1, 0]
            let near = store.select(Call.self).where(text: "distance(spot, ?, cosine) < 0.5", wanted)
            try await expect(near.keys(), equals: [1, 4])
            let sorted = store.select(Call.self).order { $0.spot.distance(to: wanted, by: .euclidean) }
            try await expect(sorted.keys(), equals: [1, 2, 3, 4])
            await expectError(.invalidQuery) {
                try await store.select(Call.self).where(text: "distance(wait, ?, cosine) < 1", wanted).count()
            }
            await expectError(.invalidQuery) {
                try await store.select(Call.self).where(text: "distance(spot, ?, taxi) < 1", wanted).count()
            }
        }
    }

    @Test("durations that were kept as JSON become durations", arguments: [Backend.sqlite, .archive])
    func durationsKeptAsJSON(_ backend: Backend) async throws {
        try await withFolder { folder in
            let waits: [Duration] = [
                .seconds(90), .milliseconds(-1500), Duration(attoseconds: .max), Duration(attoseconds: .min),
            ]
            let before = try await backend.open(in: folder)
            try await before.insert(waits.enumerated().map { Before.Call(id: $0.offset, wait: .init($0.element)) })
            try await before.close()
            let store = try await backend.open(in: folder)
            try await expect(store.select(Call.self).all().map(\.wait), equals: waits)
            try await store.close()
        }
    }

    @Test("bytes that are no duration or vector fail their row alone, and verify finds them")
    func damage() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Self.calls)
            try await store.withUnsafeSQLiteHandle { database in
                for sql in ["UPDATE Call SET wait = x'00' WHERE id = 1", "UPDATE Call SET spot = x'0000' WHERE id = 2"]
                {
                    expect(sqlite3_exec(database, sql, nil, nil, nil), equals: SQLITE_OK)
                }
            }
            for (key, property) in [(1, "wait"), (2, "spot")] {
                let error = await expectError(.typeMismatch) { try await store.find(Call.self, key: key) as Any }
                expect(error?.property, equals: property)
            }
            try await expect(store.find(Call.self, key: 3), equals: Self.calls[2])
            var problems: [String] = []
            try await store.verify { problems.append($0.description) }
            expect(
                problems.allSatisfy { $0.contains("key 1, property wait") || $0.contains("key 2, property spot") }
            )
            expect(problems.contains { $0.contains("is no duration") })
            expect(problems.contains { $0.contains("is no vector") })
        }
    }

    @Test("a vector is equal to one with the same elements, whatever the sign of zero and the NaN")
    func equality() throws {
        expect(Vector([0.0, .nan]), equals: Vector([-0.0, -.nan]))
        expect(Set([Vector([0.0]), Vector([-0.0])]).count, equals: 1)
        expect(Vector([1, 2]) != Vector([2, 1]))
        let vector: Vector = [0.5, .greatestFiniteMagnitude]
        try expect(JSONDecoder().decode(Vector.self, from: JSONEncoder().encode(vector)), equals: vector)
        expect(vector.distance(to: vector, by: .euclidean), equals: 0)
        expect(vector.distance(to: [1], by: .cosine).isNaN)
    }
}
