import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

/// Tests stores of earlier versions, in which the index of a reference to a key of several parts had the first part
/// alone.
@Suite(
    "PostgreSQL, references to keys of several parts",
    .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct CompositeReferenceTests {
    @Storable struct Desk: Equatable {
        @Key var room: Int
        @Key var name: String
    }

    @Storable struct Lamp: Equatable {
        var id: Int
        @Reference(onDelete: .cascade) var desk: Ref<Desk>
    }

    /// Returns the number of columns in the index of the lamps' references.
    private func columns(_ schema: String) async throws -> String {
        try await Server.psql(
            """
            SELECT string_agg(indnatts::text, ',') FROM pg_index
            WHERE indrelid = '"\(schema)"."Lamp"'::regclass AND NOT indisprimary
            """)
    }

    /// A store as an earlier version has left it.
    private func makeStore(_ schema: String) async throws {
        let store = try await Store(Server.backend(schema), models: Lamp.self)
        try await store.insert((1...20).map { Desk(room: 1, name: "d\($0)") })
        try await store.insert((1...20).map { Lamp(id: $0, desk: Ref(key: (1, "d\($0)"))) })
        try await store.close()
        try await expect(columns(schema), equals: "2")
        let index = try await Server.psql(
            """
            SELECT relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid
            WHERE indrelid = '"\(schema)"."Lamp"'::regclass AND NOT indisprimary
            """)
        try await Server.psql(
            "DROP INDEX \"\(schema)\".\"\(index)\"; CREATE INDEX \"\(index)\" ON \"\(schema)\".\"Lamp\" (\"desk.room\")"
        )
        try await expect(columns(schema), equals: "1")
    }

    @Test func `a store of an earlier version gets the index over all parts when it is opened`() async throws {
        try await Server.withSchema { schema in
            try await makeStore(schema)
            let reader = try await Store(Server.backend(schema, "&readonly=true"), models: Lamp.self)
            let desk = Ref<Desk>(key: (1, "d7"))
            try await expect(reader.select(Lamp.self).where { $0.desk.isIn([desk, desk]) }.keys(), equals: [7])
            try await reader.close()
            try await expect(columns(schema), equals: "1")
            let store = try await Store(Server.backend(schema), models: Lamp.self)
            try await expect(columns(schema), equals: "2")
            try await store.delete(Desk.self, key: (1, "d7"))
            try await expect(store.select(Lamp.self).count(), equals: 19)
            try await store.close()
        }
    }

    @Test func `one whose table somebody uses is opened, and gets it the next time`() async throws {
        try await Server.withSchema { schema in
            try await makeStore(schema)
            let session = try await Server.Session("LOCK TABLE \"\(schema)\".\"Lamp\" IN ACCESS SHARE MODE")
            try await Store(Server.backend(schema, "&timeout=100"), models: []).close()
            try await expect(columns(schema), equals: "1")
            _ = try await session.end()
            try await Store(Server.backend(schema), models: []).close()
            try await expect(columns(schema), equals: "2")
        }
    }
}
