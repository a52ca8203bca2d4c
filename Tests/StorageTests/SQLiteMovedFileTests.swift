import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable
private struct Page: Equatable {
    var id: Int
    var text = ""
}

/// The file of an open database loses its name (clauses W8 and T6): no write is acknowledged that a later opening does not find.
@Suite("SQLite's file is removed, moved or replaced while it is open")
struct SQLiteMovedFileTests {
    enum Harm: String, CaseIterable {
        case removed, removedWithLog, renamed, replaced, folderRenamed

        func callAsFunction(_ path: String, in folder: URL) throws {
            let manager = FileManager.default
            switch self {
            case .removed: try manager.removeItem(atPath: path)
            case .removedWithLog: for end in ["", "-wal", "-shm"] { try manager.removeItem(atPath: path + end) }
            case .renamed: try manager.moveItem(atPath: path, toPath: path + ".old")
            case .replaced:
                // As `mv backup.db a.db` does.
                let copy = path + ".backup"
                try manager.copyItem(atPath: path, toPath: copy)
                guard rename(copy, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            case .folderRenamed:
                try manager.moveItem(
                    at: folder.appending(path: "data"), to: folder.appending(path: "elsewhere"))
            }
        }
    }

    /// Opens a store with one record, in a folder of its own.
    private func withOpenStore(_ body: (Store, String, URL) async throws -> Void) async throws {
        try await withFolder { folder in
            let data = folder.appending(path: "data")
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            let path = data.appending(path: "a.db").path
            try await Store(SQLiteBackend(path: path), models: Page.self).thenClose { store in
                try await store.insert(Page(id: 1, text: "first"))
                try await body(store, path, folder)
            }
        }
    }

    @Test(arguments: Harm.allCases)
    func `a write stores nothing and says so, and what was acknowledged is there`(_ harm: Harm) async throws {
        try await withOpenStore { (store, path, folder) in
            try harm(path, in: folder)
            let write = await expectError(.io) { try await store.insert(Page(id: 2)) }
            expect(write?.message.contains("\(path) was removed, renamed or replaced"), equals: true)
            expect(write?.message.contains("put it back"), equals: true)
            await expectError(.io) { try await store.transaction { tx in try tx.save(Page(id: 3)) } }
            await expectError(.io) { try await store.delete(Page.self, key: 1) }
            await expectError(.io) { try store.blocking.save(Page(id: 4)) }
            switch harm {
            case .removed, .removedWithLog: expect(!FileManager.default.fileExists(atPath: path))
            case .replaced: break
            case .renamed, .folderRenamed:
                // If the file is put back, the store continues.
                if harm == .renamed { try FileManager.default.moveItem(atPath: path + ".old", toPath: path) }
                if harm == .folderRenamed {
                    try FileManager.default.moveItem(
                        at: folder.appending(path: "elsewhere"), to: folder.appending(path: "data"))
                }
                try await store.insert(Page(id: 5))
                try await expect(store.select(Page.self).all().map(\.id), equals: [1, 5])
                try await store.close()
                try await Store(SQLiteBackend(path: path), models: Page.self).thenClose { again in
                    try await expect(again.select(Page.self).all().map(\.id), equals: [1, 5])
                }
            }
        }
    }

    @Test(arguments: Harm.allCases)
    func `a read gives what was stored, or a sentence that names the file and not the disk`(
        _ harm: Harm
    ) async throws {
        try await withOpenStore { (store, path, folder) in
            try harm(path, in: folder)
            // A read in a read has a connection of its own.
            var results: [Result<[Page], StorageError>] = []
            do throws(StorageError) {
                try store.blocking.read { (outer) throws(StorageError) in
                    results.append(.success(try outer.select(Page.self).all()))
                    results.append(.success(try store.blocking.select(Page.self).all()))
                }
            } catch {
                results.append(.failure(error))
            }
            for result in results {
                switch result {
                case .success(let pages): expect(pages, equals: [Page(id: 1, text: "first")])
                case .failure(let error):
                    expect(error.code, equals: .io)
                    expect(error.message.hasPrefix("\(path) was removed, renamed or replaced"), "\(error)")
                }
            }
            // No reader has made another file of the name.
            expect(FileManager.default.fileExists(atPath: path), equals: (harm == .replaced))
        }
    }

    @Test
    func `a second store at the name is another one, and takes no write of the first`() async throws {
        try await withOpenStore { (first, path, folder) in
            try Harm.removedWithLog(path, in: folder)
            try await Store(SQLiteBackend(path: path), models: Page.self).thenClose { second in
                try await second.insert(Page(id: 7))
                await expectError(.io) { try await first.insert(Page(id: 2)) }
                try await second.insert(Page(id: 8))
            }
            try await first.close()
            try await Store(SQLiteBackend(path: path), models: Page.self).thenClose { store in
                try await expect(store.select(Page.self).all().map(\.id), equals: [7, 8])
            }
        }
    }

    @Test
    func `no store is created at a name whose log belongs to a moved file, which would lose its last commits`()
        async throws
    {
        try await withOpenStore { (first, path, folder) in
            try Harm.renamed(path, in: folder)
            let error = await expectError(.io) { try await Store(SQLiteBackend(path: path), models: Page.self) }
            expect(error?.message.contains("\(path)-wal is the log of a database that is not there"), equals: true)
            expect(!FileManager.default.fileExists(atPath: path))
            try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
            try await first.insert(Page(id: 2))
            try await Store(SQLiteBackend(path: path), models: Page.self).thenClose { second in
                try await expect(second.select(Page.self).all().map(\.id), equals: [1, 2])
            }
        }
    }

    @Test
    func `a write to a file whose log is gone stores nothing, and after reopening all is there`() async throws {
        try await withOpenStore { (store, path, _) in
            try FileManager.default.removeItem(atPath: path + "-wal")
            let error = await expectError(.io) { try await store.insert(Page(id: 2)) }
            expect(error?.message.contains("\(path)-wal, the log of the database, was removed"), equals: true)
            try await store.close()
            try await Store(SQLiteBackend(path: path), models: Page.self).thenClose { store in
                try await expect(store.select(Page.self).all().map(\.id), equals: [1])
                try await store.insert(Page(id: 3))
            }
        }
    }

    @Test
    func `before the first write, when there is no log, it is noticed as well`() async throws {
        try await withOpenStore { (store, path, folder) in
            try await store.close()
            try await Store(SQLiteBackend(path: path), models: Page.self).thenClose { store in
                try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
                let error = await expectError(.io) { try await store.insert(Page(id: 2)) }
                expect(error?.message.contains("\(path) was removed, renamed or replaced"), equals: true)
                await expectError(.io) { try await store.compact() }
                try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
                try await store.insert(Page(id: 2))
                try await store.compact()
            }
        }
    }

    @Test
    func `each transaction of a group fails, and the queue continues`() async throws {
        try await withOpenStore { (store, path, _) in
            try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            await withTaskGroup(of: StorageError.Code?.self) { group in
                for id in 10..<30 {
                    group.addTask {
                        do throws(StorageError) {
                            try await store.insert(Page(id: id))
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                for await code in group { expect(code, equals: .io) }
            }
            try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
            try await store.insert(Page(id: 2))
            try await expect(store.select(Page.self).all().map(\.id), equals: [1, 2])
        }
    }
}
