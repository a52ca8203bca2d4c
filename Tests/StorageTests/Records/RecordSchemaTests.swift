import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("S Tables made from record schemas")
struct RecordSchemaTests {
    @Storable struct Person: Equatable {
        var id: Int?
        @Indexed var name: String
        @Unique var email: String?
        var tags: [[String]] = []
        var home: Home
        var pens: [Pen] = []
        var spares: [Pen]?
    }
    @Storable struct Home: Equatable {
        var id: Int
        var city: String
    }
    @Storable struct Pen: Equatable {
        var id: Int
        var price: Decimal?
    }

    static let pen = RecordSchema(
        name: "Pen",
        properties: [
            .init(name: "id", kind: .column(.int64), isKey: true),
            .init(name: "price", kind: .column(.decimal), isOptional: true),
        ])
    static let home = RecordSchema(
        name: "Home",
        properties: [
            .init(name: "id", kind: .column(.int64), isKey: true), .init(name: "city", kind: .column(.string)),
        ])
    static let person = RecordSchema(
        name: "Person",
        properties: [
            .init(name: "id", kind: .column(.int64), isKey: true),
            .init(name: "name", kind: .column(.string), isIndexed: true),
            .init(name: "email", kind: .column(.string), isOptional: true, isUnique: true),
            .init(name: "tags", kind: .column(.array(of: .array(of: .string)))),
            .init(name: "home", kind: .child(home)), .init(name: "pens", kind: .children(pen)),
            .init(name: "spares", kind: .children(pen), isOptional: true),
        ], assignsKeys: true)

    @Test
    func `the tables equal the tables of a type with the same properties`() async throws {
        try await withStore(.sqlite) { (typed) async throws in
            let zhang = Person(name: "Zhang", home: Home(id: 1, city: "Chengdu"), pens: [Pen(id: 1, price: 9.5)])
            let stored = try await typed.insert(zhang)
            try await withStore(.sqlite) { (store) async throws in
                try await store.prepare([Self.person])
                try await expect(store.schema(), equals: typed.schema())
                try await expect(store.recordSchemas(), equals: [Self.person])
                try await expect(store.insert(zhang), equals: stored)
                try await expect(store.schema(), equals: typed.schema())
                try await store.prepare([Self.person])
                try await expect(store.schema(), equals: typed.schema())
            }
        }
    }

    @Test
    func `a schema adds what the stored one lacks, and takes nothing away`() async throws {
        try await withStore(.sqlite) { (store) async throws in
            try await store.insert(Pen(id: 1, price: 2))
            let part = RecordSchema(
                name: "Pen",
                properties: [
                    .init(name: "id", kind: .column(.int64)),
                    .init(name: "color", kind: .column(.string), isOptional: true, isIndexed: true),
                    .init(name: "homes", kind: .children(Self.home)),
                    .init(name: "maker", kind: .child(Self.home), isOptional: true),
                ])
            try await store.prepare([part])
            let pen = try #require(try await store.records("Pen").first())
            expect(pen.fields.map(\.name), equals: ["id", "price", "color", "homes", "maker"])
            expect(pen["price"] == .value(.text("2"), .decimal) && pen["color"] == .value(.null, .string))
            expect(pen["homes"] == .children([]) && pen["maker"] == .child(nil))
            try await expect(store.select(Pen.self).all(), equals: [Pen(id: 1, price: 2)])
            try await store.insert(Pen(id: 2))
            try await expect(store.records("Pen").count(), equals: 2)
        }
    }

    @Test
    func `types that were used before go on after a schema has changed their tables`() async throws {
        try await withStore(.sqlite) { (store) async throws in
            try await store.insert(Pen(id: 1, price: 2))
            let color = RecordSchema.Property(name: "color", kind: .column(.string), isOptional: true)
            try await store.transaction { tx in
                try tx.prepare([RecordSchema(name: "Pen", properties: [color])])
                try tx.insert(Self.pen(2, "red"))
                try expect(tx.records("Pen").where(text: "color == \"red\"").keys(), equals: [[.int(2)]])
            }
            try await store.truncate(Pen.self)
            try await store.insert(Pen(id: 3))
            try await expect(store.select(Pen.self).all(), equals: [Pen(id: 3)])
        }
    }

    @Storable struct Cabinet: Equatable {
        var id: Int
        var drawers: [Drawer] = []
    }
    @Storable struct Drawer: Equatable {
        @Key var code: String
        var count: Int = 0
    }

