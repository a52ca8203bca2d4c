import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// A folder for one test's databases.
func withFolder<T>(_ body: (URL) async throws -> T) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storage-failures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// Another program that works on the same database.
func otherProgram(_ path: String, _ body: (OpaquePointer) throws -> Void) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open(path, &handle)
    defer { sqlite3_close(handle) }
    try #require(code == SQLITE_OK)
    try body(try #require(handle))
}

func run(_ sql: String, _ database: OpaquePointer) {
    expect(
        sqlite3_exec(database, sql, nil, nil, nil), equals: SQLITE_OK,
        "\(sql): \(String(cString: sqlite3_errmsg(database)))")
}

@Suite("E1 Failures of an SQLite database")
struct FailureTests {
    enum Mood: String, Sendable { case good, bad }

    @Storable struct Reading: Equatable {
        var id: Int
        var small: Int8 = 0
        var level = 0.0
        var mood: Mood = .good
        var note = ""
        var tags: [String] = []
    }

    static func readings(_ ids: some Sequence<Int>) -> [Reading] { ids.map { Reading(id: $0, note: "n\($0)") } }

    @Test
    func `a value that another program stored and no property holds is typeMismatch; other rows stay readable`()
        async throws
    {
        try await withFolder { folder in
            let path = folder.appending(path: "a.db").path
            let store = try await Store(SQLiteBackend(path: path), models: Reading.self)
            try await store.insert(Self.readings(1...8))
            try otherProgram(path) { database in
                run("UPDATE Reading SET small = 300 WHERE id = 2", database)
                run("UPDATE Reading SET mood = 'awful' WHERE id = 3", database)
                run("UPDATE Reading SET level = 'high' WHERE id = 4", database)
                run("UPDATE Reading SET note = CAST(x'61F09F98' AS TEXT) WHERE id = 5", database)
                run("UPDATE Reading SET level = 2 WHERE id = 6", database)
                // Three bytes that are no text, in the place of which decoding puts three others.
                run("UPDATE Reading SET tags = CAST(x'5B22F09F98225D' AS TEXT) WHERE id = 7", database)
                run("UPDATE Reading SET tags = '[01]' WHERE id = 8", database)
            }
            let wanted: [(Int, String, Value?)] = [
                (2, "small", .int(300)), (3, "mood", .text("awful")), (4, "level", .text("high")), (5, "note", nil),
                (7, "tags", nil), (8, "tags", nil),
            ]
            for (key, property, value) in wanted {
                let error = await expectError(.typeMismatch) { try await store.find(Reading.self, key: key) as Any }
                expect(error?.model, equals: "Reading")
                expect(error?.key, equals: [.int(Int64(key))])
                expect(error?.property, equals: property)
                if let value { expect(error?.storedValue, equals: value) }
            }
            try await expect(store.find(Reading.self, key: 1), equals: Self.readings(1...1)[0])
            try await expect(store.find(Reading.self, key: 6)?.level, equals: 2)
            try await expect(store.select(Reading.self).where { $0.id == 1 }.all().count, equals: 1)
            try await store.close()
        }
    }

    @Test
    func `a file that is no database is corrupt, and stays as it is`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.db")
            let text = Data(String(repeating: "This is a letter. ", count: 400).utf8)
            try text.write(to: file)
            let error = await expectError(.corrupt) {
                try await Store(SQLiteBackend(path: file.path), models: Reading.self)
            }
            expect(error?.operation, equals: "open")
            try expect(Data(contentsOf: file), equals: text)
        }
    }

    @Test(arguments: ["/proc/a.db", "missing/a.db", "."])
    func `a place that cannot hold a file is io`(_ place: String) async throws {
        try await withFolder { folder in
            let path = place.hasPrefix("/") ? place : folder.appending(path: place).path
            let error = await expectError(.io) { try await Store(SQLiteBackend(path: path), models: Reading.self) }
            expect(error?.message.isEmpty, equals: false)
        }
    }

    @Test
    func `a full database is full: nothing of the call is stored, reading goes on, and writing when there is space`()
        async throws
    {
        try await withFolder { folder in
            let store = try await Store(SQLiteBackend(path: folder.appending(path: "a.db").path), models: Reading.self)
            try await store.insert(Reading(id: 1))
            try await store.withUnsafeSQLiteHandle { run("PRAGMA max_page_count = 20", $0) }
            let large = (2...2000).map { Reading(id: $0, note: String(repeating: "x", count: 1000)) }
            await expectError(.full) { try await store.insert(large) }
            try await expect(store.select(Reading.self).keys(), equals: [1])
            try await store.withUnsafeSQLiteHandle { run("PRAGMA max_page_count = 1000000", $0) }
            try await store.insert(large)
            try await expect(store.select(Reading.self).count(), equals: 2000)
            try await store.close()
        }
    }

    @Test
    func `a database that another program holds past the timeout is busy; afterwards it is written`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "a.db").path
            let store = try await Store(SQLiteBackend(path: path, busyTimeoutMilliseconds: 50), models: Reading.self)
            try await store.insert(Reading(id: 1))
            var other: OpaquePointer?
            expect(sqlite3_open(path, &other), equals: SQLITE_OK)
            run("BEGIN IMMEDIATE", try #require(other))
            await expectError(.busy) { try await store.insert(Reading(id: 2)) }
            try await expect(store.select(Reading.self).keys(), equals: [1])
            sqlite3_close(other)
            try await store.insert(Reading(id: 2))
            try await expect(store.select(Reading.self).keys(), equals: [1, 2])
            try await store.close()
        }
    }

    @Test
    func `a database cut anywhere is an error or the right data, and never a crash`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.db")
            let store = try await Store(SQLiteBackend(path: file.path), models: Reading.self)
            let readings = Self.readings(1...2000)
            try await store.insert(readings)
            try await store.close()
            let whole = try Data(contentsOf: file)
            for part in 1..<20 {
                let copy = folder.appending(path: "cut\(part).db")
                try whole.prefix(whole.count * part / 20 + part).write(to: copy)
                do {
                    let store = try await Store(SQLiteBackend(path: copy.path), models: Reading.self)
                    let found = try await store.select(Reading.self).all()
                    expect(found, equals: readings, "cut at \(part)/20")
                } catch {
                    expect((error as? StorageError).map { [.corrupt, .io].contains($0.code) } == true, "\(error)")
                }
            }
        }
    }

    @Test
    func `opened read-only, reading works and writing is unsupported before any effect`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "a.db").path
            let store = try await Store(SQLiteBackend(path: path), models: Reading.self)
            try await store.insert(Reading(id: 1))
            try await store.close()
            let reader = try await Store(
                url: "sqlite:\(path)?readonly=true", backends: [SQLiteBackend.self], models: Reading.self)
            try await expect(reader.find(Reading.self, key: 1), equals: Reading(id: 1))
            await expectError(.unsupported) { try await reader.save(Reading(id: 2)) }
            try await reader.close()
        }
    }
}
