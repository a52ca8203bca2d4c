import ArchiveBackend
import ArgumentParser
import MemoryBackend
import SQLiteBackend
import StorageAPI

/// The backends that the demo can use.
enum BackendChoice: String, CaseIterable, ExpressibleByArgument {
    case sqlite, archive, memory

    /// Opens a store for the demo's models, at the path where the backend keeps a file.
    func open(at path: String) async throws(StorageError) -> Store {
        switch self {
        case .sqlite: try await Store(SQLiteBackend(path: path), models: Country.self)
        case .archive: try await Store(ArchiveBackend(path: path), models: Country.self)
        case .memory: try await Store(InMemoryBackend(), models: Country.self)
        }
    }

    /// The name of the demo's database in the temporary folder; nil where there is no file to look into.
    var fileName: String? {
        switch self {
        case .sqlite: "geonames.db"
        case .archive: "geonames.karch"
        case .memory: nil
        }
    }

    /// A line for the shell that asks the database something.
    func question(to path: String) -> String? {
        switch self {
        case .sqlite:
            "sqlite3 \(path) 'select iso, name, population from Country order by population desc limit 5'"
        case .archive: "bsdtar -tvf \(path)"
        case .memory: nil
        }
    }
}
