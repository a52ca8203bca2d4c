import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// Tests the changes that opening a store with models would make.
@Suite struct SchemaPlanTests {
    @Storable("Person") struct Old {
        var id: Int
        var name: String
        var code: Int
    }
    @Storable("Person") struct New {
        var id: Int
        @Field(renamedFrom: "name") var fullName: String
        @Unique var code: Int8
        var pens: [Pen] = []
    }
    @Storable("Person") struct Impossible {
        var id: String
    }
    @Storable struct Pen {
        var color: String
    }

    @Test
    func `a plan says what opening does, how many rows it writes and what would fail, and changes nothing`()
        async throws
    {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Old.self).thenClose { store in
                try await store.insert((1...3).map { Old(id: $0, name: "n", code: $0) })
            }
            try await Store(SQLiteBackend(path: path)).thenClose { store in
                let before = try await store.schema()
                let plan = try await store.plan(for: New.self)
                expect(plan.map(\.kind), equals: [.rewrite, .create])
                expect(plan.map(\.rows) == [3, 0] && plan.allSatisfy { $0.problem == nil })
                expect(plan[0].note.contains("name renamed to fullName"))
                await expectError(.schemaMismatch) { try await store.plan(for: Impossible.self) }
                try await expect(store.plan(for: Old.self).isEmpty)
                try await expect(store.schema(), equals: before)

                try await store.update("Person").where(text: "id < 3").set(text: "code = 1000").run()
                let failing = try await store.plan(for: New.self)
                expect(failing.compactMap(\.problem?.code), equals: [.constraint])
                try await store.update("Person").where(text: "id == 1").set(text: "code = 1").run()
                let problem = try #require(try await store.plan(for: New.self).first?.problem)
                expect(problem.code == .schemaMismatch && problem.key == [.int(2)])
                try await store.update("Person").where(text: "id == 2").set(text: "code = 2").run()
            }
            let store = try await Store(SQLiteBackend(path: path), models: New.self)
            try await expect(store.plan(for: New.self).isEmpty)
            try await expect(store.select(New.self).count(), equals: 3)
            try await store.close()
        }
    }

    @Storable("Person") struct Wider {
        var id: Int
        var name: String
        var code: Int
        var more: Int
    }

    @Test
    func `a check of a plan is written as a condition, for a table with rows too`() async throws {
        try await withStore(.memory) { store in
            try await store.insert(Old(id: 1, name: "n", code: 7))
            let plan = try await store.plan(for: Wider.self)
            let check = try #require(plan.first { $0.kind == .check })
            expect(
                check.note == "more: possible only if there are no records" && check.problem?.code == .schemaMismatch)
        }
    }

    @Test
    func `a migration makes a model exactly what a schema says`() async throws {
        try await withStore(.memory) { store in
            try await store.insert(Old(id: 1, name: "n", code: 7))
            var schema = try #require(try await store.recordSchemas().first)
            schema.properties.removeAll { $0.name == "code" }
            let place = try #require(schema.properties.firstIndex { $0.name == "name" })
            (schema.properties[place].name, schema.properties[place].renamedFrom) = ("title", "name")
            try await expect(store.plan(for: [schema]).count, equals: 1)
            try await store.migrate(to: [schema])
            try await expect(store.recordSchemas().first?.properties.map(\.name), equals: ["id", "title"])
            try await expect(store.plan(for: [schema]).isEmpty)
            let record = try #require(try await store.records("Person").first())
            expect(record["title"], equals: .value(.text("n"), .string))
            // What is left out keeps its values, and is there again when it is declared again.
            schema = try #require(try await store.recordSchemas().first)
            schema.properties.append(.init(name: "code", kind: .column(.int64), isOptional: true))
            try await store.migrate(to: [schema])
            try await expect(store.records("Person").first()?["code"], equals: .value(.int(7), .int64))
        }
    }
}
