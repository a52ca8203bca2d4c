import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("Grants of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct GrantTests {
    /// Runs a body with a role and the address of a store that opens by it.
    private static func withRole(
        _ body: (_ schema: String, _ role: String, _ address: String) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            try await Server.withRole { role in
                try await body(
                    schema, role, "host=\(Server.folder()) port=\(Server.port()) dbname=postgres user=\(role)")
            }
        }
    }

    private static func code(_ body: () async throws -> Void) async -> StorageError.Code? {
        do { try await body() } catch { return (error as? StorageError)?.code }
        return nil
    }

    @Test(arguments: [false, true]) func `a reader needs SELECT, and hears with that on the sequence`(hears: Bool)
        async throws
    {
        try await Self.withRole { schema, role, address in
            let owner = try await Store(Server.backend(schema), models: Pen.self, Person.self)
            try await owner.insert(Pen(id: 1))
            try await Server.psql(
                "GRANT USAGE ON SCHEMA \"\(schema)\" TO \"\(role)\"; "
                    + "GRANT SELECT ON ALL TABLES IN SCHEMA \"\(schema)\" TO \"\(role)\"")
            if hears { try await Server.psql("GRANT SELECT ON ALL SEQUENCES IN SCHEMA \"\(schema)\" TO \"\(role)\"") }
            var backend = try PostgreSQLBackend(address, schema: schema)
            backend.isReadOnly = true
            let store = try await Store(backend, models: Pen.self, Person.self)
            try await expect(store.select(Pen.self).keys(), equals: [1])
            expect((store.info.lacking[.foreignCommits] == nil) == hears)
            if hears {
                var values = store.select(Pen.self).values().makeAsyncIterator()
                try await expect(values.next()?.count, equals: 1)
                try await owner.insert(Pen(id: 2))
                try await expect(values.next()?.count, equals: 2)
            } else {
                expect(store.info.lacking[.foreignCommits]?.contains("GRANT"), equals: false)
                expect(store.info.lacking[.foreignCommits]?.contains("grant SELECT"), equals: true)
            }
            try await store.close()
            try await owner.close()
        }
    }

    @Test func `a writer needs its rights on tables and sequences, and the owner's for a change of a model`()
        async throws
    {
        try await Self.withRole { schema, role, address in
            let owner = try await Store(Server.backend(schema), models: Pen.self, Person.self)
            try await Server.psql(
                """
                GRANT USAGE ON SCHEMA "\(schema)" TO "\(role)";
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "\(schema)" TO "\(role)";
                GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA "\(schema)" TO "\(role)"
                """)
            let store = try await Store(PostgreSQLBackend(address, schema: schema), models: Pen.self, Person.self)
            var values = owner.select(Person.self).values().makeAsyncIterator()
            try await expect(values.next(), equals: [])
            let ada = try await store.insert(Person(name: "Ada", pens: [Pen(id: 1)]))
            try await expect(values.next(), equals: [ada])
            try await expect(store.delete(ada), equals: 1)
            try await store.truncate(Pen.self)
            await expect(Self.code { _ = try await store.select(House.self).all() }, equals: .io)
            try await store.close()
            try await owner.close()
        }
    }
}
