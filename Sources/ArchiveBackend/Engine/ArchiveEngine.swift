internal import Logging
internal import StorageAPI
import Synchronization

/// An open store file: its tables in memory, and the file to which commits are appended.
final class ArchiveEngine: StorageEngine {
    private let configuration: ArchiveBackend
    private let committed: Mutex<ArchiveTables>

    init(_ configuration: ArchiveBackend, logger: Logger) throws(StorageError) {
        self.configuration = configuration
        committed = Mutex(ArchiveTables())
    }

    var info: BackendInfo {
        BackendInfo(name: ArchiveBackend.scheme, location: configuration.path)
    }

    // A reader holds the tables as they are at this moment. They are values: a writer changes copies.
    func reader(_: ReadScope) -> any StorageReader { ArchiveReader(committed.withLock { $0 }) }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        let writer = ArchiveWriter(committed.withLock { $0 }, RowBuilder())
        try body(writer)
        committed.withLock { $0 = writer.changes.tables }
    }

    func close() throws(StorageError) {}

    static var closed: StorageError { StorageError(.closed, "The store is closed; open it again to use it.") }
}
