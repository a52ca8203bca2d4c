import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("S4 Select<DynamicRecord, Store> are read and written without the program's types")
struct RecordRoundTripTests {
    @Storable struct Account: Equatable {
        enum Kind: String, Sendable { case open, closed }
        @Key var kind: Kind
        @Key var branch: UUID
        @Key var number: UInt64
        @Unique var code: String?
        @Indexed var balance: Decimal = 0
        var holders: [Holder]?
    }
    @Storable struct Holder: Equatable {
        var id: Int
        var name = ""
        var address: Address
        var cards: [Card] = []
    }
    @Storable struct Address: Equatable {
        var id: String
        var city: String?
        var former: Card?
    }
    @Storable struct Card: Equatable {
        var id: Int?
        var limits: [Int]?
    }
    @Storable struct Numbered: Equatable {
        var id: Int?
        var note: String?
    }
    @Storable("weird \"name\".é") struct Weird: Equatable {
        @Key @Field("select") var a: String
        @Field("e\u{301}") var b = 0
        @Field("order") var c = 1
        @Field("Select") var d: [Card] = []
    }

    /// Writes models as types, their records as records, and looks at both after each step.
    private func roundTrip<M: Storable & Equatable>(_ models: [M]) async throws {
        try await withStore(.sqlite) { (store) async throws in
            try await store.insert(models)
            let schema = try await store.schema()
            let name = try #require(schema.first?.path.first)
            let records = try await store.records(name).all()
            try #require(records.count == models.count)
            func expectUnchanged(_ step: Comment) async throws {
                try await expect(store.select(M.self).all(), equals: models, step)
                try await expect(store.records(name).all(), equals: records, step)
            }
            try await expectChosen(records, of: store.records(name))
            try await store.save(records)
            try await expectUnchanged("saved")
            try await store.update(records.map(Self.turned))
            try await expectUnchanged("updated, the fields in another order")
            try await expect(store.delete(records), equals: models.count)
            try await expect(store.insert(records), equals: records)
            try await expectUnchanged("deleted and inserted")
            try await store.truncate(name)
            try await store.insert(models)
            try await expectUnchanged("truncated")
            try await expect(store.schema(), equals: schema)
            let schemas = try await store.recordSchemas()
            try await withStore(.sqlite) { (copy) async throws in
                try await copy.prepare(schemas)
                try await expect(copy.schema(), equals: schema)
                try await copy.insert(records.map(Self.turned))
                try await expect(copy.select(M.self).all(), equals: models)
                try await expect(copy.schema(), equals: schema)
                try await expect(copy.recordSchemas(), equals: schemas)
                try await copy.save(models)
                try await expect(copy.records(name).all(), equals: records)
            }
        }
    }

    /// Expects that chosen properties equal the properties of whole records, in whatever way they are read.
    private func expectChosen(_ records: [DynamicRecord], of query: Select<DynamicRecord, Store>) async throws {
        let names = records.first?.fields.map(\.name) ?? []
        for chosen in names.map({ [$0] }) + [names.reversed(), Array(names.suffix(2)), []] {
            let expected = records.map { $0.fields.filter { chosen.contains($0.name) } }
            // A limit lets children be read by their owners' keys, and not beside all of them.
            for query in [query, query.limit(records.count)] {
                try await expect(query.only(chosen).all(), equals: expected)
                var streamed: [[DynamicRecord.Field]] = []
                for try await fields in query.only(chosen).stream() { streamed.append(fields) }
                expect(streamed, equals: expected)
            }
            try await expect(query.offset(1).only(chosen).all(), equals: Array(expected.dropFirst()))
        }
        let error = await #expect(throws: StorageError.self) { try await query.only(["nothing"]).all() }
        expect(error?.code == .invalidQuery && error?.message.contains("nothing") == true)
    }

    /// The record with its fields and its owned records' fields, from the last to the first.
    private static func turned(_ record: DynamicRecord) -> DynamicRecord {
        DynamicRecord(
            model: record.model,
            fields: record.fields.reversed().map { field in
                switch field.content {
                case .value: field
                case .child(let child): DynamicRecord.Field(name: field.name, content: .child(child.map(turned)))
                case .children(let children):
                    DynamicRecord.Field(name: field.name, content: .children(children?.map(turned)))
                }
            })
    }

