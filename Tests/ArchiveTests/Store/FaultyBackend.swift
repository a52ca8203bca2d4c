import ArchiveBackend
import Logging
import StorageDriver
import StorageKit

/// The archive on a file system in memory, whose calls fail when told to.
struct FaultyBackend: StorageBackend {
    static var scheme: String { ArchiveBackend.scheme }
    var backend: ArchiveBackend
    var files: MemoryFiles

    init(backend: ArchiveBackend, files: MemoryFiles) {
        self.backend = backend
        self.files = files
    }

    init(url: StorageURL) throws(StorageError) {
        self.init(backend: try ArchiveBackend(url: url), files: MemoryFiles())
    }

    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        try backend.open(layer: files, logger: logger)
    }
}
