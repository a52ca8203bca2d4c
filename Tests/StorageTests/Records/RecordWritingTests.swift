import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("W Records are written by the verbs of types")
struct RecordWritingTests {
    typealias Person = RecordSchemaTests.Person

    static func value(_ name: String, _ value: Value, type: ColumnType) -> DynamicRecord.Field {
        DynamicRecord.Field(name: name, content: .value(value, type))
    }

    static func home(_ city: String) -> DynamicRecord.Field {
        let home = DynamicRecord(
            model: "Home", fields: [value("id", .int(1), type: .int64), value("city", .text(city), type: .string)])
        return DynamicRecord.Field(name: "home", content: .child(home))
    }

    static func person(_ id: Int64?, _ name: String, more: [DynamicRecord.Field] = []) -> DynamicRecord {
        var fields = [
            value("name", .text(name), type: .string),
            value("tags", .text("[]"), type: .array(of: .array(of: .string))),
        ]
        if let id { fields.append(value("id", .int(id), type: .int64)) }
        return DynamicRecord(model: "Person", fields: fields + [home("Chengdu")] + more)
    }

    private func withPeople(_ count: Int64 = 0, _ body: (Store) async throws -> Void) async throws {
        try await withStore(.sqlite) { (store) async throws in
            try await store.prepare([RecordSchemaTests.person])
            try await store.insert((0..<count).map { Self.person($0 + 1, "p\($0 + 1)") })
            try await body(store)
        }
    }

    @Test
    func `K2 keys are assigned, and the stored records have them`() async throws {
        try await withPeople { (store) async throws in
            let stored = try await store.insert([
                Self.person(nil, "a"), Self.person(7, "b"),
                Self.person(nil, "c", more: [Self.value("email", .null, type: .string)]),
            ])
            expect(stored.map { $0.value("id") }, equals: [.int(1), .int(7), .int(8)])
            try await expect(store.save(Self.person(nil, "d")).value("id"), equals: .int(9))
            try await expect(store.delete(stored), equals: 3)
            try await expect(store.insert(Self.person(nil, "e")).value("id"), equals: .int(10))
            await expectError(.missingKey) { try await store.update(Self.person(nil, "f")) }
            await expectError(.missingKey) { try await store.delete(Self.person(nil, "f")) }
            try await store.truncate("Person")
            try await expect(store.insert(Self.person(nil, "g")).value("id"), equals: .int(1))
        }
    }

    @Test
    func `W records are saved by other properties than their key`() async throws {
        try await withPeople(2) { (store) async throws in
            let saved = try await store.save(
                [
                    Self.person(nil, "p2", more: [Self.value("email", .text("b"), type: .string)]),
                    Self.person(nil, "new"),
                ],
                matching: ["name"])
            expect(saved.map { $0.value("id") }, equals: [.int(2), .int(3)])
            try await store.transaction { transaction in
                let more = try transaction.save([Self.person(nil, "new"), Self.person(nil, "p1")], matching: ["name"])
                try #require(more.map { $0.value("id") } == [.int(3), .int(1)])
                try #require(try transaction.save([DynamicRecord](), matching: ["name"]).isEmpty)
            }
            let names = try await store.records("Person").all().map { $0.value("name") }
            expect(names, equals: [.text("p1"), .text("p2"), .text("new")])
            try await expect(store.records("Person").find(key: [.int(2)])?.value("email"), equals: .text("b"))
            for properties in [[], ["nose"], ["name", "home"], ["id"]] {
                await expectError(.invalidQuery) { try await store.save([Self.person(1, "x")], matching: properties) }
            }
            try await store.insert(Self.person(9, "p1"))
            let both = [Self.person(nil, "other"), Self.person(nil, "p1")]
            await expectError(.constraint) { try await store.save(both, matching: ["name"]) }
            try await expect(store.records("Person").count(), equals: 4)
        }
    }

