import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("E1 Failures of SQLite that a caller meets")
struct SQLiteFailureTests {
    @Storable struct Account: Equatable {
        var id: Int?
        var name = ""
        var balance = 0
        @Field("a.b") @Unique var first: Int?
        @Unique var b: Int?
    }
    @Storable struct Label: Equatable {
        var id: String
        var text = ""
    }

    @Test
    func `notFound, missingKey and invalidQuery name the record, and leave what was there`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Account.self).thenClose { store in
                try await store.insert(Account(id: 1, name: "kept"))
                let missing = await expectError(.notFound) {
                    try await store.update([Account(id: 1, name: "x"), Account(id: 2)])
                }
                expect(missing?.element == 1 && missing?.key == [.int(2)] && missing?.model == "Account")
                expect(missing?.backend == "sqlite" && missing?.operation == "update")
                let noKey = await expectError(.missingKey) { try await store.update(Account()) }
                expect(noKey?.message.isEmpty, equals: false)
                await expectError(.invalidQuery) { try await store.select(Account.self).limit(-1).all() }
                try await expect(store.select(Account.self).all(), equals: [Account(id: 1, name: "kept")])
            }
        }
    }

    @Test
    func `a sum beyond Int64 is overflow, and a key beyond 64 KiB limitExceeded: the limit passes, one more does not`()
        async throws
    {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path)).thenClose { store in
                try await store.insert([Account(id: 1, balance: .max), Account(id: 2, balance: 1)])
                await expectError(.overflow) { try await store.select(Account.self).sum { $0.balance } }
                let limit = store.info.limits.keyBytes
                expect(limit, equals: 1 << 16)
                try await store.insert(Label(id: String(repeating: "k", count: limit)))
                let error = await expectError(.limitExceeded) {
                    try await store.insert(Label(id: String(repeating: "k", count: limit + 1)))
                }
                expect(error?.property, equals: "id")
                try await expect(store.select(Label.self).count(), equals: 1)
            }
        }
    }

    @Test
    func `a unique violation names the property also where another one's name ends alike`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Account.self).thenClose { store in
                try await store.insert(Account(id: 1, first: 1, b: 1))
                let first = await expectError(.constraint) { try await store.insert(Account(id: 2, first: 1)) }
                expect(first?.property == "a.b" || first?.property == "first")
                let second = await expectError(.constraint) { try await store.insert(Account(id: 2, b: 1)) }
                expect(second?.property, equals: "b")
            }
        }
    }

    @Test
    func `an error of the user's in a transaction, even one that looks like SQLite's, leaves the store writable`()
        async throws
    {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Account.self).thenClose { store in
                for code in [StorageError.Code.io, .corrupt, .full, .closed] {
                    await expectError(code) {
                        try await store.transaction { tx in
                            try tx.insert(Account(id: 1))
                            throw StorageError(code, "mine")
                        } as Int
                    }
                }
                try await store.insert(Account(id: 2))
                try await expect(store.select(Account.self).keys(), equals: [2])
            }
        }
    }

    @Test
    func `of writers that wait together, whoever cannot be stored because of a full database is told so`() async throws
    {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Label.self).thenClose { store in
                try await store.withUnsafeSQLiteHandle { run("PRAGMA max_page_count = 60", $0) }
                let large = Label(id: "large", text: String(repeating: "x", count: 1_000_000))
                let codes = await withTaskGroup(of: StorageError.Code?.self) { group in
                    for index in 0..<40 {
                        group.addTask {
                            do throws(StorageError) {
                                try await store.insert(index == 20 ? large : Label(id: "\(index)"))
                                return nil
                            } catch {
                                return error.code
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                expect(Set(codes.compactMap(\.self)), equals: [.full])
                try await expect(store.select(Label.self).count(), equals: codes.filter { $0 == nil }.count)
                await expectError(.full) {
                    try await store.transaction { tx in
                        try tx.insert(Label(id: "before"))
                        _ = try? tx.insert(large)
                        try tx.insert(large)
                    } as Void
                }
                try await expect(store.select(Label.self).where { $0.id == "before" }.count(), equals: 0)
                try await store.insert(Label(id: "after"))
            }
        }
    }

    @Test
    func `a database that another program holds alone is busy at opening, and not afterwards`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Label.self).thenClose {
                try await $0.insert(Label(id: "a"))
            }
            var other: OpaquePointer?
            expect(sqlite3_open(path, &other), equals: SQLITE_OK)
            let database = try #require(other)
            run("PRAGMA locking_mode = EXCLUSIVE", database)
            run("BEGIN EXCLUSIVE", database)
            let backend = SQLiteBackend(path: path, busyTimeoutMilliseconds: 50)
            let error = await expectError(.busy) { try await Store(backend, models: Label.self) }
            expect(error?.message.isEmpty, equals: false)
            sqlite3_close(database)
            try await Store(backend, models: Label.self).thenClose { store in
                let keys = try await store.select(Label.self).keys()
                expect(keys, equals: ["a"])
            }
        }
    }

    @Test
    func `opened read-only, every write is unsupported, and tables that are not as declared are schemaMismatch`()
        async throws
    {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Account.self).thenClose {
                try await $0.insert(Account(id: 1))
            }
            try await Store(SQLiteBackend(path: path, isReadOnly: true)).thenClose { store in
                expect(!store.info.has(.writing))
                let found = try await store.select(Account.self).all()
                expect(found, equals: [Account(id: 1)])
                let one = Account(id: 1)
                await expectError(.unsupported) { try await store.insert(one) }
                await expectError(.unsupported) { try await store.update(one) }
                await expectError(.unsupported) { try await store.delete(one) }
                await expectError(.unsupported) { try await store.delete(Account.self).run() }
                await expectError(.unsupported) { try await store.update(Account.self).set(\.balance, to: 1).run() }
                await expectError(.unsupported) { try await store.truncate(Account.self) }
                await expectError(.unsupported) { try await store.transaction { _ in 1 } }
                await expectError(.schemaMismatch) { try await store.select(Label.self).all() }
            }
            await expectError(.schemaMismatch) {
                try await Store(SQLiteBackend(path: path, isReadOnly: true), models: Label.self)
            }
            await expectError(.io) { try await Store(SQLiteBackend(path: path + ".none", isReadOnly: true)) }
            expect(!FileManager.default.fileExists(atPath: path + ".none"))
        }
    }

    @Test
    func `quotes, SQL, NUL, wildcards and a megabyte of text go in and come out, as keys and values and in filters`()
        async throws
    {
        try await withDatabase { path in
            let texts = [
                "", "'", "\"", "'; DROP TABLE Label; --", "\0", "a\0b", "%", "_", "*", "?1", ":a", "\u{FEFF}x", "é",
                "e\u{301}", "\"\u{301}", "'\u{301}", "👩‍👩‍👧", "\u{10FFFF}", "\r\n", "NULL", "NaN", "x'00'",
            ]
            try await Store(SQLiteBackend(path: path), models: Label.self).thenClose { store in
                try await store.insert(texts.map { Label(id: $0, text: $0) })
                for text in texts {
                    let found = try await store.find(Label.self, key: text)
                    expect(found.map { Array($0.text.utf8) }, equals: Array(text.utf8))
                    try await expect(store.select(Label.self).where { $0.text == text }.count(), equals: 1)
                    let prefixed = try await store.select(Label.self).where { $0.text.hasPrefix(text) }.count()
                    expect(prefixed, equals: texts.filter { $0.utf8.starts(with: text.utf8) }.count)
                }
                let large = String(repeating: "a\0'é", count: 250_000)
                try await store.save(Label(id: "large", text: large))
                try await expect(
                    store.find(Label.self, key: "large")?.text.utf8.elementsEqual(large.utf8), equals: true)
                try await expect(store.select(Label.self).where { $0.text == large }.keys(), equals: ["large"])
                try await expect(store.delete(Label.self, keys: texts), equals: texts.count)
                try await expect(store.select(Label.self).keys(), equals: ["large"])
            }
        }
    }

    @Test func `an error is that of its own statement, whatever its English says`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Account.self).thenClose { store in
                try await store.insert([Account(id: 1, balance: .max), Account(id: 2, balance: 1)])
                try sqliteRun(
                    path,
                    "CREATE TRIGGER full BEFORE INSERT ON Account WHEN NEW.name = 'x' BEGIN SELECT RAISE(ABORT, 'too many accounts'); END",
                    "CREATE TRIGGER one AFTER UPDATE OF name ON Account BEGIN SELECT RAISE(ABORT, 'parser stack overflow'); END"
                )
                let refused = await expectError(.constraint) { try await store.insert(Account(name: "x")) }
                expect((refused?.underlying as? SQLiteError)?.message == "too many accounts")
                let changed = await expectError(.constraint) {
                    try await store.update(Account.self).where { $0.id == 1 }.set(\.name, to: "y").run()
                }
                expect((changed?.underlying as? SQLiteError)?.message == "parser stack overflow")
                // A sum that overflows, and then another failure on the same connection.
                let codes = try await store.transaction { tx in
                    [
                        Self.code { _ = try tx.select(Account.self).sum { $0.balance } },
                        Self.code { try tx.insert(Account(name: "x")) },
                    ]
                }
                expect(codes, equals: [.overflow, .constraint])
            }
        }
    }

    private static func code(_ call: () throws -> Void) -> StorageError.Code? {
        do { try call() } catch { return (error as? StorageError)?.code }
        return nil
    }

    #if os(Linux)
    @Test func `out of descriptors, the message says so`() async throws {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "storage-\(UUID().uuidString).db"
            defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
            let store = try await Store(SQLiteBackend(path: path), models: Label.self)
            var limit = rlimit(rlim_cur: 0, rlim_max: 4096)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            do {
                _ = try await Store(SQLiteBackend(path: path))
                exit(2)
            } catch let error as StorageError {
                if error.code != .io || !error.message.contains("too many files are open") { exit(3) }
            }
            limit.rlim_cur = 1024
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            try await store.insert(Label(id: "a"))
            try await store.close()
        }
    }

    @Test func `at the limit of a file's size, the message says so, and the store goes on`() async throws {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "storage-\(UUID().uuidString).db"
            defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
            let store = try await Store(SQLiteBackend(path: path), models: Label.self)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 300_000, rlim_max: rlim_t.max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            do {
                try await store.insert(Label(id: "large", text: String(repeating: "x", count: 1_000_000)))
                exit(2)
            } catch let error as StorageError {
                if error.code != .full || !error.message.contains("limit of a file's size") { exit(3) }
            }
            try await store.insert(Label(id: "small"))
            if try await store.select(Label.self).keys() != ["small"] { exit(4) }
            try await store.close()
        }
    }
    #endif
}
