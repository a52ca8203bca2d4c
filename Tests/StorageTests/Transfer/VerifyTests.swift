import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("Verifying a store")
struct VerifyTests {
    private func problems(_ store: Store) async throws -> [String] {
        var problems: [String] = []
        try await store.verify { problems.append($0.description) }
        return problems
    }

    private func fill(_ store: Store) async throws {
        try await store.insert(Sampler.all)
        try await store.insert((1...3).map { Branchlet.tree($0, 2) })
        try await store.insert((1...3).map { Ticket(id: nil, title: "", code: "\($0)") })
    }

    @Test(arguments: Backend.allCases)
    func `nothing is wrong with what a store has written`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await fill(store)
            try await expect(problems(store).isEmpty)
        }
    }

    /// Tests that damage by another program to a database is found.
    @Test(
        arguments: [
            ("DELETE FROM Sampler WHERE number = 0", "The owner is missing."),
            ("DELETE FROM Sampler_parts WHERE position = 0", "The positions have a gap before this one; 0 is missing."),
            ("DELETE FROM Branchlet_children WHERE node = 1", "The owner is missing."),
            ("UPDATE Branchlet_children SET parent = node", "The owner is missing."),
            ("DELETE FROM Branchlet WHERE id = 2", "The owner is missing."),
            (
                "UPDATE Sampler SET flag = 2 WHERE number = 0",
                "Sampler, key \"a\\0b\", 0, property flag: The stored value is no bool."
            ),
            (
                "UPDATE Sampler SET text = CAST(x'FF41' AS TEXT) WHERE number = 1",
                "property text: The stored value is not UTF-8."
            ),
            ("UPDATE Sampler SET identifier = x'00'", "property identifier: The stored value is no uuid."),
            (
                "UPDATE Sampler SET spares = 0 WHERE number = 1",
                "property spares: The array is nil, and 1 children are stored."
            ),
        ])
    func `what another program has broken is found and told`(_ sql: String, _ expected: String) async throws {
        try await withStore(.sqlite) { store in
            try await fill(store)
            try await store.withUnsafeSQLiteHandle { database in
                expect(sqlite3_exec(database, sql, nil, nil, nil), equals: SQLITE_OK, "\(sql)")
            }
            let found = try await problems(store)
            expect(found.contains { $0.contains(expected) }, "\(found)")
        }
    }

    @Test
    func `damage that several reads meet is told once`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Branchlet.self, Ticket.self).thenClose { store in
                try await store.insert((1...2000).map { Branchlet.tree($0, 1) })
                try await store.insert((1...2000).map { Ticket(id: nil, title: "", code: "\($0)") })
            }
            let url = URL(filePath: path)
            var bytes = try Data(contentsOf: url)
            let roots = try sqliteColumn(path, "SELECT (rootpage - 1) * 4096 FROM sqlite_schema").map { Int($0) }
            // The kind of a page, of each after the pages that opening needs.
            for start in stride(from: 0, to: bytes.count, by: 4096)
            where start > bytes.count / 2 && !roots.contains(start) {
                bytes[start] = 0xFF
            }
            try bytes.write(to: url)
            try await Store(SQLiteBackend(path: path), models: Branchlet.self, Ticket.self).thenClose { store in
                let told = try await problems(store)
                expect(!told.isEmpty && Set(told).count == told.count, "\(told)")
                expect(told.allSatisfy { !$0.contains("\n") })
            }
        }
    }

    @Test
    func `a copy of what does not fit its column is refused, and the target stays as it was`() async throws {
        try await withStores((.sqlite, .archive)) { source, target in
            try await fill(source)
            try await source.withUnsafeSQLiteHandle { database in
                let sql = "UPDATE Sampler SET text = CAST(x'FF41' AS TEXT) WHERE number = 1"
                expect(sqlite3_exec(database, sql, nil, nil, nil), equals: SQLITE_OK)
            }
            let error = await expectError(.typeMismatch) { try await target.copy(from: source) }
            expect(error?.property, equals: "text")
            try await expect(target.schema().isEmpty)
            await expectError(.typeMismatch) { try await source.digest(of: "Sampler") }
        }
    }
}

@Suite("Backups and compaction")
struct BackupTests {
    @Test(arguments: [Backend.sqlite, .archive])
    func `a backup is a store of its own with all that was committed`(_ backend: Backend) async throws {
        try await withFolder { folder in
            try await withStore(backend) { store in
                try await store.insert(Sampler.all)
                try await store.insert((1...600).map { Branchlet.tree($0, 1) })
                let name = backend == .sqlite ? "test.db" : "test.karch"
                try await store.backUp(to: folder.appending(path: name).path)
                try await store.delete(Branchlet.self, key: 1)
                let copy = try await backend.open(in: folder)
                try await expect(copy.digest(of: "Sampler"), equals: store.digest(of: "Sampler"))
                try await expect(copy.select(Branchlet.self).count(), equals: 600)
                try await copy.close()
                try expect(
                    FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
                        !$0.hasSuffix(".tmp")
                    })
            }
        }
    }

    @Test(arguments: [Backend.sqlite, .archive])
    func `a file that is there is kept unless it may be replaced`(_ backend: Backend) async throws {
        try await withFolder { folder in
            try await withStore(backend) { store in
                try await store.insert(Branchlet.tree(1, 1))
                let path = folder.appending(path: "there").path
                try Data("precious".utf8).write(to: URL(filePath: path))
                await expectError(.io) { try await store.backUp(to: path) }
                try expect(String(contentsOfFile: path, encoding: .utf8), equals: "precious")
                try await store.backUp(to: path, replacing: true)
                try expect(Data(contentsOf: URL(filePath: path)).count > 100)
                await expectError(.io) { try await store.backUp(to: folder.appending(path: "no/folder").path) }
            }
        }
    }

    @Test
    func `a store in memory has no backup, and says so`() async throws {
        try await withStore(.memory) { store in
            await expectError(.unsupported) { try await store.backUp(to: "/tmp/never") }
        }
    }

    @Test(arguments: [Backend.sqlite, .archive])
    func `compaction keeps every record and gives room back`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...2000).map { Branchlet.tree($0, 1) })
            try await store.delete(Branchlet.self).where { $0.id > 10 }.run()
            let before = try await store.digest(of: "Branchlet")
            // SQLite has what was written last in a log beside the file.
            func size() -> Int {
                ["", "-wal"].reduce(0) { sum, suffix in
                    let file = try? FileManager.default.attributesOfItem(atPath: store.info.location + suffix)
                    return sum + (file?[.size] as? Int ?? 0)
                }
            }
            let large = size()
            try await store.compact()
            try await expect(store.digest(of: "Branchlet"), equals: before)
            expect(size() < large)
            try await expect(store.insert(Branchlet.tree(11, 1)).id, equals: 11)
        }
    }
}
