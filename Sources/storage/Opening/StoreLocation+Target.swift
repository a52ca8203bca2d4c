import Foundation
import StorageAPI

extension StoreLocation {
    /// Opens the store to write, makes it where there is none, and closes it. Files that were made for work that failed go
    /// again.
    func withTarget<T: Sendable>(_ work: (Store) async throws -> T) async throws -> T {
        let path = path ?? ""
        // A link that leads nowhere is something that is there.
        let isNew = !path.isEmpty && (try? FileManager.default.attributesOfItem(atPath: path)) == nil
        do {
            return try await with(.making, work)
        } catch {
            if isNew { Self.removeFiles(path) }
            throw error
        }
    }

    /// The file, and what SQLite and the archive keep beside it.
    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    }
}
