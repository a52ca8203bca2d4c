internal import Foundation
internal import StorageAPI

/// The folder of a database that is to be gone when it is closed.
///
/// SQLite's own `:memory:` belongs to one connection, on which readers and a writer would wait for each other. A file
/// in memory (or, where the system has no such folder, in the temporary one) keeps every promise of the contract. Only
/// its owner can enter the folder; a process that is killed leaves it to the system's cleaning.
final class TemporaryFolder: Sendable {
    private let folder: URL

    init() throws(StorageError) {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        let base = isThere ? memory : FileManager.default.temporaryDirectory
        folder = base.appendingPathComponent("storage-" + UUID().uuidString)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StorageError(
                .io, "No folder for a temporary database can be made; check TMPDIR.", operation: "open",
                underlying: error)
        }
    }

    deinit { remove() }

    var databasePath: String { folder.appendingPathComponent("memory.db").path }

    /// Removes the folder; again, or where the system has cleaned up already, there is nothing to do.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
