import CSQLite
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("The format of a store with a fence")
struct FenceFormatTests {
    typealias Visit = Servers.Visit

    @Test func `a store with a fence is of a format that earlier versions cannot read`() async throws {
        try await withDatabase { path in
            let store = try await Store(SQLiteBackend(path: path), models: Visit.self)
            try await store.insert(Visit(id: 1))
            try await store.setFence(.init(address: "b", move: "m"))
            expect(try sqliteRows(path, "SELECT value FROM storage_info WHERE key = 'format'"), equals: [["4"]])
            let definition = "SELECT definition FROM storage_tables WHERE name = 'storage_fence'"
            let text = try #require(try sqliteRows(path, definition).first?.first)
            expect(text.contains(#""format":4"#) && !text.contains(#""path":"#))
            // What a later version writes is told by name to a program that has the store open.
            try otherProgram(path) { database in
                let sql = """
                    UPDATE storage_tables SET definition = replace(definition, '"format":4', '"format":5');
                    CREATE TABLE other (id INTEGER);
                    """
                try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
            }
            await expectError(.schemaNewer) { try await store.insert(Visit(id: 2)) }
            try await store.close()
        }
    }
}
