internal import Foundation
internal import StorageDriver

/// The folder of a database that is removed when it is closed.
///
/// SQLite's `:memory:` belongs to one connection, where readers and a writer would wait for each other. A file in the
/// system's temporary folder, with relaxed durability, keeps the contract and mostly stays in the system's page cache;
/// TMPDIR may name a folder in memory. Only its owner can enter the folder. If the process is killed, the system
/// removes the folder later.
final class TemporaryFolder: Sendable {
    private let folder: URL

    init() throws(StorageError) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("storage-" + UUID().uuidString)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StorageError(
                .io, "No folder for a temporary database can be created; check TMPDIR.", operation: "open",
                underlying: error)
        }
    }

    deinit { remove() }

    var databasePath: String { folder.appendingPathComponent("memory.db").path }

    /// Removes the folder, if it still exists.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
