import CSQLite
import Foundation
import Logging
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// Tests stores of earlier versions, in which the index of a reference to a key of several parts had the first part
/// alone.
@Suite("R5 References to keys of several parts, in SQLite's files")
struct CompositeReferenceTests {
    @Storable struct Desk: Equatable {
        @Key var room: Int
        @Key var name: String
    }

    @Storable struct Lamp: Equatable {
        var id: Int
        @Reference(onDelete: .cascade) var desk: Ref<Desk>
    }

    private static let index = "storage_index_Lamp_desk.room_4"

    private func columns(_ path: String) throws -> [String] {
        try sqliteColumn(path, "SELECT name FROM pragma_index_info('\(Self.index)')")
    }

    /// A store as an earlier version has left it.
    private func makeStore(_ path: String) async throws {
        try await Store(SQLiteBackend(path: path), models: Lamp.self).thenClose { store in
            try await store.insert((1...20).map { Desk(room: 1, name: "d\($0)") })
            try await store.insert((1...20).map { Lamp(id: $0, desk: Ref(key: (1, "d\($0)"))) })
        }
        try sqliteRun(
            path, "DROP INDEX \"\(Self.index)\"", "CREATE INDEX \"\(Self.index)\" ON \"Lamp\" (\"desk.room\")")
    }

    @Test func `a new store has the index over all parts`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Lamp.self).close()
            try expect(columns(path), equals: ["desk.room", "desk.name"])
        }
    }

    @Test func `a store of an earlier version gets it when it is opened`() async throws {
        try await withDatabase { path in
            try await makeStore(path)
            try expect(columns(path), equals: ["desk.room"])
            try await Store(SQLiteBackend(path: path)).close()
            try expect(columns(path), equals: ["desk.room", "desk.name"])
            let version = try sqliteColumn(path, "PRAGMA schema_version")
            try await Store(SQLiteBackend(path: path), models: Lamp.self).thenClose { store in
                try await store.delete(Desk.self, key: (1, "d7"))
                try await expect(store.select(Lamp.self).count(), equals: 19)
            }
            try expect(sqliteColumn(path, "PRAGMA schema_version"), equals: version, "It is made once.")
        }
    }

    @Test func `one that is only read works without it`() async throws {
        try await withDatabase { path in
            try await makeStore(path)
            try await Store(SQLiteBackend(path: path, isReadOnly: true), models: Lamp.self).thenClose { store in
                let desk = Ref<Desk>(key: (1, "d7"))
                let one = try await store.select(Lamp.self).where { $0.desk == desk }.keys()
                expect(one, equals: [7])
                let listed = try await store.select(Lamp.self).where { $0.desk.isIn([desk, desk]) }.keys()
                expect(listed, equals: [7])
            }
            try expect(columns(path), equals: ["desk.room"])
        }
    }

    @Test func `one that another program is writing to is opened, and gets it the next time`() async throws {
        try await withDatabase { path in
            try await makeStore(path)
            try otherProgram(path) { database in
                run("BEGIN IMMEDIATE", database)
                let store = try SQLiteBackend(path: path, busyTimeoutMilliseconds: 1).open(logger: .init(label: "test"))
                run("ROLLBACK", database)
                try store.close()
            }
            try expect(columns(path), equals: ["desk.room"])
            try await Store(SQLiteBackend(path: path)).close()
            try expect(columns(path), equals: ["desk.room", "desk.name"])
        }
    }
}