    @Test
    func `a store gets the key of an owned type from a program with the type, and keeps it for others`() async throws {
        func schema(isKey: Bool) -> RecordSchema {
            let drawer = RecordSchema(
                name: "Drawer",
                properties: [
                    .init(name: "code", kind: .column(.string), isKey: isKey),
                    .init(name: "count", kind: .column(.int64)),
                ])
            let id = RecordSchema.Property(name: "id", kind: .column(.int64), isKey: true)
            return RecordSchema(name: "Cabinet", properties: [id, .init(name: "drawers", kind: .children(drawer))])
        }
        try await withFolder { folder in
            // As an earlier version of the library has made it.
            try await Backend.sqlite.open(in: folder).thenClose { store in
                try await store.prepare([schema(isKey: false)])
                try await expect(store.recordSchemas(), equals: [schema(isKey: false)])
                expect(try await store.plan(for: [Cabinet.self]).map(\.note), equals: ["the key of Drawer is recorded"])
                try await store.insert(Cabinet(id: 1, drawers: [Drawer(code: "a"), Drawer(code: "a", count: 2)]))
                try await expect(store.recordSchemas(), equals: [schema(isKey: true)])
            }
            try await Backend.sqlite.open(in: folder).thenClose { store in
                try await store.prepare([schema(isKey: false)])
                try await expect(store.recordSchemas(), equals: [schema(isKey: true)])
                try await expect(store.plan(for: [Cabinet.self]).isEmpty)
                try await expect(store.find(Cabinet.self, key: 1)?.drawers.map(\.count), equals: [0, 2])
            }
        }
    }

    private static func pen(_ id: Int64, _ color: String) -> DynamicRecord {
        DynamicRecord(
            model: "Pen",
            fields: [
                .init(name: "id", content: .value(.int(id), .int64)),
                .init(name: "color", content: .value(.text(color), .string)),
            ])
    }

    @Test
    func `S3 another type, another key and a new required property are schemaMismatch`() async throws {
        try await withStore(.sqlite) { (store) async throws in
            try await store.insert(Person(name: "a", home: Home(id: 1, city: "b")))
            let before = try await store.schema()
            func expectMismatch(_ properties: [RecordSchema.Property], _ name: String?) async {
                let error = await expectError(.schemaMismatch) {
                    try await store.prepare([
                        RecordSchema(name: "Fresh", properties: [.init(name: "id", kind: .column(.uuid))]),
                        RecordSchema(name: "Person", properties: properties),
                    ])
                }
                expect(error?.property == name && error?.model == "Person" && error?.operation == "prepare")
            }
            await expectMismatch([.init(name: "name", kind: .column(.int64))], "name")
            await expectMismatch([.init(name: "name", kind: .column(.string), isOptional: true)], "name")
            await expectMismatch([.init(name: "pens", kind: .child(Self.pen))], "pens")
            let wrongCity = RecordSchema(name: "Home", properties: [.init(name: "city", kind: .column(.bool))])
            await expectMismatch([.init(name: "home", kind: .child(wrongCity))], "home.city")
            await expectMismatch([.init(name: "new", kind: .column(.int64))], "new")
            await expectMismatch([.init(name: "new", kind: .child(Self.home))], "new")
            await expectMismatch([.init(name: "name", kind: .column(.string), isKey: true)], nil)
            try await expect(store.schema(), equals: before)
        }
    }

    @Test
    func `what no type could declare is configuration, and makes nothing`() async throws {
        try await withStore(.sqlite) { (store) async throws in
            let id = RecordSchema.Property(name: "id", kind: .column(.int64))
            func expectRefused(
                _ properties: [RecordSchema.Property], named name: String = "Model", assigns: Bool = false
            ) async {
                await expectError(.configuration, "\(properties)") {
                    try await store.prepare([RecordSchema(name: name, properties: properties, assignsKeys: assigns)])
                }
            }
            await expectRefused([])
            await expectRefused([id], named: "")
            await expectRefused([id, id])
            await expectRefused([id, .init(name: "a\0b", kind: .column(.int64))])
            await expectRefused([.init(name: "key", kind: .column(.double), isKey: true)])
            await expectRefused([.init(name: "id", kind: .column(.int64), isOptional: true)])
            await expectRefused([.init(name: "id", kind: .column(.string))], assigns: true)
            await expectRefused([id, .init(name: "list", kind: .column(.array(of: .bool)), isIndexed: true)])
            await expectRefused([id, .init(name: "pens", kind: .children(Self.pen), isUnique: true)])
            await expectRefused([id, .init(name: "up", kind: .ancestor("Nobody", isMany: true))])
            var deep = RecordSchema(name: "Deep", properties: [id])
            for _ in 0..<300 {
                deep = RecordSchema(name: "Deep", properties: [id, .init(name: "d", kind: .child(deep))])
            }
            let tooDeep = deep
            await expectError(.limitExceeded) { try await store.prepare([tooDeep]) }
            try await expect(store.schema().isEmpty)
        }
    }

    @Test
    func `S4 a schema comes back from its JSON`() throws {
        let schema = RecordSchema(
            name: "Tree",
            properties: Self.person.properties + [.init(name: "up", kind: .ancestor("Tree", isMany: true))])
        let data = try JSONEncoder().encode(schema)
        try expect(JSONDecoder().decode(RecordSchema.self, from: data), equals: schema)
    }
}