    @Test
    func `W1 W3 W4 the verbs' errors, and all or nothing`() async throws {
        try await withPeople(2) { (store) async throws in
            let duplicate = await expectError(.duplicateKey) {
                try await store.insert([Self.person(5, "x"), Self.person(2, "y")])
            }
            expect(duplicate?.element == 1 && duplicate?.key == [.int(2)] && duplicate?.model == "Person")
            let missing = await expectError(.notFound) {
                try await store.update([Self.person(1, "x"), Self.person(9, "y")])
            }
            expect(missing?.element, equals: 1)
            try await expect(
                store.records("Person").all().map { $0.value("name") }, equals: [.text("p1"), .text("p2")])
            try await store.save([Self.person(2, "first"), Self.person(3, "new"), Self.person(2, "last")])
            try await expect(store.records("Person").find(key: [.int(2)])?.value("name"), equals: .text("last"))
            let email = Self.value("email", .text("a@b"), type: .string)
            try await store.save(Self.person(1, "a", more: [email]))
            await expectError(.constraint) { try await store.save(Self.person(2, "a", more: [email])) }
            try await expect(store.insert([] as [DynamicRecord]).isEmpty)
            try await expect(store.delete([] as [DynamicRecord]), equals: 0)
            try await expect(store.delete(Self.person(99, "nobody")), equals: 0)
        }
    }

    @Test
    func `what is left out is nil or empty, and owned records are replaced whole`() async throws {
        try await withPeople { (store) async throws in
            let pens = DynamicRecord.Content.children([
                DynamicRecord(model: "Person.pens", fields: [Self.value("id", .int(1), type: .int64)]),
                DynamicRecord(
                    model: "Pen",
                    fields: [
                        Self.value("price", .text("1.50"), type: .decimal), Self.value("id", .int(1), type: .int8),
                    ]),
            ])
            try await store.insert(
                Self.person(
                    1, "a", more: [.init(name: "pens", content: pens), .init(name: "spares", content: .children([]))]))
            let stored = try await store.find(Person.self, key: 1)
            expect(stored?.pens, equals: [.init(id: 1, price: nil), .init(id: 1, price: 1.5)])
            expect(stored?.spares == [] && stored?.email == nil)
            try await store.save(Self.person(1, "b"))
            try await expect(store.find(Person.self, key: 1)?.pens, equals: [])
            try await expect(store.find(Person.self, key: 1)?.spares == nil)
        }
    }

    @Test
    func `V5 what a model cannot hold is invalidValue that names the property`() async throws {
        try await withPeople { (store) async throws in
            func expectInvalid(_ property: String?, _ record: DynamicRecord) async {
                let error = await expectError(.invalidValue) { try await store.insert([Self.person(1, "a"), record]) }
                expect(error?.property == property && error?.model == "Person" && error?.element == 1)
            }
            func changed(_ name: String, _ content: DynamicRecord.Content?) -> DynamicRecord {
                var record = Self.person(2, "b")
                record.fields.removeAll { $0.name == name }
                if let content { record.fields.append(.init(name: name, content: content)) }
                return record
            }
            await expectInvalid("name", changed("name", nil))
            await expectInvalid("name", changed("name", .value(.null, .string)))
            await expectInvalid("name", changed("name", .value(.int(1), .string)))
            await expectInvalid("name", changed("name", .value(.text("https://a"), .url)))
            await expectInvalid("name", changed("name", .child(nil)))
            await expectInvalid("nobody", changed("nobody", .value(.null, .string)))
            await expectInvalid(
                "email",
                Self.person(
                    2, "b",
                    more: [Self.value("email", .null, type: .string), Self.value("email", .null, type: .string)]))
            let tags = ColumnType.array(of: .array(of: .string))
            for text in ["", "[", "[1]", "[[1]]", "[\"a\"]", "[[\"a\"]", "[[\"a\"]] x", "null", "{}"] {
                await expectInvalid("tags", changed("tags", .value(.text(text), tags)))
            }
            await expectInvalid("home", changed("home", nil))
            await expectInvalid("home", changed("home", .child(Self.person(1, "c"))))
            await expectInvalid("home", changed("home", .children([])))
            await expectInvalid(
                "home.city",
                changed("home", .child(DynamicRecord(model: "Home", fields: [Self.value("id", .int(1), type: .int64)])))
            )
            await expectInvalid("pens", changed("pens", .children(nil)))
            let nameless = DynamicRecord(
                model: "Pen", fields: [Self.value("id", .int(1), type: .int64), Self.value("x", .null, type: .bool)])
            await expectInvalid("pens.x", changed("pens", .children([nameless])))
            await expectInvalid("id", changed("id", .value(.text("2"), .string)))
            await expectInvalid(nil, DynamicRecord(model: "Home", fields: []))
            let deleted = await expectError(.invalidValue) {
                try await store.delete([Self.person(1, "a"), DynamicRecord(model: "X", fields: [])])
            }
            expect(deleted?.element, equals: 1)
            let unknown = await expectError(.invalidQuery) {
                try await store.insert(DynamicRecord(model: "Nobody", fields: []))
            }
            expect(unknown?.message.contains("it has Person"), equals: true)
            try await expect(store.records("Person").count(), equals: 0)
        }
    }

