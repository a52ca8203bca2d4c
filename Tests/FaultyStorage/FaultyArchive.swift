package import ArchiveBackend
package import Logging
package import StorageDriver

/// The archive on a file system in memory, whose calls fail when told to.
package struct FaultyArchive: StorageBackend {
    package static var scheme: String { ArchiveBackend.scheme }
    package var backend: ArchiveBackend
    package var files: MemoryFiles

    package init(backend: ArchiveBackend, files: MemoryFiles) {
        self.backend = backend
        self.files = files
    }

    package init(url: StorageURL) throws(StorageError) {
        self.init(backend: try ArchiveBackend(url: url), files: MemoryFiles())
    }

    package func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        try backend.open(layer: files, logger: logger)
    }
}
