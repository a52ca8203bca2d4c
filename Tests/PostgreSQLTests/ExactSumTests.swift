import Foundation
import MemoryBackend
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable struct Summed: Equatable {
    var id: Int
    var group: Int
    var real: Double?
    var single: Float?
    var decimal: Decimal?
}

@Suite(
    "Sums that PostgreSQL computes", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct ExactSumTests {
    /// Doubles whose sums are rounded if anything is, by group.
    private static let doubles: [[Double]] = [
        [0.1, 0.2, -0.3], [0.01, 19.99, 1e15, -1e15, 0x1p51 - 0.5], [0x1p-22, 0x1p-22.nextUp, 0x1p50, -0x1p50],
        // Of these the server sums none exactly.
        [0x1p-22.nextDown, 1], [0x1p51, 0.3], [.leastNonzeroMagnitude, .leastNonzeroMagnitude], [1e300, 1, -1e300],
        [.greatestFiniteMagnitude, 1e300],
        [.infinity, 1], [.infinity, -.infinity], [.nan], [-0.0], [.leastNonzeroMagnitude, 0, 0],
        // Halfway between two doubles, and a little more.
        [0x1p53, 1], [0x1p53, 1, 0x1p-20], [0x1p53, 3],
    ]

    private static func records(_ doubles: [[Double]]) -> [Summed] {
        var records: [Summed] = []
        for (group, values) in doubles.enumerated() {
            for value in values + [nil] {
                records.append(
                    Summed(id: records.count, group: group, real: value, single: value.map { Float($0) }))
            }
        }
        return records
    }

    private static func withStores(_ records: [Summed], _ body: (Store, Store) async throws -> Void) async throws {
        try await Server.withSchema { schema in
            let server = try await Store(Server.backend(schema), models: Summed.self)
            let memory = try await Store(InMemoryBackend(), models: Summed.self)
            for store in [server, memory] { try await store.insert(records) }
            try await body(server, memory)
            try await server.close()
            try await memory.close()
        }
    }

    private static func bits(_ number: Double?) -> UInt64? { number.map { $0.isNaN ? 0 : ($0 + 0).bitPattern } }

    @Test func `sums and averages of doubles have the bits that memory computes`() async throws {
        var generator = SystemRandomNumberGenerator()
        let anyBits = (0..<8).map { _ in (0..<9).map { _ in Double(bitPattern: generator.next()) } }
        let usual = (0..<8).map { power in (0..<50).map { _ in Double.random(in: -1...1) * pow(10, Double(power)) } }
        try await Self.withStores(Self.records(Self.doubles + anyBits + usual)) { server, memory in
            func sums(_ store: Store) async throws -> [[UInt64?]] {
                var all: [[UInt64?]] = []
                for group in 0..<(Self.doubles.count + 16) {
                    let records = store.select(Summed.self).where { $0.group == group }
                    all.append([
                        Self.bits(try await records.sum { $0.real }), Self.bits(try await records.average { $0.real }),
                        Self.bits(try await records.sum { $0.single }),
                        Self.bits(try await records.average { $0.single }),
                    ])
                }
                let usual = store.select(Summed.self).where { $0.group >= Self.doubles.count + 8 }.group { $0.group }
                for row in try await usual.having({ $0.sum { $0.real } > 0 }).order({
                    $0.average { $0.real }.descending
                })
                .all({ ($0.key, $0.sum { $0.real }, $0.average { $0.real }) }) {
                    all.append([UInt64(row.0), Self.bits(row.1), Self.bits(row.2)])
                }
                // One group that the server cannot sum leaves all to the program, also where a condition hides it.
                let all16 = store.select(Summed.self).group { $0.group }.having { $0.sum { $0.real } == 0.3 }
                for row in try await all16.all({ ($0.key, $0.sum { $0.real }) }) {
                    all.append([UInt64(row.0), Self.bits(row.1)])
                }
                return all
            }
            let (found, expected) = (try await sums(server), try await sums(memory))
            expect(found, equals: expected)
            // The refused statement does not end a transaction.
            let sum = try await server.transaction { tx in
                try tx.insert(Summed(id: -1, group: -1))
                return try tx.select(Summed.self).where { $0.group == 6 }.sum { $0.real }
            }
            expect(sum, equals: 1)
            try await expect(server.find(Summed.self, key: -1) != nil)
            let read = try await server.read { tx in
                (try tx.select(Summed.self).where { $0.group == 6 }.sum { $0.real }, try tx.select(Summed.self).count())
            }
            let count = try await server.select(Summed.self).count()
            expect(read == (1, count))
        }
    }

    @Test func `sums of decimals are rounded once, half to even`() async throws {
        let texts: [[String]] = [
            ["0.1", "0.2"], ["10", "100"], [String(repeating: "9", count: 38), "1"],
            [String(repeating: "9", count: 38), "0.5"], ["1" + String(repeating: "0", count: 36) + "2", "0.5"],
            ["1" + String(repeating: "0", count: 36) + "3", "0.5"],
            ["-1" + String(repeating: "0", count: 36) + "3", "-0.5"],
            ["1" + String(repeating: "0", count: 36) + "2", "0.5", "1e-60"], ["1e100", "1"], ["1e-100", "1e-120"],
            ["1e120", "1e-120", "-1e120"], ["12345678901234567890123456789012345678e50", "5e49"], ["NaN", "1"],
        ]
        var records: [Summed] = []
        for (group, texts) in texts.enumerated() {
            for text in texts {
                records.append(Summed(id: records.count, group: group, decimal: Decimal(string: text)))
            }
        }
        try await Self.withStores(records) { server, memory in
            func sums(_ store: Store) async throws -> [String] {
                try await store.select(Summed.self).group { $0.group }
                    .all { ($0.key, $0.sum { $0.decimal }, $0.average { $0.decimal }) }
                    .map { "\($0.0) \($0.1) \($0.2 ?? 0)" }
            }
            let (found, expected) = (try await sums(server), try await sums(memory))
            expect(found, equals: expected)
        }
    }
}
