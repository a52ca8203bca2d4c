public import Logging
public import StorageAPI

public struct ArchiveBackend: StorageBackend {
    public static let scheme = "archive"
    public var path: String
    public init(path: String) { self.path = path }
    public init(url: StorageURL) throws(StorageError) { self.init(path: url.path) }
    public func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        try ArchiveEngine(self, logger: logger)
    }
}
