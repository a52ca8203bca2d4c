import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("S6 Names in SQL")
struct SQLiteNameTests {
    @Storable("we\"ird; DROP TABLE x; --") struct Weird: Equatable {
        var id: Int
        @Field("quote\"\u{301} INTEGER); DROP TABLE x; --") @Indexed var mark = "'\u{301}"
        @Field("[bracket]") var bracket = 1
        @Field("`back`") var back = 2
        @Field("group") @Unique var group: Int?
        @Field("x.y") var dotted = 3
        @Field("rowid") var row = 4
        @Field("_rowid_") var rowToo = 5
        @Field("node") var node = 6
        @Field("?1") var parameter = 7
    }
    @Storable("thing") struct Lower: Equatable {
        var id: Int
        @Field("value") @Indexed var one = 1
        @Field("Value") @Indexed var two = 2
        @Field("VALUE") @Unique var three: Int?
    }
    @Storable("Thing") struct Upper: Equatable {
        var id: Int
        @Field("value") @Indexed var one = 10
    }
    @Storable("index") struct Reserved: Equatable {
        @Key @Field("select") var a: Int
        @Key @Field("order") var b: String
        @Field("table") var c: [Part] = []
        @Field("from") var d: Part?
    }
    @Storable struct Part: Equatable {
        var id: Int
        @Field("owner_select") var one = 1
        @Field("position") var two = 2
    }

    @Test
    func `quotes with combining marks, dots, brackets and SQL's own words are plain names`() async throws {
        try await withDatabase { path in
            let weird = Weird(id: 1, group: 3)
            for _ in 1...2 {
                try await Store(SQLiteBackend(path: path), models: Weird.self).thenClose { store in
                    try await store.save(weird)
                    let found = try await store.select(Weird.self)
                        .where { $0.mark == "'\u{301}" && $0.bracket == 1 && $0.group == 3 && $0.parameter == 7 }
                        .order { $0.dotted }.all()
                    expect(found, equals: [weird])
                    try await expect(
                        store.update(Weird.self).set(\.rowToo, to: 5).where { $0.row == 4 }.run(), equals: 1)
                }
            }
        }
    }

    @Test
    func `names that differ in case only stay apart, of properties, of models and of their indexes`() async throws {
        try await withDatabase { path in
            for _ in 1...2 {
                try await Store(SQLiteBackend(path: path), models: Lower.self, Upper.self).thenClose { store in
                    try await store.save(Lower(id: 1, one: 1, two: 2, three: 3))
                    try await store.save(Upper(id: 1, one: 11))
                    let matching = store.select(Lower.self).where { $0.one == 1 && $0.two == 2 && $0.three == 3 }
                    try await expect(matching.count(), equals: 1)
                    try await expect(store.find(Upper.self, key: 1), equals: Upper(id: 1, one: 11))
                    let error = await expectError(.constraint) { try await store.insert(Lower(id: 2, three: 3)) }
                    expect(error?.property == "VALUE" || error?.property == "three")
                }
            }
        }
    }

    @Test
    func `a key and children under reserved words, whose names meet the names of the leading columns`() async throws {
        try await withDatabase { path in
            let model = Reserved(a: 1, b: "x", c: [Part(id: 1), Part(id: 1, one: 9, two: 0)], d: Part(id: 3))
            for _ in 1...2 {
                try await Store(SQLiteBackend(path: path), models: Reserved.self).thenClose { store in
                    try await store.save(model)
                    try await expect(
                        store.select(Reserved.self).where { $0.c.any { $0.two == 0 } }.all(), equals: [model])
                }
            }
        }
    }

    @Storable("A") struct IndexOfA: Equatable {
        var id: Int
        @Field("b_c") @Indexed var value = 1
    }
    @Storable("A_b") struct IndexOfAb: Equatable {
        var id: Int
        @Field("c") @Indexed var value = 2
    }
    @Storable("A_b_c_index") struct NamedAsIndex: Equatable {
        var id: Int
    }
    @Storable("sqlite_\u{301}") struct Engines: Equatable {
        var id: Int
    }
    @Storable("A_b_c") struct NamedAsChild: Equatable {
        var id: Int
        @Field("b_c") var children: [Part] = []
    }

    @Test
    func `indexes, tables and child tables whose joined names would meet`() async throws {
        try await withDatabase { path in
            for _ in 1...2 {
                let backend = SQLiteBackend(path: path)
                let models = try await Store(
                    backend, models: IndexOfA.self, IndexOfAb.self, NamedAsIndex.self, NamedAsChild.self,
                    Engines.self)
                try await models.thenClose { store in
                    try await store.save(IndexOfA(id: 1))
                    try await store.save(IndexOfAb(id: 1))
                    try await store.save(NamedAsIndex(id: 1))
                    try await store.save(NamedAsChild(id: 1, children: [Part(id: 1)]))
                    try await expect(store.select(IndexOfA.self).where { $0.value == 1 }.count(), equals: 1)
                    try await expect(store.select(IndexOfAb.self).where { $0.value == 2 }.count(), equals: 1)
                    try await expect(store.find(NamedAsChild.self, key: 1)?.children, equals: [Part(id: 1)])
                }
            }
        }
    }

    @Test
    func `a table that another program has made under a model's name is refused, and the store goes on`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Upper.self).thenClose { store in
                try sqliteRun(path, "CREATE TABLE A (x)", "INSERT INTO A VALUES (7)")
                let error = await expectError(.schemaMismatch) { try await store.insert(IndexOfA(id: 1)) }
                expect(error?.model, equals: "A")
                try await store.save(Upper(id: 1))
                try expect(sqliteColumn(path, "SELECT x FROM A"), equals: ["7"])
            }
        }
    }
}
