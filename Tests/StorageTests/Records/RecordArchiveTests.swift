import ArchiveBackend
import Foundation
import KeyedArchives
import StorageKit
import TestSupport
import Testing

@Suite("Keyed archives of records")
struct RecordArchiveTests {
    private func expectEqualArchives<M: Storable & Equatable>(_ models: [M]) async throws {
        try await withStore(.memory) { (store) async throws in
            try await store.insert(models)
            let schema = try #require(try await store.recordSchemas().first)
            let records = try await store.records(schema.name).all()
            let archive = try KeyedArchive.encode(models)
            try expect(KeyedArchive.encode(records, as: schema), equals: archive)
            try expect(KeyedArchive.decode(schema, from: archive), equals: records)
            let first = try KeyedArchive.encode(models[0], className: "Other")
            try expect(KeyedArchive.encode(records[0], as: schema, className: "Other"), equals: first)
            try expect(KeyedArchive.decode(schema, from: first), equals: [records[0]])
        }
    }

    @Test
    func `equal the archives of types, byte for byte`() async throws {
        try await expectEqualArchives([PropertyTests.Everything(id: 1), try PropertyTests.full()])
        try await expectEqualArchives([Branchlet.tree(1, 3)])
        try await expectEqualArchives([RecordRoundTripTests.machine])
        try await expectEqualArchives(RecordRoundTripTests.accounts)
    }

    @Test
    func `refuse what a store refuses, and what does not fit`() async throws {
        let schema = RecordSchemaTests.person
        let missing = await expectError(.missingKey) {
            try KeyedArchive.encode([RecordWritingTests.person(nil, "a")], as: schema)
        }
        expect(missing?.element, equals: 0)
        await expectError(.invalidValue) {
            try KeyedArchive.encode(DynamicRecord(model: "Other", fields: []), as: schema)
        }
        let small = RecordSchema(name: "A", properties: [.init(name: "id", kind: .column(.int8))])
        let wide = RecordSchema(name: "A", properties: [.init(name: "id", kind: .column(.int64))])
        let named = RecordSchema(name: "A", properties: small.properties + [.init(name: "x", kind: .column(.bool))])
        let record = DynamicRecord(model: "A", fields: [RecordWritingTests.value("id", .int(300), type: .int64)])
        let archive = try KeyedArchive.encode(record, as: wide)
        await expectError(.typeMismatch) { try KeyedArchive.decode(small, from: archive) }
        let byte = try KeyedArchive.encode(
            DynamicRecord(model: "A", fields: [RecordWritingTests.value("id", .int(3), type: .int8)]), as: small)
        let absent = await expectError(.typeMismatch) { try KeyedArchive.decode(named, from: byte) }
        expect(absent?.property, equals: "x")
        await expectError(.corrupt) { try KeyedArchive.decode(wide, from: [1, 2, 3]) }
    }
}