    @Storable struct Scalars: Equatable {
        var id: Int
        var flag: Bool?
        var small: Int8?
        var big: UInt64?
        var float: Float?
        var double: Double?
        var date: Date?
        var uuid: UUID?
        var url: URL?
        var decimal: Decimal?
        var numbers: [Double]?
        var gaps: [Int?]?
        var links: [URL]?
        var blobs: [Data]?
        var other: [String: Int]?
    }

    @Test
    func `V2 values are held to their column's type, and stored in the one form of it`() async throws {
        try await withStore(.sqlite) { (store) async throws in
            try await store.insert(Scalars(id: 1))
            let empty = try #require(try await store.records("Scalars").first())
            func save(_ name: String, _ value: Value) async throws -> Value? {
                var record = empty
                let index = try #require(record.fields.firstIndex { $0.name == name })
                guard case .value(_, let type) = record.fields[index].content else { return nil }
                record.fields[index].content = .value(value, type)
                try await store.save(record)
                _ = try await store.select(Scalars.self).all()
                return try await store.records("Scalars").first()?.value(name)
            }
            let kept: [(String, Value, Value)] = [
                ("flag", .int(1), .int(1)), ("small", .int(-128), .int(-128)),
                ("big", .unsigned(.max), .unsigned(.max)),
                ("float", .double(0.5), .double(0.5)), ("float", .int(3), .double(3)),
                ("float", .double(.nan), .double(.nan)),
                ("double", .int(1 << 53), .double(0x1p53)), ("double", .double(0.1), .double(0.1)),
                ("date", .double(0.1), .double(0.1)), ("url", .text("a b"), .null),
                ("decimal", .text("-01.500"), .text("-1.5")),
                ("numbers", .text(" [1, 2.50, \"NaN\", 1e2] "), .text("[1.0,2.5,\"NaN\",100.0]")),
                ("gaps", .text("[null , 3]"), .text("[null,3]")),
                ("links", .text("[\"https:\\/\\/a.b\"]"), .text("[\"https://a.b\"]")),
                ("blobs", .text("[\"\", \"AAE=\"]"), .text("[\"\",\"AAE=\"]")),
                ("other", .text("{\"a\": 1}"), .text("{\"a\": 1}")),
            ]
            for (name, given, wanted) in kept where name != "url" {
                try await expect(save(name, given), equals: wanted, "\(name) \(given)")
            }
            let refused: [(String, Value)] = [
                ("flag", .int(2)), ("small", .int(128)), ("small", .double(1)), ("big", .int(-1)),
                ("float", .double(0.1)),
                ("double", .int(1 << 53 + 1)), ("date", .int(1)), ("date", .text("2026-01-01")), ("uuid", .blob([1])),
                ("uuid", .text("x")), ("decimal", .text("1e5")), ("decimal", .double(1)), ("numbers", .text("[1,]")),
                ("numbers", .text("[true]")), ("gaps", .text("[1.5]")), ("gaps", .blob([])),
                ("blobs", .text("[\"?\"]")),
                ("other", .text("{\"a\":}")), ("other", .text("{a:1}")), ("other", .text("01")),
                ("other", .text("\"a\nb\"")),
                ("other", .text("[1] [2]")), ("other", .text(String(repeating: "[", count: 100_000))),
            ]
            for (name, value) in refused {
                let error = await expectError(.invalidValue, "\(name) \(value)") { try await save(name, value) as Any }
                expect(error?.property, equals: name)
            }
        }
    }

    @Test
    func `first, find, keys, exists and a stream give what a query gives`() async throws {
        try await withPeople(700) { (store) async throws in
            let all = try await store.records("Person").all()
            let some = store.records("Person").where(text: "id > 600").order(text: "id desc")
            try await expect(some.first(), equals: all.last)
            try await expect(some.limit(0).first() == nil)
            try await expect(some.limit(2).keys(), equals: [[.int(700)], [.int(699)]])
            try await expect(some.exists())
            try await expect(some.count(), equals: 100)
            try await expect(store.records("Person").find(key: [.int(3)]), equals: all[2])
            try await expect(store.records("Person").find(key: [.int(701)]) == nil)
            for key in [[], [.text("3")], [.null], [.int(1), .int(2)]] as [[Value]] {
                await expectError(key.count == 1 ? .invalidValue : .invalidQuery) {
                    try await store.records("Person").find(key: key) as Any
                }
            }
            for query in [store.records("Person"), some, some.limit(300).offset(1)] {
                var streamed: [DynamicRecord] = []
                for try await record in query.stream() { streamed.append(record) }
                try await expect(streamed, equals: query.all())
            }
            var iterator = store.records("Person").stream().makeAsyncIterator()
            try await expect(iterator.next(), equals: all.first)
            try await expect(store.records("Person").delete(), equals: 700)
            try await expect(iterator.next(), equals: all[1])
            await expectError(.invalidQuery) {
                var unknown = store.records("Nobody").stream().makeAsyncIterator()
                return try await unknown.next() as Any
            }
            try await store.close()
            await expectError(.closed) {
                var closed = iterator
                for _ in 0..<300 { _ = try await closed.next() }
                return 0
            }
        }
    }

