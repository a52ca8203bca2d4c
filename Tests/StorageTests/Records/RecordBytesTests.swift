import Foundation
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Suite("Records are written as bytes and read again")
struct RecordBytesTests {
    @Storable struct Shelf: Equatable {
        var id: Int
        var label: String?
        var weight = 0.0
        var cover: Data?
        var tags: [[String]] = []
        var box: Box?
        var boxes: [Box]?
    }
    @Storable struct Box: Equatable {
        var id: UInt64
        var price: Decimal = 1
        var day: Date?
        var inner: [Slip] = []
    }
    @Storable struct Slip: Equatable {
        var id: UUID
        var vector: Vector?
    }

    private static func slips(_ count: Int) -> [Slip] {
        (0..<count).map { Slip(id: UUID(), vector: $0 == 1 ? Vector([1, -2.5]) : nil) }
    }

    private static let shelves = [
        Shelf(id: .min, label: "e\u{301}\0é", weight: -.zero, cover: Data([0, 255]), tags: [["a"], []]),
        Shelf(
            id: .max, weight: .infinity,
            box: Box(id: .max, price: -12.5, day: Date(timeIntervalSinceReferenceDate: 0.5)),
            boxes: [Box(id: 1, inner: slips(2)), Box(id: 2), Box(id: 3, inner: slips(3))]),
        Shelf(id: 0, label: "", boxes: []),
    ]

    private func stored() async throws -> [DynamicRecord] {
        try await withStore(.memory) { store in
            try await store.insert(Self.shelves)
            let name = try #require(try await store.recordSchemas().first?.name)
            return try await store.records(name).all()
        }
    }

    @Test func `records come back as they were, alone and together, and can be saved elsewhere`() async throws {
        let records = try await stored()
        expect(records.count, equals: 3)
        for record in records { try expect(DynamicRecord(bytes: record.bytes), equals: record) }
        try expect([DynamicRecord](recordBytes: records.recordBytes), equals: records)
        try expect([DynamicRecord](recordBytes: [DynamicRecord]().recordBytes), equals: [])
        expect(records.recordBytes.count < records.map(\.bytes.count).reduce(0, +), "The names are repeated.")
        try await withStore(.sqlite) { other in
            _ = try await other.select(Shelf.self).count()
            try await other.save([DynamicRecord](recordBytes: records.recordBytes))
            expect(Set(try await other.select(Shelf.self).all().map(\.id)), equals: [.min, 0, .max])
            expect(try await other.select(Shelf.self).all().sorted { $0.id < $1.id }[2], equals: Self.shelves[1])
        }
    }

    @Test func `records that no model has, and each type and value, come back too`() throws {
        let types = ColumnType.scalars + [.array(of: .array(of: .int8)), .array(of: .embedded)]
        let values: [Value] = [
            .null, .int(.min), .int(-1), .int(0), .int(63), .int(64), .int(.max), .unsigned(.max), .double(-.zero),
            .double(.nan), .double(.greatestFiniteMagnitude), .text(""), .text("e\u{301}"), .text("\0"), .blob([]),
            .blob([0, 1, 255]),
        ]
        var fields: [DynamicRecord.Field] = []
        for (index, type) in types.enumerated() {
            for (place, value) in values.enumerated() {
                fields.append(.init(name: "\(index)-\(place)", content: .value(value, type)))
            }
        }
        let record = DynamicRecord(
            model: "",
            fields: fields + [
                .init(name: "e\u{301}", content: .child(nil)), .init(name: "é", content: .children(nil)),
                .init(name: "empty", content: .children([])),
                .init(
                    name: "others", content: .children([.init(model: "A", fields: []), .init(model: "B", fields: [])])),
            ])
        let read = try DynamicRecord(bytes: record.bytes)
        // A NaN equals none, so bytes are compared.
        expect(read.bytes, equals: record.bytes)
        expect(read.fields.map(\.name), equals: record.fields.map(\.name))
    }

    @Test func `bytes that are cut or changed at any place are corrupt`() async throws {
        let bytes = try await stored().recordBytes
        for count in 0..<bytes.count {
            expectRefused(Array(bytes[..<count]))
        }
        for place in 1..<bytes.count {
            var changed = bytes
            changed[place] ^= 1 << UInt8(place % 8)
            expectRefused(changed)
        }
        expectRefused(bytes + [0])
    }

    /// A program that computes the check can write anything.
    @Test func `hostile bytes with a correct check are refused without harm`() throws {
        func signed(_ body: [UInt8]) -> [UInt8] {
            let bytes = [1] + body
            return bytes + withUnsafeBytes(of: Self.check(bytes).littleEndian) { Array($0) }
        }
        // One record without properties: a new shape with an empty name and no properties.
        try expect(DynamicRecord(bytes: signed([1, 0, 0, 0])), equals: DynamicRecord(model: "", fields: []))
        let hostile: [[UInt8]] = [
            [255, 255, 255, 255, 255, 255, 255, 255, 255, 1], [200, 1, 0, 0, 0], [1, 5], [1, 0, 9, 65],
            [1, 0, 0, 200, 1],
            [1, 0, 1, 0xFF, 0], [1, 0, 0, 1, 0, 3], [1, 0, 0, 1, 0, 0, 99, 0], [1, 0, 0, 1, 0, 0, 5, 77],
            [1, 0, 0, 1, 0, 0, 11, 2, 0], [1, 0, 0, 1, 0, 1, 2], [1, 0, 0, 1, 0, 2, 255, 255, 255, 255, 15],
            [1, 0, 0, 1, 0, 0] + [UInt8](repeating: 21, count: 300), [1, 0, 0, 0, 0],
            // A record that owns itself without an end.
            [1, 0, 0, 1, 0, 1, 1] + [UInt8](repeating: 1, count: 5000).flatMap { [1, $0] },
        ]
        for body in hostile {
            expectRefused(signed(body))
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let body = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...22, using: &random) }
            // Each is read or refused.
            _ = try? [DynamicRecord](recordBytes: signed(body))
        }
    }

    @Test func `a newer form and a wrong number of records say so`() throws {
        let record = DynamicRecord(model: "A", fields: [])
        var newer = record.bytes
        newer[0] = 2
        expectRefused(newer, .schemaNewer)
        for records in [[record, record], []] {
            let error = #expect(throws: StorageError.self) { try DynamicRecord(bytes: records.recordBytes) }
            expect(error?.code, equals: .invalidValue)
        }
    }

    private func expectRefused(_ bytes: [UInt8], _ code: StorageError.Code = .corrupt) {
        let error = #expect(throws: StorageError.self, "\(bytes.prefix(20))") {
            try [DynamicRecord](recordBytes: bytes)
        }
        expect(error?.code, equals: code)
    }

    /// CRC-32, bit by bit.
    private static func check(_ bytes: [UInt8]) -> UInt32 {
        var state = UInt32.max
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 1 ? 0xEDB8_8320 ^ state >> 1 : state >> 1 }
        }
        return ~state
    }
}
