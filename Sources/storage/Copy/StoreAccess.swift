import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI

/// Opening stores by their URLs.
enum StoreAccess {
    enum Purpose { case reading, writing }

    static func open(_ url: String, _ purpose: Purpose) async throws -> Store {
        try await Store(url: url, backends: [SQLiteBackend.self, ArchiveBackend.self])
    }

    /// Opens a store to write, makes it where there is none, and closes it. A file that was made for work that failed goes
    /// again.
    static func withTarget<T>(_ url: String, _ work: (Store) async throws -> T) async throws -> T {
        let path = try StorageURL(url).path
        let isNew = !FileManager.default.fileExists(atPath: path)
        let store = try await open(url, .writing)
        do {
            let result = try await work(store)
            try await store.close()
            return result
        } catch {
            try? await store.close()
            if isNew { removeFiles(path) }
            throw error
        }
    }

    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