    @Test
    func `W5 W6 properties are set and records deleted by a condition and by keys`() async throws {
        try await withPeople(10) { (store) async throws in
            let some = store.records("Person").where(text: "id > ?", arguments: [.int(8)])
            try await expect(
                some.set("name", to: .text("x")).set("email", to: .null).set("name", to: .text("y")).run()
                    == 2)
            try await expect(store.records("Person").where(text: "name == \"y\"").count(), equals: 2)
            for (name, value) in [("id", .int(3)), ("nobody", .null), ("pens", .null)] as [(String, Value)] {
                await expectError(.invalidQuery) { try await some.set(name, to: value).run() }
            }
            for (name, value) in [("name", .null), ("name", .int(1)), ("tags", .text("[1]"))] as [(String, Value)] {
                let error = await expectError(.invalidValue) { try await some.set(name, to: value).run() }
                expect(error?.property == name && error?.operation == "update")
            }
            try await expect(store.records("Person").delete(keys: [[.int(1)], [.int(2)], [.int(99)]]), equals: 2)
            await expectError(.invalidValue) { try await store.records("Person").delete(keys: [[.text("1")]]) }
            try await expect(some.delete(), equals: 2)
            try await expect(store.records("Person").keys(), equals: (3...8).map { [.int($0)] })
            await expectError(.invalidQuery) { try await store.truncate("Nobody") }
        }
    }

    @Test
    func `T the same calls in a transaction, in a read block and without async`() async throws {
        try await withPeople(3) { (store) async throws in
            struct Stop: Error {}
            try await store.transaction { tx in
                try tx.insert(Self.person(nil, "a"))
                try tx.save([Self.person(1, "b"), Self.person(9, "c")])
                try tx.update(Self.person(9, "d"))
                try expect(tx.records("Person").find(key: [.int(9)])?.value("name"), equals: .text("d"))
                try expect(tx.delete([Self.person(2, "")]), equals: 1)
                #expect(throws: StorageError.self) { try tx.insert([Self.person(20, "e"), Self.person(1, "f")]) }
                try expect(tx.records("Person").where(text: "id >= 4").set("name", to: .text("z")).run(), equals: 2)
                try? tx.savepoint {
                    try tx.truncate("Person")
                    throw Stop()
                }
                try expect(tx.records("Person").keys(), equals: [[.int(1)], [.int(3)], [.int(4)], [.int(9)]])
            }
            await #expect(throws: Stop.self) {
                try await store.transaction { tx in
                    try expect(tx.records("Person").delete(), equals: 4)
                    throw Stop()
                }
            }
            try await store.read { (snapshot) throws in
                try expect(snapshot.records("Person").where(text: "name == \"z\"").count(), equals: 2)
                try expect(snapshot.records("Person").first()?.value("id"), equals: .int(1))
                #expect(throws: StorageError.self) { try snapshot.records("Person").delete() }
            }
            let blocking = store.blocking
            try expect(blocking.insert([Self.person(nil, "g")]).first?.value("id"), equals: .int(10))
            try expect(blocking.records("Person").delete(keys: [[.int(10)]]), equals: 1)
            try blocking.truncate("Person")
            try expect(blocking.records("Person").exists(), equals: false)
            // A limit chooses the records that are set, in the query's order, computed or not.
            try blocking.insert((1...4).map { Self.person($0, "h") })
            let last = blocking.records("Person").order(text: "id desc").limit(2)
            try expect(last.set("name", to: .text("i")).run(), equals: 2)
            try expect(blocking.records("Person").where(text: "name == \"i\"").keys(), equals: [[.int(3)], [.int(4)]])
            try expect(last.set(text: "name = \"j\"").run(), equals: 2)
            try expect(blocking.records("Person").where(text: "name == \"j\"").keys(), equals: [[.int(3)], [.int(4)]])
        }
    }
}