    @Test
    func `every type of column, and nil beside empty`() async throws {
        try await roundTrip([PropertyTests.Everything(id: 1), try PropertyTests.full()])
    }

    static let accounts = {
        let address = Address(id: "a", city: nil, former: Card(id: nil, limits: []))
        let holders = [
            Holder(id: 7, address: address, cards: [Card(id: 1), Card(id: 1, limits: [3])]),
            Holder(id: 7, name: "é", address: Address(id: "", city: "x")),
        ]
        let branch = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
        return [
            Account(kind: .closed, branch: branch, number: 0, code: nil, holders: nil),
            Account(kind: .closed, branch: branch, number: .max, code: nil, balance: -0.5, holders: []),
            Account(kind: .open, branch: branch, number: 1, code: "c", holders: holders),
        ]
    }()

    @Test
    func `children of children, below a key of several parts`() async throws { try await roundTrip(Self.accounts) }

    static let machine = {
        let inner = Machine(id: 5, parts: [Machine.Part(id: 6, spare: Machine(id: 7), bolts: [Bolt(id: 8)])])
        let part = Machine.Part(id: 1, spare: inner, bolts: [Bolt(id: 1, nuts: [Nut(id: 2)])])
        return Machine(id: 1, parts: [part, part], bolts: [Bolt(id: 3)])
    }()

    @Test
    func `C4 types that own themselves, directly and through others`() async throws {
        try await roundTrip((1...3).map { Branchlet.tree($0, $0) })
        try await roundTrip([Self.machine, Machine(id: 2)])
    }

    @Storable struct Machine: Equatable {
        @Storable struct Part: Equatable {
            var id: Int
            var spare: Machine?
            var bolts: [Bolt] = []
        }
        var id: Int
        var parts: [Part] = []
        var bolts: [Bolt] = []
    }
    @Storable struct Bolt: Equatable {
        var id: Int
        var nuts: [Nut] = []
    }
    @Storable struct Nut: Equatable {
        var id: Int
    }

    @Test
    func `S6 names of every kind, and keys that the store assigns`() async throws {
        try await roundTrip([Weird(a: "", b: 2, c: 3, d: [Card(id: 1)]), Weird(a: "../x\0", d: [])])
        try await roundTrip([Numbered(id: 1, note: "a"), Numbered(id: 5)])
    }

    @Test
    func `C4 a recursion refers back by name, and says whether there is one or several`() async throws {
        try await withStore(.memory) { (store) async throws in
            try await store.insert(Machine(id: 1))
            let id = RecordSchema.Property(name: "id", kind: .column(.int64), isKey: true)
            let nut = RecordSchema(name: "Nut", properties: [id])
            let bolts = RecordSchema.Property(
                name: "bolts",
                kind: .children(
                    RecordSchema(name: "Bolt", properties: [id, .init(name: "nuts", kind: .children(nut))])))
            let spare = RecordSchema.Property(
                name: "spare", kind: .ancestor("Machine", isMany: false), isOptional: true)
            let part = RecordSchema(name: "Part", properties: [id, spare, bolts])
            let machine = RecordSchema(
                name: "Machine", properties: [id, .init(name: "parts", kind: .children(part)), bolts])
            try await expect(store.recordSchemas(), equals: [machine])
        }
    }

    @Test
    func `S2 what is gone from the model stays as it is`() async throws {
        try await withFolder { folder in
            try await Backend.sqlite.open(in: folder).thenClose { store in
                _ = try await store.insert(Before(id: 1, name: "a", gone: "kept", maybe: [Card(id: 1)]))
            }
            let store = try await Backend.sqlite.open(in: folder)
            _ = try await store.select(After.self).all()
            let records = try await store.records("Changed").all()
            expect(records.first?["gone"] == nil)
            try await store.save(records)
            try await store.update(records)
            try await expect(store.records("Changed").all(), equals: records)
            try await expect(store.select(After.self).all(), equals: [After(id: 1, name: "a")])
            try await store.close()
        }
    }

    @Storable("Changed") struct Before: Equatable {
        var id: Int
        var name: String
        var gone: String
        var maybe: [Card]?
    }
    @Storable("Changed") struct After: Equatable {
        var id: Int
        var name: String
    }
}
