import ArchiveBackend
public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension KeyedArchive {
    /// Writes the archive of one model to a file, which is replaced whole or not at all.
    ///
    /// The archive goes to a file beside it, which is synced and then renamed, so that a crash leaves the old file or
    /// the new one.
    /// - Throws: as ``encode(_:className:)-(M,_)``; `io` or `full` where the file cannot be written.
    public static func write<M: Storable>(_ model: M, to url: URL) throws(StorageError) {
        try WholeFile.write(try encode(model), to: try path(url))
    }

    /// Writes the archive of an array of models to a file, which is replaced whole or not at all.
    public static func write<M: Storable>(_ models: [M], to url: URL) throws(StorageError) {
        try WholeFile.write(try encode(models), to: try path(url))
    }

    /// Reads the model in a file.
    ///
    /// - Throws: `io` where the file cannot be read; as ``decode(_:from:)-(M.Type,_)``.
    public static func read<M: Storable>(_: M.Type, from url: URL) throws(StorageError) -> M {
        try decode(M.self, from: try WholeFile.read(try path(url)))
    }

    /// Reads the models in a file.
    public static func read<M: Storable>(_: [M].Type, from url: URL) throws(StorageError) -> [M] {
        try decode([M].self, from: try WholeFile.read(try path(url)))
    }

    private static func path(_ url: URL) throws(StorageError) -> String {
        guard url.isFileURL, !url.path.utf8.contains(0) else {
            throw StorageError(.configuration, "\(url) is no file's URL.")
        }
        return url.path
    }
}
