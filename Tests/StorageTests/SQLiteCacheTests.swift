import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("What SQLite's connections keep")
struct SQLiteCacheTests {
    @Storable struct Wide: Equatable {
        var id: Int
        var a = 0
        var b = 0
        var c = 0
        var d = 0
        var e = 0
        var f = 0
        var g = 0
        var h = 0
        var i = 0
        var j = 0

        static let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]

        /// The properties whose bits are set.
        static func some(_ bits: Int) -> [String] { names.indices.filter { bits >> $0 & 1 == 1 }.map { names[$0] } }
    }

    @Storable struct Shelf: Equatable {
        var id: Int
        var books: [Book] = []
    }

    @Storable struct Book: Equatable { var title = "" }

    @Test func `the statements used last stay prepared, and others go`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Wide.self).thenClose { store in
                try await store.insert(Wide(id: 1))
                // One transaction: its queries run on the connection that the handle shows.
                try await store.transaction { tx in
                    for bits in 1...1023 {
                        let condition = Wide.some(bits).map { "\($0) = 0" }.joined(separator: " and ")
                        let found = try tx.records("Wide").where(text: condition).count()
                        // Used all the time, and so never forgotten.
                        let exists = try tx.select(Wide.self).where { $0.a == 0 }.exists()
                        expect(found == 1 && exists)
                    }
                }
                let queries = try await prepared(store)
                expect(queries.filter { $0.hasPrefix("SELECT count") }.count > 100 && queries.count <= 300)
                expect(queries.contains { $0.hasPrefix("SELECT EXISTS") })
            }
        }
    }

    @Test func `what a condition chooses is deleted by one statement for each table`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Shelf.self).thenClose { store in
                try await store.insert((1...9).map { Shelf(id: $0, books: [Book(title: "a"), Book(title: "b")]) })
                try await store.transaction { tx in
                    let count = try tx.delete(Shelf.self).where { $0.id > 6 }.run()
                    expect(count, equals: 3)
                }
                let deletions = try await prepared(store).filter { $0.hasPrefix("DELETE") }
                expect(deletions.count, equals: 2)
                expect(deletions.allSatisfy { $0.contains(" IN (SELECT ") })
                // A condition on what goes first is not asked again for what goes after it.
                let first = try await store.delete(Shelf.self).where { $0.books.any { $0.title == "b" } && $0.id < 3 }
                    .run()
                expect(first, equals: 2)
                try await expect(store.select(Shelf.self).all().map(\.books.count), equals: [2, 2, 2, 2])
                let noBooks = try await store.select(Shelf.self).where { $0.books.isEmpty }.count()
                expect(noBooks, equals: 0)
            }
        }
    }

    @Test func `shapes of partial updates are forgotten like shapes of queries`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Wide.self).thenClose { store in
                try await store.insert(Wide(id: 1))
                try await store.transaction { tx in
                    for bits in 1...1023 {
                        let names = Wide.some(bits)
                        var update = tx.records("Wide").set(names[0], to: .int(1))
                        for name in names.dropFirst() { update = update.set(name, to: .int(1)) }
                        let changed = try update.run()
                        expect(changed, equals: 1)
                    }
                }
                let updates = try await prepared(store).filter { $0.hasPrefix("UPDATE") }
                expect(updates.count > 100 && updates.count <= 300)
                // Forgotten, planned again under a number that another had, and right.
                try await store.records("Wide").set("a", to: .int(7)).run()
                try await store.records("Wide").set("b", to: .int(8)).run()
                let stored = try await store.find(Wide.self, key: 1)
                expect(stored?.a == 7 && stored?.b == 8 && stored?.c == 1)
            }
        }
    }

    @Test func `calls without a type decode the recorded tables once`() async throws {
        try await withDatabase { path in
            let lines = LogLines()
            try await Store(SQLiteBackend(path: path), models: Wide.self, options: .init(logger: lines.logger(.trace)))
                .thenClose {
                    store in
                    try await store.insert(Wide(id: 1))
                    func reads() -> Int {
                        lines.messages(at: .trace).count { $0.hasPrefix("SELECT definition FROM storage_tables") }
                    }
                    _ = try await store.records("Wide").all()
                    let before = reads()
                    for _ in 0..<20 { try await expect(store.records("Wide").count(), equals: 1) }
                    expect(reads(), equals: before)
                    // What another program adds is seen.
                    try sqliteRun(
                        path, "CREATE TABLE Other (id INTEGER PRIMARY KEY, name TEXT)",
                        "INSERT INTO Other VALUES (1, 'x')")
                    try await expect(store.records("Other").count(), equals: 1)
                    // What a transaction undoes is not.
                    await expectError(.io) {
                        try await store.transaction { tx in
                            try tx.prepare([
                                RecordSchema(
                                    name: "New", properties: [.init(name: "id", kind: .column(.int64), isKey: true)])
                            ])
                            let count = try tx.records("New").count()
                            expect(count, equals: 0)
                            throw StorageError(.io, "undone")
                        } as Void
                    }
                    await expectError(.invalidQuery) { try await store.records("New").count() }
                    await expectError(.invalidQuery) { try await store.records("New").delete() }
                }
        }
    }

    /// The statements of the connection that writes.
    private func prepared(_ store: Store) async throws -> [String] {
        try await store.withUnsafeSQLiteHandle { database in
            var statements: [String] = []
            var next = sqlite3_next_stmt(database, nil)
            while let statement = next {
                statements.append(String(cString: sqlite3_sql(statement)))
                next = sqlite3_next_stmt(database, statement)
            }
            return statements
        }
    }
}
